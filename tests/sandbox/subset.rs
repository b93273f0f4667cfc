//! What the kernel lets a process do is a subset of what its grants say: random grants in random trees with links.
//!
//! ```toml
//! access.fs = [
//!   { path = ".", read = true, create = true, delete = true },
//!   { path = "a/b", read = true },
//!   { path = "a/b/c", write = true },
//! ]
//! ```
//!
//! `JP_LSP_SANDBOX_CASES` says how many, or which, as `200..300`; a gate takes a few dozen.

use std::{cmp::Reverse, collections::BTreeMap, fs, ops::Range, os::unix::fs::symlink};

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    Beyond, DiskTree, Kind, Mechanisms, Plan, Profile, Rights, Tree as _, Wish, plan,
};
use jp_tool::{AccessPolicy, Action, ApprovedTargets, Context, FsCapability, FsRule};
use serde::Deserialize;
use serde_json::json;

use crate::{confined, random::Random};

/// How many grant sets are tried, where nothing else is said.
const CASES: u64 = 36;

/// Sets of which a kernel once let more through: a file with a rule of its own was linked to where nothing may be changed.
const MENDED: [u64; 1] = [8438];

/// A tree, everything in it, and a file outside that nobody may read.
struct World {
    folder: tempfile::TempDir,
    root: Utf8PathBuf,
    directories: Vec<Utf8PathBuf>,
    files: Vec<Utf8PathBuf>,
}

impl World {
    fn new(random: &mut Random) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let base = base.canonicalize_utf8().unwrap();
        let root = base.join("w");
        let mut world = Self {
            folder,
            directories: vec![root.clone()],
            files: Vec::new(),
            root,
        };
        fs::create_dir(&world.root).unwrap();
        fs::write(base.join("secret"), "secret").unwrap();
        for _ in 0..8 {
            let parent = random.of(&world.directories).clone();
            let path = parent.join(*random.of(&["a", "b", "c", "d", ".jp", ".git", ".vscode"]));
            if fs::create_dir(&path).is_ok() {
                world.directories.push(path);
            }
        }
        for _ in 0..12 {
            let parent = random.of(&world.directories).clone();
            let path = parent.join(*random.of(&["f", "g", "h", ".envrc", ".jp.toml"]));
            if path.symlink_metadata().is_ok() {
                continue;
            }
            if random.percent(20) && !world.files.is_empty() {
                fs::hard_link(random.of(&world.files), &path).unwrap();
            } else {
                fs::write(&path, "#!/bin/sh\nexit 0\n").unwrap();
                set_executable(&path);
            }
            world.files.push(path);
        }
        for index in 0..2 {
            let path = random.of(&world.directories).join(format!("l{index}"));
            let target = match random.percent(50) {
                true => base.join("secret"),
                false => random.of(&world.directories).clone(),
            };
            symlink(target, path).unwrap();
        }
        world
    }

    fn all(&self) -> Vec<Utf8PathBuf> {
        self.directories
            .iter()
            .chain(&self.files)
            .cloned()
            .collect()
    }

    fn rules(&self, random: &mut Random) -> Vec<FsRule> {
        let all = self.all();
        let rule = |random: &mut Random| {
            let mut path = random.of(&all).clone();
            if random.percent(15) {
                path = random.of(&self.directories).join("missing");
            }
            let path = path.strip_prefix(&self.root).unwrap();
            let path = if path.as_str().is_empty() {
                Utf8Path::new(".")
            } else {
                path
            };
            FsRule::new(path)
                .with_read(random.percent(70))
                .with_create(random.percent(50))
                .with_update(random.percent(50))
                .with_delete(random.percent(50))
                .with_execute(random.percent(50))
        };
        (0..=random.below(5)).map(|_| rule(random)).collect()
    }

    /// Every operation of RFD 076 on everything, those that change nothing first.
    fn operations(&self, random: &mut Random) -> Vec<Vec<String>> {
        let mut operations = Vec::new();
        let mut add = |words: &[&str]| {
            operations.push(words.iter().map(|word| (*word).to_owned()).collect());
        };
        for path in self.all() {
            add(&["read", path.as_str()]);
        }
        // A file that was cut short does not run, nor by another name.
        for operation in ["execute", "update", "truncate"] {
            for path in &self.files {
                add(&[operation, path.as_str()]);
            }
        }
        for (index, directory) in self.directories.iter().enumerate() {
            add(&["create", directory.join(format!("n{index}")).as_str()]);
            add(&["mkdir", directory.join(format!("m{index}")).as_str()]);
            let link = directory.join(format!("s{index}"));
            let target = random.of(&self.files);
            add(&["symlink", target.as_str(), link.as_str()]);
            add(&["read", link.as_str()]);
            add(&[
                "link",
                random.of(&self.files).as_str(),
                directory.join(format!("k{index}")).as_str(),
            ]);
        }
        for index in 0..8 {
            let target = random.of(&self.directories).join(format!("v{index}"));
            add(&["move", random.of(&self.all()).as_str(), target.as_str()]);
            add(&[
                "move",
                random.of(&self.files).as_str(),
                random.of(&self.files).as_str(),
            ]);
        }
        for path in self.files.iter().rev().chain(self.directories.iter().rev()) {
            add(&["delete", path.as_str()]);
        }
        operations
    }
}

