//! What a person lets an MCP server do: `access` is for local tools, and a server is one process for all of its tools.
//!
//! ```toml
//! # lsp.toml in the person's own config folder
//! [sandbox.mcp.github]
//! read = ["docs"]                # below the workspace, absolute, or `~/...`
//! write = ["~/.npm", "out"]      # reads and runs too
//! net = ["api.github.com"]       # or `false` for nothing
//! ```
//!
//! Never from a workspace, which would open its own door.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_config::paths::normalize;
use jp_sandbox::{Account, GrantAccount, Held, Overall};
use jp_tool::{AccessPolicy, FsRule, NetRule, Resource};
use serde_json::{Map, Value, json};

/// What one server may do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerGrants {
    /// Places that it may read and run.
    pub read: Option<Vec<String>>,
    /// Places in which it may do everything.
    pub write: Option<Vec<String>>,
    /// Hosts that it may connect to, with ports where they are others than 80 and 443; none opens all.
    pub net: Option<Vec<NetRule>>,
}

/// A value that says nothing about a server: where it stands below the server's table, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ServerGrantsError {
    /// The key, such as `read`; none for the table itself.
    pub key: Option<String>,
    /// What is wrong, and what to write instead.
    pub problem: String,
}

/// The grants of a server as its process is held to them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ServerAccess {
    pub(crate) policy: AccessPolicy,
    /// Of each rule on files, what was written; none for the one that closes everything else.
    names: Vec<Option<String>>,
    /// What cannot be granted, and why.
    lost: Vec<(String, String)>,
}

/// What is held of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAccount {
    /// Each grant as it was written, such as ``read `docs` ``, and what is held of it.
    pub grants: Vec<(String, GrantAccount)>,
    /// The same as a tool's.
    pub account: Account,
}

impl ServerAccount {
    /// What is held as a whole.
    #[must_use]
    pub fn overall(&self) -> Overall {
        self.account.overall()
    }
}

/// The keys of a server, each with what it says.
const KEYS: [(&str, &str); 3] = [
    (
        READ,
        "Places that it may read and run: below the workspace, absolute, or `~/...`.",
    ),
    (
        WRITE,
        "Places in which it may do everything: below the workspace, absolute, or `~/...`.",
    ),
    (
        NET,
        "Hosts that it may connect to, with ports where they are others than 80 and 443; `false` closes the network, `true` opens all of it.",
    ),
];
const READ: &str = "read";
const WRITE: &str = "write";
const NET: &str = "net";

impl ServerGrants {
    /// The JSON Schema of the table of a server.
    #[must_use]
    pub fn json_schema() -> Value {
        let list = json!({ "type": "array", "items": { "type": "string", "minLength": 1 } });
        let keys = KEYS.map(|(key, description)| {
            let mut shape = match key {
                NET => json!({ "anyOf": [{ "type": "boolean" }, list] }),
                _ => list.clone(),
            };
            if let Some(shape) = shape.as_object_mut() {
                shape.insert("description".to_owned(), json!(description));
            }
            (key.to_owned(), shape)
        });
        json!({
            "description": "What one server may do.",
            "type": "object",
            "additionalProperties": false,
            "properties": Map::from_iter(keys),
        })
    }

    /// Reads the table of a server.
    ///
    /// # Errors
    ///
    /// [`ServerGrantsError`], about the first thing that is wrong.
    pub fn from_json(table: &Value) -> Result<Self, ServerGrantsError> {
        let wrong = |key: Option<&str>, problem: String| ServerGrantsError {
            key: key.map(str::to_owned),
            problem,
        };
        let Value::Object(table) = table else {
            return Err(wrong(
                None,
                format!(
                    "`{table}` says nothing of a server: write a table such as `{{ read = [\"docs\"], net = false }}`"
                ),
            ));
        };
        let mut grants = Self::default();
        for (key, value) in table {
            let at = |problem| wrong(Some(key.as_str()), problem);
            match key.as_str() {
                READ => grants.read = Some(places(key, value).map_err(at)?),
                WRITE => grants.write = Some(places(key, value).map_err(at)?),
                NET => grants.net = hosts(value).map_err(at)?,
                other => {
                    return Err(at(format!(
                        "unknown key `{other}`, the keys of a server are `read`, `write` and `net`"
                    )));
                }
            }
        }
        Ok(grants)
    }

