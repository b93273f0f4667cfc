//! Config paths as text, made key by key.
//!
//! ```text
//! conversation.tools.grep.access.fs.0."odd key"
//! ```

use std::fmt::Write as _;

use crate::words::quoted;

/// Appends a key to a config path and returns the length before it.
pub(crate) fn push_key(path: &mut String, key: &str) -> usize {
    let length = path.len();
    if !path.is_empty() {
        path.push('.');
    }
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if key == "*" || (!key.is_empty() && key.bytes().all(bare)) {
        path.push_str(key);
    } else {
        path.push_str(&quoted(key));
    }
    length
}

/// Appends the index of a list and returns the length before it.
pub(crate) fn push_index(path: &mut String, index: usize) -> usize {
    let length = path.len();
    // Writing to a string cannot fail.
    let _ = write!(path, ".{index}");
    length
}
