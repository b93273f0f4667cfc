//! What of each grant is held, in words that a person can check.
//!
//! ```text
//! access.fs, rule 1   held
//! access.fs, rule 2   held, less than granted   making files directly in `src`
//! access.net, rule 1  not held                  the kernel knows ports and no hosts
//! ```

use std::fmt;

use camino::Utf8Path;
use jp_tool::{FsCapability, FsRule, NetRule, Resource};
use serde::{Serialize, Serializer};

use crate::{
    Kind, Mechanisms, Network, Profile, Rights, Wish,
    network::ports,
    plan::{done_in, makes_only},
    regions::{Region, Regions},
};

/// Whether something is held by the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// Exactly.
    Held,
    /// The process can do less than is granted.
    Less,
    /// The process can do more than is granted.
    Not,
}

impl Held {
    /// The words for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Less => "held, less than granted",
            Self::Not => "not held",
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Held {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What is held of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantAccount {
    /// The list that the rule stands in.
    pub resource: Resource,
    /// The position of the rule in the compiled list, from 0.
    pub index: usize,
    /// Whether it is held.
    pub held: Held,
    /// What is granted and cannot be done.
    pub missing: Vec<String>,
    /// Why it is not held.
    pub reason: Option<String>,
}

impl GrantAccount {
    /// Whether the rule is held, and why not all of it.
    ///
    /// ```text
    /// held, less than granted: making files directly in `src`; removing or renaming what lies directly in `src`
    /// ```
    #[must_use]
    pub fn in_words(&self) -> String {
        let more = self.reason.iter().chain(&self.missing);
        let more: Vec<&str> = more.map(String::as_str).collect();
        match more.is_empty() {
            true => self.held.to_string(),
            false => format!("{}: {}", self.held, more.join("; ")),
        }
    }
}

/// What is held of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What the machine has.
    pub mechanisms: Mechanisms,
    /// The rules, those of files first.
    pub grants: Vec<GrantAccount>,
    /// Whether the protected files are held, and why not.
    pub protected: (Held, Option<String>),
    /// Whether it has a `/tmp` of its own, and why not; none where nobody asks for that.
    pub private_tmp: Option<(Held, Option<String>)>,
}

/// What is held of a tool as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overall {
    /// Everything that was declared.
    Held,
    /// Some of it.
    Partly,
    /// Nothing.
    Not,
}

impl Overall {
    /// The words for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Partly => "partly held",
            Self::Not => "not held",
        }
    }
}

/// Something that no grant speaks of, or that no kernel tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// What stays possible.
    pub what: &'static str,
    /// Why.
    pub why: &'static str,
}

/// Why the kernel does not hold a bundled tool to making files.
const SAME_RIGHT: &str = "writing a new file and changing an old one are the same right to the kernel; the bundled tool itself refuses what is not granted";

/// What is held of no tool.
pub const LIMITS: [Limit; 13] = [
    Limit {
        what: "making a file with a protected name, such as `.envrc`, in a folder where files may be made and none of that name exists",
        why: "the kernel lets a process make any name in a folder or none",
    },
    Limit {
        what: "reading and changing a file by another name of it, a hard link, that lies where that is granted",
        why: "grants are about paths, and so are the rules of the kernel",
    },
    Limit {
        what: "seeing names, sizes, times and permissions of files, and where links lead",
        why: "Landlock leaves metadata open",
    },
    Limit {
        what: "running what may be read, by way of an interpreter",
        why: "an interpreter reads, and only the kernel's own start of a program is held",
    },
    Limit {
        what: "replacing a file by a move where making and removing are granted and changing is not",
        why: "removing and making it again comes to the same",
    },
    Limit {
        what: "UDP and other protocols than TCP, where some TCP is granted",
        why: "Landlock knows TCP ports",
    },
    Limit {
        what: "talking to a service by a socket file that is made after the tool has started, elsewhere than in the folders named above; by any socket file where there are no namespaces",
        why: "Landlock leaves socket files open before version 9, and a mount covers what is there",
    },
    Limit {
        what: "talking to a service by a socket file that was moved or linked to another folder since, lies in another mount of its folder, or belongs to a process in another root or network",
        why: "the kernel lists the names that sockets were given, in one network",
    },
    Limit {
        what: "talking to services by their socket files, by a tool without `access.fs` whose network is open",
        why: "all but the protected files is open to it, and a service may reach those",
    },
    Limit {
        what: "reading names and arguments of other processes of the same user, and setting their resource limits and priorities",
        why: "these are about processes, and no rule of Landlock is",
    },
    Limit {
        what: "talking to the machine that runs a virtual one (vsock)",
        why: "the kernel takes it for no network",
    },
    Limit {
        what: "using files, folders, pipes and connections that the program which started the server has left open to it",
        why: "a process keeps what it inherits; the server itself leaves nothing open",
    },
    Limit {
        what: "moving the workspace as a whole, by a tool whose files are unrestricted",
        why: "the folder around the workspace is open to it",
    },
];

