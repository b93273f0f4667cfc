//! A JSON or YAML file against the schema.
//!
//! codes: toml-syntax

use jp_config::{
    content::{ContentFormat, DataError},
    document::Span,
    graph::FileId,
    refusal::{RuleNumber, Subject},
    schema::schema,
    tree::{DataTree, Notation},
    validate::{Extent, validate_up_to},
};
use serde_json::Value;

use crate::{
    diagnostic::{Code, Diagnostic, Place},
    limit::{Found, MAXIMUM_FINDINGS},
};

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
            let finding = Diagnostic::new(violation.code.into(), place, message)
                .with_severity(violation.severity.into());
            match subject_of(&violation.path) {
                Some(subject) => finding.about(subject),
                None => finding,
            }
        })
        .collect();
    Found {
        findings,
        omitted: omitted.into(),
    }
}

/// The tool, and the rule of its policy, that a config path leads to.
fn subject_of(path: &str) -> Option<Subject> {
    let rest = path.strip_prefix("conversation.tools.")?;
    let mut keys = rest.split('.');
    let tool = keys.next()?.to_owned();
    let list = match (keys.next(), keys.next()) {
        (Some("policy"), Some("run")) => Some("run"),
        (Some("policy"), Some("result")) => Some("result"),
        _ => None,
    };
    let index = keys.next().and_then(|index| index.parse().ok());
    let rule = list
        .zip(index)
        .map(|(list, index)| RuleNumber { list, index });
    Some(Subject { tool, rule })
}
