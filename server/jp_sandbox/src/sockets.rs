//! The socket files of the machine, behind which services do what they are asked, whoever asks.
//!
//! ```text
//! /run/user/1000/bus      the bus of a person: it has programs started, held by nothing
//! /run/docker.sock        containers, with whatever of the machine in them
//! /tmp/ssh-x/agent.42     keys
//! ```
//!
//! Landlock leaves connecting to them open before version 9.
//! Where there are mounts, they are covered: each that somebody listens at when the tool starts, and the folders in which later
//! ones are made.

use std::{collections::BTreeSet, env, ffi::OsString, fs};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::FsCapability;

use crate::{Beyond, Cover, Network, Profile, Tree, regions::Region};

/// Files and folders of services that are closed, also where they come from another machine or network, as in a container.
pub const SERVICES: [&str; 15] = [
    "/mnt/wslg",
    "/run/WSL",
    "/run/containerd",
    "/run/dbus",
    "/run/docker.sock",
    "/run/incus",
    "/run/libvirt",
    "/run/lxd.socket",
    "/run/podman",
    "/run/snapd-snap.socket",
    "/run/snapd.socket",
    "/run/user",
    "/tmp/.X11-unix",
    "/var/lib/incus",
    "/var/lib/lxd",
];

/// Folders of services that look up users and hosts; they stay open where the network is.
pub const NAME_SERVICES: [&str; 4] = [
    "/run/nscd",
    "/run/systemd/resolve",
    "/run/systemd/userdb",
    "/var/lib/sss/pipes",
];

/// The variables that say where a service listens.
const VARIABLES: [&str; 8] = [
    "CONTAINER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DOCKER_HOST",
    "GPG_AGENT_INFO",
    "SSH_AUTH_SOCK",
    "WSL_INTEROP",
    "XDG_RUNTIME_DIR",
];

/// Folders that are everybody's, whatever a variable says of them.
const SHARED: [&str; 4] = ["/dev", "/dev/shm", "/tmp", "/var/tmp"];

/// The most entries of a folder that are looked at for sockets.
const MOST_ENTRIES: usize = 10_000;

/// Where services of this machine listen: socket files, and folders of them, with links resolved.
#[must_use]
pub fn of_this_machine() -> BTreeSet<Utf8PathBuf> {
    let table = fs::read("/proc/net/unix").unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    let (listed, relative) = listed(&table);
    let folders: BTreeSet<&Utf8Path> = listed.iter().filter_map(|path| path.parent()).collect();
    // A socket may have another name by now than the one it was given.
    let beside = folders.into_iter().flat_map(sockets_in);
    let files: BTreeSet<Utf8PathBuf> = listed
        .iter()
        .cloned()
        .chain(beside)
        .chain(from_folders_of_processes(&relative))
        .filter_map(|path| path.canonicalize_utf8().ok())
        .filter(|path| is_socket(path))
        .collect();
    let home = env::home_dir().and_then(|home| Utf8PathBuf::from_path_buf(home).ok());
    let is_shared = |path: &Utf8Path| {
        let mut shared = SHARED.iter().map(Utf8Path::new).chain(home.as_deref());
        shared.any(|shared| shared.starts_with(path))
    };
    let known = SERVICES.into_iter().map(Utf8PathBuf::from);
    let known = known
        .chain(named(env::var_os))
        .filter_map(|path| path.canonicalize_utf8().ok())
        .filter(|path| is_socket(path) || path.is_dir() && !is_shared(path));
    known.chain(files).collect()
}

/// The socket files in a folder.
fn sockets_in(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().into_iter().flatten();
    let paths = entries
        .take(MOST_ENTRIES)
        .filter_map(Result::ok)
        .map(camino::Utf8DirEntry::into_path);
    paths.filter(|path| is_socket(path)).collect()
}

/// Where names that do not begin at the root may lie: in the folder that a process is in.
fn from_folders_of_processes(names: &BTreeSet<&str>) -> Vec<Utf8PathBuf> {
    if names.is_empty() {
        return Vec::new();
    }
    let processes = Utf8Path::new("/proc").read_dir_utf8().into_iter().flatten();
    let folders: BTreeSet<Utf8PathBuf> = processes
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|entry| entry.path().join("cwd").read_link_utf8().ok())
        .collect();
    let paths = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    paths.collect()
}

