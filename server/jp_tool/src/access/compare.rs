//! What a change of grants changes: exactly, with a target for every difference.
//!
//! ```toml
//! access.fs = [{ path = "src", read = true }]                                  # before
//! access.fs = [{ path = ".", read = true }, { path = "src", read = true }]     # after: `x` may be read
//! ```
//!
//! The most specific rule decides, so lists say little side by side.
//! What is compared are the decisions, on one target for each way in which the rules of both sides can tell targets apart.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::{compile::lexical, protected::protected_prefix};
use crate::{
    AccessPolicy, AccessRuleError, AccessRuleProblem, ApplyMode, ConfigCapability, ConfigPath,
    ConfigPolicy, ConfigRule, ConfigSegment, EnvPolicy, FsCapability, FsPolicy, FsRule, NetPolicy,
    NetRule, Resource,
};

/// The schemes on which rules that name none decide, with and without a default port.
const SCHEMES: [&str; 4] = ["https", "http", "ftp", "ssh"];

/// A port that hardly any rule names.
const PORTS: [u16; 3] = [8081, 8082, 8083];

/// The most pairs of config rules that are looked at.
const PAIRS: usize = 250_000;

/// What is decided about one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grant {
    /// It is granted, and nobody is asked.
    Allowed,
    /// It is granted, and a person confirms it.
    Asked,
    /// It is not granted.
    Denied,
}

impl Grant {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Asked => "ask",
            Self::Denied => "denied",
        }
    }
}

/// A target that is decided otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct GrantChange {
    /// The list of rules that decides.
    pub resource: Resource,
    /// The target, as a question about access: `{"fs": {"capability": "read", "path": "x"}}`.
    pub witness: Value,
    /// What was decided.
    pub before: Grant,
    /// The position of the rule that decided; none where there was none.
    pub before_rule: Option<usize>,
    /// What is decided.
    pub after: Grant,
    /// The position of the rule that decides; none where there is none.
    pub after_rule: Option<usize>,
}

/// Compares what two declarations of access grant.
///
/// Paths are taken as they are written: where links lead, and which external targets a person has approved, is not looked up, and external
/// rules count as approved.
/// `known` are the config paths that there are, `*` standing for any key; without them only the paths of rules themselves are targets.
///
/// One change is reported for each capability and pair of deciding rules.
///
/// # Errors
///
/// The first rule of either side that cannot be evaluated.
pub fn compare_grants(
    before: &AccessPolicy,
    after: &AccessPolicy,
    known: &[ConfigPath],
) -> Result<Vec<GrantChange>, AccessRuleError> {
    let mut changes = Changes::default();
    if before.fs != after.fs {
        files(before, after, &mut changes)?;
    }
    if before.net != after.net {
        hosts(before, after, &mut changes)?;
    }
    if before.env != after.env {
        variables(before, after, &mut changes)?;
    }
    if before.config != after.config {
        config(before, after, known, &mut changes)?;
    }
    Ok(changes.found)
}

type Decided = (Grant, Option<usize>);

/// Resource and capability, the deciding rules, and what they decide.
type Pair = (&'static str, &'static str, [Option<usize>; 2], [Grant; 2]);

/// What was found, each pair of rules once.
#[derive(Default)]
struct Changes {
    found: Vec<GrantChange>,
    seen: BTreeSet<Pair>,
}

