//! What an answer consists of.

use jp_config::document::Span;

use super::documentation::Doc;

/// The most items of one answer; beyond, typing narrows it and the client asks again.
pub(super) const MOST_ITEMS: usize = 200;

/// What can be written at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The items, best first.
    pub items: Vec<Item>,
    /// Whether typing on may bring items that are not here.
    pub is_incomplete: bool,
}

/// One thing that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What a list shows.
    pub label: String,
    /// What sort of thing it is.
    pub kind: ItemKind,
    /// A few words beside the label.
    pub detail: Option<String>,
    /// Where its documentation is found.
    pub doc: Option<Doc>,
    /// What accepting it does.
    pub edit: ItemEdit,
    /// Orders the items.
    pub sort: String,
    /// What the typed text is compared with.
    pub filter: String,
    /// Whether accepting it should ask for completion again, as after a directory.
    pub continues: bool,
}

/// What sort of thing an [`Item`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A key of a table with known keys.
    Key,
    /// A table or list of tables.
    Table,
    /// A variant of an enum.
    Variant,
    /// Some other value.
    Value,
    /// The name of something that the config declares.
    Name,
    /// A file.
    File,
    /// A directory.
    Directory,
    /// Several lines or values at once.
    Snippet,
}

/// The replacement of one span, which lies on one line and touches the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemEdit {
    /// What is replaced.
    pub span: Span,
    /// What stands there instead.
    pub text: String,
    /// The same in LSP's snippet syntax, if it has places to fill in.
    pub snippet: Option<String>,
}

impl Item {
    /// An item whose label is what the typed text is compared with.
    pub(super) fn new(label: impl Into<String>, kind: ItemKind, edit: ItemEdit) -> Self {
        let label = label.into();
        Self {
            filter: label.clone(),
            label,
            kind,
            detail: None,
            doc: None,
            edit,
            sort: String::new(),
            continues: false,
        }
    }

    /// The same item with a few words beside its label.
    pub(super) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same item with documentation.
    pub(super) fn with_doc(mut self, doc: Doc) -> Self {
        self.doc = Some(doc);
        self
    }

    /// The same item, found by another text than its label.
    pub(super) fn with_filter(mut self, filter: impl Into<String>) -> Self {
        self.filter = filter.into();
        self
    }

    /// The same item as the mere beginning of something.
    pub(super) fn continuing(mut self) -> Self {
        self.continues = true;
        self
    }
}

/// The items that are being collected.
#[derive(Debug, Default)]
pub(super) struct Items {
    items: Vec<Item>,
    is_incomplete: bool,
}

impl Items {
    /// Adds an item behind the others.
    pub(super) fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Adds items behind the others.
    pub(super) fn extend(&mut self, items: impl IntoIterator<Item = Item>) {
        self.items.extend(items);
    }

    /// Adds other items behind these.
    pub(super) fn append(&mut self, mut others: Self) {
        self.is_incomplete |= others.is_incomplete;
        self.items.append(&mut others.items);
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no answer has room for another item.
    pub(super) fn is_full(&self) -> bool {
        self.items.len() >= MOST_ITEMS
    }

    /// Says that typing on may bring items that are not here.
    pub(super) fn set_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// The labels.
    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| item.label.as_str())
    }

    /// The item with a label.
    pub(super) fn find(&mut self, label: &str) -> Option<&mut Item> {
        self.items.iter_mut().find(|item| item.label == label)
    }

    /// Drops all items but some.
    pub(super) fn retain(&mut self, is_kept: impl FnMut(&Item) -> bool) {
        self.items.retain(is_kept);
    }

    /// Drops all items but some, unless that would leave none.
    pub(super) fn prefer(&mut self, is_kept: impl Fn(&Item) -> bool) {
        if self.items.iter().any(&is_kept) {
            self.items.retain(is_kept);
        }
    }

    /// The names that an answer has room for: all of them, or else those that go with what is typed.
    pub(super) fn narrowed(&mut self, mut names: Vec<String>, typed: &str) -> Vec<String> {
        if names.len() > MOST_ITEMS {
            names.retain(|name| fits(name, typed));
            names.truncate(MOST_ITEMS);
            self.is_incomplete = true;
        }
        names
    }

    /// Of too many items, keeps those that go with what stands before the cursor.
    pub(super) fn narrow(&mut self, text: &str, cursor: u32) {
        if self.items.len() <= MOST_ITEMS {
            return;
        }
        self.items.retain(|item| {
            let typed = text.get(item.edit.span.start as usize..cursor as usize);
            fits(&item.filter, typed.unwrap_or_default())
        });
        self.items.truncate(MOST_ITEMS);
        self.is_incomplete = true;
    }

    /// Puts the items in another order; those of one rank stay as they were added.
    pub(super) fn order_by(&mut self, rank: impl FnMut(&Item) -> u8) {
        self.items.sort_by_key(rank);
    }

    /// The answer, in the order of the items.
    pub(super) fn finish(mut self) -> Completions {
        for (index, item) in self.items.iter_mut().enumerate() {
            item.sort = format!("{index:04}");
        }
        Completions {
            items: self.items,
            is_incomplete: self.is_incomplete,
        }
    }
}

/// Whether a text has all typed letters in their order, as editors ask of what they list.
pub(super) fn fits(text: &str, typed: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    let mut typed = typed.chars().flat_map(char::to_lowercase);
    typed.all(|letter| letters.any(|other| other == letter))
}
