//! What a file gets wrong on its own: syntax, structure, and how it names other files.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! summery = "x"     # error[unknown-key]: unknown key `summery`, did you mean `summary`?
//! ```

use jp_config::{
    content::{ContentFormat, DataError},
    document::{Document, Node, SectionRef, Span, SyntaxErrorKind, Table, TableKind},
    graph::{FileId, Graph, GraphProblem, GraphProblemKind, Layer, ReadProblem, SourceKind},
    schema::{NodeId, Schema, schema},
    validate::{
        self, At, DataTree, Extent, Notation, Violation, rejected_by_released, unknown_key,
        unknown_key_severity, validate_up_to,
    },
    view::value_at,
};
use serde_json::Value;

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::{Edit, Fix},
    limit::{Found, MAXIMUM_FINDINGS, Omitted},
    options::{Dialect, Options},
    text::{list_edit::ListText, mend, toml_text},
};

/// What is wrong with the text of a document, with spans of the whole text.
pub(crate) fn syntax(file: FileId, document: &Document) -> Found {
    let findings: Vec<Diagnostic> = document
        .first_errors(MAXIMUM_FINDINGS)
        .into_iter()
        .map(|error| {
            let place = Place {
                file,
                span: error.span,
            };
            let code = match error.kind {
                SyntaxErrorKind::Syntax => Code::TomlSyntax,
                SyntaxErrorKind::DuplicateKey => Code::DuplicateKey,
                SyntaxErrorKind::BareStar => Code::BareStarKey,
            };
            let fixes = mend::fixes(file, document, &error);
            let mut finding = Diagnostic::new(code, place, error.message);
            if let Some((span, message)) = error.related {
                finding = finding.with_related(Place { file, span }, message);
            }
            finding.with_fixes(fixes)
        })
        .collect();
    let more = document.error_count().saturating_sub(findings.len());
    let code = findings.last().map_or(Code::TomlSyntax, |last| last.code);
    Found {
        findings,
        omitted: Omitted::new(more, Severity::Error, code),
    }
}

/// What is wrong with the structure of one section, with spans relative to its start.
///
/// The answer depends on nothing but the section's text, the options, and for how many findings there is room.
pub(crate) fn section(
    file: FileId,
    section: SectionRef<'_>,
    options: Options,
    room: usize,
) -> Found {
    let start = section.span().start;
    let mut found = absolute(file, section, options, room);
    for finding in &mut found.findings {
        finding.visit_places(&mut |place| {
            place.span.start = place.span.start.saturating_sub(start);
            place.span.end = place.span.end.saturating_sub(start);
        });
    }
    found
}

fn absolute(file: FileId, section: SectionRef<'_>, options: Options, room: usize) -> Found {
    let schema = schema();
    let path: Vec<_> = section.header();
    if path.iter().any(|segment| segment.is_missing()) {
        return Found::default();
    }
    let keys = || path.iter().map(|segment| segment.text());
    let lookup = match schema.lookup_header(keys()) {
        Ok(lookup) => lookup,
        Err(error) => {
            if room == 0 {
                let parent = element_or_table(schema, error.parent);
                let severity = unknown_key_severity(schema, parent).into();
                return Found {
                    omitted: Omitted::new(1, severity, Code::UnknownKey),
                    ..Found::default()
                };
            }
            let Some(segment) = path.get(error.index) else {
                return Found::default();
            };
            let place = Place {
                file,
                span: segment.span(),
            };
            return vec![unknown_header(schema, &error, segment.text(), place)].into();
        }
    };
    let body = Node::Table(section.body());
    let dotted = keys().map(toml_text::key).collect::<Vec<_>>().join(".");
    let node = if section.is_array_of_tables() {
        match schema.item(lookup.node) {
            Some(item) => item,
            None => {
                let span = path.last().map_or(section.span(), |segment| segment.span());
                let place = Place { file, span };
                return Found::one(room, not_a_list(schema, lookup.node, &dotted, place));
            }
        }
    } else {
        lookup.node
    };
    let (violations, omitted) = validate_up_to(room, schema, node, body, &dotted, Extent::Whole);
    let findings = violations
        .into_iter()
        .map(|violation| finding(file, violation))
        .collect();
    let mut found = Found {
        findings,
        omitted: omitted.into(),
    };
    if options.dialect == Dialect::Released {
        if let Some(rejected) = rejected_header(schema, file, &lookup.steps, &path) {
            found.push(room, rejected);
        }
        for violation in rejected_by_released(schema, node, body, &dotted) {
            found.push(room, finding(file, violation));
        }
    }
    found
}

