//! What every tool may use beyond its grants, so that real programs run.

use std::{collections::BTreeSet, env, ffi::OsStr};

use camino::{Utf8Path, Utf8PathBuf};

use crate::Tree;

/// Folders of the system that can be read and run.
pub const SYSTEM_FOLDERS: [&str; 16] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/snap",
    "/run/current-system",
    "/System",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Applications/Xcode.app",
];

/// Files and folders of the system that can be read.
pub const SYSTEM_FILES: [&str; 46] = [
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/environment",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/java",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl",
    "/etc/static",
    "/etc/terminfo",
    "/etc/timezone",
    "/etc/xdg",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
    "/proc",
    "/run/systemd/resolve",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/var/lib/ca-certificates",
];

/// Devices that can be read and written.
pub const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Folders and files of toolchains in a person's home that can be read and run.
pub const HOME_FOLDERS: [&str; 24] = [
    ".asdf",
    ".bun/bin",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".deno/bin",
    ".gitconfig",
    ".config/git",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/uv",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".volta",
    ".xmake",
    "go/bin",
    "go/pkg",
];

/// What a tool may use beyond its grants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beyond {
    /// Folders and files that can be read and run; those in the workspace do not count.
    pub runnable: Vec<Utf8PathBuf>,
    /// Folders and files that can be read.
    pub readable: Vec<Utf8PathBuf>,
    /// Files that can be read and written.
    pub writable: Vec<Utf8PathBuf>,
    /// The files that the tool's command names, which can be read and run wherever they lie.
    pub command: Vec<Utf8PathBuf>,
    /// A folder of the tool's own in which it may do everything.
    pub temporary: Option<Utf8PathBuf>,
    /// Whether that folder is to stand in the place of everybody's temporary files, so that the tool sees none of them.
    pub private_tmp: bool,
    /// Where services of the machine listen, which are closed, links resolved; see [`crate::sockets_of_this_machine`].
    pub sockets: BTreeSet<Utf8PathBuf>,
    /// Whether the program is one of ours, which refuses itself whatever is not granted.
    ///
    /// Such a program may write what it makes: the kernel cannot tell a new file from one that was there.
    pub checks_itself: bool,
}

impl Beyond {
    /// What this machine and its person have: the documented lists, and the folders of `PATH`.
    ///
    /// An element of `PATH` that the home lies in opens nothing, and neither does the home itself.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let home = env::home_dir().and_then(|home| Utf8PathBuf::from_path_buf(home).ok());
        let path = env::var_os("PATH").unwrap_or_default();
        Self::new(home.as_deref(), &path)
    }

    pub(crate) fn new(home: Option<&Utf8Path>, path: &OsStr) -> Self {
        let in_home = home.into_iter().flat_map(|home| {
            let folders = HOME_FOLDERS.iter();
            folders.map(|folder| home.join(folder))
        });
        let searched = env::split_paths(path)
            .filter_map(|element| Utf8PathBuf::from_path_buf(element).ok())
            .filter(|element| element.is_absolute() && element.parent().is_some())
            .filter(|element| home.is_none_or(|home| !home.starts_with(element)));
        Self {
            runnable: SYSTEM_FOLDERS
                .iter()
                .map(Utf8PathBuf::from)
                .chain(in_home)
                .chain(searched)
                .collect(),
            readable: SYSTEM_FILES.iter().map(Utf8PathBuf::from).collect(),
            writable: DEVICES.iter().map(Utf8PathBuf::from).collect(),
            command: Vec::new(),
            temporary: None,
            private_tmp: false,
            sockets: BTreeSet::new(),
            checks_itself: false,
        }
    }

    /// Adds folders that a person has opened in their own settings.
    #[must_use]
    pub fn with_folders(mut self, folders: &[Utf8PathBuf]) -> Self {
        let folders = folders.iter().filter(|folder| folder.is_absolute());
        self.runnable.extend(folders.cloned());
        self
    }

    /// Adds the files that a command line names: its program, and each word that is the path of a file.
    ///
    /// Of those outside of the workspace, which a program may consist of, the folder is added too, unless it holds the
    /// workspace, the home or everybody's temporary files.
    #[must_use]
    pub fn with_command<'a>(
        mut self,
        directory: &Utf8Path,
        words: impl IntoIterator<Item = &'a str>,
        tree: &dyn Tree,
    ) -> Self {
        let named = words.into_iter().filter(|word| word.contains('/'));
        let files = named.filter_map(|word| {
            let path = tree.resolved(&directory.join(word))?;
            let entry = tree.entry(&path)?;
            (entry.kind == crate::Kind::File).then_some(path)
        });
        let files: Vec<Utf8PathBuf> = files.collect();
        let shared = [
            env::home_dir().and_then(|home| Utf8PathBuf::from_path_buf(home).ok()),
            Utf8PathBuf::from_path_buf(env::temp_dir()).ok(),
            Some(directory.to_owned()),
        ];
        let folders = files
            .iter()
            .filter(|file| !file.starts_with(directory))
            .filter_map(|file| file.parent())
            .filter(|folder| {
                !shared
                    .iter()
                    .flatten()
                    .any(|place| place.starts_with(folder))
            })
            .map(Utf8Path::to_owned);
        self.runnable.extend(folders);
        self.command.extend(files);
        self
    }
}
