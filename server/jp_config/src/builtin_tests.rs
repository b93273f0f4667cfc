use serde_json::{Value, json};

use super::{BUILTIN_TOOLS, defaults, over_defaults};
use crate::merge::{LayerId, Located};

fn merged(table: &Value) -> Value {
    let table = Located::from_json(table, LayerId(0));
    let defaults = defaults("ask_user").unwrap();
    over_defaults("ask_user", &defaults, Some(table))
        .unwrap()
        .to_json()
}

#[test]
fn every_builtin_has_a_table() {
    for name in BUILTIN_TOOLS {
        let table = defaults(name).unwrap();
        assert_eq!(table["source"], "builtin");
        assert_eq!(over_defaults(name, &table, None).unwrap().to_json(), table);
    }
    assert_eq!(defaults("grep"), None);
}

#[test]
fn a_key_changes_only_itself() {
    let changed = merged(&json!({ "run": "ask" }));
    assert_eq!(
        (&changed["run"], &changed["result"]),
        (&json!("ask"), &json!("unattended"))
    );
    assert!(changed["parameters"].get("question").is_some());
    assert_eq!(
        merged(&json!({ "source": "builtin.other" }))["run"],
        "unattended"
    );
}

#[test]
fn another_source_keeps_the_other_fields() {
    let own = merged(&json!({ "source": "local", "command": "ask" }));
    assert_eq!(
        (&own["source"], &own["run"]),
        (&json!("local"), &json!("unattended"))
    );
}
