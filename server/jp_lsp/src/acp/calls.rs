//! Tool calls as an ACP client knows them.
//!
//! ```json
//! {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "fs_read_file: src/main.rs", "kind": "read",
//!  "locations": [{"path": "/w/src/main.rs"}]}
//! ```
//!
//! Providers use the id of a call more than once, and clients know one call by one id; so the second is `call_1#2`.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    Diff, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use camino::Utf8Path;
use jp_agent::ChangedFile;
use jp_conversation::{fenced, visible};
use serde_json::{Map, Value};

/// The arguments that name a file or a folder.
const PATHS: [&str; 7] = [
    "path",
    "paths",
    "file_path",
    "filename",
    "source",
    "destination",
    "root",
];

/// How many characters of a title are shown.
const TITLE_LIMIT: usize = 120;

/// The calls of one session.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// How often an id was used.
    used: BTreeMap<String, usize>,
    /// The calls without a result.
    open: BTreeMap<String, Open>,
}

/// A call without a result.
#[derive(Debug)]
struct Open {
    /// Its id, as the client knows it.
    shown: String,
    /// Whether it shows the change of a file.
    changes_file: bool,
    /// Whether its tool has run.
    has_run: bool,
    /// Whether it is no call of the model, but something that a person is asked before there is any.
    is_asked_first: bool,
}

impl Calls {
    /// A new call; answers its id as the client is to know it.
    pub(super) fn begin(&mut self, id: &str) -> String {
        let used = self.used.entry(id.to_owned()).or_default();
        *used += 1;
        let shown = match used {
            1 => visible(id).into_owned(),
            number => format!("{}#{number}", visible(id)),
        };
        let open = Open {
            shown: shown.clone(),
            changes_file: false,
            has_run: false,
            is_asked_first: false,
        };
        self.open.insert(id.to_owned(), open);
        shown
    }

    /// A call without a result shows the change of a file.
    pub(super) fn changes_file(&mut self, id: &str) {
        if let Some(open) = self.open.get_mut(id) {
            open.changes_file = true;
        }
    }

    /// The tool of a call runs; answers the call's id as the client knows it.
    pub(super) fn run(&mut self, id: &str) -> Option<&str> {
        let open = self.open.get_mut(id)?;
        open.has_run = true;
        Some(&open.shown)
    }

    /// A call has its result, which the client is told.
    pub(super) fn finish(
        &mut self,
        id: &str,
        result: &str,
        is_error: bool,
    ) -> Option<ToolCallUpdate> {
        let open = self.open.remove(id)?;
        // What was rejected is no success, though the model hears of it as of no error.
        let is_failed = is_error || !open.has_run;
        Some(ended(&open.shown, result, is_failed, open.changes_file))
    }

    /// What has this id is asked before there is any call of the model.
    pub(super) fn asked_first(&mut self, id: &str) {
        if let Some(open) = self.open.get_mut(id) {
            open.is_asked_first = true;
        }
    }

    /// Whether what has this id is no call of the model.
    pub(super) fn was_asked_first(&self, id: &str) -> bool {
        self.open.get(id).is_some_and(|open| open.is_asked_first)
    }

    /// The id of a call without a result, as the client knows it.
    pub(super) fn shown(&self, id: &str) -> Option<&str> {
        self.open.get(id).map(|open| open.shown.as_str())
    }

    /// A call has its result; answers its id as the client knows it.
    pub(super) fn end(&mut self, id: &str) -> Option<String> {
        self.open.remove(id).map(|open| open.shown)
    }

    /// Nothing runs any more; answers the ids, as the client knows them, of what never got a result.
    pub(super) fn end_all(&mut self) -> Vec<String> {
        let open = std::mem::take(&mut self.open).into_values();
        open.map(|open| open.shown).collect()
    }
}

/// A call that is being decided about.
pub(super) fn begun(
    (id, name): (&str, &str),
    arguments: Option<&Map<String, Value>>,
    root: &Utf8Path,
    change: Option<ChangedFile>,
) -> ToolCall {
    let paths = arguments.map(paths).unwrap_or_default();
    let call = ToolCall::new(id.to_owned(), title(name, &paths))
        .name(visible(name).into_owned())
        .kind(kind(name))
        .locations(locations(root, &paths));
    let call = match arguments {
        Some(arguments) => call.raw_input(Value::Object(arguments.clone())),
        None => call,
    };
    match change {
        Some(change) => call.content(vec![diff(root, change).into()]),
        None => call,
    }
}

/// A call whose tool runs.
pub(super) fn running(id: &str) -> ToolCallUpdate {
    let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
    ToolCallUpdate::new(id.to_owned(), fields)
}

/// A call with its result. What a changed file shows stays: a success says in words what the diff says.
pub(super) fn ended(id: &str, result: &str, is_failed: bool, keeps_diff: bool) -> ToolCallUpdate {
    let status = match is_failed {
        true => ToolCallStatus::Failed,
        false => ToolCallStatus::Completed,
    };
    let fields = ToolCallUpdateFields::new()
        .status(status)
        .raw_output(Value::String(result.to_owned()));
    let fields = match keeps_diff && !is_failed {
        true => fields,
        false => fields.content(vec![text(result)]),
    };
    ToolCallUpdate::new(id.to_owned(), fields)
}

/// Text that a tool wrote, as content of a call. Clients read Markdown in it, so that it stands in a fence.
fn text(text: &str) -> ToolCallContent {
    ToolCallContent::from(fenced("", &visible(text)))
}

/// A change of a file.
pub(super) fn diff(root: &Utf8Path, change: ChangedFile) -> Diff {
    let before = Some(change.before).filter(|before| !before.is_empty());
    Diff::new(root.join(change.path).into_std_path_buf(), change.after).old_text(before)
}

fn title(name: &str, paths: &[&str]) -> String {
    let name = visible(name);
    let title = match paths {
        [] => name.into_owned(),
        [path] => format!("{name}: {}", visible(path)),
        [path, rest @ ..] => format!("{name}: {} and {} more", visible(path), rest.len()),
    };
    let title: String = title.chars().take(TITLE_LIMIT).collect();
    title.replace(['\n', '\t'], " ")
}

/// What a bundled tool does, for the picture beside it; of others nothing is known.
fn kind(name: &str) -> ToolKind {
    match name {
        "fs_create_file" | "fs_modify_file" => ToolKind::Edit,
        "fs_delete_file" => ToolKind::Delete,
        "fs_move_file" => ToolKind::Move,
        "fs_read_file" => ToolKind::Read,
        "fs_grep_files" | "fs_list_files" => ToolKind::Search,
        _ => ToolKind::Other,
    }
}

fn paths(arguments: &Map<String, Value>) -> Vec<&str> {
    let named = PATHS.into_iter().filter_map(|name| arguments.get(name));
    named
        .flat_map(|value| match value {
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect::<Vec<_>>(),
        })
        .filter(|path| !path.is_empty())
        .collect()
}

/// Places in the workspace; a client follows them, so that what leads out of it is none.
fn locations(root: &Utf8Path, paths: &[&str]) -> Vec<ToolCallLocation> {
    let inside = paths.iter().filter_map(|path| {
        let canonical = jp_tool::canonicalize(root, Utf8Path::new(path)).ok()?;
        Some(root.join(canonical.relative))
    });
    inside
        .map(|path| ToolCallLocation::new(path.into_std_path_buf()))
        .collect()
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