fn unknown_header(
    schema: &Schema,
    error: &jp_config::schema::LookupError,
    segment: &str,
    place: Place,
) -> Diagnostic {
    let parent = element_or_table(schema, error.parent);
    let Some(unknown) = unknown_key(schema, parent, segment) else {
        return Diagnostic::new(
            Code::TypeMismatch,
            place,
            format!(
                "`{segment}` cannot stand in {}",
                schema.describe(error.parent)
            ),
        );
    };
    let finding = Diagnostic::new(Code::UnknownKey, place, unknown.message)
        .with_severity(unknown.severity.into());
    match unknown.suggestion {
        Some(suggestion) => finding.with_fix(Fix::replace(
            format!("Write `{suggestion}`"),
            place,
            suggestion,
        )),
        None => finding,
    }
}

/// What a header below a list that may be wrapped goes into: an element, for `jp` refuses what that does not know.
fn element_or_table(schema: &Schema, id: NodeId) -> NodeId {
    match schema.node(id).wrapper {
        Some(_) => schema.item(id).unwrap_or(id),
        None => id,
    }
}

impl From<validate::Severity> for Severity {
    fn from(severity: validate::Severity) -> Self {
        match severity {
            validate::Severity::Error => Self::Error,
            validate::Severity::Warning => Self::Warning,
        }
    }
}

fn not_a_list(schema: &Schema, node: NodeId, path: &str, place: Place) -> Diagnostic {
    Diagnostic::new(
        Code::TypeMismatch,
        place,
        format!(
            "invalid type: list of tables, expected {}; write `[{path}]`",
            schema.describe(node)
        ),
    )
}

