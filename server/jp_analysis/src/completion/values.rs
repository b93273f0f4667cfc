//! Values: what the schema, the view and the parameters of a tool allow.
//!
//! ```toml
//! result = ""                 # "unattended", "ask", "edit", "skip"
//! write = tru                 # true, false, "insecure_allow"
//! run = [ ]                   # { mode = "ask" }
//! ```

use jp_config::document::{Array, Entry, Node, PathSegment, Span, Table};
use jp_config::model_id::ModelId;
use jp_config::schema::{NodeId, PathKind, Shape, StringFormat, Variant};
use jp_config::source::ToolSource;
use jp_tool::{ConfigPath, overlaps_sensitive};
use serde_json::Value;

use super::{
    Doc, Item, ItemKind, Request,
    files::Wanted,
    keys::{KeySlot, is_rule, is_rule_list},
    template::Template,
};
use crate::text::{node::node_at, node::schema_node_of, toml_text};

/// The schemes of network rules.
const SCHEMES: [&str; 2] = ["https", "http"];

/// What a value replaces.
#[derive(Debug, Clone, Copy)]
pub(super) enum Replaced {
    /// A whole value, or nothing; `quote` is the quote that it begins with.
    Whole {
        /// What is replaced.
        span: Span,
        /// The quote that is typed already.
        quote: Option<char>,
    },
    /// What stands between the quotes of a string.
    Inside {
        /// What is replaced.
        span: Span,
        /// The string with its quotes.
        whole: Span,
        /// The quotes.
        quote: char,
    },
}

impl Replaced {
    pub(super) fn span(self) -> Span {
        match self {
            Self::Whole { span, .. } | Self::Inside { span, .. } => span,
        }
    }

    fn quote(self) -> Option<char> {
        match self {
            Self::Whole { quote, .. } => quote,
            Self::Inside { quote, .. } => Some(quote),
        }
    }
}

/// Where a value is written.
pub(super) struct ValueSlot {
    /// The description of the value.
    pub(super) node: NodeId,
    /// Its path; `[]` is any element.
    pub(super) path: Vec<String>,
    /// What it replaces.
    pub(super) replaced: Replaced,
    /// The text of the string up to the cursor.
    pub(super) typed: String,
    /// What separates it from what stands before it.
    pub(super) lead: &'static str,
    /// What separates it from what follows.
    pub(super) tail: &'static str,
}

