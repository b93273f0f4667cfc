//! A prompt as every surface gets it; the parameters of `jp/prompt`.
//!
//! ```json
//! {"id": "3", "digest": "9f2c…", "conversation": "17636666521", "kind": "run", "title": "Run local fs_delete_file tool?",
//!  "message": "path: notes.md", "tool": {"name": "fs_delete_file", "callId": "call_1"},
//!  "preview": {"kind": "arguments", "text": "path: notes.md", "arguments": {"path": "notes.md"}},
//!  "actions": [{"id": "reject", "title": "Reject"}, {"id": "approve", "title": "Run"}]}
//! ```

use camino::Utf8PathBuf;
use jp_conversation::visible;
use jp_policy::{RawRule, RunMode};
use jp_tool::{AnswerType, Question};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::digest::digest;
use super::{
    DeltaOperation, DeltaPrompt, DeltaPromptChange, GrantPrompt, PromptRequest, PromptRule,
    PromptSubject,
};
use crate::preview::{Preview, excerpt, one_line};
use crate::source_range::SourceRange;

/// How much of a text a title or a message shows.
const LINE_LIMIT: usize = 500;

/// A prompt that waits for an answer, ready to be shown.
///
/// Texts of tools and models have their control and bidirectional characters spelled out, so a surface that cannot
/// interpret markup may show them as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Names the prompt; never used again in the life of the process.
    pub id: String,
    /// Names exactly what is approved, see [`digest`].
    pub digest: String,
    /// The conversation.
    pub conversation: String,
    /// What is asked.
    pub kind: PromptKind,
    /// The question in one line.
    pub title: String,
    /// What the question is about, a few lines.
    pub message: String,
    /// Who asks, when the config says so (RFD 083, `prompt_label`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What a tool wants shown above its question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The tool call.
    pub tool: PromptToolCall,
    /// The rule that led to the prompt, if it stands in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleReference>,
    /// What would happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// The question of a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<PromptQuestion>,
    /// The config change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<DeltaPrompt>,
    /// What a person can do, the safe choice first.
    pub actions: Vec<PromptAction>,
    /// Whether an answer may be remembered for the turn.
    #[serde(skip)]
    pub may_remember: bool,
    /// What a person has to know first; `message` begins with it.
    #[serde(skip)]
    pub note: Option<String>,
    /// Where the rule stands, for surfaces that show it there.
    #[serde(skip)]
    pub place: Option<SourceRange>,
    /// The absolute path of the workspace.
    #[serde(skip)]
    pub root: Utf8PathBuf,
    /// The call that waits for leave to run, where its answer can hold for others too.
    #[serde(skip)]
    pub waiting: Option<Box<WaitingCall>>,
}

/// A call that waits for a person to let it run.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingCall {
    /// The absolute path of the workspace.
    pub root: Utf8PathBuf,
    /// The tool.
    pub tool: String,
    /// The prepared arguments.
    pub arguments: Map<String, Value>,
    /// The rules of the tool, of which one asks.
    pub rules: Vec<RawRule<RunMode>>,
}

impl WaitingCall {
    /// The call that a prompt is about; none for one that no rule may answer: a path leads out of the workspace, or it is no such prompt.
    #[must_use]
    pub fn of(request: &PromptRequest) -> Option<Self> {
        let is_single = request.note.as_ref().is_some_and(|note| note.is_single);
        match (&request.subject, &request.rule) {
            (PromptSubject::Run { arguments, .. }, Some(rule)) if !is_single => Some(Self {
                root: request.root.clone(),
                tool: request.tool.name.clone(),
                arguments: arguments.clone(),
                rules: rule.rules.clone(),
            }),
            _ => None,
        }
    }
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// Whether a call may run, or what the workspace starts or sends by itself.
    Run,
    /// What the arguments of a call are to be.
    Edit,
    /// Whether a result may be delivered.
    Result,
    /// What a tool wants to know.
    Question,
    /// Whether a config change may be applied, or a tool is to get what it was refused.
    Delta,
}

/// The tool call of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptToolCall {
    /// The name of the tool as the model knows it.
    pub name: String,
    /// The id of the call.
    pub call_id: String,
}

