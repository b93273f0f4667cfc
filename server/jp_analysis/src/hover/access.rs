//! An access rule in plain words (RFD 076, RFD 078).
//!
//! ```toml
//! [[conversation.tools.fs_create_file.access.fs]]
//! path = "src"     # grants reading below `src`; nothing else there
//! read = true
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};
use jp_tool::{
    ConfigPath, ConfigSegment, EnvPattern, NetRule, overlaps_sensitive, privileged_overlap,
    validate_env_name,
};

use super::subject::Subject;
use crate::text::markup::{Markup, code};

/// The most rules that are named.
const MAXIMUM_RULES: usize = 5;

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
    let keys = subject.keys();
    let (["conversation", "tools", tool, "access", kind, ..], true) =
        (keys.as_slice(), keys.len() < subject.path.len())
    else {
        return;
    };
    let (Some(context), Some(place)) = (subject.context(), subject.element_place()) else {
        return;
    };
    let rules = context
        .tool
        .at(&["access", kind])
        .and_then(|rules| rules.value.as_list())
        .unwrap_or_default();
    let Some(index) = rules
        .iter()
        .position(|rule| context.place(rule) == Some(place))
    else {
        markup.paragraph("This rule takes no part: a later layer's rules stand instead.");
        return;
    };
    let Some(rule) = rules.get(index) else {
        return;
    };
    let Some(target) = target(kind, rule) else {
        return;
    };
    markup.paragraph(&format!(
        "Rule {} of {}: {} {}.",
        index + 1,
        rules.len(),
        grants(kind, tool, rule),
        target.words()
    ));
    if *kind == "fs" && flag(rule, "external") == Some(true) {
        markup.item(
            "It leads outside the workspace, and grants nothing until a person has approved where it leads.",
        );
    }
    if let Some(source) = context.source().filter(|source| !source.is_local()) {
        markup.item(&format!(
            "Nothing checks it: access rules are for local tools, and {} is the source of this one.",
            code(&source.to_string())
        ));
    }
    relations(rules, index, kind, &target, markup);
    if let Target::Config(path) = &target {
        describe_danger(rule, path, markup);
    }
}

/// What a rule applies to, comparable with the targets of other rules.
enum Target {
    Path(Utf8PathBuf),
    Net(NetRule),
    Env(EnvPattern),
    Config(ConfigPath),
}

impl Target {
    fn words(&self) -> String {
        match self {
            Self::Path(path) if path == "." => "in the whole workspace".to_owned(),
            Self::Path(path) => format!("at and below {}", code(path.as_str())),
            Self::Net(rule) => format!("to {}", code(&url(rule))),
            Self::Env(EnvPattern::Exact(name)) => format!("the variable {}", code(name)),
            Self::Env(EnvPattern::Prefix(prefix)) if prefix.is_empty() => {
                "every variable".to_owned()
            }
            Self::Env(EnvPattern::Prefix(prefix)) => {
                format!("every variable that starts with {}", code(prefix))
            }
            Self::Config(path) => format!("at and below {}", code(&path.to_string())),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Path(path) => code(path.as_str()),
            Self::Net(rule) => code(&url(rule)),
            Self::Env(EnvPattern::Exact(name)) => code(name),
            Self::Env(EnvPattern::Prefix(prefix)) => code(&format!("{prefix}*")),
            Self::Config(path) => code(&path.to_string()),
        }
    }

    /// Whether everything that `other` applies to, this applies to as well.
    fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Path(outer), Self::Path(inner)) => outer == "." || inner.starts_with(outer),
            (
                Self::Env(EnvPattern::Prefix(outer)),
                Self::Env(EnvPattern::Prefix(inner) | EnvPattern::Exact(inner)),
            ) => inner.starts_with(outer.as_str()),
            (Self::Env(EnvPattern::Exact(outer)), Self::Env(EnvPattern::Exact(inner))) => {
                outer == inner
            }
            (Self::Net(outer), Self::Net(inner)) => {
                let covers = |outer: Option<&str>, inner: Option<&str>| {
                    outer.is_none_or(|outer| inner == Some(outer))
                };
                outer.host == inner.host
                    && covers(outer.scheme.as_deref(), inner.scheme.as_deref())
                    && (outer.port == inner.port || (outer.port.is_none() && is_default(inner)))
                    && Utf8Path::new(path_of(inner)).starts_with(path_of(outer))
            }
            (Self::Config(outer), Self::Config(inner)) => {
                outer.segments().len() <= inner.segments().len()
                    && outer
                        .segments()
                        .iter()
                        .zip(inner.segments())
                        .all(|(outer, inner)| match (outer, inner) {
                            (ConfigSegment::Any, _) | (_, ConfigSegment::Any) => true,
                            (outer, inner) => outer == inner,
                        })
            }
            _ => false,
        }
    }

    /// How specific the rule is.
    fn weight(&self) -> usize {
        match self {
            Self::Path(path) if path == "." => 0,
            Self::Path(path) => path.components().count(),
            Self::Net(rule) => {
                let path = Utf8Path::new(path_of(rule)).components().count();
                usize::from(rule.scheme.is_some()) + usize::from(rule.port.is_some()) + path
            }
            Self::Env(EnvPattern::Exact(_)) => usize::MAX,
            Self::Env(EnvPattern::Prefix(prefix)) => prefix.len(),
            Self::Config(path) => path.segments().len(),
        }
    }
}

