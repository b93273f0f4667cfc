//! Neighbouring rules on the same argument and with the same mode as one rule with `enum`.

use jp_config::document::{Entry, Node, Span, Table};

use super::{Action, Site, meets, rules_around};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let array = rules_around(site)?;
    let rules: Vec<Node<'_>> = array.items().collect();
    let start = rules
        .iter()
        .position(|rule| meets(rule.span(), site.range))?;
    let first = Condition::of(rules.get(start)?.as_table()?)?;
    let mut values = first.values(site)?;
    let mut last = start;
    for (index, rule) in rules.iter().enumerate().skip(start + 1) {
        let Some(next) = rule.as_table().and_then(Condition::of) else {
            break;
        };
        if next.arg != first.arg || next.mode != first.mode {
            break;
        }
        for value in next.values(site)? {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        last = index;
    }
    if last == start {
        return None;
    }
    let span = Span::new(rules.get(start)?.span().start, rules.get(last)?.span().end);
    let has_comment = site
        .document
        .comments()
        .any(|comment| span.start <= comment.start && comment.start < span.end);
    if has_comment {
        return None;
    }
    let merged = format!(
        "{{ arg = {}, enum = [{}], mode = {} }}",
        first
            .table
            .get("arg")
            .and_then(|arg| site.text(arg.value().span()))?,
        values.join(", "),
        first
            .table
            .get("mode")
            .and_then(|mode| site.text(mode.value().span()))?,
    );
    let count = last - start + 1;
    Some(site.rewrite(
        format!("Merge {count} rules into one with `enum`"),
        vec![site.edit(span, merged)],
    ))
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