/// A rule that stands in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleReference {
    /// Its number in the effective list, from 0; none for a plain mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The file.
    pub uri: String,
    /// Where in the file, in characters of the negotiated encoding.
    pub range: RuleRange,
}

/// A range in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRange {
    /// Where it begins.
    pub start: RulePosition,
    /// Where it ends.
    pub end: RulePosition,
}

/// A position in a file, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulePosition {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub character: u32,
}

/// A question of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptQuestion {
    /// The question.
    pub text: String,
    /// What kind of answer fits.
    pub answer_type: PromptAnswerType,
    /// The answer to offer first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// What kind of answer fits a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PromptAnswerType {
    /// `true` or `false`.
    Boolean,
    /// One of these strings.
    Select {
        /// The strings, exactly as an answer must have them.
        options: Vec<String>,
    },
    /// Any string.
    Text,
    /// Any string, typed without echo.
    Secret,
}

impl From<&AnswerType> for PromptAnswerType {
    fn from(answer_type: &AnswerType) -> Self {
        match answer_type {
            AnswerType::Boolean => Self::Boolean,
            AnswerType::Select { options } => Self::Select {
                options: options.clone(),
            },
            AnswerType::Text => Self::Text,
            AnswerType::Secret => Self::Secret,
        }
    }
}

/// Something that a person can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptAction {
    /// What it is.
    pub id: PromptActionId,
    /// What to write on the button; no two of a prompt are the same.
    pub title: String,
}

/// What a person can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptActionId {
    /// Yes.
    Approve,
    /// No.
    Reject,
    /// Yes, but changed.
    Edit,
    /// The answer to a question.
    Answer,
    /// No answer to a question.
    Cancel,
    /// Show everything; decides nothing.
    Details,
    /// Show rules that would let the call run, and write one; for surfaces that can, a broker never gets it.
    Always,
}

impl PromptActionId {
    /// The id as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Edit => "edit",
            Self::Answer => "answer",
            Self::Cancel => "cancel",
            Self::Details => "details",
            Self::Always => "always",
        }
    }
}

impl Prompt {
    /// The prompt for a request. Reads the file that a call would change, to show what would change.
    #[must_use]
    pub fn new(id: String, request: &PromptRequest) -> Self {
        let question = match &request.subject {
            PromptSubject::Question { question, .. } => Some(question),
            _ => None,
        };
        let preview = Preview::of(request);
        let note = request
            .note
            .as_ref()
            .map(|note| excerpt(note.text.trim_end()));
        let message = match (&note, message(request, preview.as_ref())) {
            (Some(note), message) if message.is_empty() => note.clone(),
            (Some(note), message) => format!("{note}\n{message}"),
            (None, message) => message,
        };
        let is_single = request.note.as_ref().is_some_and(|note| note.is_single);
        let is_truncated = preview.as_ref().is_some_and(|preview| preview.truncated);
        Self {
            id,
            digest: digest(request),
            conversation: request.conversation.to_string(),
            kind: request.subject.kind(),
            title: title(request),
            message,
            label: match &request.subject {
                PromptSubject::Question { label, .. } => {
                    label.as_deref().map(|label| one_line(label, LINE_LIMIT))
                }
                _ => None,
            },
            context: question
                .and_then(|question| question.context.as_deref())
                .map(excerpt),
            tool: PromptToolCall {
                name: one_line(&request.tool.name, LINE_LIMIT),
                call_id: request.tool.call_id.clone(),
            },
            rule: request.rule.as_ref().and_then(rule_reference),
            preview,
            question: question.map(|question| prompt_question(question)),
            delta: match &request.subject {
                PromptSubject::Delta(delta) => Some(visible_delta(delta)),
                PromptSubject::Grant(grant) => Some(visible_delta(&grant.delta)),
                _ => None,
            },
            actions: actions(&request.subject),
            // What cannot be seen whole is decided once, not for all that follows.
            may_remember: may_remember(&request.subject) && !is_truncated && !is_single,
            note,
            place: request.rule.as_ref().and_then(|rule| rule.place.clone()),
            root: request.root.clone(),
            // Nobody makes a rule from what they cannot see whole.
            waiting: WaitingCall::of(request)
                .filter(|_| !is_truncated)
                .map(Box::new),
        }
    }

