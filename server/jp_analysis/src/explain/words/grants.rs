//! A grant in plain words (RFD 076, RFD 078).
//!
//! ```toml
//! { path = "src", read = true, write = true }   # may read, create, change and remove files at and below `src`
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};
use jp_tool::{ConfigPath, ConfigSegment, EnvPattern, NetRule, validate_env_name};

use crate::text::markup::code;

/// What a rule applies to, comparable with the targets of other rules.
pub(crate) enum Target {
    Path(Utf8PathBuf),
    Net(NetRule),
    Env(EnvPattern),
    Config(ConfigPath),
}

impl Target {
    pub(crate) fn words(&self) -> String {
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

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Path(path) => code(path.as_str()),
            Self::Net(rule) => code(&url(rule)),
            Self::Env(EnvPattern::Exact(name)) => code(name),
            Self::Env(EnvPattern::Prefix(prefix)) => code(&format!("{prefix}*")),
            Self::Config(path) => code(&path.to_string()),
        }
    }

    /// Whether everything that `other` applies to, this applies to as well.
    pub(crate) fn contains(&self, other: &Self) -> bool {
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
    pub(crate) fn weight(&self) -> usize {
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

/// What a rule of a kind of access applies to; none for a rule that is none.
pub(crate) fn target(kind: &str, rule: &Located) -> Option<Target> {
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

pub(crate) fn flag(rule: &Located, key: &str) -> Option<bool> {
    rule.get(key)?.value.as_bool()
}

/// What the rule allows the tool to do.
pub(crate) fn grants(kind: &str, tool: &str, rule: &Located) -> String {
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
