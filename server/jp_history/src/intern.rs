//! Texts that occur many times, kept once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The number of an interned text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TextId(u32);

/// Texts, each once.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: Vec<Box<str>>,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// How many bytes all texts have.
    bytes: usize,
}

impl Interner {
    /// The number of a text; none when there are four thousand million of them.
    pub(crate) fn intern(&mut self, text: &str) -> Option<TextId> {
        let hash = self.hasher.hash_one(text);
        let texts = &self.texts;
        let is_same = |index: &u32| at(texts, *index) == text;
        if let Some(index) = self.known.find(hash, is_same) {
            return Some(TextId(*index));
        }
        let index = u32::try_from(self.texts.len()).ok()?;
        self.texts.push(text.into());
        self.bytes += text.len();
        let (texts, hasher) = (&self.texts, &self.hasher);
        self.known
            .insert_unique(hash, index, |index| hasher.hash_one(at(texts, *index)));
        Some(TextId(index))
    }

    /// The text of a number.
    pub(crate) fn text(&self, id: TextId) -> &str {
        at(&self.texts, id.0)
    }

    /// How many bytes all texts have.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

fn at(texts: &[Box<str>], index: u32) -> &str {
    let text = usize::try_from(index)
        .ok()
        .and_then(|index| texts.get(index));
    text.map_or("", |text| text)
}
