// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a misspelt symbol was probably meant to be.

use super::Symbol;

/// How many names are offered.
const OFFERED: usize = 3;

/// The known symbols nearest to `name`, the nearest first; none when all are far off.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a Symbol>) -> Vec<Symbol> {
    let limit = (name.len() / 4).clamp(1, 4);
    let wanted = name.to_ascii_uppercase();
    let mut near: Vec<(usize, &Symbol)> = known
        .filter_map(|symbol| {
            let candidate = symbol.name();
            if candidate.len().abs_diff(name.len()) > limit {
                return None;
            }
            let distance = strsim::osa_distance(&wanted, &candidate.to_ascii_uppercase());
            (distance <= limit).then_some((distance, symbol))
        })
        .collect();
    near.sort();
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter()
        // Next to a slip of one letter, names three letters off only distract.
        .take_while(|(distance, _)| *distance <= best + 1)
        .take(OFFERED)
        .map(|(_, symbol)| symbol.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_far_names_are_not() {
        let known = ["SERIAL_8250", "SERIAL_8250_CONSOLE", "SMP", "TMPFS", "SND_SOC_AMD_ACP3x"]
            .map(Symbol::verbatim);
        for (name, expected) in [
            ("SERIAL_8520", &["SERIAL_8250"][..]),
            ("SERIAL_8250_CONSLE", &["SERIAL_8250_CONSOLE"]),
            ("TEMPFS", &["TMPFS"]),
            ("SND_SOC_AMD_ACP3X", &["SND_SOC_AMD_ACP3x"]),
            ("FUTEX", &[]),
            ("X", &[]),
            ("", &[]),
        ] {
            let found = nearest(name, known.iter());
            assert_eq!(found.iter().map(Symbol::name).collect::<Vec<_>>(), expected, "{name}");
        }
    }
}
