//! Keys of tables.
//!
//! ```toml
//! [conversation.tools.edit]
//! sou        # source = "local"
//! acc        # [[conversation.tools.edit.access.fs]], where nothing follows
//! ```

use std::cell::OnceCell;

use jp_config::document::{Entry, Key, Node, Span, Table, TableKind};
use jp_config::schema::{Field, KeyKind, MapShape, NodeId, Requirement, Shape};
use jp_config::source::ToolSource;

use super::{
    Doc, Item, ItemKind, MOST_ITEMS, Request,
    arguments::Argument,
    fits,
    headers::{DEPTH, Search, TableForm},
    template::Template,
};
use crate::text::toml_text;

/// How a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// The name alone: something follows it.
    Name,
    /// A statement on its own line.
    Statement {
        /// Whether a header may stand here instead, because no statement follows.
        takes_headers: bool,
    },
    /// The rest of a dotted key.
    Dotted,
    /// An entry within braces, with the commas that it needs.
    Inline {
        /// Before it.
        lead: &'static str,
        /// After it.
        tail: &'static str,
    },
}

/// Where a key is written.
pub(super) struct KeySlot<'a> {
    /// The description of the table.
    pub(super) node: NodeId,
    /// The path of the table; `[]` is any element.
    pub(super) path: Vec<String>,
    /// The table, if the text has it already.
    pub(super) table: Option<Table<'a>>,
    /// The key that is being typed.
    pub(super) typed: Option<Key<'a>>,
    /// What is replaced.
    pub(super) span: Span,
    /// How it is written.
    pub(super) layout: Layout,
    /// The argument that a policy rule is about, found when first asked for.
    pub(super) argument: OnceCell<Option<Argument>>,
}

impl KeySlot<'_> {
    /// Whether the table has a key already, other than the one being typed.
    fn has(&self, key: &str) -> bool {
        let Some(entry) = self.table.and_then(|table| table.get(key)) else {
            return false;
        };
        let keys = entry.keys();
        let typed = self.typed.map(Key::span);
        keys.into_iter().any(|key| Some(key.span()) != typed)
    }
}

