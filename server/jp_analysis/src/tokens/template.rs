//! The pieces of a text that is rendered: what is put in, and what stands around it.
//!
//! ```text
//! "find ./{{tool.arguments.path}} -name x"   # text, template, argument, template, text
//! ```

use std::ops::Range;

/// What leads to the arguments of a call.
const ARGUMENTS: &str = "tool.arguments.";

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) kind: PieceKind,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// It stays as it is.
    Text,
    /// It is rendered: an expression, a statement or a comment, with its braces.
    Template,
    /// The name of an argument in it.
    Argument,
}

/// The pieces of a text as it is written, one after the other; what is not closed is text.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    let mut at = 0;
    while let Some((open, close)) = next_template(text, at) {
        pieces.push(open, PieceKind::Text);
        arguments(text, open, close, &mut pieces);
        pieces.push(close, PieceKind::Template);
        at = close;
    }
    pieces.push(text.len(), PieceKind::Text);
    pieces.found
}

#[derive(Default)]
struct Pieces {
    found: Vec<Piece>,
    end: usize,
}

impl Pieces {
    /// Adds a piece that ends here and begins where the last one ends.
    fn push(&mut self, end: usize, kind: PieceKind) {
        if end > self.end {
            let range = self.end..end;
            self.found.push(Piece { range, kind });
            self.end = end;
        }
    }
}

/// Where the next template begins and ends; none follows one that is not closed.
fn next_template(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        let open = at + text.get(at..)?.find('{')?;
        let close = match text.as_bytes().get(open + 1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#') => "#}",
            _ => {
                at = open + 1;
                continue;
            }
        };
        let inside = open + 2;
        let end = text.get(inside..)?.find(close)?;
        return Some((open, inside + end + close.len()));
    }
}

/// The names of arguments in a template.
fn arguments(text: &str, open: usize, close: usize, pieces: &mut Pieces) {
    let Some(template) = text.get(open..close).filter(|it| !it.starts_with("{#")) else {
        return;
    };
    for (at, _) in template.match_indices(ARGUMENTS) {
        let name = at + ARGUMENTS.len();
        let rest = template.get(name..).unwrap_or_default();
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len());
        if length > 0 {
            pieces.push(open + name, PieceKind::Template);
            pieces.push(open + name + length, PieceKind::Argument);
        }
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
