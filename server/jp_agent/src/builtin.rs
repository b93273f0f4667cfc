//! Tools inside the runtime.
//!
//! ```toml
//! [conversation.tools.describe_tools]
//! enable = { state = false }
//! ```

use std::fmt::Debug;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use indexmap::IndexMap;
use jp_conversation::InquirySource;
use jp_tool::Outcome;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::config::TurnConfig;
use crate::delta::without_changes;
use crate::ports::{Execution, Executor, ToolRun, ToolSuccess};
use crate::trust::TrustedWorkspace;

/// A tool that runs inside the runtime.
///
/// It sees neither files nor grants, and a config change that it returns is dropped (RFD 078).
pub trait Builtin: Send + Sync + Debug {
    /// The defaults of its config table, merged under what the user writes in `conversation.tools.<name>`.
    fn defaults(&self) -> Value;

    /// Runs it once; with a question in the outcome it is run again with the answer.
    fn execute(&self, call: &BuiltinCall<'_>) -> Outcome;

    /// Who asks its questions (RFD 082).
    fn inquiry_source(&self, name: &str) -> InquirySource {
        InquirySource::Tool {
            name: name.to_owned(),
        }
    }
}

/// What a builtin gets.
#[derive(Debug)]
pub struct BuiltinCall<'a> {
    /// The name under which the model calls it.
    pub name: &'a str,
    /// The prepared arguments.
    pub arguments: &'a Map<String, Value>,
    /// Answers so far, by question id.
    pub answers: &'a IndexMap<String, Value>,
    /// The config of the current cycle.
    pub config: &'a TurnConfig,
}

/// The builtins by the key of their config table.
///
/// The key decides which implementation runs, never the alias in `source` (RFD 083, "Built-in aliasing").
#[derive(Debug, Clone, Default)]
pub struct Builtins(IndexMap<String, Arc<dyn Builtin>>);

impl Builtins {
    /// Adds a builtin, or replaces the one of that name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, builtin: impl Builtin + 'static) -> Self {
        self.0.insert(name.into(), Arc::new(builtin));
        self
    }

    /// The builtin of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Builtin>> {
        self.0.get(name)
    }

    /// The config defaults of all of them.
    #[must_use]
    pub fn defaults(&self) -> IndexMap<String, Value> {
        let entry =
            |(name, builtin): (&String, &Arc<dyn Builtin>)| (name.clone(), builtin.defaults());
        self.0.iter().map(entry).collect()
    }
}

/// A builtin as one enabled tool of a turn.
#[derive(Debug, Clone)]
pub struct BuiltinTool {
    builtin: Arc<dyn Builtin>,
    config: Arc<TurnConfig>,
}

impl BuiltinTool {
    /// The builtin with the config that it may look at.
    #[must_use]
    pub fn new(builtin: Arc<dyn Builtin>, config: Arc<TurnConfig>) -> Self {
        Self { builtin, config }
    }

    fn run(&self, run: &ToolRun) -> Execution {
        let outcome = self.builtin.execute(&BuiltinCall {
            name: &run.name,
            arguments: &run.arguments,
            answers: &run.answers,
            config: &self.config,
        });
        match outcome {
            Outcome::Success {
                content,
                config,
                unset,
            } => {
                let success = ToolSuccess {
                    content,
                    config,
                    unset,
                };
                Execution::Success(without_changes(success, &run.name, "builtin"))
            }
            Outcome::Error {
                message,
                trace,
                transient: true,
            } => Execution::Error(json!({"message": message, "trace": trace}).to_string()),
            outcome @ Outcome::Error { .. } => {
                Execution::Error(serde_json::to_string(&outcome).unwrap_or_default())
            }
            Outcome::NeedsInput { question } => Execution::NeedsInput {
                question: Box::new(question),
                source: self.builtin.inquiry_source(&run.name),
            },
        }
    }
}

impl Executor for BuiltinTool {
    fn execute(
        &self,
        _: &TrustedWorkspace,
        run: ToolRun,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Execution> {
        async move {
            if cancel.is_cancelled() {
                Execution::Cancelled
            } else {
                self.run(&run)
            }
        }
        .boxed()
    }
}
