//! What the client said about itself in `initialize`.
//!
//! ```json
//! { "processId": 7, "workspaceFolders": [{ "uri": "file:///w", "name": "w" }],
//!   "initializationOptions": { "trusted": true, "dialect": "rfd", "disabled": ["inlayHint"],
//!                             "agent": { "maxCycles": 100, "sandbox": "on" } },
//!   "capabilities": { "experimental": { "jp": { "prompts": true } } } }
//! ```
//!
//! The parameters are read leniently from JSON.
//! A capability that this version of the protocol types does not know, or misnames, must not keep the server from starting.

use std::{collections::BTreeSet, num::NonZeroU32};

use camino::Utf8PathBuf;
use jp_agent::Sandbox;
use jp_analysis::{Severities, text::markup::MarkupKind};
use jp_sandbox::SandboxMode;
use serde_json::{Map, Value};
use url::Url;

use crate::{line_index::PositionEncoding, session::documents::FileKey};

/// The JSON Schema of `initializationOptions`.
pub(crate) const INITIALIZATION_OPTIONS_SCHEMA: &str =
    include_str!("../../../../schemas/initialization-options.schema.json");

/// The options that are read.
const OPTIONS: [&str; 5] = ["trusted", "dialect", "disabled", "severity", "agent"];

/// The options of the agent that are read.
const AGENT_OPTIONS: [&str; 3] = ["maxCycles", "sandbox", "sandboxFolders"];

/// The reading aids that can be switched off, by the name of their capability; `ruleExamples` are some of the inlay hints.
const READING_AIDS: [&str; 5] = [
    "inlayHint",
    "ruleExamples",
    "codeLens",
    "semanticTokens",
    "signatureHelp",
];

/// Which syntax the `jp` that reads the config understands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Dialect {
    /// Everything that the design documents specify.
    #[default]
    Rfd,
    /// What the released `jp` loads; what it rejects is warned about.
    Released,
}

/// One folder of the workspace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Folder {
    /// The URI as the client spelled it.
    pub uri: Url,
    /// The name that the client shows.
    pub name: String,
    /// The normalized path; none for a folder that is not on this machine's file system.
    pub path: Option<Utf8PathBuf>,
}

impl Folder {
    /// The folder of `uri`.
    #[must_use]
    pub fn new(uri: Url, name: String) -> Self {
        let path = FileKey::of(&uri).path().map(ToOwned::to_owned);
        Self { uri, name, path }
    }

    /// Reads `{"uri", "name"}`; none when the URI is no URI.
    pub(crate) fn from_json(folder: &Value) -> Option<Self> {
        let uri = Url::parse(folder.get("uri")?.as_str()?).ok()?;
        let name = folder
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Some(Self::new(uri, name.to_owned()))
    }
}

/// What the client can do and wants; fixed for the life of the connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClientProfile {
    /// The process to watch; when it ends, the server ends.
    pub process_id: Option<i32>,
    /// The client's name, such as `Visual Studio Code`.
    pub name: Option<String>,
    /// The negotiated unit of characters.
    pub encoding: PositionEncoding,
    /// The folders that are open at the start.
    pub folders: Vec<Folder>,
    /// Whether the user trusts the workspace; nothing is run before. Default false.
    pub trusted: bool,
    /// The dialect to judge by.
    pub dialect: Dialect,
    /// Whether the client answers `jp/prompt`.
    pub prompts: bool,
    /// Whether the client wants to know the config's files by `jp/configFiles`.
    pub config_files: bool,
    /// Whether the client wants to know what each call of a turn is doing, and what the turn has taken.
    pub turn_details: bool,
    /// The reading aids that the user does not want: `inlayHint`, `ruleExamples`, `codeLens`, `semanticTokens`, `signatureHelp`.
    pub disabled: BTreeSet<String>,
    /// The severities that the user chose.
    pub severities: Severities,
    /// How many cycles a turn of the agent may have; none where the user leaves it to the server.
    pub max_cycles: Option<NonZeroU32>,
    /// How the tools of the agent are held to their grants.
    pub sandbox: Sandbox,
    /// All capabilities, as the client sent them.
    capabilities: Value,
    /// What was wrong with the options, for the user to read.
    pub complaints: Vec<String>,
}

