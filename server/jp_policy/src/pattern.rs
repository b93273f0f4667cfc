//! Patterns of policy rules: ECMA-262 regular expressions, matched in linear time.
//!
//! ```toml
//! [[conversation.tools.sh.policy.run]]
//! arg = "/command"
//! pattern = "^git (status|diff)( |$)"
//! mode = "unattended"
//! ```
//!
//! The dialect is ECMA-262 with the `u` flag, without lookaround and backreferences, and a pattern may match anywhere in the text,
//! as JSON Schema's `pattern` does.
//! Each pattern is translated to the syntax of the `regex` crate, which takes `\d`, `\w`, `\s`, `\b`, `.` and more in another sense.

mod class;
mod compiled;
mod escape;
mod name;
mod problem;
mod quantifier;
mod set;
mod translate;
mod translator;
mod unicode_property;

use std::{
    fmt,
    hash::{Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind},
};

use regex::{Regex, RegexBuilder};

pub use self::problem::{PatternError, PatternErrorKind, PatternWarning};

/// Longest accepted pattern, in bytes.
///
/// A search takes time in proportion to the pattern's length times the text's.
const MAX_SOURCE_LENGTH: usize = 4096;

/// Upper bound of the compiled program's size, in bytes.
const MAX_COMPILED_SIZE: usize = 1 << 20;

/// Upper bound of the cache that a search may fill, in bytes.
const MAX_CACHE_SIZE: usize = 1 << 20;

/// Default of the `regex` crate, so that every [`Pattern::rust_source`] fits into a `RegexSet` of default settings too.
const NEST_LIMIT: u32 = 250;

/// A compiled ECMA-262 pattern (RFD D25, "Matchers for string and path types").
///
/// Two patterns are equal if their sources are.
#[derive(Clone)]
pub struct Pattern {
    source: String,
    rust_source: String,
    warnings: Vec<PatternWarning>,
    regex: Regex,
}

impl Pattern {
    /// Compiles an ECMA-262 pattern.
    ///
    /// # Errors
    ///
    /// [`PatternErrorKind::Invalid`] if ECMA-262 rejects the pattern, [`PatternErrorKind::Unsupported`] if it accepts the pattern
    /// but matching cannot be promised to take linear time, [`PatternErrorKind::TooLarge`] if the pattern exceeds a limit.
    pub fn compile(source: &str) -> Result<Self, PatternError> {
        if source.len() > MAX_SOURCE_LENGTH {
            return Err(too_large(
                source,
                format!(
                    "the pattern is longer than {MAX_SOURCE_LENGTH} bytes; split it into several rules"
                ),
            ));
        }
        let translation = translate::translate(source)?;
        let regex = compiled::regex(&translation.rust_source, |rust_source| {
            build(source, rust_source)
        })?;
        Ok(Self {
            source: source.to_owned(),
            rust_source: translation.rust_source,
            warnings: translation.warnings,
            regex,
        })
    }

    /// Whether the pattern matches somewhere in `text`.
    ///
    /// Reads a search that the engine aborted as "no match".
    /// That is the safe reading for a rule that permits; a caller for which a match restricts uses [`Pattern::try_is_match`].
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.try_is_match(text).unwrap_or(false)
    }

    /// Whether the pattern matches somewhere in `text`, or `None` if the engine aborted the search.
    ///
    /// A caller must read `None` in the stricter of the two ways: as a match of a rule that restricts, as no match of one that permits.
    #[must_use]
    pub fn try_is_match(&self, text: &str) -> Option<bool> {
        guarded(|| self.regex.is_match(text))
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The pattern in the syntax of the `regex` crate, with the same meaning under that crate's default settings.
    #[must_use]
    pub fn rust_source(&self) -> &str {
        &self.rust_source
    }

    /// What only the Annex B leniencies of ECMA-262 accept, in source order.
    ///
    /// Replacing each [`PatternWarning::offset`] by its [`PatternWarning::replacement`] keeps the meaning and silences every warning.
    #[must_use]
    pub fn warnings(&self) -> &[PatternWarning] {
        &self.warnings
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.source).finish()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

fn build(source: &str, rust_source: &str) -> Result<Regex, PatternError> {
    let built = guarded(|| {
        RegexBuilder::new(rust_source)
            .size_limit(MAX_COMPILED_SIZE)
            .dfa_size_limit(MAX_CACHE_SIZE)
            .nest_limit(NEST_LIMIT)
            .build()
    });
    match built {
        Some(Ok(regex)) => Ok(regex),
        Some(Err(regex::Error::CompiledTooBig(_))) | None => Err(too_large(
            source,
            "the pattern is too large once its repetitions are written out; lower the counts or split it into several rules"
                .to_owned(),
        )),
        Some(Err(error)) => Err(PatternError {
            kind: PatternErrorKind::Unsupported,
            construct: "pattern".to_owned(),
            message: format!("the matching engine refuses the pattern; write a simpler one: {error}"),
            offset: 0..source.len(),
        }),
    }
}

fn too_large(source: &str, message: String) -> PatternError {
    PatternError {
        kind: PatternErrorKind::TooLarge,
        construct: "pattern".to_owned(),
        message,
        offset: 0..source.len(),
    }
}

/// Runs the engine, which can panic on repetitions near its own limits, and turns a panic into `None`.
fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    // The engine takes its cache out of a pool for each search; one that unwinds is dropped, not put back.
    catch_unwind(AssertUnwindSafe(run)).ok()
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