    /// Whether a person is offered `action`.
    #[must_use]
    pub fn offers(&self, action: PromptActionId) -> bool {
        self.actions.iter().any(|offered| offered.id == action)
    }
}

impl PromptSubject {
    /// Which kind of prompt this is.
    #[must_use]
    pub const fn kind(&self) -> PromptKind {
        match self {
            Self::Run { .. } | Self::Consent(_) => PromptKind::Run,
            Self::Edit { .. } => PromptKind::Edit,
            Self::Result { .. } => PromptKind::Result,
            Self::Question { .. } => PromptKind::Question,
            Self::Delta(_) | Self::Grant(_) => PromptKind::Delta,
        }
    }
}

fn title(request: &PromptRequest) -> String {
    let tool = one_line(&request.tool.name, LINE_LIMIT);
    let source = match request.tool.source.split_once('.') {
        Some(("mcp", server)) => format!("mcp {tool} tool from {} server", one_line(server, 80)),
        _ => format!("{} {tool} tool", one_line(&request.tool.source, 80)),
    };
    match &request.subject {
        PromptSubject::Run { .. } => format!("Run {source}?"),
        PromptSubject::Edit { .. } => format!("Edit the arguments of the {source}?"),
        PromptSubject::Result { edit: true, .. } => {
            format!("Edit the result of {tool} for the assistant?")
        }
        PromptSubject::Result { .. } => format!("Deliver {tool} result to assistant?"),
        PromptSubject::Question { question, .. } => one_line(&question.text, LINE_LIMIT),
        PromptSubject::Delta(_) => format!("Apply the config change proposed by {tool}?"),
        PromptSubject::Grant(grant) => {
            let path = one_line(grant.path.as_str(), LINE_LIMIT);
            format!("Grant `{}` on `{path}` to {tool}?", grant.capability)
        }
        PromptSubject::Consent(consent) => one_line(&consent.title, LINE_LIMIT),
    }
}

fn message(request: &PromptRequest, preview: Option<&Preview>) -> String {
    match &request.subject {
        PromptSubject::Question { question, label } => {
            let tool = one_line(&request.tool.name, LINE_LIMIT);
            let asker = label
                .as_deref()
                .map_or(tool, |label| one_line(label, LINE_LIMIT));
            format!("{asker} asks: {}", one_line(&question.text, LINE_LIMIT))
        }
        PromptSubject::Delta(delta) => {
            let tool = one_line(&request.tool.name, LINE_LIMIT);
            let heading = format!("\u{27f3} Configuration delta proposed by tool '{tool}':");
            let (kept, changed): (Vec<_>, Vec<_>) =
                delta.changes.iter().partition(|change| change.is_kept());
            let lines = changed.into_iter().map(changed_line);
            let lines = std::iter::once(heading)
                .chain(lines)
                .chain(kept_line(&kept));
            lines.collect::<Vec<_>>().join("\n")
        }
        PromptSubject::Grant(grant) => {
            let GrantPrompt {
                capability, rule, ..
            } = &**grant;
            let path = one_line(grant.path.as_str(), LINE_LIMIT);
            let tool = one_line(&request.tool.name, LINE_LIMIT);
            format!(
                "{tool} could not {capability} `{path}`, since no rule grants it. This rule would, for the rest of the \
                 conversation:\n{rule}"
            )
        }
        _ => preview.map(Preview::summary).unwrap_or_default(),
    }
}

fn changed_line(change: &DeltaPromptChange) -> String {
    let path = one_line(&change.path, LINE_LIMIT);
    let text = |value: &Option<Value>| {
        value.as_ref().map_or_else(
            || "(unset)".to_owned(),
            |value| one_line(&value.to_string(), 200),
        )
    };
    match change.op {
        DeltaOperation::Unset => format!("{path}: (unset)"),
        DeltaOperation::Set => {
            format!(
                "{path}: {} \u{2192} {}",
                text(&change.old),
                text(&change.new)
            )
        }
    }
}

