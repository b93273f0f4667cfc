use std::{fs, os::unix::fs::symlink};

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;
use crate::{Action, Context, FsAccessError};

struct Layout {
    _directory: TempDir,
    base: Utf8PathBuf,
    root: Utf8PathBuf,
}

/// `ws/docs` leads to `ws/manual`, `ws/shared` and `ws/other` to `out`, beside the workspace.
fn layout() -> Layout {
    let directory = TempDir::new().unwrap();
    let base = Utf8Path::from_path(directory.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    let root = base.join("ws");
    fs::create_dir_all(root.join("manual")).unwrap();
    fs::create_dir_all(base.join("out/secret")).unwrap();
    symlink("manual", root.join("docs")).unwrap();
    symlink("../out", root.join("shared")).unwrap();
    symlink("../out", root.join("other")).unwrap();
    symlink("../nowhere", root.join("dangling")).unwrap();
    Layout {
        _directory: directory,
        base,
        root,
    }
}

fn fs_rules(rules: Vec<FsRule>) -> AccessPolicy {
    AccessPolicy {
        fs: rules.into(),
        ..AccessPolicy::default()
    }
}

impl Layout {
    fn compile(&self, rules: Vec<FsRule>) -> CompiledAccess {
        let approved = ApprovedTargets::from([
            ("shared".into(), self.base.join("out")),
            ("shared/secret".into(), self.base.join("out/secret")),
        ]);
        AccessPolicy::compile_rules(&self.root, &fs_rules(rules), &approved).unwrap()
    }

    fn error(&self, rule: FsRule) -> String {
        AccessPolicy::compile_rules(
            &self.root,
            &fs_rules(vec![FsRule::new("."), rule]),
            &ApprovedTargets::new(),
        )
        .unwrap_err()
        .to_string()
    }
}

#[test]
fn rule_paths_become_canonical() {
    let layout = layout();
    let compiled = layout.compile(vec![
        FsRule::new("./docs//x/").with_read(true),
        FsRule::new(layout.root.join("docs")),
        FsRule::new("."),
    ]);
    assert_eq!(
        compiled.policy.fs.to_vec(),
        [
            FsRule::new("manual/x").with_read(true),
            FsRule::new("manual"),
            FsRule::new("."),
        ]
    );
    assert_eq!(compiled.fs_declared, [Some(0), Some(1), Some(2)]);
    assert_eq!(compiled.warnings, []);
}

#[test]
fn rules_that_leave_the_workspace_are_refused() {
    let layout = layout();
    for (path, message) in [
        (
            "../out",
            "access rule path is not workspace-relative: path escapes the workspace: ../out",
        ),
        (
            "/etc",
            "access rule path is not workspace-relative: path is outside the workspace: /etc",
        ),
        (
            "shared",
            "access rule path is not workspace-relative: path escapes the workspace: shared",
        ),
        ("", "the path is empty; write `.` for the whole workspace"),
    ] {
        assert_eq!(
            layout.error(FsRule::new(path)),
            format!("access.fs, rule 2: {message}")
        );
    }
    assert_eq!(
        layout.error(FsRule::new("docs").with_external(true)),
        "access.fs, rule 2: access rule `docs` sets external = true but resolves inside the workspace; remove `external`"
    );
}

#[test]
fn an_approved_external_rule_mounts_its_target() {
    let layout = layout();
    let compiled = layout.compile(vec![
        FsRule::new("./shared").with_external(true).with_read(true),
        FsRule::new("shared/secret").with_external(true),
    ]);
    assert_eq!(compiled.warnings, []);
    assert_eq!(
        compiled.policy.fs.to_vec(),
        [
            FsRule::new("shared")
                .with_external(true)
                .with_read(true)
                .with_approved_target(Some(layout.base.join("out"))),
            FsRule::new("shared/secret")
                .with_external(true)
                .with_approved_target(Some(layout.base.join("out/secret"))),
        ]
    );

    let context = Context::new(&layout.root, Action::Run).with_access(compiled.policy);
    assert_eq!(
        context.check_read(Utf8Path::new("shared/a")),
        Ok(layout.base.join("out/a"))
    );
    // Another link to the same place is judged by the same rules.
    for (input, target) in [
        ("shared/secret/a", "shared/secret/a"),
        ("other/secret", "shared/secret"),
    ] {
        assert_eq!(
            context.check_read(Utf8Path::new(input)),
            Err(FsAccessError::Denied {
                capability: "read",
                target: target.into(),
                grants: vec!["shared".into()],
            })
        );
    }
    symlink("/etc", layout.base.join("out/leave")).unwrap();
    assert_eq!(
        context.check_read(Utf8Path::new("shared/leave/passwd")),
        Err(FsAccessError::Escape("shared/leave/passwd".into()))
    );
}

#[test]
fn an_external_rule_without_approval_is_left_out() {
    let layout = layout();
    let compiled = layout.compile(vec![
        FsRule::new("other").with_external(true).with_read(true),
        FsRule::new("dangling").with_external(true),
        FsRule::new("manual").with_read(true),
    ]);
    assert_eq!(
        compiled.policy.fs.to_vec(),
        [FsRule::new("manual").with_read(true)]
    );
    assert_eq!(compiled.fs_declared, [Some(2)]);
    let warnings: Vec<String> = compiled
        .warnings
        .iter()
        .map(|warning| warning.to_string().replace(layout.base.as_str(), "$"))
        .collect();
    assert_eq!(
        warnings,
        [
            "external rule `other` leads to `$/out`, which is not approved; the rule is left out",
            "external rule `dangling` leads nowhere; the rule is left out",
        ]
    );
}

#[test]
fn a_retargeted_link_loses_its_approval() {
    let layout = layout();
    fs::create_dir(layout.base.join("elsewhere")).unwrap();
    fs::remove_file(layout.root.join("shared")).unwrap();
    symlink("../elsewhere", layout.root.join("shared")).unwrap();
    let compiled = layout.compile(vec![FsRule::new("shared").with_external(true)]);
    assert_eq!(compiled.warnings.len(), 1);
}

#[test]
fn an_emptied_list_denies_everything() {
    let layout = layout();
    let compiled = layout.compile(vec![
        FsRule::new("other").with_external(true).with_read(true),
    ]);
    assert_eq!(compiled.policy.fs.to_vec(), [FsRule::new(".")]);
    assert_eq!(compiled.fs_declared, [None]);
    let context = Context::new(&layout.root, Action::Run).with_access(compiled.policy);
    assert!(matches!(
        context.check_read(Utf8Path::new("manual")),
        Err(FsAccessError::Denied { .. })
    ));
}

#[test]
fn an_absent_list_stays_absent() {
    let layout = layout();
    assert_eq!(layout.compile(vec![]), CompiledAccess::default());
}

#[test]
fn hosts_are_normalized_and_the_rest_is_checked() {
    let layout = layout();
    let compile = |declared: AccessPolicy| {
        AccessPolicy::compile_rules(&layout.root, &declared, &ApprovedTargets::new())
    };
    let net = NetRule {
        host: "MÜNCHEN.de.".to_owned(),
        scheme: Some("HTTPS".to_owned()),
        path_prefix: Some("//%61dmin/".to_owned()),
        allow: true,
        port: None,
    };
    let compiled = compile(AccessPolicy {
        net: vec![net].into(),
        ..AccessPolicy::default()
    })
    .unwrap();
    assert_eq!(
        compiled.policy.net.to_vec(),
        [NetRule {
            host: "xn--mnchen-3ya.de".to_owned(),
            scheme: Some("https".to_owned()),
            path_prefix: Some("/admin".to_owned()),
            allow: true,
            port: None,
        }]
    );
    let error = compile(AccessPolicy {
        env: vec![EnvRule::default()].into(),
        ..AccessPolicy::default()
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "access.env, rule 1: the name is empty; write a variable's name, or `*` for all of them"
    );
    let error = compile(AccessPolicy {
        config: vec![ConfigRule::default()].into(),
        ..AccessPolicy::default()
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "access.config, rule 1: the config path is empty; write a path such as `assistant.model`"
    );
}
