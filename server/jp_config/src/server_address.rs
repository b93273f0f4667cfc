//! The address of a server that is asked over HTTP.
//!
//! ```toml
//! [providers.mcp.docs]
//! type = "http"
//! url = "https://docs.example/mcp"    # or "http://localhost:8080/mcp": on this machine
//! ```
//!
//! What a config says and what a turn connects to are judged by the same words.

use url::{Host, Url};

use crate::words::shorten;

/// Why an address is not taken.
#[derive(Debug, Clone, Eq, PartialEq, thiserror::Error)]
pub enum ServerAddressError {
    /// It is empty.
    #[error("the address is empty, write one such as `https://docs.example/mcp`")]
    Empty,
    /// It is no URL.
    #[error("`{}` is not an address: {error}; write one such as `https://docs.example/mcp`", shorten(.text))]
    NotAUrl {
        /// What stands there, without a name or a password.
        text: String,
        /// Why.
        error: url::ParseError,
    },
    /// Its scheme is neither `http` nor `https`.
    #[error("`{}` cannot be asked over HTTP, write `https://…`", shorten(.0))]
    Scheme(String),
    /// It holds a name or a password.
    #[error(
        "the address holds a name or a password, which anybody reads who reads the config: put a token into a variable of the environment, and name that as `bearer_token_env`"
    )]
    Credentials,
    /// It is `http` and not on this machine.
    #[error(
        "what is sent to `{}` could be read and changed on its way: write `https://…`, or an address of this machine",
        shorten(.0)
    )]
    InTheClear(String),
}

impl ServerAddressError {
    /// What to write instead, where that follows.
    #[must_use]
    pub fn suggestion(&self) -> Option<String> {
        let Self::InTheClear(text) = self else {
            return None;
        };
        let rest = text.get("http".len()..)?;
        let suggestion = format!("https{rest}");
        parse(&suggestion).is_ok().then_some(suggestion)
    }
}

/// Reads an address: over `https`, or over `http` on this machine, without a name or a password.
///
/// # Errors
///
/// [`ServerAddressError`], which never repeats a password.
pub fn parse(text: &str) -> Result<Url, ServerAddressError> {
    if text.trim().is_empty() {
        return Err(ServerAddressError::Empty);
    }
    let url: Url = text.parse().map_err(|error| ServerAddressError::NotAUrl {
        text: without_credentials(text),
        error,
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ServerAddressError::Credentials);
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_here(&url) => Ok(url),
        "http" => Err(ServerAddressError::InTheClear(text.to_owned())),
        _ => Err(ServerAddressError::Scheme(without_credentials(text))),
    }
}

/// Text without what may be a name or a password in it.
fn without_credentials(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => text.to_owned(),
    }
}

/// Whether a URL leads to this machine itself, so that nothing sent to it goes over a network.
fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
#[path = "server_address_tests.rs"]
mod tests;
