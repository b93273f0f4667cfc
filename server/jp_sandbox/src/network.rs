//! What `access.net` means to the kernel, which knows ports and no hosts.

use std::collections::BTreeSet;

use jp_tool::{AccessPolicy, NetRule};
use serde::{Deserialize, Serialize};

use crate::Mechanisms;

/// What of the network is open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Everything: there are no rules.
    #[default]
    Open,
    /// TCP connections to these ports.
    Ports(BTreeSet<u16>),
    /// TCP is closed; everything else stays open.
    NoTcp,
    /// Nothing: the process has a network of its own, with nobody in it.
    Nothing,
}

impl Network {
    /// What can be held of the rules.
    #[must_use]
    pub(crate) fn of(access: Option<&AccessPolicy>, mechanisms: Mechanisms) -> Self {
        let Some(access) = access.filter(|access| !access.net.is_empty()) else {
            return Self::Open;
        };
        let ports: BTreeSet<u16> = access
            .net
            .iter()
            .filter(|rule| rule.allow)
            .flat_map(ports)
            .collect();
        match (ports.is_empty(), mechanisms.hold_networks()) {
            (true, true) => Self::Nothing,
            _ if !mechanisms.hold_ports() => Self::Open,
            (true, false) => Self::NoTcp,
            (false, _) => Self::Ports(ports),
        }
    }
}

/// The ports that a rule opens: its own, or the default ones of what it may be reached by.
pub(crate) fn ports(rule: &NetRule) -> Vec<u16> {
    match (rule.port, rule.scheme.as_deref()) {
        (Some(port), _) => vec![port],
        (None, Some("http" | "ws")) => vec![80],
        (None, Some("https" | "wss")) => vec![443],
        (None, Some("ftp")) => vec![21],
        // A scheme without a default port matches no URL without one.
        (None, Some(_)) => Vec::new(),
        (None, None) => vec![80, 443],
    }
}
