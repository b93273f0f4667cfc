//! Texts that a pattern is found in.
//!
//! ```toml
//! { arg = "/command", pattern = "^git (status|diff)$", mode = "unattended" } # `git status`, `git diff`
//! ```

use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind};

use crate::pattern::Pattern;

/// The longest sample, in bytes.
const LONGEST: usize = 1024;

/// A few texts that the pattern is likely to be found in; the caller must try them.
pub(crate) fn sample(pattern: &Pattern) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern.rust_source()) else {
        return Vec::new();
    };
    let mut samples: Vec<String> = Vec::new();
    for variant in 0..4 {
        let mut bytes = Vec::new();
        write_sample(&hir, variant, &mut bytes);
        if let Ok(text) = String::from_utf8(bytes)
            && !samples.contains(&text)
        {
            samples.push(text);
        }
    }
    samples
}

/// Appends a text that `hir` matches, anchors and word boundaries taken as met.
///
/// Another `variant` takes other branches.
fn write_sample(hir: &Hir, variant: usize, into: &mut Vec<u8>) {
    if into.len() > LONGEST {
        return;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => into.extend_from_slice(&literal.0),
        HirKind::Class(class) => write_class(class, variant, into),
        HirKind::Repetition(repetition) => {
            let least = repetition.min;
            let optional = u32::from(variant % 2 == 1 && repetition.max != Some(least));
            for _ in 0..least.saturating_add(optional) {
                if into.len() > LONGEST {
                    return;
                }
                write_sample(&repetition.sub, variant, into);
            }
        }
        HirKind::Capture(capture) => write_sample(&capture.sub, variant, into),
        HirKind::Concat(parts) => {
            for part in parts {
                write_sample(part, variant, into);
            }
        }
        HirKind::Alternation(branches) => {
            let branch = variant
                .checked_rem(branches.len())
                .and_then(|index| branches.get(index));
            if let Some(branch) = branch {
                write_sample(branch, variant, into);
            }
        }
    }
}

fn write_class(class: &Class, variant: usize, into: &mut Vec<u8>) {
    match class {
        Class::Unicode(class) => {
            let ranges = class.ranges();
            // What can be read is better than the lowest control character.
            let preferred = ['a', 'x', '0', 'A', ' ', '-', '_'];
            let character = preferred
                .iter()
                .cycle()
                .skip(variant)
                .take(preferred.len())
                .copied()
                .find(|character| {
                    ranges
                        .iter()
                        .any(|range| range.start() <= *character && *character <= range.end())
                })
                .or_else(|| ranges.first().map(ClassUnicodeRange::start));
            if let Some(character) = character {
                into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Class::Bytes(class) => into.extend(class.ranges().first().map(ClassBytesRange::start)),
    }
}
