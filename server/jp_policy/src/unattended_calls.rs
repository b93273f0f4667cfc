//! Calls that run without a question although they name a file that is given.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = ".jp", mode = "ask" },
//!     { mode = "unattended" },    # a call that names `tools/lint.py` is one, a call that names `.jp/config.toml` is none
//! ]
//! ```

mod path_place;

use serde_json::Value;

use self::path_place::{PathPlace, path_places};
use crate::{
    matcher::TextForm,
    mode::Mode,
    path_evaluation::{CanonicalPath, PathDecision, decide_paths},
    path_form::normalize_path,
    policy::Policy,
    reach::Reach,
    witness::{call, least_call, value_for},
};

/// How many ways to begin a call are tried: each is a rule that permits something by other arguments than paths.
const MOST_BEGINNINGS: usize = 256;

/// The calls of one tool that nobody is asked about.
///
/// Every call that is returned has been decided by [`decide_paths`]; no link leads anywhere else.
/// A call is missed only where a `pattern` hides every value that was tried, or behind a great number of rules.
#[derive(Debug)]
pub struct UnattendedCalls<'a, M> {
    policy: &'a Policy<M>,
    /// What a call can say besides its paths so that a rule may permit it.
    beginnings: Vec<Value>,
    places: Vec<PathPlace<'a>>,
    /// Paths that some rule permits.
    permitted: Vec<String>,
}

impl<'a, M: Mode> UnattendedCalls<'a, M> {
    /// Finds out what can be varied.
    #[must_use]
    pub fn of(policy: &'a Policy<M>) -> Self {
        let reach = Reach::new(policy);
        let mut beginnings = vec![least_call(policy, &reach)];
        let mut permitted = Vec::new();
        for (rule, mode) in (0..policy.len()).map(|rule| (rule, policy.mode_of(Some(rule)))) {
            let Some((argument, _)) = policy.condition(rule) else {
                continue;
            };
            if mode.is_stricter_than(M::UNATTENDED) || beginnings.len() >= MOST_BEGINNINGS {
                continue;
            }
            let Some(value) = value_for(policy, &reach, rule) else {
                continue;
            };
            let group = policy.groups.get(argument);
            let is_path = group.is_some_and(|group| group.argument.form == TextForm::Path);
            match value.as_str() {
                Some(path) if is_path => permitted.push(path.to_owned()),
                _ => beginnings.push(call(policy, &reach, argument, &[value])),
            }
        }
        Self {
            policy,
            beginnings,
            places: path_places(&policy.parameters),
            permitted,
        }
    }

    /// Whether a call can name a file at all.
    #[must_use]
    pub fn can_name_files(&self) -> bool {
        !self.places.is_empty()
    }

    /// Arguments of some call that runs without a question.
    #[must_use]
    pub fn any(&self) -> Option<Value> {
        let bare = self.beginnings.iter().cloned();
        bare.filter_map(|arguments| self.settled(arguments, None))
            .next()
            .or_else(|| self.permitted.iter().find_map(|path| self.naming(path)))
    }

    /// Arguments of a call that names the path, relative to the workspace, and runs without a question.
    #[must_use]
    pub fn naming(&self, path: &str) -> Option<Value> {
        let path = normalize_path(path);
        let places = self.places.iter().filter(|place| place.admits(&path));
        places
            .flat_map(|place| self.beginnings.iter().map(move |begun| (place, begun)))
            .find_map(|(place, begun)| {
                let mut arguments = begun.clone();
                place.put(&mut arguments, &path);
                self.settled(arguments, Some(&path))
            })
    }

    /// The call with other paths in place of those that ask, besides the one that it is to name, if it then runs without a question.
    fn settled(&self, mut arguments: Value, named: Option<&str>) -> Option<Value> {
        let asks = |path: &crate::DecidedPath<M>| path.mode.is_stricter_than(M::UNATTENDED);
        let decision = self.decide(&arguments);
        // Each path is decided on its own, so each is settled on its own.
        for path in decision.paths.iter().filter(|path| asks(path)) {
            if named.is_some_and(|named| normalize_path(&path.value) == named) {
                return None;
            }
            let others = self.permitted.iter().map(String::as_str).chain(named);
            let place = arguments.pointer_mut(&path.pointer)?;
            let before = place.take();
            let mut settled = None;
            for other in others {
                if let Some(place) = arguments.pointer_mut(&path.pointer) {
                    *place = Value::from(other);
                }
                let now = self.decide(&arguments);
                let mut here = now.paths.iter();
                if here.any(|now| now.pointer == path.pointer && !asks(now)) {
                    settled = Some(Value::from(other));
                    break;
                }
            }
            *arguments.pointer_mut(&path.pointer)? = settled.unwrap_or(before);
        }
        let runs = !self.decide(&arguments).mode.is_stricter_than(M::UNATTENDED);
        runs.then_some(arguments)
    }

    fn decide(&self, arguments: &Value) -> PathDecision<M> {
        decide_paths(self.policy, arguments, |path| {
            let path = normalize_path(path);
            let leaves = path.starts_with('/') || path == ".." || path.starts_with("../");
            Some(match leaves {
                true => CanonicalPath::Outside,
                false => CanonicalPath::Inside(path),
            })
        })
    }
}

#[cfg(test)]
#[path = "unattended_calls_tests.rs"]
mod tests;
