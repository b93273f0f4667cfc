use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use expect_test::{Expect, expect};
use jp_tool::{AccessPolicy, FsCapability, FsRule, NetRule, protected_prefix};
use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::{Account, Beyond, Entry, Kind, Mechanisms, Plan, Tree, Wish, plan};

/// Files in memory; a path that ends in `/` is a directory.
#[derive(Debug, Default)]
struct Forest(BTreeMap<Utf8PathBuf, Kind>);

impl Forest {
    fn new(paths: &[&str]) -> Self {
        let mut forest = Self::default();
        for path in ["/w/"].iter().chain(paths) {
            let kind = match path.ends_with('/') {
                true => Kind::Directory,
                false => Kind::File,
            };
            let path = Utf8PathBuf::from(path.trim_end_matches('/'));
            for parent in path.ancestors().skip(1) {
                forest.0.insert(parent.to_owned(), Kind::Directory);
            }
            forest.0.entry(path).or_insert(kind);
        }
        forest
    }
}

impl Tree for Forest {
    fn entry(&self, path: &Utf8Path) -> Option<Entry> {
        let kind = *self.0.get(&self.resolved(path)?)?;
        Some(Entry { kind, names: 1 })
    }

    fn identity(&self, _: &Utf8Path) -> Option<(u64, u64)> {
        None
    }

    fn names(&self, path: &Utf8Path) -> Vec<(String, Kind)> {
        let inner = self.0.iter();
        let inner = inner.filter(|(inner, _)| inner.parent() == Some(path));
        inner
            .map(|(inner, kind)| (inner.file_name().unwrap().to_owned(), *kind))
            .collect()
    }

    /// As a volume of a Mac does: whatever the case of the letters.
    fn resolved(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let is_meant = |known: &&Utf8PathBuf| folded(known) == folded(path);
        self.0.keys().find(is_meant).cloned()
    }
}

fn fs(rules: &[(&str, &str)]) -> AccessPolicy {
    let rules = rules.iter().map(|(path, words)| {
        let has = |word: &str| words.split(' ').any(|known| known == word);
        FsRule::new(*path)
            .with_read(has("read"))
            .with_write(has("write"))
            .with_create(has("create").then_some(true))
            .with_update(has("update").then_some(true))
            .with_delete(has("delete").then_some(true))
            .with_execute(has("execute"))
    });
    AccessPolicy {
        fs: rules.collect(),
        ..AccessPolicy::default()
    }
}

fn net(rules: &[(&str, Option<u16>, bool)]) -> AccessPolicy {
    let rules = rules.iter().map(|(host, port, allow)| {
        let json = serde_json::json!({ "host": host, "port": port, "allow": allow });
        serde_json::from_value::<NetRule>(json).unwrap()
    });
    AccessPolicy {
        net: rules.collect(),
        ..AccessPolicy::default()
    }
}

fn planned(access: &AccessPolicy, paths: &[&str]) -> (Profile, Account) {
    let wish = Wish {
        root: Utf8Path::new("/w"),
        access: Some(access),
        protected: &[],
        beyond: &Beyond::default(),
    };
    let Plan {
        profile,
        account,
        folders,
    } = plan(&wish, Mechanisms::MACOS, &Forest::new(paths)).unwrap();
    assert!(folders.is_empty(), "a rule holds where nothing is yet");
    (profile.unwrap(), account)
}

/// The profile without what every program needs, and what is said of each grant.
#[track_caller]
fn check(access: &AccessPolicy, paths: &[&str], expected: &Expect) {
    let (profile, account) = planned(access, paths);
    let mut text = seatbelt_text(&profile).replace(BASE, "; what every program needs\n");
    for grant in &account.grants {
        let number = grant.index + 1;
        let _ = writeln!(
            text,
            "; access.{} {number}: {}",
            grant.resource,
            grant.in_words()
        );
    }
    let _ = writeln!(text, "; {}", account.in_words());
    expected.assert_eq(&text);
}

#[test]
fn reading() {
    check(
        &fs(&[("src", "read")]),
        &["/w/src/a"],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-read-data file-read-xattr (subpath "/w/src"))
        (allow system-socket)
        (allow network-outbound (literal "/private/var/run/mDNSResponder"))
        (allow mach-lookup
          (global-name "com.apple.SystemConfiguration.configd")
          (global-name "com.apple.trustd.agent"))
        (allow network*)
        ; access.fs 1: held
        ; held by the kernel: files
    "#]],
    );
}

