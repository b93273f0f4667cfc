//! How a file names others.
//!
//! ```toml
//! extends = ["tools/*"]   # error[extends-matches-directory]: write `tools/*.toml`
//! ```
//!
//! codes: extends-missing, extends-cycle, extends-matches-directory, invalid-value, toml-syntax

use jp_config::{
    document::{Node, Span},
    graph::{Graph, GraphProblem, GraphProblemKind, ReadProblem},
};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::Fix,
    text::{list_edit::ListText, toml_text},
};

/// What is wrong with how a file names others.
///
/// `offers_fixes`: a fix looks through the whole list, so that only the first findings of a file have one.
pub(crate) fn graph_problem(
    graph: &Graph,
    problem: &GraphProblem,
    offers_fixes: bool,
) -> Diagnostic {
    let without_entry = |place: Place| offers_fixes.then(|| without_entry(graph, place)).flatten();
    let code = Code::from(&problem.kind);
    let place = Place {
        file: problem.file,
        span: problem.span.unwrap_or(Span { start: 0, end: 0 }),
    };
    let shown = |path: &camino::Utf8Path| {
        path.strip_prefix(&graph.workspace)
            .unwrap_or(path)
            .to_string()
    };
    match &problem.kind {
        GraphProblemKind::ExtendsMissing { path, near } => {
            let hint = near
                .as_ref()
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let fix = near.as_ref().map(|near| {
                let text = toml_text::string(near);
                Fix::replace(format!("Write `{near}`"), place, text).with_review()
            });
            let path = shown(path);
            let message = format!("no file stands at `{path}`, so this entry adds nothing{hint}");
            Diagnostic::new(code, place, message)
                .with_help("paths in `extends` are relative to the file that holds them")
                .with_fixes(fix)
                .with_fixes(without_entry(place).map(Fix::one_of_several))
        }
        GraphProblemKind::ExtendsCycle { chain } => Diagnostic::new(
            code,
            place,
            format!(
                "configuration `extends` cycle detected: `{}`; remove one of the entries",
                chain
                    .iter()
                    .map(|path| shown(path))
                    .collect::<Vec<_>>()
                    .join("` -> `")
            ),
        )
        .with_fixes(without_entry(place).map(Fix::with_review)),
        GraphProblemKind::ExtendsMatchesDirectory { path, pattern } => {
            let suggestion = files_only(pattern);
            let has_suggestion = suggestion != *pattern;
            let instead = if has_suggestion {
                format!("write `{suggestion}`")
            } else {
                "name files only".to_owned()
            };
            let finding = Diagnostic::new(
                code,
                place,
                format!(
                    "`{pattern}` matches the directory `{}`, which makes `jp` ignore this whole file; {instead}",
                    shown(path)
                ),
            );
            if has_suggestion {
                finding.with_fix(Fix::replace(
                    format!("Write `{suggestion}`"),
                    place,
                    toml_text::string(&suggestion),
                ))
            } else {
                finding
            }
        }
        GraphProblemKind::ExtendsUnsupported { path } => Diagnostic::new(
            code,
            place,
            format!(
                "this brings in `{}`, whose format `jp` cannot read, and the load fails; name only TOML, JSON or YAML files",
                shown(path)
            ),
        ),
        GraphProblemKind::ExtendsTooDeep => Diagnostic::new(
            code,
            place,
            format!(
                "`extends` goes deeper than {} files; shorten the chain",
                jp_config::graph::MAXIMUM_DEPTH
            ),
        ),
        GraphProblemKind::ExtendsTooMany { pattern } => Diagnostic::new(
            code,
            place,
            format!(
                "`{pattern}` brings in more than {} files; narrow it",
                jp_config::graph::MAXIMUM_FILES
            ),
        ),
        GraphProblemKind::LinkOutside { path, more } => {
            let others = match more {
                0 => String::new(),
                1 => " (and 1 more)".to_owned(),
                more => format!(" (and {more} more)"),
            };
            Diagnostic::new(
                code,
                place,
                format!(
                    "this adds nothing from `{}`{others}: a link out of the workspace is not followed before the workspace is trusted",
                    shown(path)
                ),
            )
            .with_severity(Severity::Information)
        }
        GraphProblemKind::Outside { path } => Diagnostic::new(
            code,
            place,
            format!(
                "this adds nothing from `{}`: what lies outside the workspace is not read before the workspace is trusted",
                shown(path)
            ),
        )
        .with_severity(Severity::Information),
        GraphProblemKind::LoadCut { pattern } => Diagnostic::new(
            code,
            place,
            format!(
                "`{pattern}` is not looked through to the end: loading a workspace looks at no more than {} directory entries, {} files and {} MiB; narrow the patterns",
                jp_config::graph::MAXIMUM_ENTRIES,
                jp_config::graph::MAXIMUM_FILES,
                jp_config::graph::MAXIMUM_LOAD_SIZE >> 20
            ),
        ),
        GraphProblemKind::Unreadable(problem) => {
            let severity = match problem {
                ReadProblem::LinkOutside => Severity::Information,
                // A wide pattern leads to other people's folders, too.
                ReadProblem::Closed(_) => Severity::Warning,
                _ => Severity::Error,
            };
            Diagnostic::new(code, place, problem.to_string()).with_severity(severity)
        }
    }
}

/// Takes an entry out of `extends`.
fn without_entry(graph: &Graph, place: Place) -> Option<Fix> {
    let list = ListText::of_file(graph, place.file, &["extends"])?;
    let holds = |item: Node<'_>| {
        let span = item.span();
        span.start <= place.span.start && place.span.end <= span.end
    };
    let index = list.items().position(holds)?;
    Some(Fix::new("Remove this entry", vec![list.remove(index)?]))
}

/// A glob that matches only TOML files where it matched everything.
fn files_only(pattern: &str) -> String {
    match pattern.strip_suffix('*') {
        Some(stem) if stem.is_empty() || stem.ends_with('/') => format!("{pattern}.toml"),
        Some(stem) if stem.ends_with('*') => format!("{pattern}/*.toml"),
        None if !pattern.contains(['*', '?', '[']) && !pattern.trim_matches('/').is_empty() => {
            format!("{}/*.toml", pattern.trim_end_matches('/'))
        }
        _ => pattern.to_owned(),
    }
}

#[cfg(test)]
#[path = "extends_tests.rs"]
mod tests;
