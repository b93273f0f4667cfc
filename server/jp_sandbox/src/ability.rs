//! What a machine can hold of any tool, before there is one.
//!
//! ```text
//! files       held
//! network     partly held   TCP is closed, and everything but TCP stays open without namespaces
//! namespaces  not held      a process may not give itself mounts and a network of its own
//! ```

use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use crate::{Mechanisms, Overall, account::no_landlock};

/// Whether the kernel of a machine can hold something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ability {
    /// What is to be held: `files`, `network` or `namespaces`.
    pub what: &'static str,
    /// How much of it can be held.
    pub state: Overall,
    /// Why not all of it; none where it is held.
    pub reason: Option<String>,
}

impl Ability {
    /// One line about it.
    ///
    /// ```text
    /// files: not held: this machine has no Landlock
    /// ```
    #[must_use]
    pub fn in_words(&self) -> String {
        let reason = self.reason.iter().map(|reason| format!(": {reason}"));
        format!(
            "{}: {}{}",
            self.what,
            self.state.as_str(),
            reason.collect::<String>()
        )
    }
}

impl Serialize for Ability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ability = serializer.serialize_struct("Ability", 3)?;
        ability.serialize_field("what", self.what)?;
        ability.serialize_field("state", self.state.as_str())?;
        ability.serialize_field("reason", &self.reason)?;
        ability.end()
    }
}

/// What the kernel can hold with these mechanisms: files, the network, and namespaces.
#[must_use]
pub fn abilities(mechanisms: Mechanisms) -> [Ability; 3] {
    let ability = |what, (state, reason): (Overall, Option<String>)| Ability {
        what,
        state,
        reason,
    };
    [
        ability("files", files(mechanisms)),
        ability("network", network(mechanisms)),
        ability("namespaces", namespaces(mechanisms)),
    ]
}

fn files(mechanisms: Mechanisms) -> (Overall, Option<String>) {
    match mechanisms.hold_files() {
        true => (Overall::Held, None),
        false => (Overall::Not, Some(no_landlock(mechanisms))),
    }
}

fn network(mechanisms: Mechanisms) -> (Overall, Option<String>) {
    let (state, reason) = match (mechanisms.hold_networks(), mechanisms.hold_ports()) {
        (true, true) => (
            Overall::Partly,
            "all of it where nothing is granted, else TCP ports: the kernel knows no hosts",
        ),
        (true, false) => (
            Overall::Partly,
            "all of it where nothing is granted, else nothing: ports take version 4 of Landlock",
        ),
        (false, true) => (
            Overall::Partly,
            "TCP ports, and everything but TCP stays open without namespaces",
        ),
        (false, false) => (
            Overall::Not,
            "this machine has no Landlock that knows ports (version 4), and no namespaces",
        ),
    };
    (state, Some(reason.to_owned()))
}

fn namespaces(mechanisms: Mechanisms) -> (Overall, Option<String>) {
    if mechanisms.hold_paths() {
        let reason = "a Mac has none, and holds closed places in open folders without them";
        return (Overall::Not, Some(reason.to_owned()));
    }
    let reason = match (mechanisms.namespaces, mechanisms.hold_mounts()) {
        (true, true) => return (Overall::Held, None),
        (true, false) => "without Landlock that holds files, a tool could undo its mounts",
        (false, _) => "a process may not give itself mounts and a network of its own here",
    };
    (Overall::Not, Some(reason.to_owned()))
}

#[cfg(test)]
#[path = "ability_tests.rs"]
mod tests;