impl ClientProfile {
    /// Reads the parameters of `initialize`. What is missing or malformed counts as absent.
    #[must_use]
    pub fn from_json(params: &Value) -> Self {
        let capabilities = params.get("capabilities").cloned().unwrap_or_default();
        let mut complaints = Vec::new();
        let options = params.get("initializationOptions").unwrap_or(&Value::Null);
        unknown(options, &mut complaints);
        let trusted = trusted(options, &mut complaints);
        let dialect = dialect(options, &mut complaints);
        let disabled = disabled(options, &mut complaints);
        let severities = severities(options, &mut complaints);
        let agent = agent(options, &mut complaints);
        Self {
            process_id: params
                .get("processId")
                .and_then(Value::as_i64)
                .and_then(|id| i32::try_from(id).ok()),
            name: string(params, "/clientInfo/name"),
            encoding: encoding(&capabilities),
            folders: folders(params),
            trusted,
            dialect,
            prompts: flag(&capabilities, "/experimental/jp/prompts"),
            config_files: flag(&capabilities, "/experimental/jp/configFiles"),
            turn_details: flag(&capabilities, "/experimental/jp/turnDetails"),
            disabled,
            severities,
            max_cycles: max_cycles(agent, &mut complaints),
            sandbox: sandbox(agent, &mut complaints),
            capabilities,
            complaints,
        }
    }

    /// Whether the user wants a reading aid, by the name of its capability, such as `inlayHint`.
    #[must_use]
    pub fn wants(&self, feature: &str) -> bool {
        !self.disabled.contains(feature)
    }

    /// Whether the client can be told to ask for a reading aid again, by the name of its capability.
    pub(crate) fn refreshes(&self, feature: &str) -> bool {
        self.can(&format!("/workspace/{feature}/refreshSupport"))
    }

    /// Whether diagnostics wait to be asked for.
    ///
    /// Only a client that can be told to ask again gets no pushed ones: the diagnostics of one file change with other files.
    #[must_use]
    pub fn pulls(&self) -> bool {
        self.has("/textDocument/diagnostic") && self.refreshes_diagnostics()
    }

    /// Whether the client understands `workspace/diagnostic/refresh`.
    #[must_use]
    pub fn refreshes_diagnostics(&self) -> bool {
        // The protocol's name has an `s`; the types of lsp-types 0.94 read the name without it.
        self.can("/workspace/diagnostics/refreshSupport")
    }

    /// Whether an answer about one file may carry the diagnostics of others.
    #[must_use]
    pub fn takes_related_diagnostics(&self) -> bool {
        self.can("/textDocument/diagnostic/relatedDocumentSupport")
    }

    /// Whether the client watches files for the server.
    #[must_use]
    pub fn watches_files(&self) -> bool {
        self.can("/workspace/didChangeWatchedFiles/dynamicRegistration")
    }

    /// Whether the client shows progress that the server begins.
    #[must_use]
    pub fn shows_progress(&self) -> bool {
        self.can("/window/workDoneProgress")
    }

    /// Whether the client opens a document that the server names.
    #[must_use]
    pub fn shows_documents(&self) -> bool {
        self.can("/window/showDocument/support")
    }

    /// Whether the client asks for documents that have an address and no file.
    #[must_use]
    pub fn takes_contents(&self) -> bool {
        self.has("/workspace/textDocumentContent")
    }

    /// Whether the client makes edits that the server asks for.
    #[must_use]
    pub fn applies_edits(&self) -> bool {
        self.can("/workspace/applyEdit")
    }

    /// Whether edits may name the versions of the files that they are for.
    #[must_use]
    pub fn takes_versioned_edits(&self) -> bool {
        self.can("/workspace/workspaceEdit/documentChanges")
    }

    /// Whether edits may say what they are about.
    #[must_use]
    pub fn takes_annotated_edits(&self) -> bool {
        self.has("/workspace/workspaceEdit/changeAnnotationSupport")
    }

    /// Whether edits may create files.
    #[must_use]
    pub fn creates_files(&self) -> bool {
        self.lists("/workspace/workspaceEdit/resourceOperations", "create")
    }

    /// Whether code actions may be more than commands.
    #[must_use]
    pub fn takes_code_actions(&self) -> bool {
        self.has("/textDocument/codeAction/codeActionLiteralSupport")
    }

    /// Whether the edit of a code action may come when a person picks the action.
    #[must_use]
    pub fn resolves_code_actions(&self) -> bool {
        self.lists("/textDocument/codeAction/resolveSupport/properties", "edit")
            && self.can("/textDocument/codeAction/dataSupport")
    }

    /// Whether the client shows why a code action cannot be done.
    #[must_use]
    pub fn shows_disabled_actions(&self) -> bool {
        self.can("/textDocument/codeAction/disabledSupport")
    }

    /// Whether completion items may have stops for the cursor.
    #[must_use]
    pub fn takes_snippets(&self) -> bool {
        self.can("/textDocument/completion/completionItem/snippetSupport")
    }

    /// Whether completion items may say how their lines are indented.
    #[must_use]
    pub fn takes_insert_modes(&self) -> bool {
        let pointer = "/textDocument/completion/completionItem/insertTextModeSupport";
        self.capabilities.pointer(pointer).is_some()
    }

