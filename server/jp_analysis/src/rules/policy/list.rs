//! A list of rules as it is written and as it is meant, and the changes that its findings offer.
//!
//! ```toml
//! policy.run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { mode = "ask" },
//! ]
//! ```

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use jp_config::{
    graph::FileId,
    merge::Located,
    refusal::{RuleNumber, Subject},
};
use jp_policy::{Mode, Parameters, RawRule};

use crate::{
    diagnostic::{Diagnostic, Place},
    fix::Fix,
    rules::words::shown,
    text::list_edit::ListText,
    tool::ToolContext,
};

/// A list of rules that a tool, or the defaults table, has.
pub(super) struct Rules<'a, M> {
    pub(super) context: &'a ToolContext<'a>,
    /// `run` or `result`.
    pub(super) key: &'static str,
    /// The merged list.
    pub(super) list: &'a Located,
    /// The rules that can be read; what is still being typed takes no part.
    pub(super) rules: Vec<ReadRule<'a, M>>,
    /// Whether all rules can be read.
    pub(super) complete: bool,
    /// What is known of the tool's parameters.
    pub(super) parameters: Parameters,
    /// The list as each file writes it.
    texts: RefCell<HashMap<FileId, Option<Rc<ListText<'a>>>>>,
}

/// A rule, as it is written and as it is meant.
pub(super) struct ReadRule<'a, M> {
    pub(super) located: &'a Located,
    pub(super) raw: RawRule<M>,
    /// Its place in the merged list, counted from 1.
    pub(super) number: usize,
}

impl<'a, M: Mode> Rules<'a, M> {
    /// The list of a tool under `policy.KEY`, if it has one.
    pub(super) fn of(
        context: &'a ToolContext<'a>,
        key: &'static str,
        parameters: Parameters,
    ) -> Option<Self> {
        let list = context.tool.at(&["policy", key])?;
        let items = list.value.as_list()?;
        let rules: Vec<ReadRule<'_, M>> = items
            .iter()
            .enumerate()
            .filter_map(|(index, located)| {
                let raw = RawRule::from_config(&located.to_json()).ok()?;
                Some(ReadRule {
                    located,
                    raw,
                    number: index + 1,
                })
            })
            .collect();
        Some(Self {
            context,
            key,
            list,
            complete: rules.len() == items.len(),
            rules,
            parameters,
            texts: RefCell::default(),
        })
    }

    /// The rule with an index among the readable ones.
    pub(super) fn get(&self, index: usize) -> Option<&ReadRule<'a, M>> {
        self.rules.get(index)
    }

    /// Where a rule stands.
    pub(super) fn place(&self, index: usize) -> Option<Place> {
        self.context.place(self.get(index)?.located)
    }

    /// A finding, about the rule with an index among the readable ones.
    pub(super) fn about(&self, index: usize, finding: Diagnostic) -> Diagnostic {
        let rule = self.get(index).map(|rule| RuleNumber {
            list: self.key,
            index: rule.number - 1,
        });
        let tool = self.context.name.to_owned();
        finding.about(Subject { tool, rule })
    }

    /// The rules whose very text comes earlier in the merged list too; of a data file the texts are not known.
    pub(super) fn repeated(&self) -> HashSet<usize> {
        let mut seen = HashSet::new();
        let mut is_repeated =
            |place: Place| place.span.start < place.span.end && !seen.insert(place);
        (0..self.rules.len())
            .filter(|index| self.place(*index).is_some_and(&mut is_repeated))
            .collect()
    }

    /// The text of the list that holds a rule, and the place of the rule in it.
    pub(super) fn text_around(&self, rule: &Located) -> Option<(Rc<ListText<'a>>, usize)> {
        let text = self.text_in(self.context.view.file(rule.origin()?.layer)?)?;
        let position = text.position(rule)?;
        Some((text, position))
    }

    /// The list as a file writes it.
    pub(super) fn text_in(&self, file: FileId) -> Option<Rc<ListText<'a>>> {
        let mut texts = self.texts.borrow_mut();
        texts
            .entry(file)
            .or_insert_with(|| {
                let path = [
                    "conversation",
                    "tools",
                    self.context.name,
                    "policy",
                    self.key,
                ];
                ListText::of_layer(self.context.view, file, &path).map(Rc::new)
            })
            .clone()
    }

    /// What a rule looks at, as TOML text: `` `prefix = "src/"` ``.
    pub(super) fn describe(&self, index: usize) -> String {
        let Some(rule) = self.get(index) else {
            return String::new();
        };
        match rule.raw.matchers.first() {
            None => format!("rule {} (the catch-all)", rule.number),
            Some((kind, value)) => {
                let value = shown(value);
                format!("rule {} (`{} = {value}`)", rule.number, kind.keyword())
            }
        }
    }
}

/// Takes a rule that decides nothing out of its list.
pub(super) fn remove<M: Mode>(rules: &Rules<'_, M>, rule: usize) -> Option<Fix> {
    let (list, index) = rules.text_around(rules.get(rule)?.located)?;
    let edit = list.remove(index)?;
    Some(Fix::new(
        "Remove the rule, which decides nothing",
        vec![edit],
    ))
}

/// Moves a rule before another one of the same list.
pub(super) fn move_before<M: Mode>(
    rules: &Rules<'_, M>,
    rule: usize,
    target: usize,
    title: &str,
) -> Option<Fix> {
    let (list, index) = rules.text_around(rules.get(rule)?.located)?;
    let target = list.position(rules.get(target)?.located)?;
    let edits = list.move_before(index, target)?;
    Some(Fix::new(title, edits).with_review())
}