impl Request<'_> {
    pub(super) fn values(&mut self, slot: &ValueSlot) {
        if self.rule_values(slot) {
            return self.leave_out_present(slot);
        }
        if self.template_variables(slot) {
            return;
        }
        if self.written_config(slot) {
            return;
        }
        for branch in self.schema.branches(slot.node) {
            self.branch(slot, branch);
        }
        self.parameter_values(slot);
        self.defaults(slot);
        self.leave_out_present(slot);
    }

    /// The `write` of a config rule, whose path says whether `"insecure_allow"` is needed; false for any other value, and without a path.
    fn written_config(&mut self, slot: &ValueSlot) -> bool {
        let Some((write, rule)) = slot.path.split_last() else {
            return false;
        };
        let is_write = write == "write";
        let Some(path) = Some(self.position.table)
            .filter(|_| is_write)
            .and_then(|table| config_path(rule, table))
        else {
            return false;
        };
        if overlaps_sensitive(&path) {
            self.literal(slot, "false", "boolean");
            self.insecure_allow(slot);
            self.literal(slot, "true", "not enough: the path is sensitive");
        } else {
            self.literal(slot, "true", "boolean");
            self.literal(slot, "false", "boolean");
        }
        true
    }

    fn insecure_allow(&mut self, slot: &ValueSlot) {
        let value = "insecure_allow";
        let doc = Doc::Schema {
            path: slot.path.clone(),
            variant: Some(value.to_owned()),
        };
        let detail = Some("needed here: the path is sensitive".to_owned());
        self.string(slot, value, ItemKind::Variant, detail, Some(doc));
    }

    /// What the table of a parameter says about its own values.
    fn parameter_values(&mut self, slot: &ValueSlot) {
        let [.., table, key] = slot.path.as_slice() else {
            return;
        };
        if key != "default" || table == "[]" || !self.is_in_parameter(slot) {
            return;
        }
        let entry = |key| self.position.table.get(key).map(Entry::value);
        let declared = entry("enum").and_then(Node::as_array);
        let kind = entry("type").and_then(Node::as_str);
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
        for value in &values {
            self.json(slot, value, "declared value");
        }
        if values.is_empty() && kind.as_deref() == Some("boolean") {
            self.literal(slot, "true", "boolean");
            self.literal(slot, "false", "boolean");
        }
    }

    fn is_in_parameter(&self, slot: &ValueSlot) -> bool {
        let Some((_, table)) = slot.path.split_last() else {
            return false;
        };
        schema_node_of(table).is_some_and(|node| self.is_parameter(node))
    }

    /// Drops what the other elements of a list hold already.
    fn leave_out_present(&mut self, slot: &ValueSlot) {
        let Some((PathSegment::Index(_), list)) = self.position.path.split_last() else {
            return;
        };
        let list = node_at(self.document, list).and_then(Node::as_array);
        let own = match slot.replaced {
            Replaced::Whole { span, .. } => span,
            Replaced::Inside { whole, .. } => whole,
        };
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
        self.items
            .retain(|item| item.kind == ItemKind::Snippet || !present.contains(&item.label));
    }

    fn branch(&mut self, slot: &ValueSlot, branch: NodeId) {
        match &self.node(branch).shape {
            Shape::Boolean => {
                self.literal(slot, "true", "boolean");
                self.literal(slot, "false", "boolean");
            }
            Shape::Enum(variants) => self.variants(slot, variants),
            Shape::String(format) => self.format(slot, *format),
            Shape::Struct(_) | Shape::Map(_) | Shape::List { .. } => self.braces(slot, branch),
            Shape::Integer { .. } | Shape::Float | Shape::Any | Shape::Union(_) => {}
        }
    }

    pub(super) fn variants(&mut self, slot: &ValueSlot, variants: &[Variant]) {
        for variant in variants {
            if variant.deprecated.is_some() {
                continue;
            }
            let doc = Doc::Schema {
                path: slot.path.clone(),
                variant: Some(variant.value.to_owned()),
            };
            let detail = super::names::first_line(variant.doc);
            self.string(
                slot,
                variant.value,
                ItemKind::Variant,
                Some(detail),
                Some(doc),
            );
        }
    }

    fn format(&mut self, slot: &ValueSlot, format: StringFormat) {
        match format {
            StringFormat::ToolSource => self.offer_sources(slot),
            StringFormat::ToolName => self.offer_tools(slot),
            StringFormat::ModelId => self.offer_models(slot),
            StringFormat::EnvName => self.offer_variables(slot, false),
            StringFormat::EnvPattern => self.offer_variables(slot, true),
            StringFormat::ConfigPath => self.config_paths(slot),
            StringFormat::Path(PathKind::Extends) => {
                let base = self.directory();
                self.files(slot, &base, Wanted::Config);
            }
            StringFormat::Path(PathKind::Directory) => {
                let base = self.workspace().to_owned();
                self.files(slot, &base, Wanted::Directories);
            }
            StringFormat::Path(PathKind::Rule) => {
                let base = self.workspace().to_owned();
                if slot.typed.is_empty() {
                    let detail = "the whole workspace".to_owned();
                    self.string(slot, ".", ItemKind::Directory, Some(detail), None);
                }
                self.files(slot, &base, Wanted::Everything);
            }
            StringFormat::Scheme => {
                for scheme in SCHEMES {
                    self.string(slot, scheme, ItemKind::Value, None, None);
                }
            }
            _ => {}
        }
    }

    fn braces(&mut self, slot: &ValueSlot, branch: NodeId) {
        if slot.replaced.quote().is_some() {
            return;
        }
        let mut template = Template::default();
        let label = if let Shape::List { .. } = self.node(branch).shape {
            "[ … ]".to_owned()
        } else {
            let required = self.required_fields(branch, None);
            let names: Vec<&str> = required.iter().map(|field| field.name).collect();
            if names.is_empty() {
                "{ … }".to_owned()
            } else {
                format!("{{ {} }}", names.join(", "))
            }
        };
        self.node_template(branch, &mut template);
        if is_rule(&slot.path) {
            self.rule_element(slot);
        } else if let Shape::List { item } = self.node(branch).shape
            && is_rule_list(&slot.path)
        {
            self.rule_list(slot, item);
        }
        let detail = self.schema.describe(branch);
        self.template(slot, label, &template, Some(detail));
    }

    /// The value that holds anyway, and the examples of the documentation.
    fn defaults(&mut self, slot: &ValueSlot) {
        let node = self.node(slot.node);
        if let Some(default) = &node.default {
            let label = default
                .as_str()
                .map_or_else(|| default.to_string(), str::to_owned);
            match self.items.iter_mut().find(|item| item.label == label) {
                Some(item) => {
                    let detail = item.detail.take().unwrap_or_default();
                    item.detail = Some(format!("{detail} (default)"));
                }
                None => self.json(slot, default, "default"),
            }
        }
        // Of rules there are better ones, made for the tool.
        if is_rule_list(&slot.path) {
            return;
        }
        for example in node.examples {
            let Ok(value) = example.parse::<toml_edit::Value>() else {
                continue;
            };
            if let Some(text) = value.as_str() {
                let offered = self.items.iter().any(|item| item.label == text);
                if !offered && self.is_usable(slot, text) {
                    self.string(
                        slot,
                        text,
                        ItemKind::Value,
                        Some("example".to_owned()),
                        None,
                    );
                }
            } else if slot.replaced.quote().is_none() && !example.contains('\n') {
                let template = Template::plain(example);
                self.template(
                    slot,
                    (*example).to_owned(),
                    &template,
                    Some("example".to_owned()),
                );
            }
        }
    }

    /// Whether an example names nothing that the config does not have.
    fn is_usable(&self, slot: &ValueSlot, example: &str) -> bool {
        let formats = self.schema.formats(slot.node);
        if formats.contains(&StringFormat::ToolSource) {
            return match ToolSource::parse(example) {
                Ok(ToolSource::Mcp { server, .. }) => self.servers().contains(&server),
                _ => true,
            };
        }
        !formats.contains(&StringFormat::ModelId) || ModelId::parse(example).is_ok()
    }

    /// A JSON value as an item; `null` and tables are none.
    pub(super) fn json(&mut self, slot: &ValueSlot, value: &Value, detail: &str) {
        match value {
            Value::String(text) => {
                self.string(slot, text, ItemKind::Value, Some(detail.to_owned()), None);
            }
            Value::Bool(_) | Value::Number(_) => self.literal(slot, &value.to_string(), detail),
            Value::Null | Value::Array(_) | Value::Object(_) => {}
        }
    }

    /// A value that is no string.
    pub(super) fn literal(&mut self, slot: &ValueSlot, text: &str, detail: &str) {
        let (span, quote) = match slot.replaced {
            Replaced::Whole { span, quote } => (span, quote),
            Replaced::Inside { whole, quote, .. } => (whole, Some(quote)),
        };
        let mut filter = quote.map_or_else(String::new, String::from);
        filter.push_str(text);
        self.push(Item {
            label: text.to_owned(),
            kind: ItemKind::Value,
            detail: Some(detail.to_owned()),
            doc: None,
            edit: Template::plain(&format!("{}{text}{}", slot.lead, slot.tail)).edit(span),
            sort: String::new(),
            filter,
            continues: false,
        });
    }

    /// A string, in the quotes that are typed already where it can stand in them.
    pub(super) fn string(
        &mut self,
        slot: &ValueSlot,
        value: &str,
        kind: ItemKind,
        detail: Option<String>,
        doc: Option<Doc>,
    ) {
        let item = string_item(slot, value, kind, detail, doc);
        self.push(item);
    }

    /// A string that is only the beginning of one.
    pub(super) fn continued(
        &mut self,
        slot: &ValueSlot,
        value: &str,
        kind: ItemKind,
        detail: Option<String>,
    ) {
        let mut item = string_item(slot, value, kind, detail, None);
        item.continues = true;
        self.push(item);
    }

    pub(super) fn template(
        &mut self,
        slot: &ValueSlot,
        label: String,
        template: &Template,
        detail: Option<String>,
    ) {
        let span = slot.replaced.span();
        let mut whole = Template::plain(slot.lead);
        whole.append(template);
        whole.text(slot.tail);
        self.push(Item {
            filter: label.clone(),
            label,
            kind: ItemKind::Snippet,
            detail,
            doc: None,
            edit: whole.edit(span),
            sort: String::new(),
            continues: false,
        });
    }

    /// A value for a key, to be filled in.
    pub(super) fn value_template(
        &self,
        slot: &KeySlot<'_>,
        name: &str,
        node: NodeId,
        template: &mut Template,
    ) {
        if is_rule(&slot.path) && self.rule_template(slot, name, template) {
            return;
        }
        if name == "default" && self.is_parameter(slot.node) {
            return parameter_default(slot, template);
        }
        let written = slot.table.filter(|_| name == "write");
        if let Some(path) = written.and_then(|table| config_path(&slot.path, table)) {
            return template.choice(if overlaps_sensitive(&path) {
                &["false", "\"insecure_allow\""]
            } else {
                &["true", "false"]
            });
        }
        let formats = self.schema.formats(node);
        if formats.contains(&StringFormat::ToolSource) {
            let sources = self.sources();
            let names: Vec<&str> = sources.iter().map(|(source, _)| source.as_str()).collect();
            let plain: Vec<&str> = names
                .into_iter()
                .filter(|name| !name.contains(['"', '\\', '\n']))
                .collect();
            template.text("\"");
            template.choice(&plain);
            template.text("\"");
            return;
        }
        self.node_template(node, template);
    }

    /// A value of a description, to be filled in; right TOML as it is.
    pub(super) fn node_template(&self, node: NodeId, template: &mut Template) {
        let branches = self.schema.branches(node);
        let shapes: Vec<&Shape> = branches.iter().map(|id| &self.node(*id).shape).collect();
        let variants: Vec<&str> = self
            .schema
            .variants(node)
            .into_iter()
            .filter(|variant| variant.deprecated.is_none())
            .map(|variant| variant.value)
            .collect();
        if shapes.iter().any(|shape| matches!(shape, Shape::Boolean)) {
            let mut choices = match self.node(node).default {
                Some(Value::Bool(true)) => vec!["false".to_owned(), "true".to_owned()],
                _ => vec!["true".to_owned(), "false".to_owned()],
            };
            choices.extend(variants.iter().map(|value| toml_text::string(value)));
            return template.choice(&choices);
        }
        if !variants.is_empty() {
            template.text("\"");
            template.choice(&variants);
            return template.text("\"");
        }
        for (shape, branch) in shapes.iter().zip(&branches) {
            match shape {
                Shape::String(format) => {
                    return string_template(*format, self.node(node).default.as_ref(), template);
                }
                Shape::Integer { minimum, .. } => {
                    let default = self
                        .node(node)
                        .default
                        .as_ref()
                        .filter(|value| value.is_number());
                    let text = match default {
                        Some(value) => value.to_string(),
                        None => minimum.unwrap_or_default().to_string(),
                    };
                    return template.placeholder(&text);
                }
                Shape::Float => {
                    let default = self
                        .node(node)
                        .default
                        .as_ref()
                        .filter(|value| value.is_number());
                    let text = default.map_or_else(|| "0".to_owned(), Value::to_string);
                    return template.placeholder(&text);
                }
                Shape::List { item } => {
                    let is_table = self.table_form(*branch).is_some();
                    if !is_table || self.is_plain(*item) {
                        return template.empty("[", "]");
                    }
                    template.text("[");
                    self.struct_template(*item, template);
                    return template.text("]");
                }
                Shape::Struct(_) => return self.struct_template(*branch, template),
                Shape::Map(_) => return template.empty("{", "}"),
                Shape::Any | Shape::Boolean | Shape::Enum(_) | Shape::Union(_) => {}
            }
        }
        template.text("\"");
        template.stop();
        template.text("\"");
    }

    fn struct_template(&self, node: NodeId, template: &mut Template) {
        let required = self.required_fields(node, None);
        if required.is_empty() {
            return template.empty("{", "}");
        }
        for (index, field) in required.iter().enumerate() {
            template.text(if index == 0 { "{ " } else { ", " });
            template.text(&format!("{} = ", field.name));
            self.node_template(field.node, template);
        }
        template.text(" }");
    }
}

