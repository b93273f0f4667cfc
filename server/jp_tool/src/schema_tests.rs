use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;
use crate::{
    AccessPolicy, Action, AnswerReusePolicy, ApplyMode, ConfigRule, Context, DeltaRejection,
    DeltaRejectionReason, EnvRule, FsRule, Invocation, NetRule, Outcome, Question, Tool,
    WriteGrant,
};

/// The schema itself, or one of its definitions with the rest still around it.
fn validator(schema: &str, definition: Option<&str>) -> jsonschema::Validator {
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    if let Some(definition) = definition {
        let root = schema.clone();
        schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/$defs/{definition}"),
            "$defs": root["$defs"],
        });
    }
    jsonschema::draft202012::options().build(&schema).unwrap()
}

fn full_context() -> Context {
    Context {
        workspace_id: "w".to_owned(),
        conversation_id: "c".to_owned(),
        config: Some(json!({"assistant": {"model": {"id": "sonnet"}}})),
        delta_rejection: Some(DeltaRejection {
            reason: DeltaRejectionReason::ConfirmationUnavailable,
            fields: vec!["assistant.model".to_owned()],
            detail: "nobody to ask".to_owned(),
        }),
        ..Context::new("/work", Action::Run).with_access(AccessPolicy {
            fs: vec![
                FsRule::new(".").with_read(true),
                FsRule::new("shared")
                    .with_external(true)
                    .with_approved_target(Some("/data".into())),
            ]
            .into(),
            net: vec![NetRule {
                host: "a.com".to_owned(),
                port: Some(1),
                ..NetRule::default()
            }]
            .into(),
            env: vec![EnvRule {
                name: "A_*".to_owned(),
                read: true,
            }]
            .into(),
            config: vec![ConfigRule {
                path: "conversation.tools.*".to_owned(),
                write: WriteGrant::InsecureAllow,
                apply: ApplyMode::Unattended,
                ..ConfigRule::default()
            }]
            .into(),
        })
    }
}

#[test]
fn contexts_fit_their_schema_and_round_trip() {
    let validator = validator(TOOL_CONTEXT_SCHEMA, None);
    for context in [
        Context::new("/work", Action::FormatArguments),
        full_context(),
    ] {
        let wire = serde_json::to_value(&context).unwrap();
        validator.validate(&wire).unwrap();
        assert_eq!(serde_json::from_value::<Context>(wire).unwrap(), context);
    }
}

#[test]
fn outcomes_fit_their_schema_and_round_trip() {
    let validator = validator(TOOL_OUTCOME_SCHEMA, None);
    for outcome in [
        Outcome::success("done"),
        Outcome::Success {
            content: String::new(),
            config: Some(json!({"a": 1})),
            unset: vec!["a.b".to_owned()],
        },
        Outcome::error("later"),
        Outcome::fail("never"),
        Outcome::NeedsInput {
            question: Question::boolean("q", "?"),
        },
        Outcome::NeedsInput {
            question: Question::select("q", "?", ["a"])
                .with_context("c")
                .with_default("a")
                .with_exclusive(true)
                .with_persistence(AnswerReusePolicy::None),
        },
        Outcome::NeedsInput {
            question: Question::secret("q", "?"),
        },
    ] {
        let wire = serde_json::to_value(&outcome).unwrap();
        validator.validate(&wire).unwrap();
        assert_eq!(Outcome::from_json(&wire.to_string()), Ok(outcome));
    }
}

#[test]
fn an_invocation_holds_call_and_context() {
    let invocation = Invocation {
        tool: Tool {
            name: "fs_read_file".to_owned(),
            arguments: json!({"path": "a"}).as_object().cloned().unwrap(),
            ..Tool::default()
        },
        context: full_context(),
    };
    let wire = serde_json::to_value(&invocation).unwrap();
    validator(TOOL_CONTEXT_SCHEMA, Some("tool"))
        .validate(&wire["tool"])
        .unwrap();
    assert_eq!(
        serde_json::from_value::<Invocation>(wire).unwrap(),
        invocation
    );
}

