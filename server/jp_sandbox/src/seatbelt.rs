//! A profile as macOS is told it, for `sandbox-exec`.
//!
//! ```scheme
//! (deny default)
//! (allow file-read-data file-read-xattr
//!   (require-all (subpath "/w/src") (require-not (regex #"^/w/[sS][rR][cC]/[kK][eE][yY](/|$)"))))
//! ```
//!
//! With rules on files nothing is denied by a rule of its own: what is left out of one region is let through by the rule
//! of a deeper one, so that neither the order of the rules nor how special they are decides anything.
//! What is left out is named without regard to the case of letters, as most volumes of a Mac know names.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::FsCapability;

use crate::{FileRule, Network, Profile, Rights, nested::folded};

/// The program that holds another one to a profile.
pub const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// What every program needs to start, whatever its grants are.
const BASE: &str = r#"(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow file-read-metadata)
(allow file-read-data (literal "/"))
(allow ipc-posix-sem)
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.bootargs")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype")
  (sysctl-name "vm.loadavg"))
(allow mach-lookup
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
"#;

/// What a program needs beside its connections, to find hosts and to check who they are.
const NAMES: &str = r#"(allow system-socket)
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.trustd.agent"))
"#;

/// What a right is called.
const fn operations(capability: FsCapability) -> &'static str {
    match capability {
        FsCapability::Read => "file-read-data file-read-xattr",
        FsCapability::Create => "file-write-create",
        FsCapability::Update => {
            "file-write-data file-write-flags file-write-mode file-write-owner file-write-times file-write-xattr"
        }
        FsCapability::Delete => "file-write-unlink",
        FsCapability::Execute => "process-exec* file-map-executable",
    }
}

/// The text of a profile.
///
/// Of a path that no text can name, nothing is let through.
#[must_use]
pub fn seatbelt_text(profile: &Profile) -> String {
    let mut text = "(version 1)\n".to_owned();
    if profile.restricts_files {
        text.push_str("(deny default)\n");
        text.push_str(BASE);
        allow_files(profile, &mut text);
        match &profile.network {
            Network::Open => {
                text.push_str(NAMES);
                text.push_str("(allow network*)\n");
            }
            Network::Ports(ports) => {
                text.push_str(NAMES);
                allow_ports(ports.iter(), &mut text);
            }
            Network::NoTcp | Network::Nothing => {}
        }
    } else {
        text.push_str("(allow default)\n");
        deny_files(profile, &mut text);
        match &profile.network {
            Network::Open => {}
            Network::Ports(ports) => {
                text.push_str("(deny network*)\n");
                text.push_str(NAMES);
                allow_ports(ports.iter(), &mut text);
            }
            Network::NoTcp | Network::Nothing => text.push_str("(deny network*)\n"),
        }
    }
    text
}

/// A profile with which every program starts and nothing else is to be had, for finding out whether a machine holds anything.
#[must_use]
pub fn seatbelt_trial() -> String {
    let folders = ["/usr", "/bin", "/System", "/private/var/db/dyld"];
    let rules = folders.map(|path| FileRule {
        path: path.into(),
        rights: Rights::READ.with(Rights::EXECUTE),
        is_directory: true,
    });
    seatbelt_text(&Profile {
        directory: "/".into(),
        restricts_files: true,
        rules: rules.into(),
        covers: Vec::new(),
        writable: None,
        private_tmp: None,
        network: Network::Nothing,
        is_scoped: true,
        nested: true,
        fixed: Vec::new(),
    })
}

/// Lets through what the rules of each region grant, but for deeper ones that do not.
fn allow_files(profile: &Profile, text: &mut String) {
    let paths: Vec<Utf8PathBuf> = profile.rules.iter().map(|it| folded(&it.path)).collect();
    for (index, rule) in profile.rules.iter().enumerate() {
        for capability in rule.rights.capabilities() {
            let Some(path) = string(&rule.path) else {
                continue;
            };
            let _ = write!(text, "(allow {}", operations(capability));
            let left_out = left_out(profile, &paths, index, capability);
            match left_out.is_empty() {
                true => {
                    let _ = write!(text, " (subpath {path})");
                }
                false => {
                    let _ = write!(text, "\n  (require-all (subpath {path})");
                    for filter in left_out {
                        let _ = write!(text, "\n    (require-not {filter})");
                    }
                    text.push(')');
                }
            }
            text.push_str(")\n");
        }
    }
}

/// The outermost places in a region that do not grant what it grants, and the directories in it that cannot be moved.
fn left_out(
    profile: &Profile,
    folded_paths: &[Utf8PathBuf],
    index: usize,
    capability: FsCapability,
) -> Vec<String> {
    let Some(region) = folded_paths.get(index) else {
        return Vec::new();
    };
    let inner = profile.rules.iter().zip(folded_paths).skip(index + 1);
    let inner = inner.take_while(|(_, path)| path.starts_with(region));
    let mut places: Vec<&Utf8Path> = Vec::new();
    for (_, path) in inner.filter(|(inner, _)| !inner.rights.has(Rights::of(capability))) {
        if places.last().is_none_or(|outer| !path.starts_with(outer)) {
            places.push(path);
        }
    }
    let mut filters: Vec<String> = places.into_iter().map(below).collect();
    if capability == FsCapability::Delete {
        let fixed = profile.fixed.iter().map(|path| folded(path));
        let fixed = fixed.filter(|path| path.starts_with(region));
        filters.extend(fixed.map(|path| exactly(&path)));
    }
    filters
}

/// Takes away what the places of a process without rules on files do not grant.
fn deny_files(profile: &Profile, text: &mut String) {
    for rule in &profile.rules {
        for capability in Rights::ALL.without(rule.rights).capabilities() {
            let operations = operations(capability);
            let _ = writeln!(text, "(deny {operations} {})", below(&rule.path));
        }
    }
    for path in &profile.fixed {
        let _ = writeln!(text, "(deny file-write-unlink {})", exactly(path));
    }
}

fn allow_ports<'p>(ports: impl Iterator<Item = &'p u16>, text: &mut String) {
    text.push_str("(allow network-outbound");
    for port in ports {
        let _ = write!(text, " (remote tcp \"*:{port}\")");
    }
    text.push_str(")\n");
}

/// A path as a text; none where it has characters that the format has no way to write.
fn string(path: &Utf8Path) -> Option<String> {
    let text = path.as_str();
    (!text.chars().any(char::is_control))
        .then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A path and everything below it, in any case of its letters.
fn below(path: &Utf8Path) -> String {
    format!("(regex #\"^{}(/|$)\")", any_case(path))
}

/// A path itself, in any case of its letters.
fn exactly(path: &Utf8Path) -> String {
    format!("(regex #\"^{}$\")", any_case(path))
}

/// A pattern that meets the path at least.
fn any_case(path: &Utf8Path) -> String {
    let mut pattern = String::new();
    for character in path.as_str().chars() {
        match character {
            letter if letter.is_ascii_alphabetic() => {
                let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
                let _ = write!(pattern, "[{lower}{upper}]");
            }
            '0'..='9' | '/' | '-' | '_' => pattern.push(character),
            '.' => pattern.push_str("[.]"),
            other if other.is_ascii() => pattern.push_str("[^/]"),
            // Its bytes differ by how it is composed.
            _ => pattern.push_str("[^/]+"),
        }
    }
    pattern
}

#[cfg(test)]
#[path = "seatbelt_tests.rs"]
mod tests;