/// The config path of an access rule; nothing for any other table, and without a path.
fn config_path(rule: &[String], table: Table<'_>) -> Option<ConfigPath> {
    let list = match rule {
        [list @ .., value, element] if value == "value" && element == "[]" => list,
        [list @ .., element] if element == "[]" => list,
        _ => return None,
    };
    let is_config =
        matches!(list, [.., access, config] if access == "access" && config == "config");
    let path = table.get("path").filter(|_| is_config)?;
    ConfigPath::parse(&path.value().as_str()?).ok()
}

/// A default that the `enum` or `type` beside it allows.
fn parameter_default(slot: &KeySlot<'_>, template: &mut Template) {
    let entry = |key| {
        slot.table
            .and_then(|table| table.get(key))
            .map(Entry::value)
    };
    let declared = entry("enum").and_then(Node::as_array);
    let values = declared.into_iter().flat_map(Array::items);
    let values: Vec<String> = values
        .filter_map(|value| match value {
            Node::Str(text) => Some(toml_text::string(&text.value())),
            Node::Integer(scalar) | Node::Float(scalar) | Node::Boolean(scalar) => {
                Some(scalar.text().to_owned())
            }
            _ => None,
        })
        .filter(|text| !text.contains('\n'))
        .collect();
    if !values.is_empty() {
        return template.choice(&values);
    }
    match entry("type").and_then(Node::as_str).as_deref() {
        Some("boolean") => template.choice(&["true", "false"]),
        Some("integer" | "number") => template.placeholder("0"),
        Some("array") => template.empty("[", "]"),
        Some("object") => template.empty("{", "}"),
        _ => {
            template.text("\"");
            template.stop();
            template.text("\"");
        }
    }
}