/// The same on a Mac.
pub const LIMITS_BY_PATHS: [Limit; 7] = [
    Limit {
        what: "making a file with a protected name, such as `.envrc`, in a folder where files may be made and none of that name exists",
        why: "rules are about the paths that were there before the tool started",
    },
    Limit {
        what: "reading and changing a file by another name of it, a hard link, that lies where that is granted",
        why: "grants are about paths, and so are the rules of the kernel",
    },
    Limit {
        what: "seeing names, sizes, times and permissions of files, and where links lead",
        why: "programs find their way to a file by them",
    },
    Limit {
        what: "running what may be read, by way of an interpreter",
        why: "an interpreter reads, and only the kernel's own start of a program is held",
    },
    Limit {
        what: "replacing a file by a move where making and removing are granted and changing is not",
        why: "removing and making it again comes to the same",
    },
    Limit {
        what: "signals to other processes, their environment and services of the machine, by a tool whose files are unrestricted",
        why: "all but the protected files and the network is open to it",
    },
    Limit {
        what: "using files and pipes that the program which started the server has left open to it",
        why: "a process keeps what it inherits; the server itself leaves nothing open",
    },
];

/// What is held of no tool on a machine with these mechanisms.
#[must_use]
pub const fn limits(mechanisms: Mechanisms) -> &'static [Limit] {
    match mechanisms.hold_paths() {
        true => &LIMITS_BY_PATHS,
        false => &LIMITS,
    }
}

impl Account {
    pub(crate) fn of(
        wish: &Wish<'_>,
        mechanisms: Mechanisms,
        profile: Option<&Profile>,
        regions: &Regions,
    ) -> Self {
        let mut grants = Vec::new();
        if let Some(access) = wish.access {
            let files = access.fs.iter().enumerate();
            grants.extend(files.map(|(index, rule)| match profile {
                Some(_) if wish.beyond.checks_itself && makes_only(rule) => {
                    not_held(Resource::Fs, index, SAME_RIGHT.to_owned())
                }
                Some(profile) => file_grant(wish.root, index, rule, profile, regions),
                None => not_held(Resource::Fs, index, no_landlock(mechanisms)),
            }));
            let network = profile.map_or(&Network::Open, |profile| &profile.network);
            let net = access.net.iter().enumerate();
            grants.extend(net.map(|(index, rule)| net_grant(index, rule, network)));
            let env = access.env.iter().enumerate();
            grants.extend(env.map(|(index, _)| match profile {
                Some(profile) if profile.nested && !profile.restricts_files => not_held(
                    Resource::Env,
                    index,
                    "the environment of other processes can be asked for by a tool without rules on files".to_owned(),
                ),
                Some(_) => held(Resource::Env, index),
                None => not_held(
                    Resource::Env,
                    index,
                    "the environment of other processes can be read in /proc".to_owned(),
                ),
            }));
            let config = access.config.iter().enumerate();
            grants.extend(config.map(|(index, _)| held(Resource::Config, index)));
        }
        Self {
            mechanisms,
            grants,
            protected: protected(mechanisms, profile, regions),
            private_tmp: None,
        }
    }

    /// What is held as a whole.
    #[must_use]
    pub fn overall(&self) -> Overall {
        let mut all = self.grants.iter().map(|grant| grant.held);
        let is_held = |held: Held| held != Held::Not;
        let protected = is_held(self.protected.0);
        if protected && all.clone().all(is_held) {
            Overall::Held
        } else if protected || all.any(is_held) {
            Overall::Partly
        } else {
            Overall::Not
        }
    }

