//! Neighbouring rules on the same argument and with the same mode as one rule with `enum`.

use jp_config::document::{Entry, Span, Table};

use super::{action::Action, rule_list::rules_around, site::Site};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let list = rules_around(site)?;
    let index = list.index?;
    let here = Condition::of(*list.rules.get(index)?)?;
    let alike = |rule: &&Table<'_>| Condition::of(**rule).is_some_and(|rule| rule.is_like(&here));
    let before = list.rules.get(..index)?.iter().rev();
    let start = index - before.take_while(alike).count();
    let first = Condition::of(*list.rules.get(start)?)?;
    let mut values = first.values(site)?;
    let mut edits = Vec::new();
    for (index, rule) in list.rules.iter().enumerate().skip(start + 1) {
        let Some(next) = Condition::of(*rule) else {
            break;
        };
        if !next.is_like(&first) {
            break;
        }
        for value in next.values(site)? {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        edits.push(list.text.remove_keeping_comments(index)?);
    }
    if edits.is_empty() {
        return None;
    }
    let count = edits.len() + 1;
    let merged = match values.as_slice() {
        [value] => format!("const = {value}"),
        values => format!("enum = [{}]", values.join(", ")),
    };
    edits.insert(0, site.edit(first.matcher()?, merged));
    let title = match values.len() {
        1 => format!("Merge {count} equal rules into one"),
        _ => format!("Merge {count} rules into one with `enum`"),
    };
    Some(site.rewrite(title, edits))
}

struct Condition<'a> {
    table: Table<'a>,
    arg: String,
    mode: String,
}

impl<'a> Condition<'a> {
    /// A rule with one `const` or `enum` and nothing else that decides.
    fn of(table: Table<'a>) -> Option<Self> {
        let keys: Vec<&str> = table.entries().map(Entry::key).collect();
        let is_simple = keys.len() == 3
            && keys
                .iter()
                .all(|key| matches!(*key, "arg" | "mode" | "const" | "enum"));
        if !is_simple {
            return None;
        }
        let text = |key: &str| Some(table.get(key)?.value().as_str()?.into_owned());
        Some(Self {
            table,
            arg: text("arg")?,
            mode: text("mode")?,
        })
    }

    /// Whether both can be one rule.
    fn is_like(&self, other: &Condition<'_>) -> bool {
        self.arg == other.arg && self.mode == other.mode
    }

    /// The matcher with its value.
    fn matcher(&self) -> Option<Span> {
        let matcher = self.table.get("const").or_else(|| self.table.get("enum"))?;
        Some(Span::new(
            matcher.key_span().start,
            matcher.value().span().end,
        ))
    }

    /// The values as they are written.
    fn values(&self, site: &Site<'a>) -> Option<Vec<String>> {
        if let Some(value) = self.table.get("const") {
            return Some(vec![site.text(value.value().span())?.to_owned()]);
        }
        let list = self.table.get("enum")?.value().as_array()?;
        list.items()
            .map(|item| Some(site.text(item.span())?.to_owned()))
            .collect()
    }
}
