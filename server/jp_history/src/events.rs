//! The events of a file, one by one, those that are damaged counted and passed by.
//!
//! ```json
//! {"timestamp":"2026-03-18 13:19:12.1","type":"tool_call_request","id":"c","name":"fs_read_file","arguments":{}}
//! ```
//!
//! Only what is about calls is read; what is said in a conversation is passed by without being decoded.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};

use camino::Utf8Path;
use jp_conversation::ConversationEvent;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use crate::source::Keeper;

/// What calls are told by.
const TAGS: [&str; 3] = ["turn_start", "tool_call_request", "tool_call_response"];

#[derive(Deserialize)]
struct Tagged<'a> {
    #[serde(borrow, rename = "type")]
    tag: Cow<'a, str>,
}

/// What reading a file came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Damage {
    /// Records that cannot be read.
    pub(crate) records: usize,
    /// Whether the file cannot be read to its end.
    pub(crate) is_cut: bool,
}

/// Hands the events of a file that are about calls to `each`, in order; reads no more than `limit` bytes.
pub(crate) fn read(
    path: &Utf8Path,
    keeper: Keeper,
    limit: u64,
    each: &mut dyn FnMut(ConversationEvent),
) -> Damage {
    let mut damage = Damage::default();
    let Ok(file) = File::open(path) else {
        damage.is_cut = true;
        return damage;
    };
    // The file may grow while it is read.
    let mut reader = BufReader::new(file.take(limit));
    match keeper {
        Keeper::JpLsp => read_lines(&mut reader, &mut damage, each),
        Keeper::Jp => {
            let mut deserializer = serde_json::Deserializer::from_reader(reader);
            let read = deserializer.deserialize_seq(Events {
                damage: &mut damage,
                each,
            });
            damage.is_cut |= read.is_err() || deserializer.end().is_err();
        }
    }
    damage
}

fn read_lines(
    reader: &mut impl BufRead,
    damage: &mut Damage,
    each: &mut dyn FnMut(ConversationEvent),
) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return,
            // What has no line feed is being written, or was torn off.
            Ok(_) if line.last() != Some(&b'\n') => return,
            Ok(_) => {}
            Err(_) => {
                damage.is_cut = true;
                return;
            }
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice::<Tagged<'_>>(text) {
            Ok(tagged) if !TAGS.contains(&&*tagged.tag) => {}
            Ok(_) => match serde_json::from_slice(text) {
                Ok(value) => take(value, damage, each),
                Err(_) => damage.records += 1,
            },
            Err(_) => damage.records += 1,
        }
    }
}

fn take(value: Value, damage: &mut Damage, each: &mut dyn FnMut(ConversationEvent)) {
    let tag = value.get("type").and_then(Value::as_str);
    match tag {
        Some(tag) if TAGS.contains(&tag) => match ConversationEvent::from_stored(value) {
            Ok(event) => each(event),
            Err(_) => damage.records += 1,
        },
        Some(_) => {}
        None => damage.records += 1,
    }
}

/// An array of events, of which no more than one is in memory.
struct Events<'a> {
    damage: &'a mut Damage,
    each: &'a mut dyn FnMut(ConversationEvent),
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(value) = events.next_element::<Value>()? {
            take(value, self.damage, self.each);
        }
        Ok(())
    }
}
