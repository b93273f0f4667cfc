//! Holds this process to a profile, and everything that it starts.
//!
//! ```text
//! mounts of its own -> no more privileges -> resource limits -> Landlock
//! ```
//!
//! In this order, since Landlock forbids mounts; and for good, since what is given up cannot be taken back.
//! The process must have one thread.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
};

use camino::{Utf8Path, Utf8PathBuf};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort,
    PathBeneath, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, StatVfsMountFlags, fstat, fstatvfs, openat2},
    io::Errno,
    mount::{
        MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
        mount_remount,
    },
    process::{Resource, Rlimit, getegid, geteuid, getrlimit, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, capability_is_in_bounding_set,
        remove_capability_from_bounding_set, set_capabilities,
    },
};

use crate::{Cover, Mechanisms, Network, Profile, Rights, private_tmp::TMP};

/// What a process may use of the machine, as soft and hard limits: no core dumps, files of at most 16 GiB, 65,536 open
/// files.
pub const LIMITED: [(Resource, u64); 3] = [
    (Resource::Core, 0),
    (Resource::Fsize, 16 << 30),
    (Resource::Nofile, 1 << 16),
];

/// The privileges that an administrator's process keeps: those about files and users.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// A mount that nothing can be done with.
const CLOSED: MountFlags = MountFlags::RDONLY
    .union(MountFlags::NOSUID)
    .union(MountFlags::NODEV)
    .union(MountFlags::NOEXEC);

/// Where the kernel's own files lie, which rules alone keep closed.
const LEFT_WRITABLE: [&str; 1] = ["/proc"];

/// The newest interface that this program knows what to do with.
const NEWEST: ABI = ABI::V9;

