//! Grants to connect (RFD 076, "Network rules").
//!
//! ```toml
//! [[access.net]]
//! host = "api.github.com"
//! allow = true
//!
//! [[access.net]]
//! host = "api.github.com"
//! path_prefix = "/admin"
//! allow = false
//! ```
//!
//! A target is compared by its scheme, host, port and decoded path segments; user name, query and fragment do not
//! count, and empty segments are dropped.
//! Servers disagree on what an encoded separator in a segment (`%2F`) means.
//! Such a target is read both ways, as one segment and as several, and is allowed only if both readings are.
//! Programs disagree on a backslash before the path, so where there are rules none allows such a target.

use std::{borrow::Cow, collections::HashMap, fmt::Write as _};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    host::{HostError, NormalizedHost, normalize, validate_host},
    trie::SegmentTrie,
};
use crate::{
    AccessRule, AccessRuleError, AccessRuleProblem, Decision, NetRuleError, Reason, Resource,
};

/// Whether one host, or a part of it, may be connected to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NetRule {
    /// The host, in any spelling that [`validate_host`] accepts.
    pub host: String,

    /// The only scheme that the rule is about.
    /// Default: any.
    #[serde(default)]
    pub scheme: Option<String>,

    /// The only port that the rule is about.
    /// Default: the default port of the target's scheme.
    #[serde(default)]
    pub port: Option<u16>,

    /// The path that the rule is about, with everything below it.
    /// Default: any.
    #[serde(default)]
    pub path_prefix: Option<String>,

    /// Whether connecting is granted.
    /// Default `false`.
    #[serde(default)]
    pub allow: bool,
}

impl NetRule {
    /// The rule with host, scheme and path in the form they are compared in.
    ///
    /// # Errors
    ///
    /// Whatever could never match what it says.
    pub fn normalized(&self) -> Result<Self, AccessRuleProblem> {
        let path_prefix = match &self.path_prefix {
            None => None,
            Some(path) => Some(render(&rule_segments(path)?)),
        };
        Ok(Self {
            host: validate_host(&self.host)?.to_string(),
            scheme: self.scheme.as_deref().map(normalized_scheme).transpose()?,
            port: self.port,
            path_prefix,
            allow: self.allow,
        })
    }

    /// The rule as something to read: `https://api.github.com:8443/admin`, with the parts it names.
    fn describe(&self) -> String {
        let mut text = String::new();
        if let Some(scheme) = &self.scheme {
            text.push_str(scheme);
            text.push_str("://");
        }
        text.push_str(&self.host);
        if let Some(port) = self.port {
            // Writing to a `String` does not fail.
            let _ = write!(text, ":{port}");
        }
        text.push_str(self.path_prefix.as_deref().unwrap_or_default());
        text
    }
}

fn normalized_scheme(scheme: &str) -> Result<String, NetRuleError> {
    let mut characters = scheme.chars();
    let valid = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if valid {
        Ok(scheme.to_ascii_lowercase())
    } else {
        Err(NetRuleError::Scheme {
            scheme: scheme.to_owned(),
        })
    }
}

type Segments<'a> = Vec<Cow<'a, [u8]>>;

/// The decoded segments of a path, without the empty ones.
fn decoded(path: &str) -> Segments<'_> {
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| percent_decode_str(segment).into())
        .collect()
}

fn rule_segments(path: &str) -> Result<Segments<'_>, NetRuleError> {
    let mut characters = path.char_indices();
    if let Some((position, character)) = characters.find(|(_, c)| matches!(c, '?' | '#')) {
        return Err(NetRuleError::Query {
            path: path.to_owned(),
            character,
            suggestion: path.get(..position).unwrap_or_default().to_owned(),
        });
    }
    let segments = decoded(path);
    let dots = segments
        .iter()
        .find(|segment| matches!(segment.as_ref(), b"." | b".."));
    match dots {
        Some(segment) => Err(NetRuleError::DotSegment {
            path: path.to_owned(),
            segment: String::from_utf8_lossy(segment).into_owned(),
        }),
        None => Ok(segments),
    }
}

fn holds_separator(segments: &Segments<'_>) -> bool {
    segments
        .iter()
        .any(|segment| segment.contains(&b'/') || segment.contains(&b'\\'))
}

/// The segments as a server sees them that decodes the whole path before it splits it.
fn split_again<'a>(segments: &'a Segments<'_>) -> Segments<'a> {
    let mut split: Segments<'a> = Vec::with_capacity(segments.len());
    for part in segments
        .iter()
        .flat_map(|segment| segment.split(|byte| matches!(byte, b'/' | b'\\')))
    {
        match part {
            b"" | b"." => {}
            b".." => {
                split.pop();
            }
            _ => split.push(Cow::Borrowed(part)),
        }
    }
    split
}

/// What stays readable in a canonical path; everything else is percent-encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

