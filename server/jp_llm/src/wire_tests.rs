use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn own_fields_go_over_ours() {
    let mut body = json!({"a": 1, "options": {"x": 1, "y": {"z": 1}}});
    let over = json!({"b": 2, "a": [1], "options": {"y": {"w": 2}}});
    overlay(body.as_object_mut().unwrap(), over.as_object().unwrap());
    assert_eq!(
        body,
        json!({"a": [1], "options": {"x": 1, "y": {"z": 1, "w": 2}}, "b": 2})
    );
}