impl Request<'_> {
    pub(super) fn keys(&mut self, slot: &KeySlot<'_>) {
        if !slot.span.touches(self.offset) {
            return;
        }
        let mut fields: Vec<&'static Field> = self.schema.fields(slot.node).iter().collect();
        fields.retain(|field| self.is_offered(slot, field));
        // Required keys come first; otherwise the order of the documentation holds.
        fields.sort_by_key(|field| match field.requirement {
            Requirement::Local => 0,
            Requirement::Conditional | Requirement::Global => 1,
            Requirement::Optional => 2,
        });
        if let Some(map) = self.schema.map(slot.node) {
            self.map_keys(slot, map);
        }
        for field in fields {
            self.field(slot, field);
        }
        if let Layout::Statement {
            takes_headers: true,
        } = slot.layout
        {
            self.headers_below(slot);
        }
    }

    fn is_offered(&self, slot: &KeySlot<'_>, field: &Field) -> bool {
        !slot.has(field.name)
            && self.may_hold(&slot.path, field)
            && self.fits_rule(slot, field.name)
            && self.fits_parameter(slot, field.name)
            && self.fits_wrapper(slot, field.name)
    }

    /// Whether the dialect and the tool's source allow a key in the table at a path.
    pub(super) fn may_hold(&self, path: &[String], field: &Field) -> bool {
        if self.options.dialect == crate::Dialect::Released && !self.node(field.node).released {
            return false;
        }
        let ([conversation, tools, tool], "access") = (path, field.name) else {
            return true;
        };
        let source = [conversation.as_str(), tools, tool, "source"];
        let source = self.view.effective(&source);
        let source = source.and_then(|source| ToolSource::parse(source.value.as_str()?).ok());
        source.is_none_or(|source| source.is_local())
    }

    /// Whether a key that describes elements or entries goes with the `type` of its parameter.
    fn fits_parameter(&self, slot: &KeySlot<'_>, name: &str) -> bool {
        let holder = match name {
            "items" => "array",
            "properties" => "object",
            _ => return true,
        };
        if !self.is_parameter(slot.node) || slot.layout == Layout::Name {
            return true;
        }
        let declared = slot.table.and_then(|table| table.get("type"));
        match declared.map(Entry::value) {
            Some(Node::Str(kind)) => kind.value() == holder,
            Some(Node::Array(kinds)) => {
                let mut kinds = kinds.items();
                kinds.any(|kind| kind.as_str().is_none_or(|kind| kind == holder))
            }
            _ => true,
        }
    }

    /// Whether a table describes a parameter of a tool, or a part of one.
    pub(super) fn is_parameter(&self, node: NodeId) -> bool {
        self.node(node).name == Some("Parameter")
    }

    /// Whether a key that says how a map merges goes with what the map holds: beside plain entries it would be one of them.
    fn fits_wrapper(&self, slot: &KeySlot<'_>, name: &str) -> bool {
        if self.schema.map(slot.node).is_none() || slot.layout == Layout::Name {
            return true;
        }
        let is_wrapper = slot.has("value");
        is_wrapper || (name == "value" && slot.table.is_none_or(Table::is_empty))
    }

    /// Whether a key of a policy rule goes with its `arg` and has no matcher beside it yet.
    fn fits_rule(&self, slot: &KeySlot<'_>, name: &str) -> bool {
        let Some(kind) = jp_policy::MatcherKind::from_keyword(name) else {
            return true;
        };
        if !is_rule(&slot.path) {
            return true;
        }
        let has_matcher = jp_policy::MatcherKind::ALL
            .iter()
            .any(|other| slot.has(other.keyword()));
        if has_matcher && slot.layout != Layout::Name {
            return false;
        }
        self.takes_matcher(slot, kind)
    }

    fn field(&mut self, slot: &KeySlot<'_>, field: &Field) {
        let detail = self
            .matcher_detail(slot, field.name)
            .unwrap_or_else(|| self.schema.describe(field.node));
        self.key(slot, field.name, field.node, detail, field.requirement);
    }

    fn key(
        &mut self,
        slot: &KeySlot<'_>,
        name: &str,
        node: NodeId,
        detail: String,
        requirement: Requirement,
    ) {
        let is_table = self.is_table(node);
        let mut template = Template::default();
        match slot.layout {
            Layout::Name => template.text(&key_text(name)),
            // A header says it better; `headers_below` offers one.
            Layout::Statement {
                takes_headers: true,
            } if is_table && !self.is_plain(node) => {
                return;
            }
            Layout::Statement { .. } | Layout::Dotted => {
                template.text(&format!("{} = ", key_text(name)));
                self.value_template(slot, name, node, &mut template);
            }
            Layout::Inline { lead, tail } => {
                template.text(&format!("{lead}{} = ", key_text(name)));
                self.value_template(slot, name, node, &mut template);
                template.text(tail);
            }
        }
        let mut path = slot.path.clone();
        path.push(name.to_owned());
        let detail = match requirement {
            Requirement::Local => format!("required: {detail}"),
            _ => detail,
        };
        self.push(Item {
            label: name.to_owned(),
            kind: if is_table {
                ItemKind::Table
            } else {
                ItemKind::Key
            },
            detail: Some(detail),
            doc: Some(Doc::Schema {
                path,
                variant: None,
            }),
            edit: template.edit(slot.span),
            sort: String::new(),
            filter: self.key_filter(slot, name),
            continues: false,
        });
    }

    /// The name, in the quotes that are typed already.
    fn key_filter(&self, slot: &KeySlot<'_>, name: &str) -> String {
        let typed = self.document.text().get(slot.span.range());
        match typed.and_then(|typed| typed.chars().next()) {
            Some(quote @ ('"' | '\'')) => format!("{quote}{name}"),
            _ => name.to_owned(),
        }
    }

    fn map_keys(&mut self, slot: &KeySlot<'_>, map: &'static MapShape) {
        for (name, node) in &map.literal {
            if !slot.has(name) && self.may_stand_in(slot, *node) {
                let detail = self.schema.describe(*node);
                self.key(slot, name, *node, detail, Requirement::Optional);
            }
        }
        for name in self.declared_keys(&slot.path) {
            let is_literal = map.literal.iter().any(|(literal, _)| *literal == name);
            if !is_literal && !slot.has(&name) && self.may_stand_in(slot, map.value) {
                let detail = format!("{}, declared in another place", noun(map.key));
                self.key(slot, &name, map.value, detail, Requirement::Optional);
            }
        }
        self.fresh_key(slot, map);
    }

    fn may_stand_in(&self, slot: &KeySlot<'_>, node: NodeId) -> bool {
        let takes_headers = matches!(
            slot.layout,
            Layout::Statement {
                takes_headers: true
            }
        );
        !takes_headers || !self.is_table(node) || self.is_plain(node)
    }

    /// An entry whose name the person picks.
    fn fresh_key(&mut self, slot: &KeySlot<'_>, map: &'static MapShape) {
        let name = placeholder(map.key);
        if slot.has(name)
            || slot.layout == Layout::Name
            || slot.typed.is_some_and(|typed| !typed.text().is_empty())
            || !self.may_stand_in(slot, map.value)
        {
            return;
        }
        let (lead, tail) = match slot.layout {
            Layout::Inline { lead, tail } => (lead, tail),
            _ => ("", ""),
        };
        let mut template = Template::plain(lead);
        template.placeholder(name);
        template.text(" = ");
        self.value_template(slot, name, map.value, &mut template);
        template.text(tail);
        let mut path = slot.path.clone();
        path.push(name.to_owned());
        self.push(Item {
            label: format!("<{name}>"),
            kind: ItemKind::Snippet,
            detail: Some(format!("another {}", noun(map.key))),
            doc: Some(Doc::Schema {
                path,
                variant: None,
            }),
            edit: template.edit(slot.span),
            sort: String::new(),
            filter: name.to_owned(),
            continues: false,
        });
    }

    /// Headers of the tables below this one, where a header may begin.
    fn headers_below(&mut self, slot: &KeySlot<'_>) {
        let parent: Vec<String> = slot
            .path
            .iter()
            .filter(|key| *key != "[]")
            .map(|key| key_text(key))
            .collect();
        let typed = slot.typed.map_or("", Key::text);
        let search = Search {
            current: None,
            typed,
            depth: DEPTH,
        };
        let candidates = self.tables_below(slot.node, &slot.path, slot.table, search);
        self.is_incomplete |= candidates.len() >= MOST_ITEMS;
        for candidate in candidates {
            if self.items.len() >= MOST_ITEMS && !fits(&candidate.label(), typed) {
                continue;
            }
            let mut dotted = parent.clone();
            dotted.extend(candidate.keys.iter().map(|key| key_text(key)));
            let (open, close) = match candidate.form {
                TableForm::Table => ("[", "]"),
                TableForm::Element => ("[[", "]]"),
            };
            let mut template = Template::default();
            match candidate.placeholder {
                Some(name) => {
                    template.text(open);
                    for key in &dotted {
                        template.text(&format!("{key}."));
                    }
                    template.placeholder(name);
                    template.text(close);
                }
                None => template.text(&format!("{open}{}{close}", dotted.join("."))),
            }
            let required = self.required_fields(candidate.node, None);
            for field in &required {
                template.text(&format!("\n{} = ", field.name));
                let mut path = slot.path.clone();
                path.extend(candidate.keys.iter().cloned());
                let below = KeySlot {
                    node: candidate.node,
                    path,
                    table: None,
                    typed: None,
                    span: slot.span,
                    layout: Layout::Dotted,
                    argument: OnceCell::new(),
                };
                self.value_template(&below, field.name, field.node, &mut template);
            }
            template.text("\n");
            dotted.extend(candidate.placeholder.map(|name| format!("<{name}>")));
            self.push(Item {
                // A key of the same name is another item.
                label: format!("{open}{}{close}", dotted.join(".")),
                filter: candidate.label(),
                kind: ItemKind::Table,
                detail: Some(self.schema.describe(candidate.node)),
                doc: Some(candidate.doc(&slot.path)),
                edit: template.edit(slot.span),
                sort: String::new(),
                continues: false,
            });
        }
    }

    /// The fields that must stand in a table and do not.
    pub(super) fn required_fields(
        &self,
        node: NodeId,
        table: Option<Table<'_>>,
    ) -> Vec<&'static Field> {
        let fields = self.schema.fields(node).iter();
        fields
            .filter(|field| field.requirement == Requirement::Local)
            .filter(|field| table.is_none_or(|table| table.get(field.name).is_none()))
            .collect()
    }

    /// Whether the value is a table or a list of tables.
    pub(super) fn is_table(&self, node: NodeId) -> bool {
        self.table_form(node).is_some()
    }

    /// Whether a value on one line is usual: a scalar, or a list of some.
    pub(super) fn is_plain(&self, node: NodeId) -> bool {
        let branches = self.schema.branches(node);
        branches
            .iter()
            .any(|branch| match self.node(*branch).shape {
                Shape::Boolean
                | Shape::Integer { .. }
                | Shape::Float
                | Shape::String(_)
                | Shape::Enum(_) => true,
                Shape::List { item } => self.is_plain(item),
                Shape::Struct(_) | Shape::Map(_) | Shape::Any | Shape::Union(_) => false,
            })
    }

    /// The header form of a value, if it has one.
    pub(super) fn table_form(&self, node: NodeId) -> Option<TableForm> {
        let branches = self.schema.branches(node);
        let shapes = || branches.iter().map(|branch| &self.node(*branch).shape);
        if shapes().any(|shape| matches!(shape, Shape::Struct(_) | Shape::Map(_))) {
            return Some(TableForm::Table);
        }
        let item = shapes().find_map(|shape| match shape {
            Shape::List { item } => Some(*item),
            _ => None,
        })?;
        let is_struct = self
            .schema
            .branches(item)
            .iter()
            .any(|branch| matches!(self.node(*branch).shape, Shape::Struct(_)));
        is_struct.then_some(TableForm::Element)
    }

    /// The table at a place of the text, whatever form it has.
    pub(super) fn is_open_to_headers(value: Node<'_>) -> bool {
        match value {
            Node::Table(table) => table.kind() == TableKind::Implicit,
            Node::Array(array) => array.is_array_of_tables(),
            _ => false,
        }
    }
}

