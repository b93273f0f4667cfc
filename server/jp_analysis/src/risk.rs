//! What a glance should find: what runs without asking, and grants of everything.
//!
//! ```toml
//! run = "unattended"                            # every call, without asking
//! access.fs = [{ path = ".", write = true }]    # the whole workspace
//! ```

use jp_config::document::{Entry, Node, Table};

/// Why a value is worth a second look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Risk {
    /// Every call runs without asking, as far as this value is asked.
    EveryCall,
    /// Some calls, or changes of config, happen without asking.
    Unasked,
    /// A tool may change its own grants.
    OwnGrants,
    /// A grant of changes anywhere in the workspace.
    EveryFile,
    /// A grant of all environment variables.
    EveryVariable,
}

/// The words that let something happen without a person; nothing but a person writes them.
pub(crate) const PERMISSIVE: [&str; 2] = ["unattended", "insecure_allow"];

/// The risk of a value in a table, by its path without the numbers of list elements; it depends on the table alone.
pub(crate) fn risk(path: &[&str], table: Table<'_>, value: Node<'_>) -> Option<Risk> {
    let Node::Str(text) = value else {
        return None;
    };
    let text = text.value();
    let ["conversation", "tools", _, below @ ..] = path else {
        return None;
    };
    match (below, text.as_ref()) {
        (["run"] | ["policy", "run"], "unattended") => Some(Risk::EveryCall),
        (["policy", "run", "mode"] | ["policy", "run", "value", "mode"], "unattended") => {
            Some(match table.get("arg") {
                None => Risk::EveryCall,
                Some(_) => Risk::Unasked,
            })
        }
        (["access", "config", .., "apply"], "unattended") => Some(Risk::Unasked),
        (["access", "config", .., "write"], "insecure_allow") => Some(Risk::OwnGrants),
        (["access", "fs", .., "path"], "." | "./") if changes_files(table) => Some(Risk::EveryFile),
        (["access", "env", .., "name"], "*") if is_on(table, "read") => Some(Risk::EveryVariable),
        _ => None,
    }
}

/// Whether a rule about files grants more than to look at them.
fn changes_files(rule: Table<'_>) -> bool {
    ["write", "create", "update", "delete", "execute"]
        .iter()
        .any(|capability| is_on(rule, capability))
}

fn is_on(rule: Table<'_>, key: &str) -> bool {
    rule.get(key).map(Entry::value).and_then(Node::as_bool) == Some(true)
}
