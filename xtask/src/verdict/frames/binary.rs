// SPDX-License-Identifier: MIT OR Apache-2.0
//! One binary with its debug information.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gimli::{self, EndianArcSlice, RunTimeEndian};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};

use super::super::console::RawFrame;

type Reader = EndianArcSlice<RunTimeEndian>;

/// A kernel or a module.
pub struct Binary {
    context: addr2line::Context<Reader>,
    /// Functions by name: address (in a module: address in the layout below) and length.
    functions: HashMap<String, Vec<(u64, u64)>>,
}

/// A place in the source.
pub struct Place {
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl Binary {
    /// Reads a binary.
    pub fn load(path: &Path) -> Result<Self, String> {
        let bytes =
            std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let file = object::File::parse(&*bytes)
            .map_err(|e| format!("{} is no ELF file: {e}", path.display()))?;
        let layout = Layout::of(&file);
        let mut functions: HashMap<String, Vec<(u64, u64)>> = HashMap::new();
        for symbol in file.symbols().filter(object::ObjectSymbol::is_definition) {
            if let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index()) {
                let address = layout.base(section) + symbol.address();
                functions.entry(name.to_owned()).or_default().push((address, symbol.size()));
            }
        }
        let endian = RunTimeEndian::Little;
        let load = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let data = file.section_by_name(id.name()).map(|s| layout.relocated(&file, &s));
            Ok(EndianArcSlice::new(Arc::from(data.unwrap_or_default().as_ref()), endian))
        };
        let dwarf = gimli::Dwarf::load(load).map_err(|e| e.to_string())?;
        let context = addr2line::Context::from_dwarf(dwarf)
            .map_err(|e| format!("{} has no usable debug information: {e}", path.display()))?;
        Ok(Self { context, functions })
    }

    /// The places of a frame, innermost inlined function first.
    pub fn locate(&self, raw: &RawFrame) -> Result<Vec<Place>, String> {
        let known = self.functions.get(&raw.function);
        let known = known.ok_or_else(|| format!("there is no function {}", raw.function))?;
        // The kernel's kallsyms measures to the next symbol, so it may see some padding as part of
        // the function. A function that is longer than that, or much shorter, is another one.
        let fits = |size: u64| size <= raw.size && raw.size - size < 64;
        let (address, _) = known.iter().find(|(_, size)| fits(*size)).ok_or_else(|| {
            format!("{} has another length: this is not that kernel", raw.function)
        })?;
        // A return address lies behind its call, see scripts/decode_stacktrace.sh.
        let back = u64::from(!raw.exact && raw.offset > 0);
        let probe = address + raw.offset - back;
        let mut frames =
            self.context.find_frames(probe).skip_all_loads().map_err(|e| e.to_string())?;
        let mut places = Vec::new();
        while let Some(frame) = frames.next().map_err(|e| e.to_string())? {
            let function = frame
                .function
                .as_ref()
                .and_then(|f| f.raw_name().ok().map(Cow::into_owned))
                .unwrap_or_else(|| raw.function.clone());
            let location = frame.location;
            places.push(Place {
                function,
                file: location.as_ref().and_then(|l| l.file.map(str::to_owned)),
                line: location.and_then(|l| l.line),
            });
        }
        if places.is_empty() {
            return Err("no debug information for this address".to_owned());
        }
        Ok(places)
    }
}

/// Where the sections of a relocatable file are imagined to lie, so that addresses in them differ.
/// In a linked file sections have addresses of their own.
struct Layout {
    bases: HashMap<object::SectionIndex, u64>,
}

impl Layout {
    fn of(file: &object::File<'_>) -> Self {
        let mut bases = HashMap::new();
        if file.kind() == object::ObjectKind::Relocatable {
            let mut next = 0x10_0000;
            for section in file.sections() {
                if section.kind() == object::SectionKind::Text {
                    bases.insert(section.index(), next);
                    next += section.size().next_multiple_of(0x1000) + 0x1000;
                }
            }
        }
        Self { bases }
    }

    fn base(&self, section: object::SectionIndex) -> u64 {
        self.bases.get(&section).copied().unwrap_or(0)
    }

    /// A section's data with its relocations applied, as the loader or linker would.
    fn relocated<'d>(
        &self,
        file: &object::File<'d>,
        section: &object::Section<'d, '_>,
    ) -> Cow<'d, [u8]> {
        let data = section.uncompressed_data().unwrap_or_default();
        if file.kind() != object::ObjectKind::Relocatable {
            return data;
        }
        let mut data = data.into_owned();
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let Ok(symbol) = file.symbol_by_index(symbol) else { continue };
            let base = symbol.section_index().map_or(0, |s| self.base(s));
            let value =
                base.wrapping_add(symbol.address()).wrapping_add_signed(relocation.addend());
            let width = usize::from(relocation.size() / 8);
            let Ok(at) = usize::try_from(offset) else { continue };
            if width <= 8
                && let Some(place) = data.get_mut(at..at + width)
            {
                place.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        Cow::Owned(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test binary is a linked ELF file with debug information like any other.
    #[test]
    fn a_function_of_this_binary_is_found() {
        let itself = std::env::current_exe().unwrap();
        let binary = Binary::load(&itself).unwrap();
        let (name, &(_, size)) = binary
            .functions
            .iter()
            .find_map(|(name, all)| {
                let place = all.iter().find(|(_, size)| *size > 32)?;
                name.contains("no_debug_no_panic").then_some((name, place))
            })
            .unwrap();
        let frame = RawFrame {
            function: name.clone(),
            offset: 5,
            size,
            module: None,
            exact: true,
            doubtful: false,
        };
        let places = binary.locate(&frame).unwrap();
        let outer = places.last().unwrap();
        assert!(outer.file.as_ref().unwrap().ends_with("binary.rs"), "{:?}", outer.file);
        let other = RawFrame { size: size + 1000, ..frame };
        assert!(binary.locate(&other).err().unwrap().contains("another length"));
    }

    #[inline(never)]
    fn no_debug_no_panic(seed: u64) -> u64 {
        (0..seed).fold(seed, |a, b| a.rotate_left(3) ^ b)
    }

    #[test]
    fn what_is_no_binary_is_an_error() {
        assert!(no_debug_no_panic(std::hint::black_box(9)) > 0);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "text").unwrap();
        assert!(Binary::load(file.path()).err().unwrap().contains("no ELF file"));
    }
}
