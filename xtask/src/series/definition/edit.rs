// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing `series.yaml`: anew, or with a variant added or replaced and all else as it was.

use std::path::Path;

use super::file::{File, VariantEntry};
use crate::diagnosis::Diagnosis;

/// The first lines of a `series.yaml`; `depth` directories below `patches/`.
fn head(depth: usize) -> String {
    let up = "../".repeat(depth);
    format!(
        "# SPDX-License-Identifier: MIT OR Apache-2.0\n# yaml-language-server: $schema={up}series.schema.json\n"
    )
}

fn yaml(value: &impl serde::Serialize) -> Result<String, Diagnosis> {
    serde_yaml::to_string(value)
        .map_err(|e| Diagnosis::infra(format!("cannot write series.yaml: {e}")))
}

/// The text of a new `series.yaml`.
pub fn write(file: &File, depth: usize) -> Result<String, Diagnosis> {
    Ok(format!("{}{}", head(depth), yaml(file)?))
}

/// The text with a variant added, or in the place of the one with the same directory.
pub fn with_variant(path: &Path, text: &str, entry: &VariantEntry) -> Result<String, Diagnosis> {
    let there = File::parse(path, text)?;
    if there.variants.contains(entry) {
        return Ok(text.to_owned());
    }
    let mut wanted = there;
    let replaced = wanted.variants.iter().position(|v| v.directory == entry.directory);
    let place = if let Some(place) = replaced {
        wanted.variants[place] = entry.clone();
        Place::Of(place)
    } else {
        // The first that fits is taken: a wider range must not come before.
        let first = entry.kernels.ends().0;
        let wider = |v: &VariantEntry| first.is_some_and(|first| v.kernels.has(first));
        let before = wanted.variants.iter().position(wider).unwrap_or(wanted.variants.len());
        wanted.variants.insert(before, entry.clone());
        Place::Before(before)
    };
    // Comments and order survive where the text has the usual form; else the whole is written anew.
    if let Some(edited) = edit(text, entry, place)?
        && File::parse(path, &edited).is_ok_and(|file| file == wanted)
    {
        return Ok(edited);
    }
    let depth = if path.parent().and_then(Path::parent).is_some_and(|p| p.ends_with("faults")) {
        2
    } else {
        1
    };
    write(&wanted, depth)
}

/// Where a variant goes in the list.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the place of this one.
    Of(usize),
    /// Before this one, or at the end.
    Before(usize),
}

fn edit(text: &str, entry: &VariantEntry, place: Place) -> Result<Option<String>, Diagnosis> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(start) = lines.iter().position(|l| l.trim_end() == "variants:").map(|n| n + 1) else {
        return Ok(None);
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(margin) =
        lines.get(start).filter(|l| l.trim_start().starts_with("- ")).map(|l| indent(l))
    else {
        return Ok(None);
    };
    let is_item = |line: &str| indent(line) == margin && line.trim_start().starts_with("- ");
    let inside = |line: &str| is_item(line) || indent(line) > margin || line.trim().is_empty();
    let end = (start..lines.len()).find(|&n| !inside(lines[n])).unwrap_or(lines.len());
    let items: Vec<usize> = (start..end).filter(|&n| is_item(lines[n])).collect();
    let (from, to) = match place {
        Place::Before(place) => {
            let at = items.get(place).copied().unwrap_or(end);
            (at, at)
        }
        Place::Of(place) => {
            let Some(&from) = items.get(place) else { return Ok(None) };
            (from, items.get(place + 1).copied().unwrap_or(end))
        }
    };
    let pad = " ".repeat(margin);
    let new = yaml(&[entry])?;
    let new: Vec<String> = new.lines().map(|l| format!("{pad}{l}")).collect();
    let mut out: Vec<&str> = lines[..from].to_vec();
    out.extend(new.iter().map(String::as_str));
    out.extend(&lines[to..]);
    Ok(Some(format!("{}\n", out.join("\n"))))
}

#[cfg(test)]
mod tests {
    use super::super::{KernelRange, PatchEntry};
    use super::*;

    const TEXT: &str = "# Keep me.\nname: s\ndescription: d\nvariants:\n  - kernels: \"5.10\"\n    directory: \"5.10\"\n    patches:\n      - file: 1.patch # why\n# And me.\nexpect:\n  property: no-missed-call\n";

    fn entry(directory: &str, kernels: &str) -> VariantEntry {
        VariantEntry {
            kernels: kernels.parse::<KernelRange>().unwrap(),
            directory: directory.into(),
            patches: vec![PatchEntry { file: "2.patch".into() }],
            ..VariantEntry::default()
        }
    }

    #[test]
    fn a_variant_is_added_and_the_rest_stays() {
        let edited = with_variant(Path::new("series.yaml"), TEXT, &entry("6.1", "6.1..")).unwrap();
        insta::assert_snapshot!(edited, @r#"
        # Keep me.
        name: s
        description: d
        variants:
          - kernels: "5.10"
            directory: "5.10"
            patches:
              - file: 1.patch # why
          - kernels: 6.1..
            directory: '6.1'
            patches:
            - file: 2.patch
        # And me.
        expect:
          property: no-missed-call
        "#);
    }

    #[test]
    fn a_variant_is_replaced() {
        let edited =
            with_variant(Path::new("series.yaml"), TEXT, &entry("5.10", "5.10..5.15")).unwrap();
        assert!(edited.starts_with("# Keep me.\n") && edited.contains("# And me.\n"), "{edited}");
        assert!(edited.contains("5.10..5.15") && !edited.contains("1.patch"), "{edited}");
    }

    #[test]
    fn other_forms_are_written_anew() {
        let flow =
            "{name: s, description: d, variants: [{directory: a, patches: [{file: 1.patch}]}]}";
        let edited = with_variant(Path::new("series.yaml"), flow, &entry("b", "any")).unwrap();
        let file = File::parse(Path::new("series.yaml"), &edited).unwrap();
        assert_eq!(file.variants.len(), 2);
    }
}
