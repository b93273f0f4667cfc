//! The config of a turn: what the files of a workspace say, and where.
//!
//! The runtime decides by what is saved.
//! A half-typed rule in an open buffer must not loosen what a tool may do.

use std::sync::Arc;

use camino::Utf8PathBuf;
use indexmap::IndexMap;
use jp_agent::{AgentError, ConfigSource, SourceRange};
use jp_config::{
    graph::{Graph, Roots},
    merge::{Located, LocatedValue, Origin, rules_of},
    view::View,
};
use jp_llm::KeyUse;
use jp_tool::spellings;
use serde_json::Value;

use super::{ToolToggles, refusal::refusal_of_files};
use crate::{
    disk::config_files::DiskFiles,
    line_index::{LineIndex, PositionEncoding},
    trust::{Door, TrustError, TrustList},
};

/// The config files of one workspace.
#[derive(Debug, Clone)]
pub struct WorkspaceConfig {
    roots: Roots,
    encoding: PositionEncoding,
    toggles: ToolToggles,
    /// The defaults of builtin tools, which can be switched too.
    builtins: IndexMap<String, Value>,
    /// Lets nothing through that nobody trusts; none for a workspace that this program has made itself.
    door: Option<Door>,
}

impl WorkspaceConfig {
    /// The config that is found at these roots.
    #[must_use]
    pub fn new(roots: Roots) -> Self {
        Self {
            roots,
            encoding: PositionEncoding::Utf16,
            toggles: ToolToggles::default(),
            builtins: IndexMap::new(),
            door: None,
        }
    }

    /// The same config behind a door: what it starts and sends has to be trusted.
    #[must_use]
    pub(super) fn with_door(self, door: Door) -> Self {
        Self {
            door: Some(door),
            ..self
        }
    }

    /// Where the files are looked for.
    #[must_use]
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The effective config, whether or not anybody trusts it: to be read, and not to be run.
    ///
    /// # Errors
    ///
    /// [`AgentError::Config`] when the workspace has no usable config.
    pub fn merged(&self) -> Result<Value, AgentError> {
        self.loaded().map(|(_, effective)| effective)
    }

    /// What the config starts and sends.
    ///
    /// A file that cannot be read in full does not hide what the others say.
    #[must_use]
    pub fn trust_list(&self) -> TrustList {
        let (view, effective) = self.read();
        TrustList::of(&view, &effective)
    }

    /// Passes a door with what the files say at this moment.
    ///
    /// # Errors
    ///
    /// [`TrustError`].
    pub fn pass(&self, door: &Door) -> Result<(), TrustError> {
        let (view, effective) = self.read();
        door.pass(&view, &effective)
    }

    /// Notes at a door what an editor vouches for: what the files say at this moment.
    ///
    /// # Errors
    ///
    /// [`TrustError`].
    pub fn note(&self, door: &Door) -> Result<(), TrustError> {
        let (view, effective) = self.read();
        door.note(&view, &effective)
    }

    /// Whether the workspace is the folder that it was, see [`Door::is_current`].
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.door.as_ref().is_none_or(Door::is_current)
    }

    /// Whether turns may still begin with what was found of the workspace, see [`Door::holds`].
    #[must_use]
    pub fn holds(&self) -> bool {
        self.door.as_ref().is_none_or(Door::holds)
    }

    /// The view of the files and the effective config that it gives, whether or not it is usable.
    fn read(&self) -> (View, Value) {
        let view = self.view();
        let effective = effective_of(&view);
        (view, effective)
    }

    /// The same config with some tools switched on or off.
    #[must_use]
    pub(super) fn with_toggles(
        self,
        toggles: ToolToggles,
        builtins: IndexMap<String, Value>,
    ) -> Self {
        Self {
            toggles,
            builtins,
            ..self
        }
    }

    /// The same config, its places counted as a client counts characters. The default is UTF-16.
    #[must_use]
    pub fn with_encoding(self, encoding: PositionEncoding) -> Self {
        Self { encoding, ..self }
    }

    fn view(&self) -> View {
        let files = DiskFiles::trusted();
        let mut roots = self.roots.clone();
        // Fragments are alternatives; a turn has none of them.
        roots.fragments.clear();
        View::new(Arc::new(Graph::load(&roots, &files)))
    }
}

impl WorkspaceConfig {
    /// The view, and the effective config that it gives.
    fn loaded(&self) -> Result<(View, Value), AgentError> {
        let view = self.view();
        // A config with an error does not load, so that no rule is lost in silence.
        if let Some(refusal) = refusal_of_files(view.graph()) {
            return Err(AgentError::Unusable(Box::new(refusal)));
        }
        let effective = effective_of(&view);
        let effective = self.toggles.apply(effective, &self.builtins)?;
        Ok((view, effective))
    }
}

impl ConfigSource for WorkspaceConfig {
    fn effective(&self) -> Result<Value, AgentError> {
        let (view, effective) = self.loaded()?;
        if let Some(door) = &self.door {
            door.pass(&view, &effective)?;
        }
        Ok(effective)
    }

    fn trust(&self, digest: &str) -> Result<(), AgentError> {
        let list = self.trust_list();
        // What changed since it was shown was not trusted.
        if let Some(door) = self
            .door
            .as_ref()
            .filter(|door| door.digest(&list) == digest)
        {
            door.keep(&list)?;
        }
        Ok(())
    }

    fn allow_key(&self, key: &KeyUse) -> Result<(), AgentError> {
        if let Some(door) = &self.door {
            door.allow(key)?;
        }
        Ok(())
    }

    fn place(&self, path: &[&str], index: Option<usize>) -> Option<SourceRange> {
        place_of(&self.view(), path, index, self.encoding)
    }

    fn files(&self) -> Vec<Utf8PathBuf> {
        let graph = Graph::load(&self.roots, &DiskFiles::trusted());
        let paths = graph.decisive_paths();
        paths.iter().flat_map(|path| spellings(path)).collect()
    }
}

/// The effective config of a view as plain JSON.
pub(super) fn effective_of(view: &View) -> Value {
    view.effective(&[]).map_or_else(
        || Value::Object(serde_json::Map::new()),
        |config| config.to_json(),
    )
}

/// The place that decided the value at a path; for `index`, the place of that element of the list.
pub(super) fn place_of(
    view: &View,
    path: &[&str],
    index: Option<usize>,
    encoding: PositionEncoding,
) -> Option<SourceRange> {
    let located = view.effective(path)?;
    let located = match index {
        Some(index) => rules_of(located).into_iter().nth(index)?,
        None => located,
    };
    place(view, &located, encoding)
}

/// Where the value stands that decided.
fn place(view: &View, located: &Located, encoding: PositionEncoding) -> Option<SourceRange> {
    let origin = origin_of(located)?;
    let file = view.file(origin.layer)?;
    let document = view.graph().content(file)?.document()?;
    let text = document.text();
    let lines = LineIndex::new(text);
    let position = |offset: u32| {
        let position = lines.position(text, offset as usize, encoding);
        (position.line, position.character)
    };
    Some(SourceRange {
        file: view.graph().path(file).to_owned(),
        start: position(origin.span.start),
        end: position(origin.span.end),
    })
}

fn origin_of(located: &Located) -> Option<Origin> {
    match &located.value {
        // A rule that a mode alone stands for is where the mode is.
        LocatedValue::Table(table) if table.len() == 1 => table
            .get("mode")
            .and_then(Located::origin)
            .or_else(|| located.origin()),
        _ => located.origin(),
    }
}

#[cfg(test)]
#[path = "config_source_tests.rs"]
mod tests;
