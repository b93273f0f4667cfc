//! Where a rule joins those that decide whether a tool runs, as edits of the file that holds them.
//!
//! ```toml
//! policy.run = [
//!     { arg = "/path", prefix = "docs", mode = "unattended" }, # put before the rule that asked
//!     { mode = "ask" },
//! ]
//! ```

use jp_config::{document::Span, graph::FileId, merge::Located, view::View};

use super::{
    policy::{PolicyOrigin, PolicyQuestion, source},
    tool::context,
};
use crate::{
    fix::Edit,
    names::{Name, names_in},
    place::Place,
    text::{list_edit::ListText, toml_text},
    tool::{TOOLS, ToolContext},
};

/// A rule for `policy.run` of a tool.
#[derive(Debug, Clone, Copy)]
pub struct NewRule<'a> {
    /// Which of the rules it goes before, from 0; their number for the end.
    pub position: usize,
    /// Its entries, each as TOML text.
    pub entries: &'a [String],
    /// All rules with it as a list of TOML text, for a tool that has no list of its own.
    pub list: &'a str,
}

/// The edits that put a rule among those of a tool.
///
/// Nothing where the rules stand in no TOML file, or nowhere that an edit can tell; whoever applies the edits reads the result again, since
/// another layer may say otherwise.
#[must_use]
pub fn insert_run_rule(view: &View, tool: &str, rule: NewRule<'_>) -> Option<Vec<Edit>> {
    let context = context(view, tool).ok()?;
    let (located, origin) = source(&context, PolicyQuestion::Run);
    match (origin, located) {
        (PolicyOrigin::Policy, Some(located)) => {
            let rules = located.value.as_list().unwrap_or_default();
            // A single mode is a list of one rule that no file writes as a list.
            in_list(&context, located, rules, rule).or_else(|| {
                Some(vec![Edit {
                    place: context.place(located)?,
                    text: rule.list.to_owned(),
                }])
            })
        }
        (PolicyOrigin::Mode, Some(located)) => {
            let key = context.key_place(located)?;
            let value = context.place(located)?;
            let edit = |place, text: &str| Edit {
                place,
                text: text.to_owned(),
            };
            Some(vec![edit(key, "policy.run"), edit(value, rule.list)])
        }
        _ => {
            let entry = format!("policy.run = {}", rule.list);
            let last = context.tool.get("source")?;
            Some(vec![context.add_after(last, &[entry])?])
        }
    }
}

/// The edit that gives a tool all its rules in another file than those that say anything about it.
///
/// `list` is TOML text. Nothing for a file that is no TOML, or that says something about the tool; whether the file counts more than the
/// others is for whoever reads the result again.
#[must_use]
pub fn run_rules_in(view: &View, tool: &str, file: FileId, list: &str) -> Option<Vec<Edit>> {
    let document = view.graph().content(file)?.document()?;
    let text = document.text();
    let is_known = names_in(document)
        .into_iter()
        .any(|occurrence| matches!(occurrence.name, Name::Tool(name) if name == tool));
    if is_known {
        return None;
    }
    let gap = match text {
        "" => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let end = u32::try_from(text.len()).ok()?;
    let header = format!("[{}.{}.{}]", TOOLS[0], TOOLS[1], toml_text::key(tool));
    Some(vec![Edit {
        place: Place {
            file,
            span: Span::new(end, end),
        },
        text: format!("{gap}{header}\npolicy.run = {list}\n"),
    }])
}

fn in_list(
    context: &ToolContext<'_>,
    located: &Located,
    rules: &[Located],
    rule: NewRule<'_>,
) -> Option<Vec<Edit>> {
    let path = [TOOLS[0], TOOLS[1], context.name, "policy", "run"];
    let list = |of: &Located| {
        let file = context.place(of)?.file;
        ListText::of_file(context.view.graph(), file, &path)
    };
    match (rules.get(rule.position), rules.last()) {
        (Some(next), _) => {
            let list = list(next)?;
            list.insert_before(list.position(next)?, rule.entries)
        }
        (None, Some(last)) => list(last)?.append_tables(&[rule.entries.to_vec()]),
        (None, None) => list(located)?.append_tables(&[rule.entries.to_vec()]),
    }
}
