//! A comment that allows what is not found there.
//!
//! ```toml
//! # jp-lsp: allow(command-missing)
//! command = "make"   # warning[allow-unused]: nothing here is `command-missing`
//! ```

use jp_config::{
    document::{Document, Span},
    graph::FileId,
    words::suggest,
};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Tag},
    fix::Fix,
    text::text_edit::{edit, line_start},
};

/// A comment that allows nothing, however it is read.
pub(crate) fn malformed(file: FileId, comment: Span) -> Diagnostic {
    let place = Place {
        file,
        span: comment,
    };
    let message = "this comment allows nothing: write `# jp-lsp: allow(CODE) reason`";
    Diagnostic::new(Code::AllowUnused, place, message)
}

/// A name in a comment that no code bears.
pub(crate) fn unknown(file: FileId, document: &Document, name: Span) -> Diagnostic {
    let place = Place { file, span: name };
    let written = document.text().get(name.range()).unwrap_or_default();
    let near = suggest(written, Code::ALL.iter().map(|code| code.as_str()));
    match near {
        Some(near) => {
            let message = format!("unknown code `{written}`, did you mean `{near}`?");
            Diagnostic::new(Code::AllowUnused, place, message).with_fix(Fix::replace(
                format!("Write `{near}`"),
                place,
                near,
            ))
        }
        None => {
            let message = format!("unknown code `{written}`");
            Diagnostic::new(Code::AllowUnused, place, message)
                .with_help("`jp-lsp explain codes` lists the codes")
        }
    }
}

/// A code in a comment that is found nowhere in what the comment holds for.
pub(crate) fn unused(
    file: FileId,
    document: &Document,
    comment: Span,
    names: &[Span],
    index: usize,
    code: Code,
) -> Diagnostic {
    let span = names.get(index).copied().unwrap_or(comment);
    let message = format!("nothing here is `{code}`: the comment can go");
    let (title, removed) = match names {
        [_] => ("Remove the comment".to_owned(), whole(document, comment)),
        _ => (
            format!("Remove `{code}` from the comment"),
            listed(names, index),
        ),
    };
    let finding = Diagnostic::new(Code::AllowUnused, Place { file, span }, message)
        .with_tag(Tag::Unnecessary);
    match removed {
        Some(range) => finding.with_fix(Fix::new(title, vec![edit(file, range, String::new())])),
        None => finding,
    }
}

/// A comment with its line, or with the blanks before it where something else stands there.
fn whole(document: &Document, comment: Span) -> Option<std::ops::Range<usize>> {
    let text = document.text();
    let (start, end) = (comment.start as usize, comment.end as usize);
    let line = line_start(text, start);
    let before = text.get(line..start)?;
    let kept = before.trim_end().len();
    if kept > 0 {
        return Some(line + kept..end);
    }
    let rest = text.get(end..)?;
    Some(line..end + rest.find('\n').map_or(rest.len(), |at| at + 1))
}

/// A name with the comma before it, or with the one behind it where it is the first.
fn listed(names: &[Span], index: usize) -> Option<std::ops::Range<usize>> {
    let name = names.get(index)?;
    match index.checked_sub(1).and_then(|before| names.get(before)) {
        Some(before) => Some(before.end as usize..name.end as usize),
        None => Some(name.start as usize..names.get(1)?.start as usize),
    }
}