/// Schema and types draw the line at the same place.
#[test]
fn what_the_schema_refuses_is_refused() {
    let contexts = validator(TOOL_CONTEXT_SCHEMA, None);
    for wire in [
        json!({"action": "run"}),
        json!({"root": "/work"}),
        json!({"action": "stop", "root": "/work"}),
        json!({"action": "run", "root": "/work", "access": {"fs": [{"read": true}]}}),
        json!({"action": "run", "root": "/work", "access": {"fs": [{"path": "a", "read": "yes"}]}}),
        json!({"action": "run", "root": "/work", "access": {"net": [{"allow": true}]}}),
        json!({"action": "run", "root": "/work", "access": {"net": [{"host": "a", "port": 65536}]}}),
        json!({"action": "run", "root": "/work", "access": {"env": [{"read": true}]}}),
        json!({"action": "run", "root": "/work", "access": {"config": [{"path": "a", "write": "yes"}]}}),
        json!({"action": "run", "root": "/work", "access": {"config": [{"path": "a", "apply": "edit"}]}}),
        json!({"action": "run", "root": "/work", "delta_rejection": {"reason": "other"}}),
    ] {
        assert!(!contexts.is_valid(&wire), "{wire}");
        assert!(
            serde_json::from_value::<Context>(wire.clone()).is_err(),
            "{wire}"
        );
    }

    let outcomes = validator(TOOL_OUTCOME_SCHEMA, None);
    for wire in [
        json!({"type": "success"}),
        json!({"type": "done", "content": ""}),
        json!({"type": "success", "content": "", "unset": "a"}),
        json!({"type": "error", "trace": [], "transient": true}),
        json!({"type": "error", "message": "", "trace": [], "transient": true, "config": {}}),
        json!({"type": "needs_input", "question": {"id": "q", "text": "?"}}),
        json!({"type": "needs_input", "question": {"id": "q", "text": "?", "answer_type": {"type": "select"}}}),
        json!({"type": "needs_input", "question": {"id": "q", "text": "?", "answer_type": "Number"}}),
    ] {
        assert!(!outcomes.is_valid(&wire), "{wire}");
        assert!(Outcome::from_json(&wire.to_string()).is_err(), "{wire}");
    }
}

#[test]
fn released_spellings_fit_the_schema() {
    validator(TOOL_CONTEXT_SCHEMA, None)
        .validate(&json!({
            "action": "run", "root": "/work", "workspace_id": "w", "conversation_id": "c",
            "access": {
                "fs": [{"lexical_path": "", "external": false, "approved_target": null, "read": true,
                        "write": null, "create": null, "update": null, "delete": null, "execute": null}],
                "net": [{"host": "a.com", "scheme": null, "port": null, "path_prefix": null, "allow": true}],
                "env": [],
            },
        }))
        .unwrap();
    let outcomes = validator(TOOL_OUTCOME_SCHEMA, None);
    for answer_type in [
        json!("Boolean"),
        json!("Text"),
        json!({"Select": {"options": ["a"]}}),
    ] {
        outcomes
            .validate(&json!({
                "type": "needs_input",
                "question": {"id": "q", "text": "?", "pre_amble": null, "answer_type": answer_type, "default": null},
            }))
            .unwrap();
    }
}

#[test]
fn rules_of_the_vectors_fit_the_schema() {
    for (vectors, definition) in [
        (ACCESS_FS_VECTORS, "fs_rule"),
        (ACCESS_NET_VECTORS, "net_rule"),
        (ACCESS_ENV_VECTORS, "env_rule"),
        (ACCESS_CONFIG_VECTORS, "config_rule"),
    ] {
        let validator = validator(TOOL_CONTEXT_SCHEMA, Some(definition));
        let vectors: Value = serde_json::from_str(vectors).unwrap();
        for group in vectors["groups"].as_array().unwrap() {
            for rule in group["rules"].as_array().into_iter().flatten() {
                validator.validate(rule).unwrap();
            }
        }
    }
}
