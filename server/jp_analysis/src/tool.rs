//! One tool as a view sees it: what all layers say of it, with the places where they say it.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! source = "local"
//! policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
//! ```

pub(crate) mod parameters;

use jp_config::{
    document::{Place as position, Span},
    enable::Enable,
    merge::{Located, Origin},
    source::ToolSource,
    view::View,
};

use crate::{
    diagnostic::{Diagnostic, Place},
    fix::Edit,
    options::Options,
    text::text_edit::{add_after, remove_statement},
};

/// The config path of the tools map.
pub const TOOLS: [&str; 2] = ["conversation", "tools"];

/// The key of the tool defaults in the tools map.
pub const DEFAULTS: &str = "*";

/// The tools that the layers of a view declare, without the defaults.
pub(crate) fn tool_names(view: &View) -> Vec<String> {
    let keys = view.keys(&TOOLS);
    keys.into_iter().filter(|key| key != DEFAULTS).collect()
}

/// What a tool rule looks at.
#[derive(Debug)]
pub struct ToolContext<'a> {
    /// The layers.
    pub view: &'a View,
    /// The tool's key; [`DEFAULTS`] for the defaults table.
    pub name: &'a str,
    /// The merged table of the tool.
    pub tool: Located,
    /// The merged defaults table; for the defaults table itself, nothing.
    pub defaults: Option<Located>,
    /// What a person chose.
    pub options: Options,
}

/// A check of one tool.
pub type ToolRule = fn(&ToolContext<'_>, &mut Vec<Diagnostic>);

impl<'a> ToolContext<'a> {
    /// The tool under a key of the tools map, if any layer declares it.
    #[must_use]
    pub fn of(view: &'a View, name: &'a str, options: Options) -> Option<Self> {
        let tool = view.effective(&["conversation", "tools", name])?;
        let defaults = if name == DEFAULTS {
            None
        } else {
            view.effective(&["conversation", "tools", DEFAULTS])
        };
        Some(Self {
            view,
            name,
            tool,
            defaults,
            options,
        })
    }

    /// Whether this is the defaults table.
    #[must_use]
    pub fn is_defaults(&self) -> bool {
        self.name == DEFAULTS
    }

    /// The tool's source, if a layer sets one that can be read.
    #[must_use]
    pub fn source(&self) -> Option<ToolSource> {
        let text = self.tool.get("source")?.value.as_str()?;
        ToolSource::parse(text).ok()
    }

    /// The merged `enable`, with that of the defaults.
    #[must_use]
    pub fn enable(&self) -> Enable {
        let read = |tool: &Located| Enable::from_value(&tool.get("enable")?.to_json()).ok();
        let own = read(&self.tool);
        match (self.defaults.as_ref().and_then(read), own) {
            (Some(defaults), Some(own)) => defaults.merged(own),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => Enable::default(),
        }
    }

    /// The place that decided a value.
    #[must_use]
    pub fn place(&self, located: &Located) -> Option<Place> {
        self.place_of(located.origin()?)
    }

    /// The key that names a value; the value itself where it has none.
    #[must_use]
    pub fn key_place(&self, located: &Located) -> Option<Place> {
        let origin = located.origin()?;
        let mut place = self.place_of(origin)?;
        if let Some(key) = origin.key {
            place.span = key;
        }
        Some(place)
    }

    /// An origin as a place in a file.
    #[must_use]
    pub fn place_of(&self, origin: Origin) -> Option<Place> {
        Some(Place {
            file: self.view.file(origin.layer)?,
            span: origin.span,
        })
    }

    /// The place of a part of a string value, by a range of its decoded bytes.
    ///
    /// The whole string where the part cannot be found.
    #[must_use]
    pub fn place_in_string(
        &self,
        located: &Located,
        range: std::ops::Range<usize>,
    ) -> Option<Place> {
        let origin = located.origin()?;
        let place = self.place_of(origin)?;
        let span = string_part(self.view, place, range).unwrap_or(place.span);
        Some(Place { span, ..place })
    }

    /// Takes a value and its key out of the file that decided it.
    #[must_use]
    pub(crate) fn remove(&self, located: &Located) -> Option<Edit> {
        let origin = located.origin()?;
        let place = self.place_of(origin)?;
        let document = self.view.graph().content(place.file)?.document()?;
        let statement = Span::new(origin.key?.start, place.span.end);
        remove_statement(document, place.file, statement)
    }

    /// Adds entries right after a value of the same table, in its layout.
    #[must_use]
    pub(crate) fn add_after(&self, located: &Located, entries: &[String]) -> Option<Edit> {
        let origin = located.origin()?;
        let place = self.place_of(origin)?;
        let document = self.view.graph().content(place.file)?.document()?;
        let statement = Span::new(origin.key?.start, place.span.end);
        add_after(document, place.file, statement, entries)
    }

    /// The merged value of the tool, or else of the defaults, below a path of keys.
    #[must_use]
    pub fn inherited(&self, path: &[&str]) -> Option<&Located> {
        self.tool
            .at(path)
            .or_else(|| self.defaults.as_ref()?.at(path))
    }
}

/// The source span of a part of the string that stands at a place.
fn string_part(view: &View, place: Place, range: std::ops::Range<usize>) -> Option<Span> {
    let document = view.graph().content(place.file)?.document()?;
    match document.at(place.span.start as usize + 1).place {
        position::String { string, .. } if string.span() == place.span => {
            Some(string.span_of(range))
        }
        _ => None,
    }
}