/// Why a process is not held.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// There are no namespaces.
    #[error("it gets no mounts and no network of its own: {0}")]
    Namespaces(#[source] io::Error),
    /// A place cannot be covered.
    #[error("`{path}` cannot be covered: {error}")]
    Cover {
        /// The place.
        path: String,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// Privileges cannot be given up.
    #[error("its privileges cannot be given up: {0}")]
    Privileges(#[source] io::Error),
    /// The resources cannot be limited.
    #[error("its resources cannot be limited: {0}")]
    Limits(#[source] io::Error),
    /// The working directory is not there any more.
    #[error("its directory cannot be entered: {0}")]
    Directory(#[source] io::Error),
    /// Landlock refuses.
    #[error("Landlock refuses: {0}")]
    Landlock(#[from] RulesetError),
    /// Landlock is not there.
    #[error("this machine has no Landlock")]
    NoLandlock,
}

/// Holds this process to `profile`.
///
/// # Errors
///
/// [`ConfineError`]: the process may be held to a part of it then, and must not go on.
pub fn confine(profile: &Profile) -> Result<(), ConfineError> {
    isolate(profile)?;
    if let Some(folder) = &profile.private_tmp {
        // First, since everything else is told where the tool sees it.
        put_over_tmp(folder)?;
    }
    if let Some(writable) = &profile.writable {
        close_all_but(writable)?;
    }
    put_all(&profile.covers)?;
    // The directory as it was found lies below the mounts.
    std::env::set_current_dir(&profile.directory).map_err(ConfineError::Directory)?;
    let hides = profile
        .covers
        .iter()
        // What is mounted over folders of services holds nothing.
        .any(|cover| cover.hidden && cover.is_directory && !cover.may_be_gone);
    drop_privileges(hides).map_err(|error| ConfineError::Privileges(error.into()))?;
    for (resource, most) in LIMITED {
        limit(resource, most).map_err(|error| ConfineError::Limits(error.into()))?;
    }
    match restrict(profile)? {
        LandlockStatus::Available { .. } => Ok(()),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => {
            Err(ConfineError::NoLandlock)
        }
    }
}

/// Finds out what this machine has, by trying it on this process, which is of no use for anything else afterwards.
#[must_use]
pub fn probe() -> Mechanisms {
    let wanted = UnshareFlags::NEWNS
        .union(UnshareFlags::NEWNET)
        .union(UnshareFlags::NEWIPC);
    let namespaces = unshare(wanted).is_ok()
        && keep_mounts().is_ok()
        && close_all_but(&[]).is_ok()
        // Nothing can be looked up in `/proc/self` any more then.
        && mount_bind("/proc/self", "/proc/self").is_ok()
        && mount("none", "/proc/self", "tmpfs", MountFlags::RDONLY, None).is_ok();
    let tried = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    let landlock = match tried.map(|status| status.landlock) {
        Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi as u8,
        Ok(LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) | Err(_) => 0,
    };
    Mechanisms {
        landlock,
        namespaces,
        seatbelt: false,
    }
}

/// Gives the process what namespaces it needs.
fn isolate(profile: &Profile) -> Result<(), ConfineError> {
    let mut flags = UnshareFlags::empty();
    if profile.has_mounts() {
        flags |= UnshareFlags::NEWNS;
    }
    if profile.network == Network::Nothing {
        flags |= UnshareFlags::NEWNET;
    }
    if profile.has_mounts() && profile.is_scoped {
        // Memory, queues and semaphores that others share have no place in the file tree.
        flags |= UnshareFlags::NEWIPC;
    }
    if flags.is_empty() {
        return Ok(());
    }
    unshare(flags).map_err(ConfineError::Namespaces)?;
    if profile.has_mounts() {
        keep_mounts().map_err(|error| ConfineError::Namespaces(error.into()))?;
    }
    Ok(())
}

/// Unshares as the user that this is, in a user namespace where that takes one.
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    match unshare_only(flags) {
        Err(Errno::PERM) => unshare_only(flags.union(UnshareFlags::NEWUSER))?,
        done => return done.map_err(io::Error::from),
    }
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

#[expect(
    deprecated,
    reason = "its successor is unsafe for the sake of file tables, which are not unshared here"
)]
fn unshare_only(flags: UnshareFlags) -> rustix::io::Result<()> {
    rustix::thread::unshare(flags)
}

/// Nothing that is mounted here is to be seen elsewhere.
fn keep_mounts() -> rustix::io::Result<()> {
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE.union(MountPropagationFlags::REC),
    )
}

/// Mounts a folder in the place of everybody's temporary files.
fn put_over_tmp(folder: &Utf8Path) -> Result<(), ConfineError> {
    let mounted = open(folder).and_then(|folder| {
        let tmp = open(Utf8Path::new(TMP))?;
        mount_bind(handle(&folder), handle(&tmp))
    });
    mounted.map_err(|error| ConfineError::Cover {
        path: TMP.to_owned(),
        error: error.into(),
    })
}

/// Mounts everything read-only but these places and what programs write by their nature, such as devices.
///
/// A place becomes a mount of its own first, which keeps the flags that it had.
fn close_all_but(writable: &[Utf8PathBuf]) -> Result<(), ConfineError> {
    let failed = |path: &str, error: io::Error| ConfineError::Cover {
        path: path.to_owned(),
        error,
    };
    for path in writable {
        let bound = open(path).and_then(|place| {
            let path = handle(&place);
            mount_bind_recursive(path.as_str(), path.as_str())
        });
        bound.map_err(|error| failed(path.as_str(), error.into()))?;
    }
    let table = fs::read_to_string("/proc/self/mountinfo").map_err(ConfineError::Namespaces)?;
    for point in table.lines().filter_map(mount_point) {
        let is_left = LEFT_WRITABLE.iter().any(|left| point.starts_with(left))
            || writable.iter().any(|place| point.starts_with(place));
        if is_left {
            continue;
        }
        // What another mount lies over cannot be reached, nor changed.
        let Ok(place) = open(&point) else {
            continue;
        };
        let closed = flags_of(&place).and_then(|flags| {
            let wanted = flags.union(MountFlags::RDONLY);
            match wanted == flags {
                true => Ok(()),
                false => mount_remount(handle(&place), MountFlags::BIND.union(wanted), ""),
            }
        });
        match closed {
            // Not the root of a mount any more: another one lies over it.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(failed(point.as_str(), error.into())),
        }
    }
    Ok(())
}

/// Where a line of the table of mounts says that the mount is, with what it writes for blanks read again.
///
/// ```text
/// 36 35 98:0 /mnt1 /mnt\040two rw,noatime master:1 - ext3 /dev/root rw,errors=continue
/// ```
fn mount_point(line: &str) -> Option<Utf8PathBuf> {
    // What is mounted when somebody looks is not to be looked at.
    if line.contains(" - autofs ") {
        return None;
    }
    let written = line.split(' ').nth(4)?;
    let mut point = String::new();
    let mut rest = written;
    while let Some((before, after)) = rest.split_once('\\') {
        let (digits, behind) = after.split_at_checked(3)?;
        point.push_str(before);
        point.push(char::from(u8::from_str_radix(digits, 8).ok()?));
        rest = behind;
    }
    point.push_str(rest);
    Some(point.into())
}

/// Mounts the covers, outermost first.
fn put_all(covers: &[Cover]) -> Result<(), ConfineError> {
    let failed = |cover: &Cover, error: Errno| ConfineError::Cover {
        path: cover.path.to_string(),
        error: error.into(),
    };
    // As they are before anything is covered.
    let flags = covers.iter().map(|cover| {
        let flags = place_of(cover).and_then(|place| place.as_ref().map(flags_of).transpose());
        flags.map_err(|error| failed(cover, error))
    });
    let flags = flags.collect::<Result<Vec<_>, _>>()?;
    for (cover, flags) in covers.iter().zip(flags) {
        if let Some(flags) = flags {
            match put(cover, flags) {
                // A service ended meanwhile: nothing listens under that name any more.
                Err(Errno::NOENT) if cover.may_be_gone => {}
                put => put.map_err(|error| failed(cover, error))?,
            }
        }
    }
    Ok(())
}

/// The place of a cover; none where it needs no cover any more.
fn place_of(cover: &Cover) -> rustix::io::Result<Option<OwnedFd>> {
    match open(&cover.path) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS | Errno::NAMETOOLONG)
            if cover.may_be_gone =>
        {
            Ok(None)
        }
        place => place.map(Some),
    }
}