    /// The one line that stands where a person is asked.
    ///
    /// ```text
    /// held by the kernel: files; not held: hosts
    /// ```
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut held = Vec::new();
        let mut not = Vec::new();
        for (resource, word) in [
            (Resource::Fs, "files"),
            (Resource::Net, "hosts"),
            (Resource::Env, "environment"),
        ] {
            let mut grants = self
                .grants
                .iter()
                .filter(|grant| grant.resource == resource)
                .peekable();
            if grants.peek().is_some() {
                let is_held = grants.all(|grant| grant.held != Held::Not);
                if is_held { &mut held } else { &mut not }.push(word);
            }
        }
        if !self
            .grants
            .iter()
            .any(|grant| grant.resource == Resource::Fs)
        {
            let is_held = self.protected.0 != Held::Not;
            if is_held { &mut held } else { &mut not }.push("protected files");
        }
        if let Some((state, _)) = &self.private_tmp {
            let list = match state {
                Held::Not => &mut not,
                Held::Held | Held::Less => &mut held,
            };
            list.push("a `/tmp` of its own");
        }
        let mut parts = Vec::new();
        if !held.is_empty() {
            parts.push(format!("held by the kernel: {}", held.join(", ")));
        }
        if !not.is_empty() {
            parts.push(format!("not held: {}", not.join(", ")));
        }
        parts.join("; ")
    }

    /// Why a tool that has to be held does not start; none where it is held.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        let grant = self.grants.iter().find(|grant| grant.held == Held::Not);
        let of_grant = grant.map(|grant| {
            let reason = grant.reason.as_deref().unwrap_or_default();
            format!(
                "access.{}, rule {}: {reason}",
                grant.resource,
                grant.index + 1
            )
        });
        let others = [
            ("the protected files", Some(&self.protected)),
            ("a `/tmp` of its own", self.private_tmp.as_ref()),
        ];
        of_grant.or_else(|| {
            others.into_iter().find_map(|(what, account)| {
                let (held, reason) = account?;
                let reason = reason.as_deref().unwrap_or_default();
                (*held == Held::Not).then(|| format!("{what}: {reason}"))
            })
        })
    }
}

const fn held(resource: Resource, index: usize) -> GrantAccount {
    GrantAccount {
        resource,
        index,
        held: Held::Held,
        missing: Vec::new(),
        reason: None,
    }
}

fn not_held(resource: Resource, index: usize, reason: String) -> GrantAccount {
    GrantAccount {
        held: Held::Not,
        reason: Some(reason),
        ..held(resource, index)
    }
}

pub(crate) fn no_landlock(mechanisms: Mechanisms) -> String {
    match mechanisms.landlock {
        0 if cfg!(target_os = "macos") => "`sandbox-exec` holds nothing on this machine".to_owned(),
        0 if cfg!(not(target_os = "linux")) => "nothing holds a process on this system".to_owned(),
        0 => "this machine has no Landlock".to_owned(),
        version => format!(
            "Landlock {version} of this machine cannot keep a file from being cut short, version 3 can"
        ),
    }
}

fn file_grant(
    root: &Utf8Path,
    index: usize,
    rule: &FsRule,
    profile: &Profile,
    regions: &Regions,
) -> GrantAccount {
    let path = match (rule.approved_target(), rule.path().as_str()) {
        (Some(target), _) => target.to_owned(),
        (None, ".") => root.to_owned(),
        (None, _) => root.join(rule.path()),
    };
    let region = regions.list.iter().find(|region| region.path == path);
    let missing = region.map_or_else(Vec::new, |region| match profile.nested {
        true => missing_by_paths(rule, region, profile),
        false => missing(rule, region, profile, regions),
    });
    GrantAccount {
        held: if missing.is_empty() {
            Held::Held
        } else {
            Held::Less
        },
        missing,
        ..held(Resource::Fs, index)
    }
}

