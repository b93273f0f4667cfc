//! A JSON or YAML file against the schema.
//!
//! codes: toml-syntax

use jp_config::{
    content::{ContentFormat, DataError},
    document::Span,
    graph::FileId,
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
            Diagnostic::new(violation.code.into(), place, message)
                .with_severity(violation.severity.into())
        })
        .collect();
    Found {
        findings,
        omitted: omitted.into(),
    }
}