/// Whether a directory is covered, as it is now where that may have changed; none for what is neither that nor a socket then.
fn covers_directory(cover: &Cover, place: &OwnedFd) -> rustix::io::Result<Option<bool>> {
    if !cover.may_be_gone {
        return Ok(Some(cover.is_directory));
    }
    Ok(match FileType::from_raw_mode(fstat(place)?.st_mode) {
        FileType::Directory => Some(true),
        FileType::Socket => Some(false),
        _ => None,
    })
}

fn put(cover: &Cover, flags: MountFlags) -> rustix::io::Result<()> {
    let Some(place) = place_of(cover)? else {
        return Ok(());
    };
    let Some(is_directory) = covers_directory(cover, &place)? else {
        return Ok(());
    };
    let path = handle(&place);
    if cover.hidden && is_directory {
        return mount("none", path, "tmpfs", CLOSED, c"mode=000,size=4k");
    }
    if cover.hidden {
        // A device of a mount without devices cannot be opened, whatever a process may otherwise open.
        mount_bind("/dev/null", path)?;
        let null = flags_of(&open(Utf8Path::new("/dev/null"))?)?;
        return remount(cover, CLOSED.union(null));
    }
    let mut wanted = flags;
    if cover.read_only {
        // What is mounted further in would stay open to writing.
        mount_bind(path.as_str(), path.as_str())?;
        wanted |= MountFlags::RDONLY;
    } else {
        mount_bind_recursive(path.as_str(), path.as_str())?;
    }
    if cover.no_execution {
        wanted |= MountFlags::NOEXEC;
    }
    remount(cover, wanted)
}

/// Gives the topmost mount at the place of a cover its flags.
fn remount(cover: &Cover, wanted: MountFlags) -> rustix::io::Result<()> {
    let top = open(&cover.path)?;
    if flags_of(&top)? == wanted {
        return Ok(());
    }
    mount_remount(handle(&top), MountFlags::BIND.union(wanted), "")
}

