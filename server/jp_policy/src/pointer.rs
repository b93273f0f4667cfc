//! JSON Pointers (RFC 6901), as `arg` names a place in the arguments of a call.
//!
//! ```toml
//! arg = "/patterns/a~1b"   # `patterns`, then `a/b`
//! ```

use jsonptr::{Pointer, Token};

/// A name as a segment of a pointer.
#[must_use]
pub fn encoded(name: &str) -> String {
    Token::new(name).encoded().to_owned()
}

/// The name that a segment of a pointer stands for; nothing where `~` is followed by neither `0` nor `1`.
#[must_use]
pub fn decoded(segment: &str) -> Option<String> {
    let token = Token::from_encoded(segment).ok()?;
    Some(token.decoded().into_owned())
}

/// The names that a pointer passes; nothing for a text that is no pointer.
#[must_use]
pub fn segments(pointer: &str) -> Option<Vec<String>> {
    let tokens = Pointer::parse(pointer).ok()?.tokens();
    Some(tokens.map(|token| token.decoded().into_owned()).collect())
}

#[cfg(test)]
#[path = "pointer_tests.rs"]
mod tests;
