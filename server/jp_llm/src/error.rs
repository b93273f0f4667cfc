//! What can go wrong between us and a model.

use std::time::Duration;

use thiserror::Error;

use crate::settings::KeyUse;

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LlmError {
    /// The provider wants a key, and neither the environment nor the keyring has one.
    #[error("{}", missing_key(provider, variable, name_to_keep.as_deref(), problem.as_deref()))]
    MissingKey {
        /// The provider.
        provider: &'static str,
        /// The variable that the configuration names.
        variable: String,
        /// What `jp-lsp key set` calls the key, where it can be kept.
        name_to_keep: Option<String>,
        /// Why the key that is kept cannot be read.
        problem: Option<String>,
    },

    /// A key would go to an address that nobody has confirmed for it.
    #[error(
        "the key in `{}` is not sent to {} for {}: nobody has confirmed that address for it; run `jp-lsp trust` in the \
         workspace, or name both in your own config file",
        .key.variable, .key.origin, .key.provider.as_str()
    )]
    UnconfirmedKey {
        /// The key, and where it would go.
        key: KeyUse,
        /// Whether it is one that a person keeps, since the environment has none.
        is_kept: bool,
    },

    /// A key would cross a network in clear.
    #[error(
        "the key in `{}` is not sent to {} for {}: everybody on the way could read it, write an `https` address",
        .0.variable, .0.origin, .0.provider.as_str()
    )]
    ReadableKey(KeyUse),

    /// A base URL cannot be used.
    #[error("`{url}` is no base URL for {provider}, write for example `http://127.0.0.1:8080`")]
    InvalidBaseUrl {
        /// The provider.
        provider: &'static str,
        /// The URL as configured.
        url: String,
    },

    /// A name is no provider.
    #[error("`{name}` is no provider, write one of {known}")]
    UnknownProvider {
        /// The name.
        name: String,
        /// The names that would do.
        known: String,
    },

    /// The HTTP client cannot be set up.
    #[error("cannot set up HTTPS: {reason}")]
    Client {
        /// Why.
        reason: String,
    },

    /// The provider could not be reached, or the connection broke.
    #[error("cannot reach {provider}: {reason}")]
    Connection {
        /// The provider.
        provider: &'static str,
        /// What went wrong.
        reason: String,
    },

    /// The provider refused the request.
    #[error("{provider} answered {status}: {message}")]
    Status {
        /// The provider.
        provider: &'static str,
        /// The HTTP status.
        status: u16,
        /// What the provider says.
        message: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },

    /// The account has nothing left to spend; waiting does not help.
    #[error("{provider} has no quota left for this key, see its billing page: {message}")]
    Quota {
        /// The provider.
        provider: &'static str,
        /// What the provider says.
        message: String,
    },

    /// The provider reported an error in the middle of its answer.
    #[error("{provider} stopped with an error: {message}")]
    Provider {
        /// The provider.
        provider: &'static str,
        /// What the provider says.
        message: String,
        /// Whether it is worth another try.
        retryable: bool,
    },

    /// The provider sent something that is no answer.
    #[error("{provider} sent something unreadable: {reason}")]
    InvalidResponse {
        /// The provider.
        provider: &'static str,
        /// What is wrong with it.
        reason: String,
    },

    /// The answer ended before its end. No tool call of it may run.
    #[error("the answer of {provider} ended early")]
    Incomplete {
        /// The provider.
        provider: &'static str,
    },

    /// Nothing came for too long.
    #[error(
        "nothing came from {provider} for {seconds} seconds, see `assistant.request.stream_idle_timeout_secs`"
    )]
    Idle {
        /// The provider.
        provider: &'static str,
        /// The limit.
        seconds: u64,
    },

    /// The answer is larger than allowed.
    #[error(
        "the answer of {provider} is larger than {limit} bytes, see `assistant.request.max_response_bytes`"
    )]
    TooLarge {
        /// The provider.
        provider: &'static str,
        /// The limit.
        limit: u64,
    },

    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,

    /// A script for the scripted provider cannot be used.
    #[error("{path}: {reason}")]
    Script {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The script has no answer left.
    #[error("the script has {cycles} cycles and no answer to request {request}")]
    ScriptEnded {
        /// How many answers the script holds.
        cycles: usize,
        /// Which request this is, from 1.
        request: usize,
    },
}

/// What to do about a key that is missing.
fn missing_key(
    provider: &str,
    variable: &str,
    name_to_keep: Option<&str>,
    problem: Option<&str>,
) -> String {
    let mut text =
        format!("{provider} needs an API key, set the environment variable `{variable}`");
    if let Some(name) = name_to_keep {
        text.push_str(&format!(" or keep the key with `jp-lsp key set {name}`"));
    }
    if let Some(problem) = problem {
        text.push_str(&format!("; the key that is kept cannot be read: {problem}"));
    }
    text
}

impl LlmError {
    /// Whether the same request may succeed at another time.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::Incomplete { .. } | Self::Idle { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..=599),
            Self::Provider { retryable, .. } => *retryable,
            _ => false,
        }
    }

    /// How long the provider asks to wait before another try.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