/// What of a region's rights the kernel does not let through.
fn missing(rule: &FsRule, region: &Region, profile: &Profile, regions: &Regions) -> Vec<String> {
    let name = rule.path();
    let granted = region.granted;
    let Some(entry) = region.entry else {
        return match granted.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "everything: `{name}` does not exist, make it first"
            )],
        };
    };
    let mut missing = Vec::new();
    if region.is_made {
        missing.push(format!(
            "making and removing `{name}` itself: it is there before the tool starts, and gone after it if it is empty"
        ));
    }
    for capability in granted.capabilities() {
        let right = Rights::of(capability);
        let is_of_entry = right.meets(Rights::CREATE.with(Rights::DELETE));
        match entry.kind {
            Kind::Directory => {
                let probed = match capability {
                    FsCapability::Read => region.path.clone(),
                    _ => region.path.join("any"),
                };
                if !profile.allows(capability, &probed) {
                    let lists = capability == FsCapability::Read && profile.lists(&probed);
                    // No mount keeps a file where it is, and its folder does not either.
                    let inside = region.path.join("any");
                    let lets_go = [FsCapability::Create, FsCapability::Delete]
                        .into_iter()
                        .any(|capability| profile.allows(capability, &inside));
                    let is_of_files = !is_of_entry
                        && profile.writable.is_none()
                        && lets_go
                        && regions.take_without(right);
                    missing.push(match (lists, is_of_files) {
                        (true, false) => format!("reading files that are made directly in `{name}`"),
                        (_, true) => format!("{capability} of files directly in `{name}`, for which a rule would hold wherever they are moved or linked to"),
                        (false, false) => done_in(capability, name),
                    });
                }
            }
            Kind::File | Kind::Link if is_of_entry => {
                if !profile.allows(capability, &region.path) {
                    let what = match capability {
                        FsCapability::Create => "making",
                        _ => "removing and renaming",
                    };
                    missing.push(format!(
                        "{what} `{name}` itself, which takes the same right on its folder"
                    ));
                }
            }
            Kind::File | Kind::Link => {
                if !profile.allows(capability, &region.path) {
                    missing.push(match entry.names {
                        0 | 1 => format!(
                            "{capability}: a rule would hold wherever the file is moved or linked to, and something that takes it in does not grant it"
                        ),
                        names => format!(
                            "{capability}: the file has {names} names, and a rule would hold for all of them, one of which is not known, does not grant it or can be moved"
                        ),
                    });
                }
            }
        }
    }
    // The kernel opens for reading what it runs.
    if granted.has(Rights::EXECUTE) && !granted.has(Rights::READ) {
        missing.push(format!(
            "running what stands at `{name}`, which takes `read`"
        ));
    }
    if region.is_directory() && granted.has(Rights::CREATE) && !granted.has(Rights::UPDATE) {
        missing.push(format!(
            "writing into what it makes in `{name}`, which takes `update`"
        ));
    }
    missing
}

/// The same where the rule of the longest path decides.
fn missing_by_paths(rule: &FsRule, region: &Region, profile: &Profile) -> Vec<String> {
    let name = rule.path();
    let granted = region.granted;
    let mut missing = Vec::new();
    if granted.has(Rights::CREATE) {
        missing.push(format!(
            "giving a file in `{name}` another name, a hard link"
        ));
    }
    let fixed = profile.fixed.iter();
    let is_fixed = fixed
        .filter(|path| path.starts_with(&region.path))
        .any(|path| *path != profile.directory);
    if granted.has(Rights::DELETE) && is_fixed {
        missing.push(format!(
            "moving and removing the folders in `{name}` in which something else is granted"
        ));
    }
    if granted.has(Rights::EXECUTE) && !granted.has(Rights::READ) {
        missing.push(format!(
            "running what stands at `{name}`, which takes `read`"
        ));
    }
    missing
}

fn net_grant(index: usize, rule: &NetRule, network: &Network) -> GrantAccount {
    match network {
        Network::Nothing => held(Resource::Net, index),
        Network::Open => not_held(
            Resource::Net,
            index,
            "this machine has no Landlock that knows ports (version 4), and no namespaces"
                .to_owned(),
        ),
        Network::NoTcp => not_held(
            Resource::Net,
            index,
            "TCP is closed, and everything but TCP stays open without namespaces".to_owned(),
        ),
        Network::Ports(open) => {
            let ports: Vec<String> = match rule.allow {
                true => crate::network::ports(rule),
                false => ports(rule)
                    .into_iter()
                    .filter(|port| open.contains(port))
                    .collect(),
            }
            .iter()
            .map(u16::to_string)
            .collect();
            if ports.is_empty() {
                return held(Resource::Net, index);
            }
            not_held(
                Resource::Net,
                index,
                format!(
                    "the kernel knows ports and no hosts: every host can be reached on TCP port {}",
                    ports.join(" and ")
                ),
            )
        }
    }
}

fn protected(
    mechanisms: Mechanisms,
    profile: Option<&Profile>,
    regions: &Regions,
) -> (Held, Option<String>) {
    let Some(profile) = profile else {
        return (Held::Not, Some(no_landlock(mechanisms)));
    };
    if regions.overlooks {
        return (
            Held::Not,
            Some("the workspace has too many files to find every protected one; those near its top are held".to_owned()),
        );
    }
    if !profile.restricts_files && !profile.nested && !mechanisms.hold_mounts() {
        return (
            Held::Not,
            Some("this machine lets no process have mounts of its own".to_owned()),
        );
    }
    (Held::Held, None)
}
