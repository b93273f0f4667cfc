//! SARIF logs, held to the schema of OASIS.

use serde_json::Value;

/// What of a log the schema refuses, formats such as `uri-reference` too.
pub(crate) fn mistakes(log: &Value) -> Vec<String> {
    let schema = serde_json::from_str(include_str!("schemas/sarif-schema-2.1.0.json")).unwrap();
    // Draft 4, which the schema names, has no `uri-reference`.
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft7);
    let validator = options
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let mistakes = validator.iter_errors(log);
    mistakes
        .map(|mistake| format!("{}: {mistake}", mistake.instance_path()))
        .collect()
}

/// The log that a command printed, which must be one.
pub(crate) fn log(text: impl AsRef<[u8]>) -> Value {
    let log = serde_json::from_slice(text.as_ref()).unwrap();
    assert_eq!(mistakes(&log), Vec::<String>::new(), "{log:#}");
    log
}