fn render(segments: &Segments<'_>) -> String {
    let mut path = String::new();
    for segment in segments {
        path.push('/');
        path.extend(percent_encode(segment, ENCODED));
    }
    if path.is_empty() {
        path.push('/');
    }
    path
}

/// A target URL in the form it is compared in.
struct Target<'a> {
    scheme: &'a str,
    host: NormalizedHost,
    /// `None` is the default port of the scheme.
    port: Option<u16>,
    default_port: Option<u16>,
    segments: Segments<'a>,
}

impl<'a> Target<'a> {
    fn new(url: &'a Url) -> Result<Self, NetAccessError> {
        // What a `file` URL names is no host to connect to, whatever stands in its place.
        let host = url
            .host_str()
            .filter(|host| !host.is_empty() && url.scheme() != "file")
            .ok_or_else(|| NetAccessError::NoHost(without_user(url)))?;
        let host = normalize(host).map_err(|source| NetAccessError::InvalidHost {
            target: without_user(url),
            source,
        })?;
        let default_port = default_port(url.scheme());
        Ok(Self {
            scheme: url.scheme(),
            host,
            port: url.port().filter(|port| Some(*port) != default_port),
            default_port,
            segments: decoded(url.path()),
        })
    }

    fn canonical(&self) -> String {
        let mut text = format!("{}://{}", self.scheme, self.host);
        if let Some(port) = self.port {
            // Writing to a `String` does not fail.
            let _ = write!(text, ":{port}");
        }
        text.push_str(&render(&self.segments));
        text
    }
}

/// The default ports of the schemes that the URL standard calls special.
fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

/// The URL without what may be a password.
fn without_user(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot have a user name.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// Scheme by number and port, `None` for a rule that leaves them open.
type GroupKey = (Option<usize>, Option<u16>);

type Groups = HashMap<GroupKey, SegmentTrie<usize>>;

/// The evaluator of a list of [`NetRule`]s.
#[derive(Debug, Clone, Default)]
pub struct NetPolicy {
    rules: Vec<NetRule>,
    schemes: HashMap<String, usize>,
    hosts: HashMap<String, Groups>,
    /// The hosts again with encoded separators split, if any rule has one.
    split_hosts: Option<HashMap<String, Groups>>,
}

impl NetPolicy {
    /// Builds the evaluator.
    ///
    /// # Errors
    ///
    /// The first rule whose host, scheme or path could never match what it says.
    pub fn compile(rules: &[NetRule]) -> Result<Self, AccessRuleError> {
        let mut policy = Self::default();
        let mut split_hosts = HashMap::new();
        let mut needs_split = false;
        for (index, rule) in rules.iter().enumerate() {
            let rule = rule.normalized().map_err(|problem| AccessRuleError {
                resource: Resource::Net,
                index,
                problem,
            })?;
            let next = policy.schemes.len();
            let scheme = rule
                .scheme
                .clone()
                .map(|scheme| *policy.schemes.entry(scheme).or_insert(next));
            let key = (scheme, rule.port);
            let segments = decoded(rule.path_prefix.as_deref().unwrap_or_default());
            needs_split |= holds_separator(&segments);
            let insert = |hosts: &mut HashMap<String, Groups>, segments: &Segments<'_>| {
                hosts
                    .entry(rule.host.clone())
                    .or_default()
                    .entry(key)
                    .or_default()
                    .insert(segments.iter().map(AsRef::as_ref), index);
            };
            insert(&mut policy.hosts, &segments);
            insert(&mut split_hosts, &split_again(&segments));
            policy.rules.push(rule);
        }
        policy.split_hosts = needs_split.then_some(split_hosts);
        Ok(policy)
    }

    /// Decides about connecting to `url`.
    ///
    /// # Errors
    ///
    /// A text that is no absolute URL with a host is refused with or without rules.
    pub fn decide(&self, url: &str) -> Result<Decision, NetAccessError> {
        self.decide_url(&parse(url)?, is_ambiguous(url))
    }

    fn decide_url(&self, url: &Url, is_ambiguous: bool) -> Result<Decision, NetAccessError> {
        let target = Target::new(url)?;
        let canonical = target.canonical();
        if self.rules.is_empty() {
            return Ok(Decision {
                allowed: true,
                rule: None,
                target: canonical,
                reason: Reason::Unrestricted,
            });
        }
        let mut outcome = self.outcome(&self.hosts, &target, &target.segments);
        if outcome.0 && holds_separator(&target.segments) {
            let hosts = self.split_hosts.as_ref().unwrap_or(&self.hosts);
            let split = self.outcome(hosts, &target, &split_again(&target.segments));
            if !split.0 {
                outcome = split;
            }
        }
        let (mut allowed, rule, mut reason) = outcome;
        if allowed && is_ambiguous {
            (allowed, reason) = (false, Reason::Ambiguous);
        }
        Ok(Decision {
            allowed,
            rule,
            target: canonical,
            reason,
        })
    }

    fn outcome(
        &self,
        hosts: &HashMap<String, Groups>,
        target: &Target<'_>,
        segments: &Segments<'_>,
    ) -> (bool, Option<usize>, Reason) {
        let winner = self
            .winner(hosts, target, segments)
            .and_then(|index| Some((index, self.rules.get(index)?)));
        match winner {
            None => (false, None, Reason::NoRule),
            Some((index, rule)) if rule.allow => (true, Some(index), Reason::Granted),
            Some((index, _)) => (false, Some(index), Reason::NotGranted),
        }
    }

    /// The most specific matching rule: scheme and port count one each, path segments one each.
    fn winner(
        &self,
        hosts: &HashMap<String, Groups>,
        target: &Target<'_>,
        segments: &Segments<'_>,
    ) -> Option<usize> {
        let groups = hosts.get(target.host.as_str())?;
        let scheme = self.schemes.get(target.scheme).copied();
        let schemes = [Some(None), scheme.map(Some)];
        let ports = [
            target.port.is_none().then_some(None),
            target.port.or(target.default_port).map(Some),
        ];
        let mut best: Option<(usize, usize)> = None;
        for scheme in schemes.into_iter().flatten() {
            for port in ports.into_iter().flatten() {
                let Some(trie) = groups.get(&(scheme, port)) else {
                    continue;
                };
                if let Some((depth, index)) = trie.longest(segments.iter().map(AsRef::as_ref)) {
                    let specificity =
                        depth + usize::from(scheme.is_some()) + usize::from(port.is_some());
                    best = best.max(Some((specificity, *index)));
                }
            }
        }
        best.map(|(_, index)| index)
    }

    /// The rules that grant connecting, in declaration order, each as a URL without the parts it leaves open.
    pub fn granting_targets(&self) -> impl Iterator<Item = String> {
        self.rules
            .iter()
            .filter(|rule| rule.allow)
            .map(NetRule::describe)
    }

    pub(crate) fn check(&self, target: &str) -> Result<Url, NetAccessError> {
        let url = parse(target)?;
        let decision = self.decide_url(&url, is_ambiguous(target))?;
        if decision.allowed {
            return Ok(url);
        }
        Err(NetAccessError::Denied {
            target: decision.target,
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default(),
            grants: self.granting_targets().collect(),
        })
    }
}

