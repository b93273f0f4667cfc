//! Which grants become wider.
//!
//! ```toml
//! access.fs = [{ path = "src", read = true, write = true }]
//! ```

use camino::Utf8Path;
use indexmap::IndexSet;
use jp_conversation::visible;
use jp_tool::{AccessPolicy, ApplyMode, ConfigCapability, ConfigPath, FsCapability, NetRule};

const FS: [(FsCapability, &str); 5] = [
    (FsCapability::Read, "read"),
    (FsCapability::Create, "create"),
    (FsCapability::Update, "change"),
    (FsCapability::Delete, "delete"),
    (FsCapability::Execute, "execute"),
];

const CONFIG: [(ConfigCapability, &str); 3] = [
    (ConfigCapability::Read, "read"),
    (ConfigCapability::Write, "change"),
    (ConfigCapability::Delete, "unset"),
];

/// Says what `new` grants and `old` does not, probing at every place that either names.
///
/// Rules that cannot be evaluated grant nothing.
pub(super) fn compare(
    name: &str,
    old: Option<&AccessPolicy>,
    new: Option<&AccessPolicy>,
    sentences: &mut IndexSet<String>,
) {
    let none = AccessPolicy::default();
    let (old, new) = (old.unwrap_or(&none), new.unwrap_or(&none));
    for (kind, was_open, is_open) in [
        (
            "files of the workspace",
            old.fs.is_empty(),
            new.fs.is_empty(),
        ),
        ("hosts", old.net.is_empty(), new.net.is_empty()),
        (
            "environment variables",
            old.env.is_empty(),
            new.env.is_empty(),
        ),
    ] {
        if is_open && !was_open {
            sentences.insert(format!("`{name}` would have no restriction on {kind}"));
        }
    }
    files(name, old, new, sentences);
    hosts(name, old, new, sentences);
    variables(name, old, new, sentences);
    config(name, old, new, sentences);
}

fn files(name: &str, old: &AccessPolicy, new: &AccessPolicy, sentences: &mut IndexSet<String>) {
    let (false, false) = (old.fs.is_empty(), new.fs.is_empty()) else {
        return;
    };
    let (Ok(before), Ok(after)) = (old.fs.compiled(), new.fs.compiled()) else {
        return;
    };
    for rule in old.fs.iter().chain(&*new.fs) {
        let path = clean(rule.path());
        // The longest rule decides, so what a rule decides begins at its own path.
        for (capability, verb) in FS {
            let allows = |policy: &jp_tool::FsPolicy| policy.decide(capability, &path).allowed;
            if allows(after) && !allows(before) {
                let path = visible(path.as_str()).into_owned();
                sentences.insert(format!("`{name}` would be allowed to {verb} `{path}`"));
            }
        }
    }
}

/// A rule's path as the evaluator compares it.
fn clean(path: &Utf8Path) -> camino::Utf8PathBuf {
    let clean: camino::Utf8PathBuf = path
        .components()
        .filter(|component| !matches!(component, camino::Utf8Component::CurDir))
        .collect();
    if clean.as_str().is_empty() {
        camino::Utf8PathBuf::from(".")
    } else {
        clean
    }
}

fn hosts(name: &str, old: &AccessPolicy, new: &AccessPolicy, sentences: &mut IndexSet<String>) {
    let (false, false) = (old.net.is_empty(), new.net.is_empty()) else {
        return;
    };
    let (Ok(before), Ok(after)) = (old.net.compiled(), new.net.compiled()) else {
        return;
    };
    for rule in old.net.iter().chain(&*new.net) {
        let url = url_of(rule);
        let allows = |policy: &jp_tool::NetPolicy| {
            policy.decide(&url).is_ok_and(|decision| decision.allowed)
        };
        if allows(after) && !allows(before) {
            sentences.insert(format!(
                "`{name}` would be allowed to connect to `{}`",
                visible(&url)
            ));
        }
    }
}

/// A URL that the rule covers.
fn url_of(rule: &NetRule) -> String {
    let scheme = rule.scheme.as_deref().unwrap_or("https");
    let port = rule
        .port
        .map_or_else(String::new, |port| format!(":{port}"));
    let path = rule.path_prefix.as_deref().unwrap_or("/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{}{port}{slash}{path}", rule.host)
}

fn variables(name: &str, old: &AccessPolicy, new: &AccessPolicy, sentences: &mut IndexSet<String>) {
    let (false, false) = (old.env.is_empty(), new.env.is_empty()) else {
        return;
    };
    let (Ok(before), Ok(after)) = (old.env.compiled(), new.env.compiled()) else {
        return;
    };
    for rule in old.env.iter().chain(&*new.env) {
        let probe = rule.name.replace('*', "X");
        if after.decide(&probe).allowed && !before.decide(&probe).allowed {
            sentences.insert(format!(
                "`{name}` would be allowed to read the environment variable `{}`",
                visible(&rule.name)
            ));
        }
    }
}

fn config(name: &str, old: &AccessPolicy, new: &AccessPolicy, sentences: &mut IndexSet<String>) {
    let (Ok(before), Ok(after)) = (old.config.compiled(), new.config.compiled()) else {
        return;
    };
    for rule in old.config.iter().chain(&*new.config) {
        let Ok(path) = ConfigPath::parse(&rule.path) else {
            continue;
        };
        let shown = visible(&rule.path).into_owned();
        for (capability, verb) in CONFIG {
            let now = after.decide(capability, &path);
            let was = before.decide(capability, &path);
            if now.allowed && !was.allowed {
                sentences.insert(format!(
                    "`{name}` would be allowed to {verb} the config at `{shown}`"
                ));
            }
            let apply = |rules: &[jp_tool::ConfigRule], rule: Option<usize>| {
                rule.and_then(|index| rules.get(index))
                    .map(|rule| rule.apply)
            };
            let is_change = capability != ConfigCapability::Read && now.allowed;
            if is_change
                && apply(&new.config, now.rule) == Some(ApplyMode::Unattended)
                && apply(&old.config, was.rule) != Some(ApplyMode::Unattended)
            {
                sentences.insert(format!(
                    "`{name}` would {verb} the config at `{shown}` without asking"
                ));
            }
        }
    }
}
