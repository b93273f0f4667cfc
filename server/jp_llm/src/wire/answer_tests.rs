use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn errors_are_read_in_every_shape() {
    let retryable = |error: Value| {
        let error = reported("p", &error);
        (error.to_string(), error.is_retryable())
    };
    let said = |message: &str| format!("p stopped with an error: {message}");
    assert_eq!(retryable(json!("gone")), (said("gone"), false));
    assert_eq!(
        retryable(json!({"message": "x", "code": 429})),
        (said("x"), true)
    );
    assert_eq!(
        retryable(json!({"message": "x", "code": 400})),
        (said("x"), false)
    );
    assert_eq!(
        retryable(json!({"type": "overloaded_error", "message": "x"})),
        (said("x"), true)
    );
    assert_eq!(retryable(json!({"odd": 1})), (said("{\"odd\":1}"), false));
}