#[cfg(unix)]
fn is_socket(path: &Utf8Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let metadata = path.symlink_metadata();
    metadata.is_ok_and(|metadata| metadata.file_type().is_socket())
}

#[cfg(not(unix))]
fn is_socket(_: &Utf8Path) -> bool {
    false
}

/// The paths in the kernel's table, and the names that do not begin at the root.
///
/// ```text
/// Num       RefCount Protocol Flags    Type St Inode Path
/// ffff9b54: 00000002 00000000 00010000 0001 01 21574 /run/user/1000/bus
/// ```
fn listed(table: &str) -> (BTreeSet<Utf8PathBuf>, BTreeSet<&str>) {
    let (mut paths, mut names) = (BTreeSet::new(), BTreeSet::new());
    for line in table.lines().skip(1) {
        let mut rest = Some(line);
        for _ in 0..7 {
            let column = rest.and_then(|rest| rest.trim_start_matches(' ').split_once(' '));
            rest = column.map(|(_, rest)| rest);
        }
        match rest {
            None | Some("") => {}
            Some(path) if path.starts_with('/') => {
                paths.insert(Utf8PathBuf::from(path));
            }
            // In no folder, whatever it looks like.
            Some(name) if name.starts_with('@') => {}
            Some(name) => {
                names.insert(name);
            }
        }
    }
    (paths, names)
}

/// What variables of the environment name: a path, or an address such as `unix:path=/run/user/1000/bus,guid=1`.
fn named(variable: impl Fn(&'static str) -> Option<OsString>) -> BTreeSet<Utf8PathBuf> {
    let mut places = BTreeSet::new();
    for name in VARIABLES {
        let value = variable(name).and_then(|value| value.into_string().ok());
        for address in value.iter().flat_map(|value| value.split([';', ','])) {
            let path = ["unix:path=", "unix://"]
                .iter()
                .find_map(|scheme| address.strip_prefix(scheme));
            let path = Utf8Path::new(path.unwrap_or(address));
            if path.is_absolute() && path.parent().is_some() {
                places.insert(path.to_owned());
            }
        }
    }
    places
}

/// The mounts over the places of services that `beyond` names, in the order of their paths, for a process that is held to `profile` otherwise.
///
/// A place in which the process may change something stays as it is, and so does one that it has something of its own in.
pub(crate) fn covers(
    beyond: &Beyond,
    profile: &Profile,
    regions: &[Region],
    tree: &dyn Tree,
) -> Vec<Cover> {
    let used = [
        &beyond.runnable,
        &beyond.readable,
        &beyond.writable,
        &beyond.command,
    ];
    let used: Vec<&Utf8PathBuf> = used
        .into_iter()
        .flatten()
        .chain(&beyond.temporary)
        .collect();
    let mut covers: Vec<Cover> = Vec::new();
    for path in &beyond.sockets {
        let Some(entry) = tree.entry(path) else {
            continue;
        };
        let is_directory = entry.kind == crate::Kind::Directory;
        let is_gone = covers
            .last()
            .is_some_and(|outer| path.starts_with(&outer.path))
            || profile
                .covers
                .iter()
                .any(|outer| path.starts_with(&outer.path) && outer.hidden);
        let is_used = regions.iter().any(|region| region.path.starts_with(path))
            || used.iter().any(|used| used.starts_with(path))
            || profile.directory.starts_with(path);
        let looks_up = NAME_SERVICES.iter().any(|folder| path.starts_with(folder))
            && matches!(profile.network, Network::Open | Network::Ports(_));
        if is_gone
            || looks_up
            || is_directory && is_used
            || profile.restricts_files && profile.allows(FsCapability::Update, path)
        {
            continue;
        }
        covers.push(Cover {
            path: path.clone(),
            is_directory,
            hidden: true,
            read_only: false,
            no_execution: false,
            may_be_gone: true,
        });
    }
    covers
}

#[cfg(test)]
#[path = "sockets_tests.rs"]
mod tests;
