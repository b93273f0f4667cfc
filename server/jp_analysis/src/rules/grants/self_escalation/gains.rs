//! What a tool gains that may write the program of another one: the grants of that tool, whatever its policy asks about.
//!
//! ```toml
//! [conversation.tools.edit]
//! access.fs = [{ path = "tools", write = true }]
//! run = "unattended"
//!
//! [conversation.tools.lint]
//! command = "python3 tools/lint.py"                 # what `edit` writes there
//! access.fs = [{ path = ".git", write = true }]     # may do this
//! run = "unattended"
//! ```

use super::{
    run_files::Runner,
    unasked::{RunPolicy, Unasked},
    ways::{LeadsTo, Search, Way},
};
use crate::{
    diagnostic::Place, options::Options, rules::grants::grant_covers_config::Grants,
    text::markup::code, tool::ToolContext,
};

/// What the tool whose program is written may do, and the tool that writes it may not.
pub(super) struct Gain {
    /// In words: "`lint` may then change `a`, which is config".
    pub(super) what: String,
    /// The same as what a place lets that tool do.
    pub(super) lets: String,
    pub(super) place: Option<Place>,
}

impl Search<'_> {
    /// What comes of a way beyond what this tool may do itself.
    pub(super) fn gain(&self, context: &ToolContext<'_>, way: &Way) -> Option<Gain> {
        let LeadsTo::Runs(Runner::Tool(name)) = &way.leads_to else {
            return None;
        };
        if name == context.name || self.grants.is_unrestricted() {
            return None;
        }
        let runner = ToolContext::of(context.view, name, Options::default())?;
        let grants = Grants::of(&runner)?;
        if grants.is_unrestricted() {
            return Some(Gain {
                what: format!("nothing restricts what {} may then write", code(name)),
                lets: format!("nothing restricts what {} writes", code(name)),
                place: runner.place(runner.tool.get("source")?),
            });
        }
        let policy = RunPolicy::of(&runner)?;
        let theirs = Search {
            grants: &grants,
            places: self.places,
            runs: self.runs,
            // A program that is another one does what it likes, whatever the call says.
            unasked: &Unasked::Always(&policy),
            bundled: false,
        };
        let (rule, step) = theirs.beyond(self, name)?;
        let does = format!("{}, {}", step.action(), step.consequence());
        let place = grants.located(rule).and_then(|rule| rule.get("path"));
        Some(Gain {
            what: format!("{} may then {does}", code(name)),
            lets: format!("this lets {} {}", code(name), step.action()),
            place: place.and_then(|path| runner.place(path)),
        })
    }

    /// The first thing that these grants open and those of `other` do not: config, and then what runs by another one than `name`.
    fn beyond(&self, other: &Search<'_>, name: &str) -> Option<(usize, Way)> {
        let reaches_config = |search: &Search<'_>| {
            let rules = search.grants.writing();
            rules
                .filter_map(|rule| {
                    Some((rule, search.config_files(Some(rule)).into_iter().next()?))
                })
                .next()
        };
        if reaches_config(other).is_none()
            && let Some(found) = reaches_config(self)
        {
            return Some(found);
        }
        let is_own = |way: &Way| matches!(&way.leads_to, LeadsTo::Runs(Runner::Tool(runner)) if runner == name);
        let rules = self.grants.writing();
        let ways = rules.flat_map(|rule| {
            let ways = self.run_files(Some(rule)).into_iter();
            ways.map(move |way| (rule, way))
        });
        let mut ways: Vec<(usize, Way)> = ways
            .filter(|(_, way)| !way.needs_absence && way.removed_by.is_none())
            .filter(|(_, way)| !is_own(way) && !other.may_write(&way.file))
            .collect();
        ways.sort_by_key(|(_, way)| way.leads_to.steps());
        ways.into_iter().next()
    }
}
