//! Local tools: a process for each run.
//!
//! ```json
//! {"tool": {"name": "grep", "arguments": {"text": "x"}, "answers": {}, "options": {}},
//!  "context": {"action": "run", "root": "/w", "access": null, "workspace_id": "a1b2c", "conversation_id": "17127583920"}}
//! ```
//!
//! A secret answer stands in the document on standard input only, never on a command line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::process::ExitStatus;
use std::sync::Arc;

use camino::Utf8PathBuf;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jp_conversation::InquirySource;
use jp_sandbox::Account;

use jp_tool::{
    AccessPolicy, Action, ApprovedTargets, CompiledAccess, Context, FsRule, Outcome, OutcomeError,
    Tool,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::approvals::approved_targets;
use crate::config::{CommandConfig, ToolConfig};
use crate::environment;
use crate::exit::ending;
use crate::ports::{Execution, Executor, ToolRun, ToolSuccess};
use crate::process::{Ended, ProcessLimits, Surroundings, run};
use crate::refused::{Refusal, denied, refused};
use crate::sandbox::{Confinement, Sandbox, Subject, with_temporary};
use crate::template::{self, Rendered, render};
use crate::trust::TrustedWorkspace;

/// A local tool.
#[derive(Debug, Clone)]
pub struct LocalTool {
    name: String,
    own_name: String,
    command: Option<CommandConfig>,
    formatter: Option<CommandConfig>,
    options: Map<String, Value>,
    access: Option<AccessPolicy>,
    limits: ProcessLimits,
    protected: Arc<[Utf8PathBuf]>,
    key_variables: BTreeSet<String>,
    sandbox: Sandbox,
}

impl LocalTool {
    /// The tool as the config describes it.
    #[must_use]
    pub fn new(tool: &ToolConfig, limits: ProcessLimits) -> Self {
        Self {
            name: tool.name.clone(),
            own_name: tool.own_name().to_owned(),
            command: tool.command.clone(),
            formatter: tool.formatter.clone(),
            options: tool.options.clone(),
            access: tool.access.clone(),
            limits,
            protected: Arc::default(),
            key_variables: BTreeSet::new(),
            sandbox: Sandbox::default(),
        }
    }

    /// Sets the variables that hold keys of models, which a tool without `access.env` does not get either.
    /// Default: none.
    #[must_use]
    pub fn with_key_variables(mut self, names: BTreeSet<String>) -> Self {
        self.key_variables = names;
        self
    }

    /// Sets how the tool is held to its grants. Default: as far as it can be.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// What of the tool's grants the kernel holds.
    ///
    /// # Errors
    ///
    /// There is no command, or the grants cannot be understood.
    pub fn account(&self, workspace: &TrustedWorkspace) -> Result<Account, String> {
        let command = self.command()?;
        let subject = self.subject(workspace, command)?;
        let plan = self.sandbox.plan(&subject, None);
        plan.map(|plan| plan.account)
            .map_err(|error| self.invalid(&error))
    }

    fn subject(
        &self,
        workspace: &TrustedWorkspace,
        command: &CommandConfig,
    ) -> Result<Subject, String> {
        let all = std::env::vars_os();
        let variables = environment::for_tool(self.access.as_ref(), &self.key_variables, all)
            .map_err(|error| self.invalid(&error))?;
        Ok(Subject {
            root: workspace.root().to_owned(),
            access: self.compiled(workspace)?.map(|compiled| compiled.policy),
            protected: Arc::clone(&self.protected),
            command: Some(command.clone()),
            variables,
        })
    }

    /// Where the tool finds itself, to ask what it may do there; nothing without rules on files.
    fn context(&self, workspace: &TrustedWorkspace) -> Option<Context> {
        let access = self.compiled(workspace).ok()??.policy;
        let mut context = Context::new(workspace.root(), Action::Run).with_access(access);
        context.protected = self.protected.to_vec();
        Some(context)
    }

    /// The rule that lets the tool do what it was refused; none where it may by now, or where the kernel would go on refusing.
    ///
    /// It looks at many files.
    pub(crate) fn rule_for(
        &self,
        workspace: &TrustedWorkspace,
        refusal: &Refusal,
    ) -> Option<FsRule> {
        let Refusal { capability, path } = refusal;
        let mut context = self.context(workspace)?;
        if context.check_fs(*capability, path).is_ok() {
            return None;
        }
        let rule = refusal.rule(&context);
        let access = context.access.take()?;
        let rules: Vec<FsRule> = access.fs.iter().cloned().chain([rule.clone()]).collect();
        let access = AccessPolicy {
            fs: rules.into(),
            ..access
        };
        let context = context.with_access(access.clone());
        let target = context.check_fs(*capability, path).ok()?;
        let subject = Subject {
            access: Some(access),
            ..self.subject(workspace, self.command().ok()?).ok()?
        };
        let lets = self.sandbox.lets(&subject, *capability, &target);
        lets.then_some(rule)
    }

    /// The line on what holds the tool that stands where a person is asked; nothing for a tool without rules that a
    /// kernel could hold.
    pub(crate) fn held_in_words(&self, workspace: &TrustedWorkspace) -> Option<String> {
        let access = self.access.as_ref()?;
        if access.fs.is_empty() && access.net.is_empty() && access.env.is_empty() {
            return None;
        }
        self.account(workspace)
            .ok()
            .map(|account| account.in_words())
    }

    fn invalid(&self, error: &dyn std::fmt::Display) -> String {
        format!("invalid access policy for tool '{}': {error}", self.name)
    }

    /// Whether the command takes its input, or parts of it, as arguments.
    pub(crate) fn reads_arguments(&self) -> bool {
        self.command.as_ref().is_some_and(template::takes_input)
    }

    /// Sets the files that the tool is told not to change without a rule for them, see
    /// [`Context::protected`]. Default: none.
    #[must_use]
    pub fn with_protected(mut self, files: Arc<[Utf8PathBuf]>) -> Self {
        self.protected = files;
        self
    }

    /// The command line of a call, as a person may see it before it runs.
    ///
    /// # Errors
    ///
    /// The text that the model is told when there is no command or it cannot be rendered.
    pub fn command_line(
        &self,
        workspace: &TrustedWorkspace,
        run: &ToolRun,
    ) -> Result<Vec<String>, String> {
        let command = self.command()?;
        let input = self.documents(workspace, run, Action::Run)?;
        Ok(self.render(command, &input)?.argv)
    }

    /// Renders the arguments of a call for a person with the command in `style.parameters`, if there is one.
    ///
    /// # Errors
    ///
    /// Why the formatter failed.
    pub async fn format(
        &self,
        workspace: &TrustedWorkspace,
        run: &ToolRun,
        cancel: &CancellationToken,
    ) -> Result<Option<String>, String> {
        let Some(formatter) = &self.formatter else {
            return Ok(None);
        };
        let input = self.documents(workspace, run, Action::FormatArguments)?;
        let ran = self.start(workspace, formatter, &input, cancel).await?;
        match self.interpret(ran, workspace) {
            // Whatever else a formatter returns is for display only (RFD 078, "Action scope").
            Execution::Success(success) => Ok(Some(success.content)),
            Execution::Error(error) | Execution::Refused { error, .. } => Err(error),
            Execution::NeedsInput { question, .. } => Err(format!(
                "it asked `{}`, and a formatter cannot ask",
                question.text
            )),
            Execution::Cancelled => Err("it was cancelled".to_owned()),
        }
    }

    /// What a person should know about the tool's grants: `external` rules that are left out, and why.
    pub(crate) fn access_notices(&self, workspace: &TrustedWorkspace) -> Vec<String> {
        // A policy that cannot be compiled fails each call, with the reason.
        let Ok(Some(compiled)) = self.compiled(workspace) else {
            return Vec::new();
        };
        let name = &self.name;
        let mut notices = Vec::new();
        if !compiled.warnings.is_empty()
            && let Err(error) = approved_targets(workspace.approvals())
        {
            notices.push(format!("tool `{name}`: {error}"));
        }
        for warning in compiled.warnings {
            let advice = match &warning.target {
                Some(target) => format!(
                    "; approve it with `--mount {}={target}` of `jp`",
                    warning.path
                ),
                None => String::new(),
            };
            notices.push(format!("tool `{name}`: {warning}{advice}"));
        }
        notices
    }

    /// The grants as the tool gets them; approvals are read each time, so that one that is taken back ends at once.
    fn compiled(&self, workspace: &TrustedWorkspace) -> Result<Option<CompiledAccess>, String> {
        let Some(declared) = &self.access else {
            return Ok(None);
        };
        let approved = if declared.fs.iter().any(FsRule::external) {
            approved_targets(workspace.approvals()).unwrap_or_default()
        } else {
            ApprovedTargets::new()
        };
        AccessPolicy::compile_rules(workspace.root(), declared, &approved)
            .map(Some)
            .map_err(|error| self.invalid(&error))
    }

    fn command(&self) -> Result<&CommandConfig, String> {
        let Self { name, command, .. } = self;
        command.as_ref().ok_or_else(|| {
            format!("Tool '{name}' has no command. Set `conversation.tools.{name}.command`.")
        })
    }

    /// The two documents that the tool gets (RFD 042, RFD 076, RFD 078).
    fn documents(
        &self,
        workspace: &TrustedWorkspace,
        run: &ToolRun,
        action: Action,
    ) -> Result<Input, String> {
        let mut context = Context::new(workspace.root(), action);
        context.access = self.compiled(workspace)?.map(|compiled| compiled.policy);
        context.protected = self.protected.to_vec();
        workspace.id().clone_into(&mut context.workspace_id);
        context.conversation_id = run.conversation.to_string();
        if action == Action::Run {
            context.config.clone_from(&run.config);
            context.delta_rejection.clone_from(&run.delta_rejection);
        }
        let tool = Tool {
            name: self.own_name.clone(),
            arguments: run.arguments.clone(),
            answers: run
                .answers
                .iter()
                .map(|(id, answer)| (id.clone(), answer.clone()))
                .collect(),
            options: self.options.clone(),
        };
        let document = |value: serde_json::Result<Value>| {
            value.map_err(|error| format!("Tool '{}' has no input: {error}", self.name))
        };
        Ok(Input {
            tool: document(serde_json::to_value(&tool))?,
            context: document(serde_json::to_value(&context))?,
            secrets: run.secrets.clone(),
        })
    }

    /// The command line, which everybody on the machine can read and which therefore holds no secret.
    fn render(&self, command: &CommandConfig, input: &Input) -> Result<Rendered, String> {
        let Self { name, .. } = self;
        let named = input
            .secrets
            .iter()
            .find(|id| template::names_answer(command, id));
        if let Some(id) = named {
            return Err(format!(
                "Tool '{name}' was not started: its command names the answer `{id}`, which is a secret, and everybody on \
                 the machine can read a command line; read the JSON document on standard input instead."
            ));
        }
        render(command, &input.without_secrets(), &input.context)
            .map_err(|problem| format!("Tool '{name}' was not started: {problem}"))
    }

    async fn start(
        &self,
        workspace: &TrustedWorkspace,
        command: &CommandConfig,
        input: &Input,
        cancel: &CancellationToken,
    ) -> Result<Ran, String> {
        let Rendered { argv, takes_input } = self.render(command, input)?;
        let Input {
            tool,
            context,
            secrets,
        } = input;
        let input = (!takes_input || !secrets.is_empty()).then(|| {
            json!({"tool": tool, "context": context})
                .to_string()
                .into_bytes()
        });
        let not_started = |error: &dyn std::fmt::Display| {
            format!("Tool '{}' was not started: {error}", self.name)
        };
        let subject = self.subject(workspace, command)?;
        let variables = subject.variables.clone();
        let sandbox = self.sandbox.clone();
        // It looks at many files.
        let confinement = tokio::task::spawn_blocking(move || sandbox.confinement(&subject));
        let confinement = confinement.await.map_err(|error| not_started(&error))?;
        let confinement = confinement.map_err(|error| not_started(&error))?;
        let own_folder = confinement.as_ref().and_then(Confinement::own_folder);
        let surroundings = Surroundings {
            directory: workspace.root(),
            variables: match own_folder {
                Some(folder) => with_temporary(variables, folder),
                None => variables,
            },
            profile: confinement.as_ref().map(|confinement| &confinement.profile),
        };
        let ended = run(&argv, surroundings, input, self.limits, cancel)
            .await
            .map_err(|error| not_started(&error))?;
        Ok(Ran {
            ended,
            is_held: confinement.is_some(),
        })
    }

    fn interpret(&self, ran: Ran, workspace: &TrustedWorkspace) -> Execution {
        let name = &self.name;
        match ran.ended {
            Ended::Cancelled => Execution::Cancelled,
            Ended::TimedOut => Execution::Error(format!(
                "Tool '{name}' did not finish within {} seconds and was stopped.",
                self.limits.timeout.as_secs()
            )),
            Ended::Flooded => Execution::Error(format!(
                "Tool '{name}' wrote more than {} bytes to standard output and was stopped.",
                self.limits.output
            )),
            Ended::Exited {
                status,
                stdout,
                stderr,
            } => {
                let whereabouts = Whereabouts {
                    context: self.context(workspace),
                    is_held: ran.is_held,
                };
                self.interpret_output(status, &stdout, &stderr, &whereabouts)
            }
        }
    }

    /// What the output and the status stand for; for an outcome the status says nothing.
    fn interpret_output(
        &self,
        status: ExitStatus,
        stdout: &[u8],
        stderr: &[u8],
        whereabouts: &Whereabouts,
    ) -> Execution {
        let name = &self.name;
        let text = String::from_utf8_lossy(stdout);
        match Outcome::from_json(&text) {
            Ok(Outcome::Success {
                content,
                config,
                unset,
            }) => Execution::Success(ToolSuccess {
                content,
                config,
                unset,
            }),
            Ok(Outcome::NeedsInput { question }) => Execution::NeedsInput {
                question: Box::new(question),
                source: InquirySource::Tool { name: name.clone() },
            },
            Ok(Outcome::Error {
                message,
                trace,
                transient,
            }) => {
                let said = format!("{message}\n{}", trace.join("\n"));
                let error = match transient {
                    true => json!({"message": message, "trace": trace}).to_string(),
                    false => text.trim().to_owned(),
                };
                failed(error, whereabouts.denied(&said))
            }
            Err(
                error @ (OutcomeError::Invalid { .. } | OutcomeError::MutationNotAllowed { .. }),
            ) => Execution::Error(format!(
                "Tool '{name}' returned an unusable result: {error}."
            )),
            Err(OutcomeError::NotAnOutcome) if !status.success() => {
                let stderr = String::from_utf8_lossy(stderr);
                let mut failure = json!({
                    "message": format!("Tool '{name}' execution failed."),
                    "ended": ending(status),
                    "stderr": stderr,
                    "stdout": text,
                });
                let said = format!("{stderr}\n{text}");
                let mut refusals = whereabouts.denied(&said);
                let held = whereabouts.context.as_ref();
                if let Some(context) = held.filter(|_| whereabouts.is_held) {
                    let told = refused(name, &said, context);
                    if !told.words.is_empty()
                        && let Some(failure) = failure.as_object_mut()
                    {
                        failure.insert("refused".to_owned(), told.words.into());
                        failure.insert("missing".to_owned(), told.missing.into());
                    }
                    refusals.extend(told.refusals);
                }
                failed(failure.to_string(), refusals)
            }
            Err(OutcomeError::NotAnOutcome) if is_cut_short(&text) => Execution::Error(format!(
                "Tool '{name}' returned an unusable result: the outcome ends in the middle."
            )),
            Err(OutcomeError::NotAnOutcome) => {
                let mut content = text.into_owned();
                if std::str::from_utf8(stdout).is_err() {
                    content.push_str(
                        "\n[The output was not valid UTF-8; what could not be read is shown as \u{fffd}.]",
                    );
                }
                Execution::Success(ToolSuccess::content(content))
            }
        }
    }
}

/// A run that is over.
struct Ran {
    ended: Ended,
    /// Whether the kernel has held it to its grants.
    is_held: bool,
}

/// Where a tool that has ended found itself.
struct Whereabouts {
    /// What it might do there; none without rules.
    context: Option<Context>,
    /// Whether the kernel has held it to that.
    is_held: bool,
}

impl Whereabouts {
    fn denied(&self, said: &str) -> Vec<Refusal> {
        self.context
            .as_ref()
            .map(|context| denied(said, context))
            .unwrap_or_default()
    }
}

fn failed(error: String, refusals: Vec<Refusal>) -> Execution {
    match refusals.is_empty() {
        true => Execution::Error(error),
        false => Execution::Refused { error, refusals },
    }
}

/// What a tool gets.
struct Input {
    tool: Value,
    context: Value,
    /// The ids of the answers that nobody but the tool may see.
    secrets: BTreeSet<String>,
}

impl Input {
    /// The call as it may stand on a command line.
    fn without_secrets(&self) -> Cow<'_, Value> {
        if self.secrets.is_empty() {
            return Cow::Borrowed(&self.tool);
        }
        let mut tool = self.tool.clone();
        if let Some(answers) = tool.get_mut("answers").and_then(Value::as_object_mut) {
            answers.retain(|id, _| !self.secrets.contains(id));
        }
        Cow::Owned(tool)
    }
}

/// Whether `text` is an outcome that lacks its end. Such a half must not pass for the plain output of a tool.
fn is_cut_short(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('{') else {
        return false;
    };
    rest.trim_start().starts_with("\"type\"")
        && serde_json::from_str::<Value>(text).is_err_and(|error| error.is_eof())
}

impl Executor for LocalTool {
    fn execute(
        &self,
        workspace: &TrustedWorkspace,
        run: ToolRun,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Execution> {
        let workspace = workspace.clone();
        async move {
            let prepared = self
                .command()
                .and_then(|command| Ok((command, self.documents(&workspace, &run, Action::Run)?)));
            let (command, input) = match prepared {
                Ok(prepared) => prepared,
                Err(error) => return Execution::Error(error),
            };
            match self.start(&workspace, command, &input, &cancel).await {
                Ok(ran) => self.interpret(ran, &workspace),
                Err(error) => Execution::Error(error),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "local_tests.rs"]
mod tests;
