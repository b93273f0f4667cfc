//! Values: what the schema, the view and the parameters of a tool allow.
//!
//! ```toml
//! result = ""                 # "unattended", "ask", "edit", "skip"
//! write = tru                 # true, false, "insecure_allow"
//! run = [ ]                   # { mode = "ask" }
//! ```

use jp_config::{
    document::{Array, Entry, Node, PathSegment},
    model_id::ModelId,
    schema::{NodeId, PathKind, Shape, StringFormat, Variant, schema},
    source::ToolSource,
};
use jp_tool::overlaps_sensitive;
use serde_json::Value;

use super::{
    config_paths,
    context::{Site, ValueSlot},
    documentation::Doc,
    files::{self, Wanted},
    fill_in,
    item::{Item, ItemKind, Items},
    models, names, rules,
    shape::{SCHEMES, granted_path, is_parameter, is_rule, is_rule_list, required_fields},
    template::Template,
    variables,
};
use crate::text::node::{node_at, schema_node_of};

/// Offers the values that can stand at a place.
pub(super) fn offer(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    if rules::offer_values(site, slot, items) {
        return leave_out_present(site, slot, items);
    }
    if variables::offer(site, slot, items) || offer_grant(slot, items) {
        return;
    }
    for branch in schema().branches(slot.node) {
        offer_branch(site, slot, branch, items);
    }
    offer_default_of_parameter(slot, items);
    offer_default(slot, items);
    offer_examples(site, slot, items);
    leave_out_present(site, slot, items);
}

/// Offers the `write` of a config rule, whose path says whether `"insecure_allow"` is needed; false for any other value, and without a path.
fn offer_grant(slot: &ValueSlot<'_>, items: &mut Items) -> bool {
    let rule = match slot.path.split_last() {
        Some((write, rule)) if write == "write" => rule,
        _ => return false,
    };
    let Some(path) = granted_path(rule, slot.table) else {
        return false;
    };
    if overlaps_sensitive(&path) {
        items.push(slot.literal("false", "boolean"));
        let acknowledged = variant(slot, "insecure_allow");
        items.push(acknowledged.with_detail("needed here: the path is sensitive"));
        items.push(slot.literal("true", "not enough: the path is sensitive"));
    } else {
        items.extend(slot.booleans());
    }
    true
}

fn offer_branch(site: &Site<'_>, slot: &ValueSlot<'_>, branch: NodeId, items: &mut Items) {
    match &schema().node(branch).shape {
        Shape::Boolean => items.extend(slot.booleans()),
        Shape::Enum(variants) => offer_variants(slot, variants, items),
        Shape::String(format) => offer_strings(site, slot, *format, items),
        Shape::Struct(_) | Shape::Map(_) | Shape::List { .. } => {
            offer_brackets(site, slot, branch, items);
        }
        Shape::Integer { .. } | Shape::Float | Shape::Any | Shape::Union(_) => {}
    }
}

fn offer_variants(slot: &ValueSlot<'_>, variants: &[Variant], items: &mut Items) {
    let current = variants
        .iter()
        .filter(|variant| variant.deprecated.is_none());
    items.extend(current.map(|known| {
        let detail = names::first_line(known.doc);
        variant(slot, known.value).with_detail(detail)
    }));
}

/// A legal string.
fn variant(slot: &ValueSlot<'_>, value: &str) -> Item {
    let doc = Doc::Schema {
        path: slot.path.clone(),
        variant: Some(value.to_owned()),
    };
    slot.string(value, ItemKind::Variant).with_doc(doc)
}

fn offer_strings(site: &Site<'_>, slot: &ValueSlot<'_>, format: StringFormat, items: &mut Items) {
    match format {
        StringFormat::ToolSource => names::offer_sources(site, slot, items),
        StringFormat::ToolName => names::offer_tools(site, slot, items),
        StringFormat::ModelId => models::offer(site, slot, items),
        StringFormat::EnvName => names::offer_variables(site, slot, false, items),
        StringFormat::EnvPattern => names::offer_variables(site, slot, true, items),
        StringFormat::ConfigPath => config_paths::offer(site, slot, items),
        StringFormat::Path(PathKind::Extends) => {
            files::offer(site, slot, &site.directory(), Wanted::Config, items);
        }
        StringFormat::Path(PathKind::Directory) => {
            files::offer(site, slot, site.workspace(), Wanted::Directories, items);
        }
        StringFormat::Path(PathKind::Rule) => {
            if slot.typed.is_empty() {
                let item = slot.string(".", ItemKind::Directory);
                items.push(item.with_detail("the whole workspace"));
            }
            files::offer(site, slot, site.workspace(), Wanted::Everything, items);
        }
        StringFormat::Scheme => {
            items.extend(SCHEMES.map(|scheme| slot.string(scheme, ItemKind::Value)));
        }
        _ => {}
    }
}