    /// The grants in the workspace at `root`, for a person with this home.
    pub(crate) fn access(&self, root: &Utf8Path, home: Option<&Utf8Path>) -> ServerAccess {
        let mut access = ServerAccess {
            policy: AccessPolicy::default(),
            names: Vec::new(),
            lost: Vec::new(),
        };
        if self.read.is_some() || self.write.is_some() {
            let mut rules = vec![FsRule::new(".")];
            access.names.push(None);
            let read = self.read.iter().flatten().map(|place| (place, false));
            let write = self.write.iter().flatten().map(|place| (place, true));
            // Of two rules about one place the later one decides.
            for (place, writes) in read.chain(write) {
                let name = format!("{} `{place}`", if writes { "write" } else { "read" });
                match rule(root, home, place) {
                    Ok(rule) => {
                        let rule = rule.with_read(true).with_execute(true).with_write(writes);
                        rules.push(rule);
                        access.names.push(Some(name));
                    }
                    Err(why) => access.lost.push((name, why.to_owned())),
                }
            }
            access.policy.fs = rules.into();
        }
        if let Some(net) = &self.net {
            let closed = NetRule {
                host: "localhost".to_owned(),
                scheme: None,
                port: None,
                path_prefix: None,
                allow: false,
            };
            let rules = if net.is_empty() {
                vec![closed]
            } else {
                net.clone()
            };
            access.policy.net = rules.into();
        }
        access
    }
}

impl ServerAccess {
    /// The account of a server, by the words of its grants.
    pub(crate) fn account(self, account: Account) -> ServerAccount {
        let mut grants = Vec::new();
        for grant in &account.grants {
            let name = match grant.resource {
                Resource::Fs => self.names.get(grant.index).cloned().flatten(),
                _ => self
                    .policy
                    .net
                    .get(grant.index)
                    .map(|rule| match (rule.allow, rule.port) {
                        (false, _) => "net `false`".to_owned(),
                        (true, None) => format!("net `{}`", rule.host),
                        (true, Some(port)) => format!("net `{}:{port}`", rule.host),
                    }),
            };
            if let Some(name) = name {
                grants.push((name, grant.clone()));
            }
        }
        let lost = self.lost.into_iter().map(|(name, why)| {
            let grant = GrantAccount {
                resource: Resource::Fs,
                index: 0,
                held: Held::Less,
                missing: vec![why],
                reason: None,
            };
            (name, grant)
        });
        grants.extend(lost);
        ServerAccount { grants, account }
    }
}

/// The rule about a place, which grants nothing yet.
fn rule(root: &Utf8Path, home: Option<&Utf8Path>, place: &str) -> Result<FsRule, &'static str> {
    let absolute = match (place.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) => return Err("everything: nothing says where your home is"),
        (None, _) => root.join(place),
    };
    let absolute = normalize(&absolute);
    // A link in the workspace is the workspace's, and must not say what is granted elsewhere.
    let resolved = absolute.canonicalize_utf8();
    let resolved = resolved.unwrap_or_else(|_| absolute.clone());
    if absolute.starts_with(root) {
        let relative = resolved
            .strip_prefix(root)
            .map_err(|_| "everything: a link of the workspace leads out of it there")?;
        return Ok(match relative.as_str() {
            "" => FsRule::new("."),
            relative => FsRule::new(relative),
        });
    }
    let segments = resolved.components().filter_map(|part| match part {
        Utf8Component::Normal(name) => Some(name),
        _ => None,
    });
    let segments: Vec<&str> = segments.collect();
    if segments.is_empty() || resolved.parent().is_none() {
        return Err("everything: `/` would hold nothing, leave `read` and `write` out instead");
    }
    let name: Utf8PathBuf = segments.into_iter().collect();
    let rule = FsRule::new(name).with_external(true);
    Ok(rule.with_approved_target(Some(resolved)))
}

fn places(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| {
        format!(
            "`{value}` is no list of places: write `{key} = [\"docs\"]`, with paths below the workspace, absolute ones, or `~/...`"
        )
    })?;
    let place = |place: &Value| {
        let text = place
            .as_str()
            .filter(|text| !text.is_empty() && *text != "~");
        text.map(str::to_owned).ok_or_else(|| {
            format!("`{place}` is no place: write a path such as `\"docs\"` or `\"~/.npm\"`")
        })
    };
    list.iter().map(place).collect()
}

fn hosts(value: &Value) -> Result<Option<Vec<NetRule>>, String> {
    let list = match value {
        Value::Bool(true) => return Ok(None),
        Value::Bool(false) => return Ok(Some(Vec::new())),
        Value::Array(list) => list,
        other => {
            return Err(format!(
                "`{other}` is neither `false` nor a list of hosts: write `net = [\"api.github.com\"]`"
            ));
        }
    };
    let rules = list.iter().map(|host| {
        let wrong = || format!("`{host}` is no host: write a name such as `\"api.github.com\"` or `\"localhost:8080\"`");
        let text = host.as_str().ok_or_else(wrong)?;
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !name.ends_with(':') => {
                (name, Some(port.parse::<u16>().map_err(|_| wrong())?))
            }
            _ => (text, None),
        };
        let rule = NetRule {
            host: name.to_owned(),
            scheme: None,
            port,
            path_prefix: None,
            allow: true,
        };
        rule.normalized().map_err(|_| wrong())
    });
    rules.collect::<Result<Vec<_>, _>>().map(Some)
}

#[cfg(test)]
#[cfg(unix)]
#[path = "server_grants_tests.rs"]
mod tests;
