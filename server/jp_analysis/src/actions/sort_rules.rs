//! Rules with stricter modes first, so that no permissive rule decides what a stricter one is meant for.

use jp_config::document::{Node, Span, Table};
use jp_policy::{Mode as _, ResultMode};

use super::{Action, Site, rules_around};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let array = rules_around(site)?;
    let rules: Vec<Table<'_>> = array.items().map(Node::as_table).collect::<Option<_>>()?;
    let mut order: Vec<(bool, std::cmp::Reverse<u8>, usize)> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let mode = rule.get("mode")?.value().as_str()?.into_owned();
        // Both kinds of modes are the same words, in the same order of strictness.
        let strictness = ResultMode::from_keyword(&mode)?.strictness();
        let is_catch_all = rule.get("arg").is_none();
        order.push((is_catch_all, std::cmp::Reverse(strictness), index));
    }
    // Sorting a catch-all that hides rules would bring them to life: that is the author's decision.
    let first_catch_all = order.iter().position(|(is_catch_all, ..)| *is_catch_all);
    if first_catch_all.is_some_and(|at| at + 1 < order.len()) {
        return None;
    }
    let mut sorted = order.clone();
    sorted.sort();
    if sorted == order {
        return None;
    }
    let spans: Vec<Span> = rules.iter().map(|rule| rule.span()).collect();
    if has_comments(site, &spans) {
        return None;
    }
    let mut edits = Vec::new();
    for (slot, (_, _, from)) in sorted.iter().enumerate() {
        if slot != *from {
            edits.push(site.edit(*spans.get(slot)?, site.text(*spans.get(*from)?)?));
        }
    }
    Some(site.rewrite("Sort rules: stricter modes first", edits))
}

/// Whether a comment stands among the elements, which would then stand beside another one.
fn has_comments(site: &Site<'_>, spans: &[Span]) -> bool {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        return false;
    };
    let line = site.document.text().get(last.end as usize..);
    let line = line
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();
    let end = last.end + u32::try_from(line.len()).unwrap_or(0);
    let mut comments = site.document.comments();
    comments.any(|comment| first.start <= comment.start && comment.start < end)
}