/// Offers a table or a list; of policy rules, also one made for the tool.
fn offer_brackets(site: &Site<'_>, slot: &ValueSlot<'_>, branch: NodeId, items: &mut Items) {
    if slot.replaced.quote().is_some() {
        return;
    }
    let item = match schema().node(branch).shape {
        Shape::List { item } => Some(item),
        _ => None,
    };
    if is_rule(&slot.path) {
        rules::offer_element(site, slot, items);
    } else if let Some(item) = item.filter(|_| is_rule_list(&slot.path)) {
        rules::offer_list(site, slot, item, items);
    }
    let label = match item {
        Some(_) => "[ … ]".to_owned(),
        None => braces_label(branch),
    };
    let mut template = Template::default();
    fill_in::write_node(branch, &mut template);
    let item = slot.snippet(label, &template);
    items.push(item.with_detail(schema().describe(branch)));
}

/// A table as a list shows it: with the keys that it must have.
fn braces_label(table: NodeId) -> String {
    let required = required_fields(table, None);
    let names: Vec<&str> = required.iter().map(|field| field.name).collect();
    if names.is_empty() {
        "{ … }".to_owned()
    } else {
        format!("{{ {} }}", names.join(", "))
    }
}

/// Offers what the table of a parameter says of its default.
fn offer_default_of_parameter(slot: &ValueSlot<'_>, items: &mut Items) {
    let [table @ .., key] = slot.path.as_slice() else {
        return;
    };
    let is_default = key == "default" && table.last().is_some_and(|last| last != "[]");
    if !is_default || !schema_node_of(table).is_some_and(is_parameter) {
        return;
    }
    let entry = |key| slot.table.get(key).map(Entry::value);
    let declared = entry("enum").and_then(Node::as_array);
    let values: Vec<Value> = declared
        .into_iter()
        .flat_map(Array::items)
        .filter_map(|value| match value {
            Node::Str(text) => Some(Value::from(text.value())),
            Node::Integer(_) => value.as_i64().map(Value::from),
            Node::Float(_) => value.as_f64().map(Value::from),
            Node::Boolean(_) => value.as_bool().map(Value::from),
            _ => None,
        })
        .collect();
    let kind = entry("type").and_then(Node::as_str);
    if values.is_empty() && kind.as_deref() == Some("boolean") {
        items.extend(slot.booleans());
    }
    items.extend(
        values
            .iter()
            .filter_map(|value| slot.json(value, "declared value")),
    );
}

/// Offers the value that holds anyway, or marks it where it is offered already.
fn offer_default(slot: &ValueSlot<'_>, items: &mut Items) {
    let Some(default) = &schema().node(slot.node).default else {
        return;
    };
    let label = default
        .as_str()
        .map_or_else(|| default.to_string(), str::to_owned);
    match items.find(&label) {
        Some(item) => {
            let detail = item.detail.take().unwrap_or_default();
            item.detail = Some(format!("{detail} (default)"));
        }
        None => items.extend(slot.json(default, "default")),
    }
}

/// Offers the examples of the documentation.
fn offer_examples(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    // Of rules there are better ones, made for the tool.
    if is_rule_list(&slot.path) {
        return;
    }
    for example in schema().node(slot.node).examples {
        let Ok(value) = example.parse::<toml_edit::Value>() else {
            continue;
        };
        let item = match value.as_str() {
            Some(text) if items.find(text).is_none() && is_usable(site, slot, text) => {
                slot.string(text, ItemKind::Value)
            }
            None if slot.replaced.quote().is_none() && !example.contains('\n') => {
                slot.snippet(*example, &Template::plain(example))
            }
            _ => continue,
        };
        items.push(item.with_detail("example"));
    }
}

/// Whether an example names nothing that the config does not have.
fn is_usable(site: &Site<'_>, slot: &ValueSlot<'_>, example: &str) -> bool {
    let formats = schema().formats(slot.node);
    if formats.contains(&StringFormat::ToolSource) {
        return match ToolSource::parse(example) {
            Ok(ToolSource::Mcp { server, .. }) => names::servers(site.view).contains(&server),
            _ => true,
        };
    }
    !formats.contains(&StringFormat::ModelId) || ModelId::parse(example).is_ok()
}

/// Drops what the other elements of a list hold already.
fn leave_out_present(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let Some((PathSegment::Index(_), list)) = slot.segments.split_last() else {
        return;
    };
    let list = node_at(site.document, list).and_then(Node::as_array);
    let own = slot.replaced.whole();
    let present: Vec<String> = list
        .into_iter()
        .flat_map(Array::items)
        .filter(|element| element.span() != own)
        .filter_map(|element| match element {
            Node::Str(text) => Some(text.value().into_owned()),
            Node::Integer(scalar) | Node::Float(scalar) | Node::Boolean(scalar) => {
                Some(scalar.text().to_owned())
            }
            _ => None,
        })
        .collect();
    items.retain(|item| item.kind == ItemKind::Snippet || !present.contains(&item.label));
}
