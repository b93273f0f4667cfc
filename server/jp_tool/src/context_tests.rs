use std::fs;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{ConfigRule, EnvRule, FsRule, NetRule, WriteGrant};

fn workspace() -> (TempDir, Context) {
    let directory = TempDir::new().unwrap();
    let root = Utf8Path::from_path(directory.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join(".env"), "").unwrap();
    (directory, Context::new(root, Action::Run))
}

fn policy() -> AccessPolicy {
    AccessPolicy {
        fs: vec![
            FsRule::new(".").with_read(true),
            FsRule::new("src").with_read(true).with_write(true),
            FsRule::new(".env"),
        ]
        .into(),
        net: vec![NetRule {
            host: "api.github.com".to_owned(),
            allow: true,
            ..NetRule::default()
        }]
        .into(),
        env: vec![EnvRule {
            name: "AWS_*".to_owned(),
            read: true,
        }]
        .into(),
        config: vec![
            ConfigRule {
                path: "assistant.model".to_owned(),
                read: true,
                write: WriteGrant::Yes,
                ..ConfigRule::default()
            },
            ConfigRule {
                path: "conversation".to_owned(),
                write: WriteGrant::Yes,
                delete: true,
                ..ConfigRule::default()
            },
        ]
        .into(),
    }
}

#[test]
fn the_resolved_path_is_returned() {
    let (_directory, context) = workspace();
    let context = context.with_access(policy());
    let path = context.root.join("src/new.rs");
    for check in [
        Context::check_read,
        Context::check_create,
        Context::check_update,
        Context::check_delete,
    ] {
        assert_eq!(
            check(&context, Utf8Path::new("./src//new.rs")),
            Ok(path.clone())
        );
    }
}

#[test]
fn a_denial_carries_the_grants() {
    let (_directory, context) = workspace();
    let context = context.with_access(policy());
    let denied = |capability, target: &str, grants: &[&str]| {
        Err(FsAccessError::Denied {
            capability,
            target: target.into(),
            grants: grants.iter().map(Into::into).collect(),
        })
    };
    assert_eq!(
        context.check_read(Utf8Path::new("src/../.env")),
        denied("read", ".env", &[".", "src"])
    );
    assert_eq!(
        context.check_create(Utf8Path::new("README.md")),
        denied("create", "README.md", &["src"])
    );
    assert_eq!(
        context.check_execute(Utf8Path::new("src/run")),
        denied("execute", "src/run", &[])
    );
    assert_eq!(
        context
            .check_delete(Utf8Path::new("README.md"))
            .unwrap_err()
            .to_string(),
        "access denied: delete on README.md"
    );
}

#[test]
fn a_formatter_is_checked_like_a_run() {
    let (_directory, run) = workspace();
    let run = run.with_access(policy());
    let mut format = run.clone();
    format.action = Action::FormatArguments;
    for input in ["src/a", ".env", "../x"] {
        let input = Utf8Path::new(input);
        assert_eq!(format.check_read(input), run.check_read(input));
    }
    assert!(format.check_read(Utf8Path::new(".env")).is_err());
}

#[test]
fn without_grants_the_workspace_is_still_the_limit() {
    let (_directory, context) = workspace();
    for context in [
        context.clone(),
        context.clone().with_access(AccessPolicy::default()),
    ] {
        assert_eq!(
            context.check_delete(Utf8Path::new(".env")),
            Ok(context.root.join(".env"))
        );
        assert_eq!(
            context.check_read(Utf8Path::new("../x")),
            Err(FsAccessError::Escape("../x".into()))
        );
        assert!(context.check_net("https://example.com/").is_ok());
        assert!(context.check_net("example.com").is_err());
        assert_eq!(context.check_env("HOME"), Ok(()));
        assert_eq!(
            context
                .check_config_read("assistant.model")
                .unwrap_err()
                .to_string(),
            "access denied: read on config path assistant.model"
        );
    }
}

#[test]
fn declaring_one_resource_leaves_the_others_open() {
    let (_directory, context) = workspace();
    let context = context.with_access(AccessPolicy {
        net: policy().net,
        ..AccessPolicy::default()
    });
    assert!(context.check_update(Utf8Path::new("a")).is_ok());
    assert_eq!(context.check_env("HOME"), Ok(()));
    assert_eq!(
        context.check_net("https://u:p@example.com:8443/x?q"),
        Err(NetAccessError::Denied {
            target: "https://example.com:8443/x".to_owned(),
            host: "example.com".to_owned(),
            port: Some(8443),
            grants: vec!["api.github.com".to_owned()],
        })
    );
}