/// What a proposal sets to the value that it has.
fn kept_line(kept: &[&DeltaPromptChange]) -> Option<String> {
    const MOST: usize = 4;
    let named = kept.iter().take(MOST).map(|change| {
        let path = one_line(&change.path, LINE_LIMIT);
        let value = change.new.as_ref().map(ToString::to_string);
        format!("{path} stays {}", one_line(&value.unwrap_or_default(), 200))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match kept.len().saturating_sub(MOST) {
        0 if kept.is_empty() => None,
        0 => Some(format!("nothing else changes: {named}")),
        more => Some(format!(
            "nothing else changes: {named}, and {more} more stay"
        )),
    }
}

fn actions(subject: &PromptSubject) -> Vec<PromptAction> {
    use PromptActionId::{Answer, Approve, Cancel, Details, Edit, Reject};
    let offered: &[(PromptActionId, &str)] = match subject {
        PromptSubject::Run { .. } => &[
            (Reject, "Reject"),
            (Approve, "Run"),
            (Edit, "Edit Arguments\u{2026}"),
            (Details, "Show Details"),
        ],
        PromptSubject::Edit { .. } => &[
            (Reject, "Reject"),
            (Edit, "Edit Arguments\u{2026}"),
            (Details, "Show Details"),
        ],
        PromptSubject::Result { edit: true, .. } => &[
            (Reject, "Withhold"),
            (Edit, "Edit Result\u{2026}"),
            (Details, "Show Details"),
        ],
        PromptSubject::Result { .. } => &[
            (Reject, "Withhold"),
            (Approve, "Deliver"),
            (Edit, "Edit Result\u{2026}"),
            (Details, "Show Details"),
        ],
        PromptSubject::Question { .. } => &[(Cancel, "Cancel"), (Answer, "Answer\u{2026}")],
        PromptSubject::Delta(_) => &[
            (Reject, "Reject"),
            (Approve, "Apply"),
            (Details, "Show Details"),
        ],
        PromptSubject::Grant(_) => &[
            (Reject, "Reject"),
            (Approve, "Grant"),
            (Details, "Show Details"),
        ],
        PromptSubject::Consent(consent) => &[
            (Reject, "Reject"),
            (Approve, consent.agree.as_str()),
            (Details, "Show Details"),
        ],
    };
    offered
        .iter()
        .map(|(id, title)| PromptAction {
            id: *id,
            title: (*title).to_owned(),
        })
        .collect()
}

fn may_remember(subject: &PromptSubject) -> bool {
    match subject {
        PromptSubject::Run { .. } => true,
        PromptSubject::Question { question, .. } => {
            question.persistence.is_turn() && question.answer_type == AnswerType::Boolean
        }
        PromptSubject::Edit { .. }
        | PromptSubject::Result { .. }
        | PromptSubject::Delta(_)
        | PromptSubject::Grant(_)
        | PromptSubject::Consent(_) => false,
    }
}

fn prompt_question(question: &Question) -> PromptQuestion {
    PromptQuestion {
        text: one_line(&question.text, LINE_LIMIT),
        answer_type: PromptAnswerType::from(&question.answer_type),
        default: question.default.clone(),
    }
}

fn rule_reference(rule: &PromptRule) -> Option<RuleReference> {
    let place = rule.place.as_ref()?;
    let position = |(line, character)| RulePosition { line, character };
    Some(RuleReference {
        index: rule.index,
        uri: Url::from_file_path(&place.file).ok()?.to_string(),
        range: RuleRange {
            start: position(place.start),
            end: position(place.end),
        },
    })
}

fn visible_delta(delta: &DeltaPrompt) -> DeltaPrompt {
    DeltaPrompt {
        before: visible(&delta.before).into_owned(),
        after: visible(&delta.after).into_owned(),
        loosens: delta
            .loosens
            .iter()
            .map(|sentence| visible(sentence).into_owned())
            .collect(),
        changes: delta.changes.clone(),
    }
}
