//! What a JSON Schema says of a place: the part of one that a table of keys, names and words needs.
//!
//! ```json
//! { "properties": { "severity": { "properties": { "merge-trap": { "enum": ["error", "off"] } } } } }
//! ```

use serde_json::Value;

/// What a schema says of a path; `[]` is any element of a list.
pub(crate) fn shape_at<'a, S: AsRef<str>>(schema: &'a Value, path: &[S]) -> Option<&'a Value> {
    path.iter()
        .try_fold(schema, |shape, segment| below(shape, segment.as_ref()))
}

fn below<'a>(shape: &'a Value, segment: &str) -> Option<&'a Value> {
    let known = match segment {
        "[]" => shape.get("items"),
        key => shape
            .get("properties")
            .and_then(|keys| keys.get(key))
            .or_else(|| shape.get("additionalProperties")),
    };
    let of_choice = || choices(shape).find_map(|choice| below(choice, segment));
    known.filter(|shape| shape.is_object()).or_else(of_choice)
}

fn choices(shape: &Value) -> impl Iterator<Item = &Value> {
    let choices = shape.get("anyOf").and_then(Value::as_array);
    choices.into_iter().flatten()
}

/// What a schema says about a value in words.
pub(crate) fn description(shape: &Value) -> Option<&str> {
    shape.get("description")?.as_str()
}

/// The texts that a value may be, where it is one of several.
pub(crate) fn words(shape: &Value) -> impl Iterator<Item = &str> {
    let words = shape.get("enum").and_then(Value::as_array);
    words.into_iter().flatten().filter_map(Value::as_str)
}