fn target(kind: &str, rule: &Located) -> Option<Target> {
    let text = |key: &str| rule.get(key)?.value.as_str();
    match kind {
        "fs" => {
            let path = normalize(Utf8Path::new(text("path")?));
            Some(Target::Path(if path.as_str().is_empty() {
                ".".into()
            } else {
                path
            }))
        }
        "net" => {
            let rule = NetRule {
                host: text("host")?.to_owned(),
                scheme: text("scheme").map(str::to_owned),
                port: match rule.get("port").map(|port| &port.value) {
                    Some(LocatedValue::Integer(port)) => Some(u16::try_from(*port).ok()?),
                    _ => None,
                },
                path_prefix: text("path_prefix").map(str::to_owned),
                allow: false,
            };
            Some(Target::Net(rule.normalized().ok()?))
        }
        "env" => Some(Target::Env(validate_env_name(text("name")?).ok()?)),
        "config" => Some(Target::Config(ConfigPath::parse(text("path")?).ok()?)),
        _ => None,
    }
}

/// A network rule as the URLs that it is about.
fn url(rule: &NetRule) -> String {
    let mut text = rule.host.clone();
    if let Some(scheme) = &rule.scheme {
        text.insert_str(0, &format!("{scheme}://"));
    }
    if let Some(port) = rule.port {
        text.push_str(&format!(":{port}"));
    }
    text.push_str(rule.path_prefix.as_deref().unwrap_or_default());
    text
}

fn path_of(rule: &NetRule) -> &str {
    rule.path_prefix.as_deref().unwrap_or("/")
}

/// Whether the port is the one of the scheme, which a rule without a port is about.
fn is_default(rule: &NetRule) -> bool {
    match rule.scheme.as_deref() {
        Some("https") => rule.port == Some(443),
        Some("http") => rule.port == Some(80),
        _ => false,
    }
}

fn flag(rule: &Located, key: &str) -> Option<bool> {
    rule.get(key)?.value.as_bool()
}

/// What the rule allows the tool to do.
fn grants(kind: &str, tool: &str, rule: &Located) -> String {
    let tool = code(tool);
    let words: Vec<&str> = match kind {
        "fs" => {
            let write = flag(rule, "write").unwrap_or(false);
            let granted = |key| flag(rule, key).unwrap_or(write);
            [
                (flag(rule, "read").unwrap_or(false), "read"),
                (granted("create"), "create"),
                (granted("update"), "change"),
                (granted("delete"), "remove"),
                (flag(rule, "execute").unwrap_or(false), "run"),
            ]
            .into_iter()
            .filter_map(|(granted, word)| granted.then_some(word))
            .collect()
        }
        "net" if flag(rule, "allow").unwrap_or(false) => vec!["send requests"],
        "env" if flag(rule, "read").unwrap_or(false) => vec!["read"],
        "config" => {
            let writes = rule
                .get("write")
                .is_some_and(|write| write.value != LocatedValue::Boolean(false));
            [
                (flag(rule, "read").unwrap_or(false), "read"),
                (writes, "change"),
                (flag(rule, "delete").unwrap_or(false), "unset"),
            ]
            .into_iter()
            .filter_map(|(granted, word)| granted.then_some(word))
            .collect()
        }
        _ => Vec::new(),
    };
    let noun = match kind {
        "fs" => " files",
        "config" => " config",
        _ => "",
    };
    match words.split_last() {
        None => match kind {
            "net" => format!("{tool} may send no requests"),
            "env" => format!("{tool} may do nothing with"),
            _ => format!("{tool} may do nothing"),
        },
        Some((last, [])) => format!("{tool} may {last}{noun}"),
        Some((last, rest)) => format!("{tool} may {} and {last}{noun}", rest.join(", ")),
    }
}

/// Which other rules of the list decide where.
fn relations(rules: &[Located], index: usize, kind: &str, target: &Target, markup: &mut Markup) {
    let mut stronger = Vec::new();
    let mut weaker = Vec::new();
    for (other_index, other) in rules.iter().enumerate() {
        let Some(found) = self::target(kind, other).filter(|_| other_index != index) else {
            continue;
        };
        let name = format!("rule {} ({})", other_index + 1, found.name());
        if target.contains(&found) && found.contains(target) {
            if found.weight() == target.weight() && other_index > index {
                markup.paragraph(&format!(
                    "It never decides: {name} is for the same and comes later."
                ));
            }
        } else if target.contains(&found) {
            stronger.push(format!("There, {name} decides instead."));
        } else if found.contains(target) {
            weaker.push(name);
        }
    }
    for line in stronger.iter().take(MAXIMUM_RULES) {
        markup.item(line);
    }
    if !weaker.is_empty() {
        weaker.truncate(MAXIMUM_RULES);
        markup.item(&format!(
            "It decides alone here, whatever {} says.",
            weaker.join(" or ")
        ));
    }
}

/// Whether a config rule reaches what decides about tools.
fn describe_danger(rule: &Located, path: &ConfigPath, markup: &mut Markup) {
    let apply = rule.get("apply").and_then(|apply| apply.value.as_str());
    let applied = match apply {
        Some("unattended") => "Changes apply without asking.",
        _ => "A human confirms each change.",
    };
    markup.item(applied);
    if overlaps_sensitive(path) {
        markup.item(
            "The path is sensitive: it touches the access rules of tools, and only `write = \"insecure_allow\"` reaches them.",
        );
    } else if let Some(overlap) = privileged_overlap(path) {
        markup.item(&format!(
            "The path is privileged: {} decides what runs or whether a human is asked.",
            code(overlap)
        ));
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