    /// Whether the documentation of a completion item may come when the item is shown.
    #[must_use]
    pub fn resolves_completion_items(&self) -> bool {
        let pointer = "/textDocument/completion/completionItem/resolveSupport/properties";
        self.lists(pointer, "documentation")
    }

    /// How the documentation of completion items is written.
    #[must_use]
    pub fn completion_markup(&self) -> MarkupKind {
        self.markup("/textDocument/completion/completionItem/documentationFormat/0")
    }

    /// How hovers are written.
    #[must_use]
    pub fn hover_markup(&self) -> MarkupKind {
        self.markup("/textDocument/hover/contentFormat/0")
    }

    /// How the documentation of signatures is written.
    #[must_use]
    pub fn signature_markup(&self) -> MarkupKind {
        self.markup("/textDocument/signatureHelp/signatureInformation/documentationFormat/0")
    }

    /// Whether a parameter may be named by its place in the signature.
    #[must_use]
    pub fn takes_parameter_offsets(&self) -> bool {
        let pointer = "/textDocument/signatureHelp/signatureInformation/parameterInformation/labelOffsetSupport";
        self.can(pointer)
    }

    /// Whether the client folds whole lines alone.
    #[must_use]
    pub fn folds_lines(&self) -> bool {
        self.can("/textDocument/foldingRange/lineFoldingOnly")
    }

    /// Whether the client asks what a rename would rename.
    #[must_use]
    pub fn prepares_renames(&self) -> bool {
        self.can("/textDocument/rename/prepareSupport")
    }

    /// Whether document symbols may have children.
    #[must_use]
    pub fn nests_symbols(&self) -> bool {
        self.can("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport")
    }

    /// Whether the capability at a JSON pointer is `true`.
    fn can(&self, pointer: &str) -> bool {
        flag(&self.capabilities, pointer)
    }

    /// Whether the capability at a JSON pointer is an object or `true`.
    fn has(&self, pointer: &str) -> bool {
        match self.capabilities.pointer(pointer) {
            Some(Value::Object(_)) => true,
            other => other == Some(&Value::Bool(true)),
        }
    }

    /// Whether the list at a JSON pointer holds a word.
    fn lists(&self, pointer: &str, word: &str) -> bool {
        let list = self.capabilities.pointer(pointer).and_then(Value::as_array);
        list.into_iter().flatten().any(|listed| listed == word)
    }

    /// The format at a JSON pointer; plain text where none is named that is known.
    fn markup(&self, pointer: &str) -> MarkupKind {
        match self.capabilities.pointer(pointer).and_then(Value::as_str) {
            Some("markdown") => MarkupKind::Markdown,
            _ => MarkupKind::PlainText,
        }
    }
}

fn encoding(capabilities: &Value) -> PositionEncoding {
    let offered = capabilities
        .pointer("/general/positionEncodings")
        .and_then(Value::as_array);
    PositionEncoding::negotiate(offered.into_iter().flatten().filter_map(Value::as_str))
}

fn folders(params: &Value) -> Vec<Folder> {
    if let Some(folders) = params.get("workspaceFolders").and_then(Value::as_array) {
        return folders.iter().filter_map(Folder::from_json).collect();
    }
    let root = string(params, "/rootUri").and_then(|uri| Url::parse(&uri).ok());
    let root = root
        .or_else(|| string(params, "/rootPath").and_then(|path| Url::from_file_path(path).ok()));
    root.map(|uri| Folder::new(uri, String::new()))
        .into_iter()
        .collect()
}

fn trusted(options: &Value, complaints: &mut Vec<String>) -> bool {
    match options.get("trusted") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(trusted)) => *trusted,
        Some(other) => {
            complaints.push(format!("`initializationOptions.trusted` is `{other}`: write `true` or `false`; the workspace counts as untrusted"));
            false
        }
    }
}

fn dialect(options: &Value, complaints: &mut Vec<String>) -> Dialect {
    match options.get("dialect") {
        None | Some(Value::Null) => Dialect::default(),
        Some(Value::String(dialect)) if dialect == "rfd" => Dialect::Rfd,
        Some(Value::String(dialect)) if dialect == "released" => Dialect::Released,
        Some(other) => {
            complaints.push(format!("`initializationOptions.dialect` is `{other}`: write `\"rfd\"` or `\"released\"`; `\"rfd\"` is used"));
            Dialect::default()
        }
    }
}

/// The names under `initializationOptions.disabled`; what is no name of a reading aid is left out.
fn disabled(options: &Value, complaints: &mut Vec<String>) -> BTreeSet<String> {
    let given = match options.get("disabled") {
        None | Some(Value::Null) => return BTreeSet::new(),
        Some(Value::Array(names)) => names.iter().collect(),
        Some(other) => vec![other],
    };
    let (known, unknown): (Vec<&Value>, Vec<&Value>) = given.into_iter().partition(|name| {
        name.as_str()
            .is_some_and(|name| READING_AIDS.contains(&name))
    });
    for other in unknown {
        complaints.push(format!("`initializationOptions.disabled` holds `{other}`, which is no reading aid: write a list of `\"inlayHint\"`, `\"codeLens\"`, `\"semanticTokens\"` and `\"signatureHelp\"`"));
    }
    let known = known.into_iter().filter_map(Value::as_str);
    known.map(ToOwned::to_owned).collect()
}