impl Changes {
    fn note(
        &mut self,
        (resource, name): (Resource, &'static str),
        capability: &'static str,
        (before, after): (Decided, Decided),
        witness: impl FnOnce() -> Value,
    ) {
        let key = (name, capability, [before.1, after.1], [before.0, after.0]);
        if before.0 != after.0 && self.seen.insert(key) {
            self.found.push(GrantChange {
                resource,
                witness: witness(),
                before: before.0,
                before_rule: before.1,
                after: after.0,
                after_rule: after.1,
            });
        }
    }
}

fn granted(allowed: bool) -> Grant {
    if allowed {
        Grant::Allowed
    } else {
        Grant::Denied
    }
}

fn files(
    before: &AccessPolicy,
    after: &AccessPolicy,
    changes: &mut Changes,
) -> Result<(), AccessRuleError> {
    let (left, right) = (as_written(&before.fs)?, as_written(&after.fs)?);
    let paths: BTreeSet<Utf8PathBuf> = [Utf8PathBuf::new()]
        .into_iter()
        .chain(left.iter().chain(&right).map(|rule| rule.path().to_owned()))
        .map(|path| {
            if path == "." {
                Utf8PathBuf::new()
            } else {
                path
            }
        })
        .collect();
    let (left, right) = (FsPolicy::compile(&left)?, FsPolicy::compile(&right)?);
    let mut targets: Vec<Utf8PathBuf> = Vec::new();
    for path in &paths {
        // What lies below, and what lies below and is protected.
        let is_free = |name: &String| !paths.contains(&path.join(name));
        let below = numbered("x").find(is_free).map(|name| path.join(name));
        targets.extend(below);
        if protected_prefix(path).is_none() {
            targets.push(path.join(".git/x"));
        }
    }
    for target in &targets {
        let place = protected_prefix(target);
        for capability in FsCapability::ALL {
            let decide = |policy: &FsPolicy| {
                let decision = policy.decide_within(capability, target, place.as_deref());
                (granted(decision.allowed), decision.rule)
            };
            let decided = (decide(&left), decide(&right));
            changes.note(
                (Resource::Fs, "fs"),
                capability.as_str(),
                decided,
                || json!({ "fs": { "capability": capability, "path": target } }),
            );
        }
    }
    Ok(())
}

/// `x`, `x1`, `x2`, ...
fn numbered(stem: &'static str) -> impl Iterator<Item = String> {
    let further = (1_u32..).map(move |number| format!("{stem}{number}"));
    std::iter::once(stem.to_owned()).chain(further)
}

/// The rules with the paths that they name, links not followed.
fn as_written(rules: &[FsRule]) -> Result<Vec<FsRule>, AccessRuleError> {
    let path_of = |index: usize, rule: &FsRule| {
        let path = lexical(rule.path()).ok_or_else(|| AccessRuleError {
            resource: Resource::Fs,
            index,
            problem: AccessRuleProblem::FsPathNotRelative {
                path: rule.path().to_string(),
            },
        })?;
        let path = if path == "" {
            Utf8PathBuf::from(".")
        } else {
            path
        };
        Ok(rule.at(path))
    };
    let rules = rules.iter().enumerate();
    rules.map(|(index, rule)| path_of(index, rule)).collect()
}

fn hosts(
    before: &AccessPolicy,
    after: &AccessPolicy,
    changes: &mut Changes,
) -> Result<(), AccessRuleError> {
    let (left, right) = (before.net.compiled()?, after.net.compiled()?);
    let rules: Vec<NetRule> = before
        .net
        .iter()
        .chain(&after.net)
        .filter_map(|rule| rule.normalized().ok())
        .collect();
    let names: BTreeSet<&str> = rules.iter().map(|rule| rule.host.as_str()).collect();
    let is_free = |name: &String| !names.contains(name.as_str());
    let fresh = std::iter::once("example.com".to_owned())
        .chain(numbered("host").map(|name| format!("{name}.example")))
        .find(is_free);
    for host in fresh.as_deref().into_iter().chain(names.iter().copied()) {
        let on_host: Vec<&NetRule> = rules.iter().filter(|rule| rule.host == host).collect();
        for url in urls(host, &on_host) {
            let decide = |policy: &NetPolicy| {
                let decision = policy.decide(&url).ok()?;
                Some((granted(decision.allowed), decision.rule))
            };
            if let (Some(left), Some(right)) = (decide(left), decide(right)) {
                changes.note(
                    (Resource::Net, "net"),
                    "",
                    (left, right),
                    || json!({ "net": url }),
                );
            }
        }
    }
    Ok(())
}

/// A URL for each way in which rules on a host can tell URLs apart.
fn urls(host: &str, rules: &[&NetRule]) -> Vec<String> {
    let named = rules.iter().filter_map(|rule| rule.scheme.as_deref());
    let mut schemes: Vec<&str> = SCHEMES.to_vec();
    schemes.extend(named.filter(|scheme| *scheme != "file"));
    let mut ports: Vec<Option<u16>> = vec![None];
    ports.extend(rules.iter().filter_map(|rule| rule.port).map(Some));
    let is_free = |port: &u16| !ports.contains(&Some(*port));
    let free = PORTS.into_iter().chain(1..).find(is_free);
    ports.push(free);
    let prefixes: BTreeSet<&str> = rules
        .iter()
        .map(|rule| rule.path_prefix.as_deref().unwrap_or_default())
        .chain([""])
        .map(|path| path.trim_end_matches('/'))
        .collect();
    let mut paths: Vec<String> = Vec::new();
    for prefix in &prefixes {
        let below = |name: String| format!("{prefix}/{name}");
        let fresh = numbered("x").map(below);
        let is_free = |path: &String| !prefixes.contains(path.as_str());
        paths.push(format!("{prefix}/"));
        paths.extend(fresh.into_iter().find(is_free));
    }
    schemes.sort_by_key(|scheme| SCHEMES.iter().position(|known| known == scheme));
    schemes.dedup();
    ports.sort_unstable();
    ports.dedup();
    let mut urls = Vec::new();
    for scheme in &schemes {
        for port in &ports {
            let port = port.map_or(String::new(), |port| format!(":{port}"));
            urls.extend(
                paths
                    .iter()
                    .map(|path| format!("{scheme}://{host}{port}{path}")),
            );
        }
    }
    urls
}

fn variables(
    before: &AccessPolicy,
    after: &AccessPolicy,
    changes: &mut Changes,
) -> Result<(), AccessRuleError> {
    let (left, right) = (before.env.compiled()?, after.env.compiled()?);
    let names: BTreeSet<&str> = before
        .env
        .iter()
        .chain(&after.env)
        .map(|rule| rule.name.as_str())
        .chain(["*"])
        .collect();
    let literals: BTreeSet<&str> = names
        .iter()
        .map(|name| name.trim_end_matches('*'))
        .collect();
    for name in &names {
        let target = match name.strip_suffix('*') {
            // No other rule is about what goes on like this.
            Some(literal) => numbered("X")
                .map(|end| format!("{literal}{end}"))
                .find(|name| {
                    let from = literals.range(name.as_str()..).next();
                    let exact = literals.contains(name.as_str());
                    let is_before = from.is_some_and(|next| next.starts_with(name.as_str()));
                    let shorter = (literal.len().saturating_add(1)..=name.len())
                        .filter_map(|end| name.get(..end));
                    !exact && !is_before && !shorter.into_iter().any(|part| literals.contains(part))
                }),
            None => Some((*name).to_owned()),
        };
        let Some(target) = target else { continue };
        let decide = |policy: &EnvPolicy| {
            let decision = policy.decide(&target);
            (granted(decision.allowed), decision.rule)
        };
        let decided = (decide(left), decide(right));
        changes.note(
            (Resource::Env, "env"),
            "",
            decided,
            || json!({ "env": target }),
        );
    }
    Ok(())
}

fn config(
    before: &AccessPolicy,
    after: &AccessPolicy,
    known: &[ConfigPath],
    changes: &mut Changes,
) -> Result<(), AccessRuleError> {
    let (left, right) = (before.config.compiled()?, after.config.compiled()?);
    let rules: BTreeSet<ConfigPath> = before
        .config
        .iter()
        .chain(&after.config)
        .filter_map(|rule| ConfigPath::parse(&rule.path).ok())
        .collect();
    let keys: BTreeSet<&str> = rules
        .iter()
        .flat_map(ConfigPath::segments)
        .filter_map(|segment| match segment {
            ConfigSegment::Key(key) => Some(key.as_str()),
            ConfigSegment::Any => None,
        })
        .collect();
    let fresh = numbered("x").find(|name| !keys.contains(name.as_str()));
    let fresh = fresh.unwrap_or_default();
    let mut targets: BTreeSet<ConfigPath> = BTreeSet::new();
    let others = || rules.iter().chain(known);
    for (rule, other) in rules
        .iter()
        .flat_map(|rule| others().map(move |other| (rule, other)))
        .take(PAIRS)
    {
        // What both are about is decided alike all over, but for what is sensitive of it.
        let both = common(rule, other)
            .filter(|_| rules.contains(other) || known.is_empty() || is_below(rule, other));
        targets.extend(both.and_then(|both| concrete(&both, &fresh)));
    }
    targets.extend(
        rules
            .iter()
            .filter_map(|rule| concrete(rule.segments(), &fresh)),
    );
    for target in &targets {
        for capability in [
            ConfigCapability::Read,
            ConfigCapability::Write,
            ConfigCapability::Delete,
        ] {
            let decide = |policy: &ConfigPolicy, rules: &[ConfigRule]| {
                let decision = policy.decide(capability, target);
                let asks = decision
                    .rule
                    .and_then(|rule| rules.get(rule))
                    .is_some_and(|rule| {
                        capability != ConfigCapability::Read && rule.apply == ApplyMode::Ask
                    });
                let grant = match granted(decision.allowed) {
                    Grant::Allowed if asks => Grant::Asked,
                    grant => grant,
                };
                (grant, decision.rule)
            };
            let decided = (decide(left, &before.config), decide(right, &after.config));
            changes.note(
                (Resource::Config, "config"),
                capability.as_str(),
                decided,
                || json!({ "config": { "capability": capability, "path": target } }),
            );
        }
    }
    Ok(())
}

/// Whether a path has something in common with a rule and goes at least as far.
fn is_below(rule: &ConfigPath, path: &ConfigPath) -> bool {
    path.segments().len() >= rule.segments().len()
}

/// The paths that lie at or below both, as far as the longer one says.
fn common(left: &ConfigPath, right: &ConfigPath) -> Option<Vec<ConfigSegment>> {
    let (short, long) = match left.segments().len() < right.segments().len() {
        true => (left.segments(), right.segments()),
        false => (right.segments(), left.segments()),
    };
    let mut both = Vec::with_capacity(long.len());
    for (index, segment) in long.iter().enumerate() {
        both.push(match (segment, short.get(index)) {
            (ConfigSegment::Any, Some(other)) => other.clone(),
            (ConfigSegment::Key(own), Some(ConfigSegment::Key(other))) if own != other => {
                return None;
            }
            (own, _) => own.clone(),
        });
    }
    Some(both)
}

/// One path of those that a pattern stands for, with a key where any is meant.
fn concrete(segments: &[ConfigSegment], fresh: &str) -> Option<ConfigPath> {
    ConfigPath::from_keys(segments.iter().map(|segment| match segment {
        ConfigSegment::Key(key) => key.as_str(),
        ConfigSegment::Any => fresh,
    }))
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