#[test]
fn env_and_config_denials_carry_the_grants() {
    let (_directory, context) = workspace();
    let context = context.with_access(policy());
    assert_eq!(context.check_env("AWS_REGION"), Ok(()));
    assert_eq!(
        context.check_env("HOME"),
        Err(EnvAccessError::Denied {
            name: "HOME".to_owned(),
            grants: vec!["AWS_*".to_owned()],
        })
    );
    assert_eq!(
        context.check_config_write("assistant.model.id.name"),
        Ok(())
    );
    assert_eq!(
        context.check_config_delete("assistant.model.id.name"),
        Err(ConfigAccessError::Denied {
            capability: ConfigCapability::Delete,
            target: "assistant.model.id.name".to_owned(),
            grants: vec!["conversation".to_owned()],
        })
    );
    assert_eq!(
        context.check_config_delete("conversation.attachments[\"a.md\"]"),
        Ok(())
    );
    for check in [Context::check_config_write, Context::check_config_delete] {
        let error = check(&context, "conversation.tools.x.access.fs").unwrap_err();
        assert!(
            matches!(error, ConfigAccessError::Sensitive { .. }),
            "{error}"
        );
    }
}

#[test]
fn a_broken_policy_grants_nothing() {
    let (_directory, context) = workspace();
    let context = context.with_access(AccessPolicy {
        fs: vec![FsRule::new(".").with_read(true), FsRule::new("/etc")].into(),
        env: vec![EnvRule {
            name: "A*B".to_owned(),
            read: true,
        }]
        .into(),
        ..AccessPolicy::default()
    });
    assert_eq!(
        context
            .check_read(Utf8Path::new("src"))
            .unwrap_err()
            .to_string(),
        "invalid access policy: access.fs, rule 2: access rule path is not workspace-relative: `/etc`; \
         write it relative to the workspace, without `..`"
    );
    assert_eq!(
        context.check_env("A").unwrap_err().to_string(),
        "invalid access policy: access.env, rule 1: name `A*B` holds `*` before its end; \
         write one `*` as the last character, as in `A*`"
    );
}

#[test]
fn the_released_context_is_read() {
    let context: Context = serde_json::from_value(json!({
        "action": "run", "root": "/work", "workspace_id": "w", "conversation_id": "c",
        "access": {
            "fs": [{"lexical_path": "src", "external": false, "approved_target": null, "read": true,
                    "write": null, "create": null, "update": null, "delete": null, "execute": null}],
            "net": [], "env": [],
        },
    }))
    .unwrap();
    let access = AccessPolicy {
        fs: vec![FsRule::new("src").with_read(true)].into(),
        ..AccessPolicy::default()
    };
    assert_eq!(
        context,
        Context {
            workspace_id: "w".to_owned(),
            conversation_id: "c".to_owned(),
            ..Context::new("/work", Action::Run).with_access(access)
        }
    );
}

#[test]
fn a_formatter_context_needs_no_access() {
    let context: Context =
        serde_json::from_value(json!({"action": "format_arguments", "root": "/work"})).unwrap();
    assert_eq!(context, Context::new("/work", Action::FormatArguments));
    assert_eq!(
        serde_json::to_value(&context).unwrap(),
        json!({"root": "/work", "action": "format_arguments", "access": null,
               "workspace_id": "", "conversation_id": ""})
    );
}

#[test]
fn a_delta_rejection_round_trips() {
    let wire = json!({
        "root": "/path/to/workspace", "action": "run", "access": null, "workspace_id": "", "conversation_id": "",
        "config": {"assistant": {"model": {"id": {"provider": "anthropic", "name": "opus"}}}},
        "delta_rejection": {
            "reason": "invalid_config", "fields": ["assistant.model.id.provider"], "detail": "unknown variant 'bogus'",
        },
    });
    let context: Context = serde_json::from_value(wire.clone()).unwrap();
    assert_eq!(
        context.delta_rejection.as_ref().unwrap().reason,
        DeltaRejectionReason::InvalidConfig
    );
    assert_eq!(serde_json::to_value(&context).unwrap(), wire);
}

proptest! {
    /// Whatever JSON arrives, every check of the context that it makes gives an answer.
    #[test]
    fn any_context_gets_an_answer(
        path in any::<String>(), host in any::<String>(), name in any::<String>(), target in any::<String>(),
    ) {
        let text = json!({
            "action": "run", "root": "/", "access": {
                "fs": [{"path": path}], "net": [{"host": host, "path_prefix": path}],
                "env": [{"name": name}], "config": [{"path": target}],
            },
        }).to_string();
        let context: Context = serde_json::from_str(&text).unwrap();
        let _ = context.check_read(Utf8Path::new(&target));
        let _ = context.check_net(&target);
        let _ = context.check_env(&target);
        let _ = context.check_config_write(&target);
    }
}
