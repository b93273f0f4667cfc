//! How full the window of a model is, in the words of every surface.
//!
//! ```text
//! 12,400 of 200,000 tokens
//! ```

use jp_llm::Usage;

/// What the last answer of a model fills: all that the model was told so far, and the answer.
///
/// Without a `window` the tokens alone; nothing where the provider counts none.
#[must_use]
pub fn context_fill(usage: &Usage, window: Option<u64>) -> Option<String> {
    let read = usage.input_tokens?;
    let filled = read.saturating_add(usage.output_tokens.unwrap_or_default());
    match window {
        _ if filled == 0 => None,
        Some(window) => Some(format!("{} of {} tokens", grouped(filled), grouped(window))),
        None => Some(format!("{} tokens", grouped(filled))),
    }
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