fn set_executable(path: &Utf8Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[derive(Deserialize)]
struct Told {
    done: Vec<bool>,
    readable: Vec<Utf8PathBuf>,
    writable: Vec<Utf8PathBuf>,
}

/// What the grants say, asked as a tool would ask.
struct Grants<'a>(&'a Context);

impl Grants<'_> {
    fn allow(&self, capability: FsCapability, path: &str) -> bool {
        let path = Utf8Path::new(path);
        // Where a file is known by a link, the link itself is asked about elsewhere.
        self.0.check_fs(capability, path).is_ok()
    }

    /// Whether an operation is granted; none where another one says it.
    fn grant(&self, operation: &[String]) -> Option<bool> {
        use FsCapability::{Create, Delete, Execute, Read, Update};
        let words: Vec<&str> = operation.iter().map(String::as_str).collect();
        Some(match words.as_slice() {
            ["read", path] => self.allow(Read, path),
            ["execute", path] => self.allow(Execute, path),
            ["update" | "truncate", path] => self.allow(Update, path),
            ["create" | "mkdir", path] => self.allow(Create, path),
            ["delete", path] => self.allow(Delete, path),
            ["symlink", _, path] => self.allow(Create, path),
            ["link", _, path] => self.allow(Create, path),
            ["move", from, to] => {
                let replaces = Utf8Path::new(to).symlink_metadata().is_ok();
                let made = match replaces {
                    // Removing it and making it again comes to the same.
                    true => {
                        self.allow(Update, to) || (self.allow(Delete, to) && self.allow(Create, to))
                    }
                    false => self.allow(Create, to),
                };
                self.allow(Delete, from) && made
            }
            _ => return None,
        })
    }
}

/// What came of one set of grants.
#[derive(Default, Debug)]
struct Tally {
    violations: Vec<String>,
    granted: usize,
    /// By what was tried and what stood in its way.
    refused: BTreeMap<String, usize>,
}

impl Tally {
    fn told(&self) -> String {
        let refused: usize = self.refused.values().sum();
        let mut classes: Vec<(&String, &usize)> = self.refused.iter().collect();
        classes.sort_by_key(|(_, count)| Reverse(**count));
        let classes = classes
            .iter()
            .map(|(class, count)| format!("\n  {count} {class}"));
        format!(
            "{refused} of {} granted operations are refused{}",
            self.granted,
            classes.collect::<String>()
        )
    }
}

/// What stood in the way of an operation that is granted.
fn obstacle(profile: &Profile, capability: FsCapability, path: &Utf8Path) -> &'static str {
    let names = DiskTree.entry(path).map_or(1, |entry| entry.names);
    let at = match capability {
        FsCapability::Create => path.parent().unwrap(),
        _ => path,
    };
    let mut rules = profile.rules.iter();
    let is_given =
        rules.any(|rule| rule.rights.has(Rights::of(capability)) && at.starts_with(&rule.path));
    match capability {
        FsCapability::Execute if !profile.allows(FsCapability::Read, path) => {
            "without `read`, which the kernel takes for it"
        }
        _ if path.is_file() && names > 1 && !is_given => "of several names",
        _ if !is_given => "beside a place that grants less",
        _ => "behind a mount",
    }
}

