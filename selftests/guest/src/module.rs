// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loading and unloading kernel modules.

use std::ffi::CString;
use std::fs::File;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::system::{delete_module, finit_module};
use wire::{ModuleSpec, Outcome};

/// Loads a module from the image.
pub fn load(module: &ModuleSpec) -> Result<(), Outcome> {
    let step = format!("insmod {}", module.file);
    let broke = |errno: i32, why: String| Outcome::Broke { step: step.clone(), errno, why };
    let on_io = |e: std::io::Error| broke(e.raw_os_error().unwrap_or(0), e.to_string());
    let path = Path::new(wire::MODULES_DIRECTORY).join(&module.file);
    let content = std::fs::read(&path).map_err(on_io)?;
    // The kernel only warns of a parameter that the module does not have, and goes on without it.
    if let Some(name) = unknown_parameter(&module.params, &content) {
        return Err(broke(0, format!("the module has no parameter {name:?}")));
    }
    let params = CString::new(module.params.as_str())
        .map_err(|_| broke(0, "the parameters hold a NUL byte".to_owned()))?;
    let file = File::open(&path).map_err(on_io)?;
    finit_module(&file, &params, 0).map_err(|e| broke(e.raw_os_error(), explain_load(e)))
}

/// Unloads a module.
pub fn unload(module: &ModuleSpec) -> Result<(), Outcome> {
    let step = format!("rmmod {}", module.name());
    let broke = |errno: i32, why: String| Outcome::Broke { step: step.clone(), errno, why };
    let name = CString::new(module.name())
        .map_err(|_| broke(0, "the name holds a NUL byte".to_owned()))?;
    // O_NONBLOCK, see delete_module(2): fail rather than wait for a use count that may never fall.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    delete_module(&name, flags).map_err(|e| broke(e.raw_os_error(), explain_unload(e)))
}

/// The first parameter that the module's `.modinfo` does not list: `parmtype=NAME:TYPE`, see
/// `__MODULE_PARM_TYPE` in `include/linux/moduleparam.h`.
fn unknown_parameter<'a>(params: &'a str, module: &[u8]) -> Option<&'a str> {
    params.split_whitespace().map(|word| word.split_once('=').map_or(word, |(name, _)| name)).find(
        |name| {
            let entry = format!("parmtype={name}:");
            !module.windows(entry.len()).any(|window| window == entry.as_bytes())
        },
    )
}

/// What `finit_module(2)` and the kernel's loader mean by an error.
fn explain_load(error: Errno) -> String {
    let hint = match error {
        Errno::NOEXEC => "not a module for this kernel; the console says more",
        Errno::NOENT => "a symbol that it needs is missing; the console names it",
        Errno::INVAL => "its format or a parameter is wrong; the console says more",
        Errno::EXIST => "it is loaded already",
        Errno::KEYREJECTED => "its signature is missing or wrong",
        _ => return error.to_string(),
    };
    format!("{error}: {hint}")
}

fn explain_unload(error: Errno) -> String {
    let hint = match error {
        Errno::WOULDBLOCK => "it is in use",
        Errno::NOENT => "it is not loaded",
        Errno::BUSY => "it is being loaded or unloaded, or cannot be unloaded",
        _ => return error.to_string(),
    };
    format!("{error}: {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_checked_against_the_module() {
        let module = b"\x7fELF\0parm=sabotage:text\0parmtype=sabotage:charp\0parmtype=n:uint\0";
        let check = |params| unknown_parameter(params, module);
        assert_eq!(check(""), None);
        assert_eq!(check("sabotage=pause n=3"), None);
        assert_eq!(check("n=3 sabotge=pause"), Some("sabotge"));
        assert_eq!(check("n"), None);
        assert_eq!(check("sab=1"), Some("sab"));
    }

    #[test]
    fn errors_are_explained() {
        assert!(explain_load(Errno::NOEXEC).contains("not a module for this kernel"));
        assert!(explain_unload(Errno::WOULDBLOCK).ends_with("it is in use"));
        assert_eq!(explain_load(Errno::NOMEM), Errno::NOMEM.to_string());
    }
}