/// The place itself: a link that somebody puts in its way is an error.
fn open(path: &Utf8Path) -> rustix::io::Result<OwnedFd> {
    openat2(
        CWD,
        path.as_std_path(),
        OFlags::PATH.union(OFlags::CLOEXEC),
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS,
    )
}

/// A path to what is open.
fn handle(place: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", place.as_raw_fd())
}

/// The flags of the mount that a place lies in, which nobody but its owner may take away.
fn flags_of(place: &OwnedFd) -> rustix::io::Result<MountFlags> {
    let flags = fstatvfs(place)?.f_flag;
    let pairs = [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    Ok(pairs
        .into_iter()
        .filter(|(known, _)| flags.contains(*known))
        .fold(MountFlags::empty(), |all, (_, flag)| all.union(flag)))
}

/// Gives up what an administrator could undo all of this with.
///
/// With hidden directories that is also the right to list a directory that nobody may list.
fn drop_privileges(hides: bool) -> rustix::io::Result<()> {
    let kept = if hides {
        KEPT.difference(CapabilitySet::DAC_OVERRIDE)
    } else {
        KEPT
    };
    let held = capabilities(None)?;
    for capability in CapabilitySet::all().difference(kept).iter() {
        if capability.bits().count_ones() == 1
            && held.effective.contains(CapabilitySet::SETPCAP)
            && capability_is_in_bounding_set(capability).unwrap_or(false)
        {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    set_capabilities(
        None,
        CapabilitySets {
            effective: held.effective.intersection(kept),
            permitted: held.permitted.intersection(kept),
            inheritable: CapabilitySet::empty(),
        },
    )
}

fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(resource);
    let at_most = |known: Option<u64>| Some(known.map_or(most, |known| known.min(most)));
    setrlimit(
        resource,
        Rlimit {
            current: at_most(current),
            maximum: at_most(maximum),
        },
    )
}

/// Tells Landlock the rules.
fn restrict(profile: &Profile) -> Result<LandlockStatus, ConfineError> {
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    ruleset = if profile.restricts_files {
        ruleset.handle_access(AccessFs::from_all(NEWEST))?
    } else {
        // Any rule keeps a process from looking into others, and from mounting.
        ruleset.handle_access(AccessFs::MakeBlock)?
    };
    let ports = match &profile.network {
        Network::Open | Network::Nothing => None,
        Network::NoTcp => Some(Vec::new()),
        Network::Ports(ports) => Some(ports.iter().copied().collect()),
    };
    if ports.is_some() {
        ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    }
    if profile.is_scoped {
        ruleset = ruleset.scope(Scope::from_all(NEWEST))?;
    }
    let mut created = ruleset.create()?;
    for rule in &profile.rules {
        // What is gone needs no rule.
        if let Ok(file) = open(&rule.path) {
            let access = access(rule.rights, rule.is_directory);
            created = created.add_rule(PathBeneath::new(file, access))?;
        }
    }
    for port in ports.into_iter().flatten() {
        created = created.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    Ok(created.restrict_self()?.landlock)
}

/// What a right is called by Landlock.
fn access(rights: Rights, is_directory: bool) -> BitFlags<AccessFs> {
    let mut access = BitFlags::empty();
    if rights.has(Rights::READ) {
        access |= AccessFs::ReadFile | AccessFs::ReadDir;
    }
    if rights.has(Rights::LIST) {
        access |= AccessFs::ReadDir;
    }
    if rights.has(Rights::UPDATE) {
        access |=
            AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev | AccessFs::ResolveUnix;
    }
    if rights.has(Rights::EXECUTE) {
        access |= AccessFs::Execute;
    }
    if rights.has(Rights::CREATE) {
        access |= AccessFs::MakeReg
            | AccessFs::MakeDir
            | AccessFs::MakeSym
            | AccessFs::MakeFifo
            | AccessFs::MakeSock;
    }
    if rights.has(Rights::DELETE) {
        access |= AccessFs::RemoveFile | AccessFs::RemoveDir;
    }
    if rights.meets(Rights::CREATE.with(Rights::DELETE)) {
        access |= AccessFs::Refer;
    }
    if is_directory {
        access
    } else {
        access & AccessFs::from_file(NEWEST)
    }
}