fn case(seed: u64, mechanisms: Mechanisms, tally: &mut Tally) {
    let mut random = Random(seed);
    let world = World::new(&mut random);
    let declared = AccessPolicy {
        fs: world.rules(&mut random).into(),
        ..AccessPolicy::default()
    };
    let compiled =
        AccessPolicy::compile_rules(&world.root, &declared, &ApprovedTargets::new()).unwrap();
    let script = confined::fixture("operations.py");
    let beyond = Beyond::of_this_machine().with_command(&world.root, [script.as_str()], &DiskTree);
    let wish = Wish {
        root: &world.root,
        access: Some(&compiled.policy),
        protected: &[],
        beyond: &beyond,
    };
    let Plan {
        profile, folders, ..
    } = plan(&wish, mechanisms, &DiskTree).unwrap();
    for folder in &folders {
        fs::create_dir(folder).unwrap();
    }
    let profile = profile.unwrap();
    let operations = world.operations(&mut random);
    let context = Context::new(&world.root, Action::Run).with_access(compiled.policy.clone());
    let grants = Grants(&context);
    let links = links_in(&world.root);
    // As the files are before anything is done.
    let granted: Vec<Option<bool>> = operations
        .iter()
        .map(|operation| grants.grant(operation))
        .collect();
    let task = json!({ "root": world.root, "operations": operations }).to_string();
    let (output, error) = confined::run(&profile, &["python3", &script], &task);
    let told: Told = serde_json::from_str(&output).unwrap_or_else(|_| panic!("{error}"));
    let rules: Vec<String> = compiled
        .policy
        .fs
        .iter()
        .map(|rule| {
            format!(
                "{}: {:?}",
                rule.path(),
                FsCapability::ALL.map(|it| rule.grants(it))
            )
        })
        .collect();
    let mut violate = |what: String| tally.violations.push(format!("{seed}: {what} {rules:?}"));
    let mut made = Vec::new();
    for ((operation, done), granted) in operations.iter().zip(&told.done).zip(&granted) {
        if operation[0] == "symlink" {
            made.push((operation[2].clone(), operation[1].clone()));
        }
        // What was read through a link that was made is where it leads.
        let led = made.iter().find(|(link, _)| operation[1] == *link);
        let granted = match led {
            Some((_, target)) if operation[0] == "read" => {
                Some(grants.allow(FsCapability::Read, target))
            }
            _ => *granted,
        };
        match (done, granted) {
            (true, Some(false)) if operation[0] != "read" || led.is_none() => {
                violate(format!("{operation:?}"));
            }
            (false, Some(true))
                if matches!(
                    operation[0].as_str(),
                    "read" | "execute" | "update" | "truncate" | "create" | "mkdir"
                ) && led.is_none() =>
            {
                tally.granted += 1;
                let capability = match operation[0].as_str() {
                    "read" => FsCapability::Read,
                    "execute" => FsCapability::Execute,
                    "create" | "mkdir" => FsCapability::Create,
                    _ => FsCapability::Update,
                };
                let path = Utf8Path::new(&operation[1]);
                let obstacle = obstacle(&profile, capability, path);
                let class = format!("{} {obstacle}", operation[0]);
                *tally.refused.entry(class).or_default() += 1;
            }
            (true, Some(true)) => tally.granted += 1,
            _ => {}
        }
    }
    // What a tool leads its own links to, from `.git` say, was not protected when it started.
    for link in links_in(&world.root) {
        if !links.contains(&link) {
            fs::remove_file(link).unwrap();
        }
    }
    // Wherever everything stands in the end, what can be done there is granted there.
    for (paths, capability) in [
        (&told.readable, FsCapability::Read),
        (&told.writable, FsCapability::Update),
    ] {
        for path in paths {
            if path.exists() && !grants.allow(capability, path.as_str()) {
                violate(format!("in the end {capability} {path}"));
            }
        }
    }
    drop(world.folder);
}

/// The links in a folder, wherever they lead.
fn links_in(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut links = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for (name, kind) in DiskTree.names(&folder) {
            match kind {
                Kind::Directory => pending.push(folder.join(name)),
                Kind::Link => links.push(folder.join(name)),
                Kind::File => {}
            }
        }
    }
    links
}

/// The numbers of the sets that are tried: `200`, or `200..300` for a part of more.
fn cases() -> Range<u64> {
    let named = std::env::var("JP_LSP_SANDBOX_CASES").unwrap_or_else(|_| CASES.to_string());
    let (first, end) = named.split_once("..").unwrap_or(("0", &named));
    first.parse().unwrap()..end.parse().unwrap()
}

fn try_all(mechanisms: Mechanisms) -> Tally {
    let mut tally = Tally::default();
    for seed in cases().chain(MENDED) {
        case(seed, mechanisms, &mut tally);
    }
    tally
}

#[test]
fn the_kernel_lets_nothing_through_that_is_not_granted() {
    let found = confined::mechanisms();
    if !found.hold_files() {
        let (words, _) = crate::held_in_words(found);
        assert_eq!(words, "not held: files");
        return;
    }
    for namespaces in [true, false] {
        let mechanisms = found.at_most(Mechanisms {
            namespaces,
            ..Mechanisms::ALL
        });
        let tally = try_all(mechanisms);
        println!("{mechanisms}: {}", tally.told());
        assert_eq!(tally.violations, Vec::<String>::new(), "{mechanisms}");
    }
}