fn string_template(format: StringFormat, default: Option<&Value>, template: &mut Template) {
    let (open, close) = match format {
        StringFormat::Regex => ("'", "'"),
        _ => ("\"", "\""),
    };
    let fitting = default
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty() && !text.contains(['"', '\\', '\n', '\r', '\'']));
    template.text(open);
    match (fitting, format) {
        (Some(text), _) => template.placeholder(text),
        (None, StringFormat::Path(PathKind::Rule)) => template.placeholder("."),
        (None, StringFormat::JsonPointer) => template.placeholder("/"),
        (None, StringFormat::Host) => template.placeholder("example.com"),
        (None, StringFormat::Scheme) => template.choice(&SCHEMES),
        (None, _) => template.stop(),
    }
    template.text(close);
}

fn string_item(
    slot: &ValueSlot,
    value: &str,
    kind: ItemKind,
    detail: Option<String>,
    doc: Option<Doc>,
) -> Item {
    let (span, text, filter) = match slot.replaced {
        Replaced::Inside { span, whole, quote } => match within(value, quote) {
            Some(text) => (span, text, value.to_owned()),
            None => (whole, toml_text::string(value), format!("{quote}{value}")),
        },
        Replaced::Whole {
            span,
            quote: Some(quote),
        } => {
            let text = within(value, quote).map_or_else(
                || toml_text::string(value),
                |inside| format!("{quote}{inside}{quote}"),
            );
            (span, text, format!("{quote}{value}"))
        }
        Replaced::Whole { span, quote: None } => (span, toml_text::string(value), value.to_owned()),
    };
    Item {
        label: value.to_owned(),
        kind,
        detail,
        doc,
        edit: Template::plain(&format!("{}{text}{}", slot.lead, slot.tail)).edit(span),
        sort: String::new(),
        filter,
        continues: false,
    }
}

/// A text as it stands between quotes, where it can.
fn within(value: &str, quote: char) -> Option<String> {
    let is_plain = !value.contains(|character: char| character.is_control());
    match quote {
        '\'' => (is_plain && !value.contains('\'')).then(|| value.to_owned()),
        _ if is_plain => Some(value.replace('\\', "\\\\").replace('"', "\\\"")),
        _ => None,
    }
}
