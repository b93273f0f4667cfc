use camino::Utf8Path;
use serde_json::json;

use super::AccessPolicy;

#[test]
fn each_question_is_about_its_own_flag() {
    let questions = [
        (
            "read",
            AccessPolicy::can_read as fn(&AccessPolicy, &Utf8Path) -> bool,
        ),
        ("create", AccessPolicy::can_create),
        ("update", AccessPolicy::can_update),
        ("delete", AccessPolicy::can_delete),
        ("execute", AccessPolicy::can_execute),
    ];
    for (granted, _) in questions {
        let policy = json!({ "fs": [{ "path": "src", granted: true }] });
        let policy: AccessPolicy = serde_json::from_value(policy).unwrap();
        for (asked, can) in questions {
            let answer = |path: &str| can(&policy, Utf8Path::new(path));
            assert_eq!(answer("src/a.rs"), asked == granted, "{granted}, {asked}");
            assert!(!answer("docs/a.md"), "{granted}, {asked}: outside");
            assert_eq!(
                answer("src/.git/config"),
                asked == granted && matches!(asked, "read" | "execute"),
                "{granted}, {asked}: protected"
            );
        }
    }
}