/// `initializationOptions.severity`: severities by code; what cannot be read is left out.
fn severities(options: &Value, complaints: &mut Vec<String>) -> Severities {
    let mut severities = Severities::default();
    let levels = match options.get("severity") {
        None | Some(Value::Null) => return severities,
        Some(Value::Object(levels)) => levels,
        Some(other) => {
            complaints.push(format!(
                "`initializationOptions.severity` is `{other}`: write an object such as `{{ \"missing-catch-all\": \"error\" }}`"
            ));
            return severities;
        }
    };
    for (code, level) in levels {
        let written = level
            .as_str()
            .map_or_else(|| level.to_string(), ToOwned::to_owned);
        if let Err(error) = severities.set(code, &written) {
            complaints.push(format!("`initializationOptions.severity`: {error}"));
        }
    }
    severities
}

/// `initializationOptions.agent`.
fn agent<'a>(options: &'a Value, complaints: &mut Vec<String>) -> Option<&'a Map<String, Value>> {
    let agent = match options.get("agent") {
        None | Some(Value::Null) => return None,
        Some(Value::Object(agent)) => agent,
        Some(other) => {
            complaints.push(format!(
                "`initializationOptions.agent` is `{other}`: write an object such as `{{ \"maxCycles\": 100 }}`"
            ));
            return None;
        }
    };
    for name in agent
        .keys()
        .filter(|name| !AGENT_OPTIONS.contains(&name.as_str()))
    {
        complaints.push(format!(
            "`initializationOptions.agent.{name}` is no option and does nothing: the options are `maxCycles`, `sandbox` and `sandboxFolders`"
        ));
    }
    Some(agent)
}

/// `maxCycles` of the agent.
fn max_cycles(
    agent: Option<&Map<String, Value>>,
    complaints: &mut Vec<String>,
) -> Option<NonZeroU32> {
    let cycles = agent?.get("maxCycles").filter(|cycles| !cycles.is_null())?;
    let number = cycles
        .as_u64()
        .and_then(|cycles| u32::try_from(cycles).ok());
    let number = number.and_then(NonZeroU32::new);
    if number.is_none() {
        complaints.push(format!(
            "`initializationOptions.agent.maxCycles` is `{cycles}`: write a whole number from 1; {} is used",
            jp_agent::MAX_CYCLES
        ));
    }
    number
}

/// `sandbox` and `sandboxFolders` of the agent.
fn sandbox(agent: Option<&Map<String, Value>>, complaints: &mut Vec<String>) -> Sandbox {
    let option = |name: &str| {
        agent
            .and_then(|agent| agent.get(name))
            .filter(|value| !value.is_null())
    };
    let mut sandbox = Sandbox::default();
    if let Some(mode) = option("sandbox") {
        match mode.as_str().map(str::parse::<SandboxMode>) {
            Some(Ok(mode)) => sandbox.mode = mode,
            _ => complaints.push(format!(
                "`initializationOptions.agent.sandbox` is `{mode}`: write `\"on\"`, `\"require\"` or `\"off\"`; `\"{}\"` is used",
                sandbox.mode
            )),
        }
    }
    let folders = match option("sandboxFolders") {
        None => return sandbox,
        Some(Value::Array(folders)) => folders.as_slice(),
        Some(other) => std::slice::from_ref(other),
    };
    for folder in folders {
        match folder.as_str().map(Utf8PathBuf::from) {
            Some(folder) if folder.is_absolute() => sandbox.folders.push(folder),
            _ => complaints.push(format!(
                "`initializationOptions.agent.sandboxFolders` holds `{folder}`: write a list of absolute paths"
            )),
        }
    }
    sandbox
}

/// Complains about options that are none of [`OPTIONS`]; a misspelled one would do nothing.
fn unknown(options: &Value, complaints: &mut Vec<String>) {
    let names = options.as_object().into_iter().flatten();
    for (name, _) in names.filter(|(name, _)| !OPTIONS.contains(&name.as_str())) {
        complaints.push(format!(
            "`initializationOptions.{name}` is no option and does nothing: the options are `trusted`, `dialect`, `disabled`, `severity` and `agent`"
        ));
    }
}

fn flag(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer) == Some(&Value::Bool(true))
}

fn string(value: &Value, pointer: &str) -> Option<String> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(ToOwned::to_owned)
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
