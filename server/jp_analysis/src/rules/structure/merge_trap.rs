//! `merge-trap`: merges whose result is rarely meant.
//!
//! ```toml
//! # .jp/config.toml
//! assistant.system_prompt = "You are a careful engineer."
//!
//! # a persona on top of it
//! [assistant.system_prompt]
//! value = "You write commit messages."   # without `strategy`, the assistant gets no system prompt at all
//! ```

use jp_config::{
    merge::{Located, LocatedValue},
    schema::wrapper::discards,
    view::View,
};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::{Edit, Fix, FixKind},
    options::Options,
    text::{list_edit::ListText, text_edit::line_break},
    tool::ToolContext,
};

pub(super) fn check_view(view: &View, _: Options, found: &mut Vec<Diagnostic>) {
    let mut earlier: Option<Place> = None;
    for (layer, value) in view.values(&["assistant", "system_prompt"]) {
        let located = value.located(layer);
        let Some(place) = key_place(view, &located) else {
            continue;
        };
        let text = match &located.value {
            LocatedValue::String(text) => text,
            LocatedValue::Table(table) => {
                let Some(text) = table.get("value").and_then(|value| value.value.as_str()) else {
                    continue;
                };
                if let (Some(earlier), None) = (earlier, table.get("strategy")) {
                    found.push(dropped(view, &located, place, earlier));
                }
                text
            }
            _ => continue,
        };
        earlier = (!text.is_empty() && !discards(&located)).then_some(place);
    }
}

fn dropped(view: &View, wrapper: &Located, place: Place, earlier: Place) -> Diagnostic {
    let mut finding = Diagnostic::new(
        Code::MergeTrap,
        place,
        "this table has no `strategy`, and an earlier layer sets a system prompt: `jp` then drops both texts; add `strategy = \"append\"`, `\"prepend\"` or `\"replace\"`",
    )
    .with_related(earlier, "this system prompt is dropped too");
    for strategy in ["append", "replace"] {
        finding.fixes.extend(with_strategy(view, wrapper, strategy));
    }
    finding
}

/// Writes a strategy before the wrapper's value, in the same layout.
fn with_strategy(view: &View, wrapper: &Located, strategy: &str) -> Option<Fix> {
    let value = wrapper.get("value")?.origin()?;
    let file = view.file(value.layer)?;
    let mut key = value.key?;
    key.end = key.start;
    let text = view.graph().content(file)?.document()?.text();
    let before = text.get(..key.start as usize)?;
    let line = before.rsplit('\n').next()?;
    let separator = if line.contains('{') {
        ", ".to_owned()
    } else if line.trim().is_empty() {
        let line_break = line_break(text);
        format!("{line_break}{line}")
    } else {
        return None;
    };
    Some(Fix {
        title: format!("Add `strategy = \"{strategy}\"`"),
        kind: FixKind::QuickFix,
        preferred: strategy == "append",
        safe: false,
        edits: vec![Edit {
            place: Place { file, span: key },
            text: format!("strategy = \"{strategy}\"{separator}"),
        }],
    })
}

pub(super) fn check_tool(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(style(context));
    found.extend(emptied(context));
}

/// A list of grants without a rule restricts nothing, whatever the layers below it said (RFD 076, "Configuration").
fn emptied<'a>(context: &'a ToolContext<'_>) -> impl Iterator<Item = Diagnostic> + 'a {
    const LISTS: [(&str, &str, &str); 3] = [
        ("fs", "reaches every file of the workspace", "path = \".\""),
        ("net", "may connect to any host", "host = \"invalid\""),
        ("env", "may read every variable", "name = \"*\""),
    ];
    let access = context.tool.get("access");
    LISTS.into_iter().filter_map(move |(resource, effect, rule)| {
        let list = access?.get(resource)?;
        list.value.as_list().filter(|rules| rules.is_empty())?;
        let place = context.key_place(list)?;
        let finding = Diagnostic::new(
            Code::MergeTrap,
            place,
            format!(
                "no rule is left in `access.{resource}`, and without one the tool {effect}; to deny that, write `[{{ {rule} }}]`"
            ),
        );
        let path = ["conversation", "tools", context.name, "access", resource];
        let dropped = dropped_rules(context, &path, place);
        let edits = ListText::of_layer(context.view, place.file, &path)
            .and_then(|list| list.append(rule));
        let fix = edits.map(|edits| Fix::new(format!("Deny everything: `{{ {rule} }}`"), edits).with_review());
        let finding = finding.with_fixes(fix);
        Some(match dropped {
            Some(place) => finding.with_related(place, "this does not hold"),
            None => finding,
        })
    })
}

/// The last rules of other layers for a list that ends without any.
fn dropped_rules(context: &ToolContext<'_>, path: &[&str], emptied: Place) -> Option<Place> {
    let layers = context.view.values(path).filter_map(|(layer, value)| {
        let located = value.located(layer);
        let rules = located.get("value").unwrap_or(&located);
        let has_rules = rules.value.as_list().is_some_and(|rules| !rules.is_empty());
        key_place(context.view, &located).filter(|place| has_rules && *place != emptied)
    });
    layers.last()
}

/// One style key of a tool switches off every style of the defaults.
fn style(context: &ToolContext<'_>) -> Option<Diagnostic> {
    let own = context.tool.get("style")?;
    let defaults = context.defaults.as_ref()?.get("style")?;
    let keys = own.value.as_table()?;
    let lost: Vec<&str> = defaults
        .value
        .as_table()?
        .keys()
        .map(String::as_str)
        .filter(|key| !keys.contains_key(*key))
        .collect();
    if keys.is_empty() || lost.is_empty() {
        return None;
    }
    Some(
        Diagnostic::new(
            Code::MergeTrap,
            context.key_place(own)?,
            format!(
                "a tool with a `style` of its own takes nothing from `'*'.style`: `{}` falls back to the built-in default",
                lost.join("`, `")
            ),
        )
        .with_severity(Severity::Information)
        .with_related(context.key_place(defaults)?, "this style does not apply"),
    )
}

fn key_place(view: &View, located: &Located) -> Option<Place> {
    let origin = located.origin()?;
    Some(Place {
        file: view.file(origin.layer)?,
        span: origin.key.unwrap_or(origin.span),
    })
}

#[cfg(test)]
#[path = "merge_trap_tests.rs"]
mod tests;
