//! `net-host-invalid`: the host of a network rule is a host and nothing else (RFD 076).
//!
//! ```toml
//! { host = "https://docs.rs/serde", allow = true }   # write `host`, `scheme` and `path_prefix`
//! ```

use jp_config::merge::Located;
use jp_tool::{NetRule, validate_host};
use serde_json::Value;

use super::list::rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in rules(context, "net") {
        let Some(located) = rule.get("host") else {
            continue;
        };
        let (Some(text), Some(place)) = (located.value.as_str(), context.place(located)) else {
            continue;
        };
        let Err(error) = validate_host(text) else {
            continue;
        };
        let finding = Diagnostic::new(Code::NetHostInvalid, place, error.to_string());
        found.push(finding.with_fixes(split(context, rule, located, text)));
    }
}

/// The parts of a URL, each in its own key.
///
/// Every part is kept: dropping a port or a path would widen the rule.
fn split(context: &ToolContext<'_>, rule: &Located, host: &Located, text: &str) -> Option<Fix> {
    let parts = Parts::of(text)?;
    let mut entries = Vec::new();
    for (key, value) in parts.others {
        match rule.get(key) {
            None => entries.push(format!("{key} = {}", written(&value))),
            Some(other) if other.value.to_json() == value => {}
            Some(_) => return None,
        }
    }
    let written = toml_text::string(&parts.host);
    let mut fix = Fix::replace(
        format!("Write `host = {written}`"),
        context.place(host)?,
        written,
    );
    if entries.is_empty() {
        return Some(fix);
    }
    fix.title = format!("{} and `{}`", fix.title, entries.join("` and `"));
    fix.edits.push(context.add_after(host, &entries)?);
    Some(fix.with_review())
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => toml_text::string(text),
        other => other.to_string(),
    }
}

/// What a URL in place of a host says.
struct Parts {
    host: String,
    /// The other keys of the rule, with their values.
    others: Vec<(&'static str, Value)>,
}

impl Parts {
    /// Nothing where a rule cannot say all of it.
    fn of(text: &str) -> Option<Self> {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let (authority, path) = match rest.split_once('/') {
            Some((authority, path)) => (authority, Some(format!("/{path}"))),
            None => (rest, None),
        };
        let host = authority.rsplit('@').next()?;
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
                (host, Some(port.parse::<u16>().ok()?))
            }
            _ => (host, None),
        };
        let path = path.filter(|path| path != "/");
        let rule = NetRule {
            host: host.to_owned(),
            scheme: scheme.clone(),
            port,
            path_prefix: path.clone(),
            allow: false,
        };
        rule.normalized().ok()?;
        let others = [
            ("scheme", scheme.map(Value::from)),
            ("port", port.map(Value::from)),
            ("path_prefix", path.map(Value::from)),
        ];
        Some(Self {
            host: host.to_owned(),
            others: others
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
        })
    }
}
