//! `merge-trap`: merge wrappers that do not do what they say to other sources.
//!
//! ```toml
//! # .jp/config.toml
//! [[assistant.instructions]]
//! title = "a"
//!
//! # .jp.toml, which extends `more.toml`
//! [[assistant.instructions]]
//! title = "c"
//!
//! # more.toml: `.jp.toml` merges over it first, and the two together are a plain list, which is appended
//! [assistant.instructions]
//! strategy = "replace"
//! value = [{ title = "b" }]
//! ```
//!
//! codes: merge-trap

use jp_config::{
    graph::SourceKind,
    merge::{LayerId, Located},
    schema::wrapper::{DEDUP, STRATEGY, discards},
    view::View,
};

use crate::{
    diagnostic::{Code, Diagnostic, Place},
    options::Options,
    tool::{TOOLS, ToolContext},
};

/// The values outside of tools that a wrapper may hold.
const WRAPPED: [&[&str]; 6] = [
    &["assistant", "system_prompt"],
    &["assistant", "system_prompt_sections"],
    &["assistant", "instructions"],
    &["conversation", "attachments"],
    &["conversation", "labels"],
    &["conversation", "compaction", "rules"],
];

/// The values of tools that a wrapper may hold.
const WRAPPED_BY_TOOLS: [[&str; 2]; 6] = [
    ["access", "fs"],
    ["access", "net"],
    ["access", "env"],
    ["access", "config"],
    ["policy", "run"],
    ["policy", "result"],
];

pub(super) fn check_view(view: &View, _: Options, found: &mut Vec<Diagnostic>) {
    for path in WRAPPED {
        found.extend(trap(view, path));
    }
}

pub(super) fn check_tool(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for [outer, inner] in WRAPPED_BY_TOOLS {
        let is_set = context
            .tool
            .get(outer)
            .is_some_and(|table| table.get(inner).is_some());
        if is_set {
            let path = [TOOLS[0], TOOLS[1], context.name, outer, inner];
            found.extend(trap(context.view, &path));
        }
    }
}

/// The wrapper to blame, where what the sources come to is not what their files would in a row.
fn trap(view: &View, path: &[&str]) -> Option<Diagnostic> {
    let set: Vec<(LayerId, Located)> = view
        .values(path)
        .map(|(layer, value)| (layer, value.located(layer)))
        .collect();
    if set.len() < 2 && !set.iter().any(|(_, located)| discards(located)) {
        return None;
    }
    if !set.iter().any(|(_, located)| is_wrapper(located)) {
        return None;
    }
    let effective = view.effective(path)?.to_json();
    if view.merged_in_a_row(path)?.to_json() == effective {
        return None;
    }
    let (index, wrapper) = set
        .iter()
        .enumerate()
        .find(|(index, (layer, located))| is_to_blame(view, &set, *index, *layer, located))
        .or_else(|| {
            set.iter()
                .enumerate()
                .find(|(_, (_, located))| is_wrapper(located))
        })?;
    let (layer, located) = wrapper;
    finding(view, path, *layer, located, set.get(index + 1))
}

/// Whether a wrapper speaks to sources below its own, and another file of its source has a word after it.
fn is_to_blame(
    view: &View,
    set: &[(LayerId, Located)],
    index: usize,
    layer: LayerId,
    located: &Located,
) -> bool {
    let here = source(view, layer);
    let is_first = set
        .iter()
        .take(index)
        .all(|(lower, _)| source(view, *lower) == here);
    is_wrapper(located) && (discards(located) || !is_first)
}

fn source(view: &View, layer: LayerId) -> Option<SourceKind> {
    Some(view.layers().get(layer.index())?.source)
}

fn is_wrapper(located: &Located) -> bool {
    located.get(STRATEGY).is_some() || discards(located) || located.get(DEDUP).is_some()
}

fn finding(
    view: &View,
    path: &[&str],
    layer: LayerId,
    located: &Located,
    next: Option<&(LayerId, Located)>,
) -> Option<Diagnostic> {
    let key = path.last().copied().unwrap_or_default();
    let place = |layer: LayerId, located: &Located| {
        let origin = located.origin()?;
        Some(Place {
            file: view.file(layer)?,
            span: origin.key.unwrap_or(origin.span),
        })
    };
    let message = match located
        .get("strategy")
        .and_then(|strategy| strategy.value.as_str())
    {
        _ if discards(located) => format!(
            "`discard_when_merged` drops this `{key}` as soon as a later file sets anything beside it, and not only when one sets `{key}`"
        ),
        Some(strategy) => format!(
            "`strategy = \"{strategy}\"` does not reach the sources below: the files of one source merge with each other first, and the last of them decides; write the strategy there"
        ),
        None => format!(
            "this wrapper of `{key}` does not reach the sources below: the files of one source merge with each other first, and the last of them decides"
        ),
    };
    let finding = Diagnostic::new(Code::MergeTrap, place(layer, located)?, message);
    Some(
        match next.and_then(|(layer, located)| place(*layer, located)) {
            Some(next) => finding.with_related(next, "this comes after it"),
            None => finding,
        },
    )
}

#[cfg(test)]
#[path = "wrapper_trap_tests.rs"]
mod tests;