#[test]
fn changing() {
    check(
        &fs(&[("src", "update")]),
        &["/w/src/a"],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-write-data file-write-flags file-write-mode file-write-owner file-write-times file-write-xattr (subpath "/w/src"))
        (allow system-socket)
        (allow network-outbound (literal "/private/var/run/mDNSResponder"))
        (allow mach-lookup
          (global-name "com.apple.SystemConfiguration.configd")
          (global-name "com.apple.trustd.agent"))
        (allow network*)
        ; access.fs 1: held
        ; held by the kernel: files
    "#]],
    );
}

#[test]
fn making() {
    check(
        &fs(&[("src", "create")]),
        &["/w/src/a"],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-write-create (subpath "/w/src"))
        (allow system-socket)
        (allow network-outbound (literal "/private/var/run/mDNSResponder"))
        (allow mach-lookup
          (global-name "com.apple.SystemConfiguration.configd")
          (global-name "com.apple.trustd.agent"))
        (allow network*)
        ; access.fs 1: held, less than granted: giving a file in `src` another name, a hard link
        ; held by the kernel: files
    "#]],
    );
}

#[test]
fn removing() {
    check(
        &fs(&[("src", "delete")]),
        &["/w/src/a"],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-write-unlink (subpath "/w/src"))
        (allow system-socket)
        (allow network-outbound (literal "/private/var/run/mDNSResponder"))
        (allow mach-lookup
          (global-name "com.apple.SystemConfiguration.configd")
          (global-name "com.apple.trustd.agent"))
        (allow network*)
        ; access.fs 1: held
        ; held by the kernel: files
    "#]],
    );
}