/// A key as TOML text; the tool defaults as everyone writes them.
pub(super) fn key_text(key: &str) -> String {
    match key {
        "*" => "'*'".to_owned(),
        key => toml_text::key(key),
    }
}

/// Whether a path is that of a policy rule.
pub(super) fn is_rule(path: &[String]) -> bool {
    matches!(path, [list @ .., element] if element == "[]" && is_rule_list(list))
}

/// Whether a path is that of the rules of a policy.
pub(super) fn is_rule_list(path: &[String]) -> bool {
    let path = match path {
        [rest @ .., value] if value == "value" => rest,
        path => path,
    };
    matches!(path, [.., policy, key] if policy == "policy" && (key == "run" || key == "result"))
}

/// What a key of a map names, in words.
pub(super) fn noun(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Tool => "tool",
        KeyKind::Parameter => "parameter",
        KeyKind::Question => "question",
        KeyKind::Option => "option",
        KeyKind::Label => "label",
        KeyKind::Alias => "alias",
        KeyKind::Server => "server",
        KeyKind::Plugin => "plugin",
        KeyKind::Variable => "variable",
        KeyKind::Query => "query parameter",
    }
}

/// A name to write over.
pub(super) fn placeholder(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Query => "parameter",
        other => noun(other),
    }
}
