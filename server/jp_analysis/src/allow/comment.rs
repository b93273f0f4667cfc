//! The words of a comment that allows findings.

use jp_config::{document::Span, words::suggest};

use crate::diagnostic::Code;

/// What a comment begins with that speaks to this program.
const ADDRESS: &str = "jp-lsp:";

/// What others call it.
const OTHER_NAMES: [&str; 5] = ["ignore", "disable", "suppress", "expect", "noqa"];

/// A comment that allows findings, or tries to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Allow {
    /// The comment, from its `#` on.
    pub(crate) comment: Span,
    /// The codes in it; none in a comment that cannot be read.
    pub(crate) names: Vec<Named>,
}

/// A code that a comment names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name.
    pub(crate) span: Span,
    /// The code of that name, if there is one.
    pub(crate) code: Option<Code>,
}

impl Allow {
    /// What a comment of a text allows; none where it speaks of something else.
    pub(crate) fn parse(text: &str, comment: Span) -> Option<Self> {
        let words = text.get(comment.range())?;
        let said = words.trim_start_matches('#').trim_start();
        let said = said.strip_prefix(ADDRESS)?.trim();
        let length = said
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '-')
            .unwrap_or(said.len());
        let (verb, rest) = said.split_at_checked(length)?;
        let rest = rest.trim_start();
        if verb != "allow" {
            let is_meant = rest.starts_with('(')
                || OTHER_NAMES.contains(&verb)
                || suggest(verb, ["allow"]).is_some();
            return is_meant.then_some(Self {
                comment,
                names: Vec::new(),
            });
        }
        let list = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let mut names = Vec::new();
        for name in list.map_or("", |(list, _)| list).split(',') {
            let name = name.trim();
            if name.is_empty() {
                continue;
            }
            // Both are parts of one text.
            let before = name.as_ptr() as usize - words.as_ptr() as usize;
            let start = comment.start + u32::try_from(before).ok()?;
            let end = start + u32::try_from(name.len()).ok()?;
            names.push(Named {
                span: Span::new(start, end),
                code: Code::from_name(name),
            });
        }
        Some(Self { comment, names })
    }
}
