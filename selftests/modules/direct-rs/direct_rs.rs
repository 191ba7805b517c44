// SPDX-License-Identifier: GPL-2.0-only

//! The Rust subject: attaches its trampolines to the functions of direct_target.

use kernel::prelude::*;

mod bindings;
mod ftrace;
mod sabotage;
mod subject;
mod trampolines;

module! {
    type: DirectRs,
    name: "direct_rs",
    description: "Attaches direct trampolines in Rust to the functions of direct_target",
    license: "GPL",
}

/// The module; what it holds is undone when it is unloaded.
struct DirectRs {
    _offer: subject::Offer,
}

impl kernel::Module for DirectRs {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let sabotage = sabotage::asked_for()?;
        if let Some(sabotage) = sabotage {
            pr_info!("sabotage={}: its check must fail\n", sabotage.name());
        }
        Ok(Self {
            _offer: subject::Offer::new(module, sabotage)?,
        })
    }
}
