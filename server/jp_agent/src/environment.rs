//! What a local tool's process sees of the environment.
//!
//! ```toml
//! [[conversation.tools.search.access.env]]
//! name = "SEARCH_*"      # besides these the tool gets `PATH`, `HOME` and the like, and nothing else
//! read = true
//! ```
//!
//! A tool without `access.env` gets the environment as it is, but for the keys of the models.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use jp_llm::ProviderId;
use jp_tool::AccessPolicy;
use serde_json::Value;

/// Environment variables with their values.
pub(crate) type Variables = Vec<(OsString, OsString)>;

/// What every program may need to know of its surroundings.
const COMMON: [&str; 10] = [
    "HOME",
    "LANG",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SYSTEMROOT",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
];

/// How further such names begin.
const COMMON_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// The names of the variables that hold keys of models: what `providers.llm` names, and the default of each provider.
pub(crate) fn key_variables(effective: &Value) -> BTreeSet<String> {
    let configured = effective
        .pointer("/providers/llm")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(serde_json::Map::values)
        .filter_map(|provider| provider.get("api_key_env")?.as_str())
        .map(str::to_owned);
    let defaults = ProviderId::ALL
        .into_iter()
        .filter_map(ProviderId::default_key_variable)
        .map(str::to_owned);
    configured.chain(defaults).collect()
}

/// The part of the environment `all` that a local tool gets.
///
/// # Errors
///
/// An `access.env` rule that cannot be understood.
pub(crate) fn for_tool(
    access: Option<&AccessPolicy>,
    keys: &BTreeSet<String>,
    all: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Variables, String> {
    let declared = access.filter(|access| !access.env.is_empty());
    let granted = match declared {
        None => None,
        Some(access) => Some(access.env.compiled().map_err(|error| error.to_string())?),
    };
    let is_given = |name: &OsStr| match (&granted, name.to_str()) {
        (None, Some(name)) => !keys.contains(name),
        (None, None) => true,
        (Some(_), None) => false,
        (Some(granted), Some(name)) => is_common(name) || granted.decide(name).allowed,
    };
    Ok(searchable(
        all.into_iter().filter(|(name, _)| is_given(name)),
    ))
}

fn is_common(name: &str) -> bool {
    COMMON.contains(&name)
        || COMMON_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// The variables with a `PATH` that does not depend on the current directory, see [`search_path`].
pub(crate) fn searchable(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Variables {
    variables
        .into_iter()
        .filter_map(|(name, value)| {
            if name == "PATH" {
                Some((name, search_path(&value)?))
            } else {
                Some((name, value))
            }
        })
        .collect()
}

/// The absolute elements of a `PATH`; none if there are none.
///
/// An empty or relative element is a place in the workspace: what lies there is no program that anybody installed.
fn search_path(path: &OsStr) -> Option<OsString> {
    let mut absolute = std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .peekable();
    absolute.peek()?;
    std::env::join_paths(absolute).ok()
}

#[cfg(test)]
#[cfg(unix)]
#[path = "environment_tests.rs"]
mod tests;
