//! The known name that a wrong one was probably meant to be.
//!
//! ```toml
//! summery = "x"   # did you mean `summary`?
//! ```

/// Names beyond this length are no slip of the finger.
const LONGEST: usize = 64;

/// The candidate that is nearest to `written`, if one is near.
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
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let distance = strsim::osa_distance(&written, &folded(candidate));
            let longer = length.max(candidate.chars().count());
            (distance * 3 <= longer && distance < length).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> String {
    name.chars()
        .map(|character| match character {
            '-' => '_',
            _ => character.to_ascii_lowercase(),
        })
        .collect()
}
