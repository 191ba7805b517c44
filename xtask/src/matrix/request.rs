// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a cell of the plan to what one run is asked for.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::{Cell, Patches};
use crate::cell::{Request, Subject, Suite, Workspace, choose_series};
use crate::diagnosis::Diagnosis;
use crate::host::quote;
use crate::tree;

/// Seed of all cells, so that runs of a matrix can be compared.
const SEED: u64 = 1;

/// Looks everything up that a cell names; nothing is fetched or built.
pub fn request(
    workspace: &Workspace,
    kernels: &tree::Matrix,
    cell: &Cell,
) -> Result<Request, Diagnosis> {
    let mut reproduce = format!("cargo xtask run --kernel {}", cell.kernel);
    let mut add = |flag: &str, value: &str| {
        let _ = write!(reproduce, " --{flag} {}", quote(value));
    };
    let series = match &cell.patches {
        Patches::None => {
            add("series", "none");
            choose_series(workspace, "none", None, None)
        }
        Patches::Series { name, upto } => {
            add("series", name);
            if let Some(upto) = upto {
                add("upto", &upto.to_string());
            }
            choose_series(workspace, name, None, *upto)
        }
        Patches::Fault { name } => {
            add("fault", name);
            choose_series(workspace, name, Some(name), None)
        }
    }?;
    // The subject brings its own fragment.
    let own = cell.subject.fragment().map(|name| format!("{name}.config"));
    let further: Vec<PathBuf> = cell
        .fragments
        .iter()
        .filter(|path| own.as_ref().is_none_or(|own| !path.ends_with(own)))
        .cloned()
        .collect();
    for path in &further {
        add("config", &path.to_string_lossy());
    }
    if cell.subject != Subject::C {
        add("subject", cell.subject.name());
    }
    add("suite", &cell.suite);
    add("duration", &format!("{}ms", cell.duration_ms));
    add("seed", &SEED.to_string());
    Ok(Request {
        kernel: kernels.find(&cell.kernel.to_string())?,
        series,
        requests: workspace.requests(cell.subject, &further)?,
        subject: cell.subject,
        suite: Suite::load(&workspace.suites(), &cell.suite)?,
        duration_ms: cell.duration_ms,
        seed: SEED,
        sabotage: None,
        reproduce,
    })
}