#[test]
fn running() {
    check(
        &fs(&[("bin", "read execute"), ("run", "execute")]),
        &["/w/bin/a"],
        &expect![[r#"
            (version 1)
            (deny default)
            ; what every program needs
            (allow file-read-data file-read-xattr (subpath "/w/bin"))
            (allow process-exec* file-map-executable (subpath "/w/bin"))
            (allow process-exec* file-map-executable (subpath "/w/run"))
            (allow system-socket)
            (allow network-outbound (literal "/private/var/run/mDNSResponder"))
            (allow mach-lookup
              (global-name "com.apple.SystemConfiguration.configd")
              (global-name "com.apple.trustd.agent"))
            (allow network*)
            ; access.fs 1: held
            ; access.fs 2: held, less than granted: running what stands at `run`, which takes `read`
            ; held by the kernel: files
        "#]],
    );
}

#[test]
fn the_longest_path_wins() {
    check(
        &fs(&[(".", "read delete"), ("a/key", ""), ("a/key/open", "read")]),
        &["/w/a/key/open/b"],
        &expect![[r#"
            (version 1)
            (deny default)
            ; what every program needs
            (allow file-read-data file-read-xattr
              (require-all (subpath "/w")
                (require-not (regex #"^/[wW]/[aA]/[kK][eE][yY](/|$)"))))
            (allow file-write-unlink
              (require-all (subpath "/w")
                (require-not (regex #"^/[wW]/[aA]/[kK][eE][yY](/|$)"))
                (require-not (regex #"^/[wW]$"))
                (require-not (regex #"^/[wW]/[aA]$"))
                (require-not (regex #"^/[wW]/[aA]/[kK][eE][yY]$"))))
            (allow file-read-data file-read-xattr (subpath "/w/a/key/open"))
            (allow system-socket)
            (allow network-outbound (literal "/private/var/run/mDNSResponder"))
            (allow mach-lookup
              (global-name "com.apple.SystemConfiguration.configd")
              (global-name "com.apple.trustd.agent"))
            (allow network*)
            ; access.fs 1: held, less than granted: moving and removing the folders in `.` in which something else is granted
            ; access.fs 2: held
            ; access.fs 3: held
            ; held by the kernel: files
        "#]],
    );
}

#[test]
fn what_does_not_exist_is_held_too() {
    check(
        &fs(&[("new", "read write"), ("new/key", "read")]),
        &[],
        &expect![[r#"
            (version 1)
            (deny default)
            ; what every program needs
            (allow file-read-data file-read-xattr (subpath "/w/new"))
            (allow file-write-create
              (require-all (subpath "/w/new")
                (require-not (regex #"^/[wW]/[nN][eE][wW]/[kK][eE][yY](/|$)"))))
            (allow file-write-data file-write-flags file-write-mode file-write-owner file-write-times file-write-xattr
              (require-all (subpath "/w/new")
                (require-not (regex #"^/[wW]/[nN][eE][wW]/[kK][eE][yY](/|$)"))))
            (allow file-write-unlink
              (require-all (subpath "/w/new")
                (require-not (regex #"^/[wW]/[nN][eE][wW]/[kK][eE][yY](/|$)"))
                (require-not (regex #"^/[wW]/[nN][eE][wW]$"))))
            (allow file-read-data file-read-xattr (subpath "/w/new/key"))
            (allow system-socket)
            (allow network-outbound (literal "/private/var/run/mDNSResponder"))
            (allow mach-lookup
              (global-name "com.apple.SystemConfiguration.configd")
              (global-name "com.apple.trustd.agent"))
            (allow network*)
            ; access.fs 1: held, less than granted: giving a file in `new` another name, a hard link; moving and removing the folders in `new` in which something else is granted
            ; access.fs 2: held
            ; held by the kernel: files
        "#]],
    );
}

#[test]
fn a_rule_may_write_a_name_in_another_case() {
    check(
        &fs(&[
            (".", "read"),
            ("Notes", "read update"),
            ("notes/KEY é.txt", ""),
        ]),
        &["/w/notes/a"],
        &expect![[r#"
            (version 1)
            (deny default)
            ; what every program needs
            (allow file-read-data file-read-xattr
              (require-all (subpath "/w")
                (require-not (regex #"^/[wW]/[nN][oO][tT][eE][sS]/[kK][eE][yY][^/][^/]+[.][tT][xX][tT](/|$)"))))
            (allow file-read-data file-read-xattr
              (require-all (subpath "/w/notes")
                (require-not (regex #"^/[wW]/[nN][oO][tT][eE][sS]/[kK][eE][yY][^/][^/]+[.][tT][xX][tT](/|$)"))))
            (allow file-write-data file-write-flags file-write-mode file-write-owner file-write-times file-write-xattr
              (require-all (subpath "/w/notes")
                (require-not (regex #"^/[wW]/[nN][oO][tT][eE][sS]/[kK][eE][yY][^/][^/]+[.][tT][xX][tT](/|$)"))))
            (allow system-socket)
            (allow network-outbound (literal "/private/var/run/mDNSResponder"))
            (allow mach-lookup
              (global-name "com.apple.SystemConfiguration.configd")
              (global-name "com.apple.trustd.agent"))
            (allow network*)
            ; access.fs 1: held
            ; access.fs 2: held
            ; access.fs 3: held
            ; held by the kernel: files
        "#]],
    );
}

#[test]
fn protected_files_of_a_tool_without_rules_on_files() {
    check(
        &AccessPolicy::default(),
        &["/w/.jp/config.toml", "/w/sub/.envrc"],
        &expect![[r#"
            (version 1)
            (allow default)
            (deny file-write-create (regex #"^/[wW]/[.][jJ][pP](/|$)"))
            (deny file-write-data file-write-flags file-write-mode file-write-owner file-write-times file-write-xattr (regex #"^/[wW]/[.][jJ][pP](/|$)"))
            (deny file-write-unlink (regex #"^/[wW]/[.][jJ][pP](/|$)"))
            (deny file-write-create (regex #"^/[wW]/[sS][uU][bB]/[.][eE][nN][vV][rR][cC](/|$)"))
            (deny file-write-data file-write-flags file-write-mode file-write-owner file-write-times file-write-xattr (regex #"^/[wW]/[sS][uU][bB]/[.][eE][nN][vV][rR][cC](/|$)"))
            (deny file-write-unlink (regex #"^/[wW]/[sS][uU][bB]/[.][eE][nN][vV][rR][cC](/|$)"))
            (deny file-write-unlink (regex #"^/[wW]$"))
            (deny file-write-unlink (regex #"^/[wW]/[sS][uU][bB]$"))
            ; held by the kernel: protected files
        "#]],
    );
}

#[test]
fn no_network() {
    let mut access = fs(&[(".", "read")]);
    access.net = net(&[("a.example", None, false)]).net;
    check(
        &access,
        &[],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-read-data file-read-xattr (subpath "/w"))
        ; access.fs 1: held
        ; access.net 1: held
        ; held by the kernel: files, hosts
    "#]],
    );
    check(
        &net(&[("a.example", None, false)]),
        &[],
        &expect![[r#"
        (version 1)
        (allow default)
        (deny file-write-unlink (regex #"^/[wW]$"))
        (deny network*)
        ; access.net 1: held
        ; held by the kernel: hosts, protected files
    "#]],
    );
}

#[test]
fn ports_of_hosts() {
    let mut access = fs(&[(".", "read")]);
    access.net = net(&[("a.example", None, true), ("b.example", Some(8080), true)]).net;
    check(
        &access,
        &[],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-read-data file-read-xattr (subpath "/w"))
        (allow system-socket)
        (allow network-outbound (literal "/private/var/run/mDNSResponder"))
        (allow mach-lookup
          (global-name "com.apple.SystemConfiguration.configd")
          (global-name "com.apple.trustd.agent"))
        (allow network-outbound (remote tcp "*:80") (remote tcp "*:443") (remote tcp "*:8080"))
        ; access.fs 1: held
        ; access.net 1: not held: the kernel knows ports and no hosts: every host can be reached on TCP port 80 and 443
        ; access.net 2: not held: the kernel knows ports and no hosts: every host can be reached on TCP port 8080
        ; held by the kernel: files; not held: hosts
    "#]],
    );
}

#[test]
fn the_environment() {
    let env = serde_json::json!([{ "name": "LANG", "read": true }]);
    let mut access = fs(&[(".", "read")]);
    access.env = serde_json::from_value(env).unwrap();
    check(
        &access,
        &[],
        &expect![[r#"
        (version 1)
        (deny default)
        ; what every program needs
        (allow file-read-data file-read-xattr (subpath "/w"))
        (allow system-socket)
        (allow network-outbound (literal "/private/var/run/mDNSResponder"))
        (allow mach-lookup
          (global-name "com.apple.SystemConfiguration.configd")
          (global-name "com.apple.trustd.agent"))
        (allow network*)
        ; access.fs 1: held
        ; access.env 1: held
        ; held by the kernel: files, environment
    "#]],
    );
    access.fs = fs(&[]).fs;
    check(
        &access,
        &[],
        &expect![[r#"
        (version 1)
        (allow default)
        (deny file-write-unlink (regex #"^/[wW]$"))
        ; access.env 1: not held: the environment of other processes can be asked for by a tool without rules on files
        ; held by the kernel: protected files; not held: environment
    "#]],
    );
}

#[test]
fn what_no_text_can_name_is_closed() {
    let (mut profile, _) = planned(&fs(&[("a", "read"), ("b\"\\", "read")]), &[]);
    profile.rules.retain(|rule| rule.path.starts_with("/w"));
    profile.rules[1].path = "/w/a\n\")".into();
    let text = seatbelt_text(&profile);
    let files = text.split_once(BASE).unwrap().1;
    let files = files.split_once(NAMES).unwrap().0;
    expect![[r#"
        (allow file-read-data file-read-xattr (subpath "/w/a"))
    "#]]
    .assert_eq(files);
}

#[test]
fn the_trial_closes_everything_but_what_a_program_starts_from() {
    let text = seatbelt_trial();
    let files = text.split_once(BASE).unwrap().1;
    expect![[r#"
        (allow file-read-data file-read-xattr (subpath "/usr"))
        (allow process-exec* file-map-executable (subpath "/usr"))
        (allow file-read-data file-read-xattr (subpath "/bin"))
        (allow process-exec* file-map-executable (subpath "/bin"))
        (allow file-read-data file-read-xattr (subpath "/System"))
        (allow process-exec* file-map-executable (subpath "/System"))
        (allow file-read-data file-read-xattr (subpath "/private/var/db/dyld"))
        (allow process-exec* file-map-executable (subpath "/private/var/db/dyld"))
    "#]]
    .assert_eq(files);
}

/// One clause of a profile: what it lets through, and where.
struct Clause {
    operations: Vec<String>,
    within: Utf8PathBuf,
    left_out: Vec<Regex>,
}

/// Reads the clauses on files as the format is documented, without the code that writes them.
fn clauses(text: &str) -> Vec<Clause> {
    let files = text.split_once(BASE).unwrap().1;
    let files = files.split_once(NAMES).unwrap().0;
    let clauses = files.split("(allow ").skip(1);
    clauses
        .map(|clause| {
            let (operations, _) = clause.split_once('(').unwrap();
            let within = clause.split_once("(subpath \"").unwrap().1;
            let left_out = clause.split("(require-not (regex #\"").skip(1);
            Clause {
                operations: operations.split_whitespace().map(str::to_owned).collect(),
                within: within.split_once('"').unwrap().0.into(),
                left_out: left_out
                    .map(|filter| Regex::new(filter.split_once("\")").unwrap().0).unwrap())
                    .collect(),
            }
        })
        .collect()
}

fn lets(clauses: &[Clause], operation: &str, path: &Utf8Path) -> bool {
    clauses.iter().any(|clause| {
        clause.operations.iter().any(|known| known == operation)
            && path.starts_with(&clause.within)
            && !clause
                .left_out
                .iter()
                .any(|filter| filter.is_match(path.as_str()))
    })
}

const OPERATIONS: [(FsCapability, &str); 5] = [
    (FsCapability::Read, "file-read-data"),
    (FsCapability::Create, "file-write-create"),
    (FsCapability::Update, "file-write-data"),
    (FsCapability::Delete, "file-write-unlink"),
    (FsCapability::Execute, "process-exec*"),
];

proptest! {
    #[test]
    fn lets_through_what_is_granted_and_nothing_else(
        rules in prop::collection::btree_map(
            prop::sample::select(vec![".", "a", "a/b", "a/b/c", "d", "d/new", "a/.envrc", ".jp", ".jp/x"]),
            0_u8..32,
            1..6,
        ),
    ) {
        let words = ["read", "create", "update", "delete", "execute"];
        let rules: Vec<(&str, String)> = rules
            .iter()
            .map(|(path, bits)| {
                let granted = words.iter().enumerate().filter(|(index, _)| bits & (1 << index) != 0);
                (*path, granted.map(|(_, word)| format!("{word} ")).collect())
            })
            .collect();
        let rules: Vec<(&str, &str)> = rules.iter().map(|(path, words)| (*path, words.as_str())).collect();
        let access = fs(&rules);
        let (profile, _) = planned(&access, &["/w/a/b/c/f", "/w/a/.envrc", "/w/d/", "/w/.jp/x/y"]);
        let clauses = clauses(&seatbelt_text(&profile));
        let policy = access.fs.compiled().unwrap();
        for path in [
            ".", "a", "a/b", "a/b/c", "a/b/c/f", "a/b/g", "a/.envrc", "d", "d/new", "d/new/h", "d/old", ".jp", ".jp/x",
            ".jp/x/y", "other",
        ] {
            let relative = Utf8Path::new(path);
            let absolute = match path {
                "." => Utf8PathBuf::from("/w"),
                _ => Utf8Path::new("/w").join(path),
            };
            let place = protected_prefix(relative);
            for (capability, operation) in OPERATIONS {
                let granted = policy.decide_within(capability, relative, place.as_deref()).allowed;
                let is_let = lets(&clauses, operation, &absolute);
                let is_fixed = capability == FsCapability::Delete && profile.fixed.contains(&absolute);
                prop_assert_eq!(is_let, granted && !is_fixed, "{} {}", capability, path);
                prop_assert_eq!(is_let, profile.allows(capability, &absolute), "{} {}", capability, path);
                // Nothing closed is open by another case of its letters.
                let shouted = Utf8PathBuf::from(format!("/w/{}", path.to_uppercase()));
                prop_assert!(!lets(&clauses, operation, &shouted) || granted, "{} {}", capability, shouted);
            }
        }
        // A folder in which something else is granted stays where it is.
        for rule in profile.rules.iter().filter(|rule| rule.path.starts_with("/w")) {
            for way in rule.path.ancestors().skip(1).take_while(|way| way.starts_with("/w")) {
                prop_assert!(!lets(&clauses, "file-write-unlink", way), "{}", way);
            }
        }
    }
}
