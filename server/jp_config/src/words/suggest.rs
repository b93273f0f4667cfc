//! The known name that a wrong one was probably meant to be.
//!
//! ```toml
//! summery = "x"   # did you mean `summary`?
//! ```

/// Names beyond this length are no slip of the finger.
const LONGEST: usize = 64;

/// An abbreviation is at least this long.
const SHORTEST_PREFIX: usize = 3;

/// The candidate that is nearest to `written`, if one is near, or the only one that it abbreviates.
///
/// Case and the choice between `-` and `_` count for nothing; of equally near candidates the first one wins.
#[must_use]
pub fn suggest<'c>(
    written: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    if written.is_empty() || written.len() > LONGEST {
        return None;
    }
    let written = folded(written);
    let length = written.chars().count();
    let mut nearest: Option<(usize, &str)> = None;
    let mut abbreviated = Vec::new();
    for candidate in candidates {
        let name = folded(candidate);
        let distance = strsim::osa_distance(&written, &name);
        let longer = length.max(name.chars().count());
        let near = distance * 3 <= longer && distance < length;
        if near && nearest.is_none_or(|(best, _)| distance < best) {
            nearest = Some((distance, candidate));
        }
        if length >= SHORTEST_PREFIX && name.starts_with(&written) {
            abbreviated.push(candidate);
        }
    }
    match (nearest, abbreviated.as_slice()) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [candidate]) => Some(*candidate),
        _ => None,
    }
}

fn folded(name: &str) -> String {
    name.chars()
        .map(|character| match character {
            '-' => '_',
            _ => character.to_ascii_lowercase(),
        })
        .collect()
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
