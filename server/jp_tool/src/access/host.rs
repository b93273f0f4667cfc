//! Hosts of network rules and targets, in the one form they are compared in.
//!
//! ```toml
//! [[access.net]]
//! host = "münchen.de"        # the same as "xn--mnchen-3ya.de", and as "MÜNCHEN.de."
//! ```

use std::{fmt, net::Ipv6Addr};

use url::Host;

/// A host in ASCII (Punycode), lower case, without a trailing dot; IPv6 addresses in brackets, spelled as the URL standard has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NormalizedHost(String);

impl NormalizedHost {
    /// The host as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NormalizedHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a text is not the host of a rule, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// There is no host.
    #[error("the host is empty; write a name such as `api.example.com`")]
    Empty,

    /// A URL instead of a host.
    #[error("host `{host}` holds a scheme; write `host = \"{rest}\"` and `scheme = \"{scheme}\"`")]
    Scheme {
        /// The host as written.
        host: String,
        /// The part before `://`.
        scheme: String,
        /// The part that is the host.
        rest: String,
    },

    /// A user name before the host.
    #[error("host `{host}` holds a user name; write `host = \"{rest}\"`")]
    UserInfo {
        /// The host as written.
        host: String,
        /// The part that is the host.
        rest: String,
    },

    /// A path, query or fragment after the host.
    #[error("host `{host}` holds a path; write `host = \"{rest}\"` and `path_prefix = \"{path}\"`")]
    Path {
        /// The host as written.
        host: String,
        /// The part that is the host.
        rest: String,
        /// The part that is the path.
        path: String,
    },

    /// A port after the host.
    #[error("host `{host}` holds a port; write `host = \"{rest}\"` and `port = {port}`")]
    Port {
        /// The host as written.
        host: String,
        /// The part that is the host.
        rest: String,
        /// The part that is the port.
        port: String,
    },

    /// A wildcard.
    #[error("host `{host}` holds `*`, which matches no host; write one rule for each host")]
    Wildcard {
        /// The host as written.
        host: String,
    },

    /// Two dots in a row, or a dot at the start.
    #[error("host `{host}` has an empty label; write the dots only between names")]
    EmptyLabel {
        /// The host as written.
        host: String,
    },

    /// Anything else that is no host.
    #[error(
        "host `{host}` is not a valid host ({reason}); write a name such as `api.example.com` or an IP address"
    )]
    Invalid {
        /// The host as written.
        host: String,
        /// What the host parser says.
        reason: String,
    },
}

/// Checks and normalizes the host of a rule (RFD 076, "Network rules").
///
/// Both spellings of an IPv6 address are accepted, with and without brackets.
///
/// # Errors
///
/// Anything but a plain host, with what to write instead.
pub fn validate_host(host: &str) -> Result<NormalizedHost, HostError> {
    let written = || host.to_owned();
    if host.is_empty() {
        return Err(HostError::Empty);
    }
    if let Ok(address) = host.parse::<Ipv6Addr>() {
        return Ok(NormalizedHost(Host::<&str>::Ipv6(address).to_string()));
    }
    if let Some((scheme, rest)) = host.split_once("://") {
        return Err(HostError::Scheme {
            host: written(),
            scheme: scheme.to_owned(),
            rest: bare(rest).to_owned(),
        });
    }
    if let Some((_, rest)) = host.rsplit_once('@') {
        return Err(HostError::UserInfo {
            host: written(),
            rest: bare(rest).to_owned(),
        });
    }
    if let Some((rest, _)) = host.split_once(['/', '\\', '?', '#']) {
        let path = host.strip_prefix(rest).unwrap_or_default();
        return Err(HostError::Path {
            host: written(),
            rest: rest.to_owned(),
            path: path.replace('\\', "/"),
        });
    }
    if let Some((rest, port)) = host.rsplit_once(':')
        && (!rest.contains(':') || rest.ends_with(']'))
    {
        return Err(HostError::Port {
            host: written(),
            rest: rest.to_owned(),
            port: port.to_owned(),
        });
    }
    if host.contains('*') {
        return Err(HostError::Wildcard { host: written() });
    }
    if host.contains('%') {
        return Err(HostError::Invalid {
            host: written(),
            reason: "percent-encoding is not decoded here".to_owned(),
        });
    }
    normalize(host)
}

/// The host in `rest`, the part of a URL after its scheme.
fn bare(rest: &str) -> &str {
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

/// Normalizes a host that holds nothing but a host, as a parsed URL gives it.
pub(super) fn normalize(host: &str) -> Result<NormalizedHost, HostError> {
    let invalid = |reason: String| HostError::Invalid {
        host: host.to_owned(),
        reason,
    };
    match Host::parse(host).map_err(|error| invalid(error.to_string()))? {
        // As the URL standard writes it: an IPv4 address within an IPv6 one as two groups.
        address @ (Host::Ipv4(_) | Host::Ipv6(_)) => Ok(NormalizedHost(address.to_string())),
        Host::Domain(domain) => {
            let name = domain.strip_suffix('.').unwrap_or(&domain);
            if name.split('.').any(str::is_empty) {
                return Err(HostError::EmptyLabel {
                    host: host.to_owned(),
                });
            }
            if name.contains('*') {
                return Err(HostError::Wildcard {
                    host: host.to_owned(),
                });
            }
            Ok(NormalizedHost(name.to_ascii_lowercase()))
        }
    }
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