/// The first segment of a header that the released `jp` does not know.
fn rejected_header(
    schema: &Schema,
    file: FileId,
    steps: &[NodeId],
    path: &[jp_config::document::Key<'_>],
) -> Option<Diagnostic> {
    let (step, segment) = steps
        .iter()
        .zip(path)
        .find(|(step, _)| !schema.node(**step).released)?;
    let since = schema
        .node(*step)
        .since
        .map_or_else(String::new, |since| format!(" ({since})"));
    Some(Diagnostic::new(
        Code::ReleasedJpRejects,
        Place {
            file,
            span: segment.span(),
        },
        format!(
            "the released `jp` rejects `{}`{since} and refuses to load the file",
            segment.text()
        ),
    ))
}

/// A violation as a finding.
fn finding(file: FileId, violation: Violation<Node<'_>>) -> Diagnostic {
    let span = match &violation.at {
        At::Key(entry) => entry.key_span(),
        At::Value(node) => value_span(*node),
    };
    let place = Place { file, span };
    let released = match violation.code {
        validate::Code::ReleasedJpRejects => in_released_form(file, &violation.at),
        _ => None,
    };
    let brackets = match &violation.at {
        At::Value(Node::Table(table)) if violation.lacks_brackets() => in_brackets(file, *table),
        _ => None,
    };
    let mut finding = Diagnostic::new(violation.code.into(), place, violation.message)
        .with_fixes(released)
        .with_fixes(brackets)
        .with_severity(violation.severity.into());
    match violation.suggestion {
        Some(suggestion) => {
            let title = format!("Write `{suggestion}`");
            finding = finding.with_fix(Fix::replace(title, place, suggestion));
        }
        None if matches!(violation.at, At::Value(node) if node.as_str().is_some()) => {
            let choices = violation.expected.iter().map(|name| {
                let value = toml_text::string(name);
                Fix::replace(format!("Write `{value}`"), place, value).one_of_several()
            });
            finding = finding.with_fixes(choices);
        }
        None => {}
    }
    finding
}

/// A table as the one element of a list: `[[a.b]]`, or `[{ … }]`.
fn in_brackets(file: FileId, table: Table<'_>) -> Option<Fix> {
    let (span, title) = match table.kind() {
        TableKind::Header => (table.header_span()?, "Write the header as `[[…]]`"),
        TableKind::Inline => (table.span(), "Write the table as `[{ … }]`"),
        _ => return None,
    };
    let bracket = |at: u32, text: &str| Edit {
        place: Place {
            file,
            span: Span::new(at, at),
        },
        text: text.to_owned(),
    };
    let edits = vec![bracket(span.start, "["), bracket(span.end, "]")];
    Some(Fix::new(title, edits).with_review())
}

/// `policy.run = "ask"` as the released `jp` writes it: `run = "ask"`.
fn in_released_form(file: FileId, at: &At<Node<'_>>) -> Option<Fix> {
    let At::Key(policy) = at else {
        return None;
    };
    let Node::Table(table) = policy.value() else {
        return None;
    };
    let mut modes = table.entries();
    let (Some(mode), None) = (modes.next(), modes.next()) else {
        return None;
    };
    let is_mode = policy.key() == "policy" && mode.value().as_str().is_some();
    if !is_mode || table.kind() != TableKind::Dotted {
        return None;
    }
    let span = Span::new(policy.key_span().start, mode.key_span().end);
    let title = format!("Write `{}`", mode.key());
    Some(Fix::replace(title, Place { file, span }, mode.key()).with_review())
}

/// Where a value is marked: a table with a header at the header, not over all its lines.
fn value_span(node: Node<'_>) -> Span {
    match node {
        Node::Table(table) => table.header_span().unwrap_or_else(|| node.span()),
        _ => node.span(),
    }
}

impl From<validate::Code> for Code {
    fn from(code: validate::Code) -> Self {
        match code {
            validate::Code::UnknownKey => Self::UnknownKey,
            validate::Code::TypeMismatch => Self::TypeMismatch,
            validate::Code::InvalidValue => Self::InvalidValue,
            validate::Code::MissingRequired => Self::MissingRequired,
            validate::Code::SourceInvalid => Self::SourceInvalid,
            validate::Code::ModelIdInvalid => Self::ModelIdInvalid,
            validate::Code::ParameterTypeUnknown => Self::ParameterTypeUnknown,
            validate::Code::ReleasedJpRejects => Self::ReleasedJpRejects,
        }
    }
}

/// What is wrong with a JSON or YAML file, which has no places: everything stands at its start.
pub(crate) fn data(
    file: FileId,
    format: Option<ContentFormat>,
    data: Result<&Value, &DataError>,
) -> Found {
    let place = Place {
        file,
        span: Span { start: 0, end: 0 },
    };
    let data = match data {
        Ok(data) => data,
        Err(error) => {
            let message = format!("line {}: {}", error.line + 1, error.message);
            return vec![Diagnostic::new(Code::TomlSyntax, place, message)].into();
        }
    };
    let schema = schema();
    let notation = match format {
        Some(ContentFormat::Yaml) => Notation::Yaml,
        _ => Notation::Json,
    };
    let tree = DataTree {
        value: data,
        notation,
    };
    let (violations, omitted) = validate_up_to(
        MAXIMUM_FINDINGS,
        schema,
        schema.root(),
        tree,
        "",
        Extent::Whole,
    );
    let findings = violations
        .into_iter()
        .map(|violation| {
            let message = format!("`{}`: {}", violation.path, violation.message);
            Diagnostic::new(violation.code.into(), place, message)
                .with_severity(violation.severity.into())
        })
        .collect();
    Found {
        findings,
        omitted: omitted.into(),
    }
}

/// What no file sets because the user's global config is the last word, although the released `jp` must have it.
///
/// Without such a word the keys may come from elsewhere, and their absence is no mistake.
pub(crate) fn left_unset(graph: &Graph) -> Vec<Diagnostic> {
    let Some(stopped_by) = graph.stopped_by else {
        return Vec::new();
    };
    let is_global =
        |layer: &Layer| layer.file == stopped_by && layer.source == SourceKind::UserGlobal;
    if !graph.layers.iter().any(is_global) {
        return Vec::new();
    }
    let sets = |file: FileId, path: &[&str]| {
        graph
            .content(file)
            .is_some_and(|content| value_at(content, path).is_some())
    };
    let place = |file| Place {
        file,
        span: Span { start: 0, end: 0 },
    };
    [
        &["assistant", "model", "id"][..],
        &["conversation", "tools", "*", "run"],
    ]
    .into_iter()
    .filter(|path| !graph.layers.iter().any(|layer| sets(layer.file, path)))
    .map(|path| {
        let by_place = |file: &&FileId| sets(**file, path);
        let file = graph.left_out.iter().find(by_place).or(graph.left_out.first());
        let key = path.join(".");
        let message = format!(
            "missing required value for `{key}`: `inherit = false` in the user's global config leaves every later file out; set it there"
        );
        Diagnostic::new(Code::MissingRequired, place(*file.unwrap_or(&stopped_by)), message)
            .with_severity(Severity::Error)
            .with_related(place(stopped_by), "this file, or one that it extends, is the last word")
    })
    .collect()
}

/// What is wrong with how a file names others.
///
/// `offers_fixes`: a fix looks through the whole list, so that only the first findings of a file have one.
pub(crate) fn graph_problem(
    graph: &Graph,
    problem: &GraphProblem,
    offers_fixes: bool,
) -> Diagnostic {
    let without_entry = |place: Place| offers_fixes.then(|| without_entry(graph, place)).flatten();
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
            Diagnostic::new(Code::ExtendsMissing, place, message)
                .with_help("paths in `extends` are relative to the file that holds them")
                .with_fixes(fix)
                .with_fixes(without_entry(place).map(Fix::one_of_several))
        }
        GraphProblemKind::ExtendsCycle { chain } => Diagnostic::new(
            Code::ExtendsCycle,
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
                Code::ExtendsMatchesDirectory,
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
            Code::InvalidValue,
            place,
            format!(
                "this brings in `{}`, whose format `jp` cannot read, and the load fails; name only TOML, JSON or YAML files",
                shown(path)
            ),
        ),
        GraphProblemKind::ExtendsTooDeep => Diagnostic::new(
            Code::ExtendsCycle,
            place,
            format!(
                "`extends` goes deeper than {} files; shorten the chain",
                jp_config::graph::MAXIMUM_DEPTH
            ),
        ),
        GraphProblemKind::ExtendsTooMany { pattern } => Diagnostic::new(
            Code::InvalidValue,
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
                Code::ExtendsMissing,
                place,
                format!(
                    "this adds nothing from `{}`{others}: a link out of the workspace is not followed before the workspace is trusted",
                    shown(path)
                ),
            )
            .with_severity(Severity::Information)
        }
        GraphProblemKind::LoadCut { pattern } => Diagnostic::new(
            Code::InvalidValue,
            place,
            format!(
                "`{pattern}` is not looked through to the end: loading a workspace looks at no more than {} directory entries, {} files and {} MiB; narrow the patterns",
                jp_config::graph::MAXIMUM_ENTRIES,
                jp_config::graph::MAXIMUM_FILES,
                jp_config::graph::MAXIMUM_LOAD_SIZE >> 20
            ),
        ),
        GraphProblemKind::Unreadable(problem) => {
            let (code, severity) = match problem {
                ReadProblem::NotUtf8(_) => (Code::TomlSyntax, Severity::Error),
                ReadProblem::LinkOutside => (Code::ExtendsMissing, Severity::Information),
                _ => (Code::ExtendsMissing, Severity::Error),
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
#[path = "local_tests.rs"]
mod tests;