/// Whether programs disagree on the host: a backslash before the path ends it for browsers, and for others does not.
///
/// ```text
/// https://api.github.com\@evil.com/      api.github.com to some, evil.com to others
/// ```
fn is_ambiguous(target: &str) -> bool {
    let after_scheme = target.split_once(':').map_or(target, |(_, rest)| rest);
    let after_slashes = after_scheme.trim_start_matches(['/', '\\']);
    let slashes = after_scheme.len().saturating_sub(after_slashes.len());
    let before_path = after_slashes.split(['/', '?', '#']).next();
    after_scheme
        .chars()
        .take(slashes)
        .chain(before_path.into_iter().flat_map(str::chars))
        .any(|character| character == '\\')
}

fn parse(target: &str) -> Result<Url, NetAccessError> {
    Url::parse(target).map_err(|error| NetAccessError::InvalidUrl {
        target: target.to_owned(),
        message: error.to_string(),
    })
}

impl AccessRule for NetRule {
    type Policy = NetPolicy;

    fn compile(rules: &[Self]) -> Result<NetPolicy, AccessRuleError> {
        NetPolicy::compile(rules)
    }
}

/// Why a network check failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetAccessError {
    /// The target is not an absolute URL.
    #[error(
        "`{target}` is not an absolute URL ({message}); write one such as `https://example.com/path`"
    )]
    InvalidUrl {
        /// The target as given.
        target: String,
        /// What the URL parser says.
        message: String,
    },

    /// The target is a URL without a host.
    #[error("`{0}` names no host; write a URL such as `https://example.com/path`")]
    NoHost(String),

    /// The host of the target has no canonical form.
    #[error("cannot connect to `{target}`: {source}")]
    InvalidHost {
        /// The target, without user name and password.
        target: String,
        /// What is wrong with the host.
        source: HostError,
    },

    /// No rule grants connecting.
    #[error("access denied: connect to {target}")]
    Denied {
        /// The canonical target.
        target: String,
        /// The host that was asked for.
        host: String,
        /// The port that was asked for, if the URL or its scheme names one.
        port: Option<u16>,
        /// The rules that grant connecting, as URLs without the parts they leave open.
        grants: Vec<String>,
    },

    /// The policy itself is broken, so that nothing is granted.
    #[error("invalid access policy: {0}")]
    InvalidPolicy(#[from] AccessRuleError),
}

#[cfg(test)]
#[path = "net_tests.rs"]
mod tests;
