//! The compiled programs of the patterns in use, kept so that nobody builds them again for the same text.
//!
//! ```text
//! "^git (status|diff)( |$)" -> program      a keystroke elsewhere in the policy, a hover and a decision all take this one
//! ```

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use regex::Regex;

/// How many programs are kept. Each may take a mebibyte.
const CAPACITY: usize = 64;

static PROGRAMS: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// The program of `source`, which `build` makes if it is not kept. What cannot be built is not remembered.
pub(super) fn regex<E>(
    source: &str,
    build: impl FnOnce(&str) -> Result<Regex, E>,
) -> Result<Regex, E> {
    let kept = || PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = kept().get(source) {
        return Ok(regex.clone());
    }
    // Built without the lock: a large pattern must not hold up a decision on another thread.
    let regex = build(source)?;
    let mut kept = kept();
    if kept.len() >= CAPACITY {
        kept.clear();
    }
    kept.insert(source.to_owned(), regex.clone());
    Ok(regex)
}

#[cfg(test)]
#[path = "compiled_tests.rs"]
mod tests;
