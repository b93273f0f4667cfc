#[path = "plan_tests/hosts.rs"]
mod hosts;
#[path = "plan_tests/linked.rs"]
mod linked;
#[path = "plan_tests/services.rs"]
mod services;

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use expect_test::{Expect, expect};
use jp_tool::{AccessPolicy, FsCapability, FsRule, NetRule, protected_prefix};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::{Entry, Held};

const BOTH: Mechanisms = Mechanisms {
    landlock: 7,
    namespaces: true,
    ..Mechanisms::NONE
};

const LANDLOCK: Mechanisms = Mechanisms {
    landlock: 7,
    ..Mechanisms::NONE
};

/// Files in memory; a path that ends in `/` is a directory, `x*2` a file with two names, which is the same as every other `x*2`.
#[derive(Debug, Default)]
struct Forest(BTreeMap<Utf8PathBuf, Entry>);

impl Forest {
    fn new(paths: &[&str]) -> Self {
        let mut forest = Self::default();
        forest.plant("/w/");
        for path in paths {
            forest.plant(&format!("/w/{path}"));
        }
        forest
    }

    fn plant(&mut self, path: &str) {
        let (path, names) = match path.split_once('*') {
            Some((path, names)) => (path, names.parse().unwrap()),
            None => (path, 1),
        };
        let kind = match path.ends_with('/') {
            true => Kind::Directory,
            false => Kind::File,
        };
        let path = Utf8PathBuf::from(path.trim_end_matches('/'));
        for parent in path.ancestors().skip(1) {
            let entry = Entry {
                kind: Kind::Directory,
                names: 1,
            };
            self.0.insert(parent.to_owned(), entry);
        }
        self.0.entry(path).or_insert(Entry { kind, names });
    }
}

impl Tree for Forest {
    fn entry(&self, path: &Utf8Path) -> Option<Entry> {
        self.0.get(path).copied()
    }

    fn identity(&self, path: &Utf8Path) -> Option<(u64, u64)> {
        let mut hasher = DefaultHasher::new();
        match self.entry(path)?.names > 1 {
            true => path.file_name()?.hash(&mut hasher),
            false => path.hash(&mut hasher),
        }
        Some((0, hasher.finish()))
    }

    fn names(&self, path: &Utf8Path) -> Vec<(String, Kind)> {
        let inner = self
            .0
            .iter()
            .filter(|(inner, _)| inner.parent() == Some(path));
        inner
            .map(|(inner, entry)| (inner.file_name().unwrap().to_owned(), entry.kind))
            .collect()
    }

    fn resolved(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.0.contains_key(path).then(|| path.to_owned())
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

fn planned(access: &AccessPolicy, forest: &Forest, mechanisms: Mechanisms) -> Plan {
    let wish = Wish {
        root: Utf8Path::new("/w"),
        access: Some(access),
        protected: &[],
        beyond: &Beyond::default(),
    };
    plan(&wish, mechanisms, forest).unwrap()
}

fn check(access: &AccessPolicy, paths: &[&str], mechanisms: Mechanisms, expect: &Expect) {
    let Plan {
        profile, account, ..
    } = planned(access, &Forest::new(paths), mechanisms);
    let mut text = String::new();
    if let Some(profile) = &profile {
        for rule in &profile.rules {
            text.push_str(&format!("{} {}\n", rule.path, rule.rights));
        }
        for cover in &profile.covers {
            let words = [
                (cover.hidden, " hidden"),
                (cover.read_only, " read-only"),
                (cover.no_execution, " no-execution"),
            ];
            let words = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
            text.push_str(&format!(
                "cover {}{}\n",
                cover.path,
                words.collect::<String>()
            ));
        }
    }
    for grant in &account.grants {
        text.push_str(&format!("{}: {}", grant.index + 1, grant.held));
        for word in grant.missing.iter().chain(&grant.reason) {
            text.push_str(&format!("; {word}"));
        }
        text.push('\n');
    }
    text.push_str(&format!("{}\n", account.in_words()));
    expect.assert_eq(&text);
}

#[test]
fn a_closed_place_in_an_open_one_is_covered() {
    let access = fs(&[
        (".", "read write"),
        ("src/generated", "read"),
        ("src/key", ""),
    ]);
    let paths = ["src/generated/a", "src/key/k", "src/b", ".jp/config.toml"];
    check(
        &access,
        &paths,
        BOTH,
        &expect![[r#"
        /w read, create, update, delete
        /w/.jp read
        /w/src/generated read
        cover /w/.jp read-only
        cover /w/src
        cover /w/src/generated read-only
        cover /w/src/key hidden
        1: held
        2: held
        3: held
        held by the kernel: files
    "#]],
    );
}

#[test]
fn without_mounts_the_way_to_a_closed_place_loses_the_right() {
    let access = fs(&[(".", "read write"), ("src/key", "")]);
    let paths = ["src/key/k", "src/b", "docs/c"];
    check(
        &access,
        &paths,
        LANDLOCK,
        &expect![[r#"
        /w/docs read, create, update, delete
        /w/src/b read, update
        1: held, less than granted; listing `.`, and reading what is made directly in it; making files directly in `.`; changing files that are made directly in `.`; removing or renaming what lies directly in `.`
        2: held
        held by the kernel: files
    "#]],
    );
}

#[test]
fn what_mounts_cannot_say_is_left_out() {
    // Making is left out on the way to what cannot be made; nothing can be made where nothing is.
    let access = fs(&[
        (".", "read create"),
        ("secret", ""),
        ("new/folder", "write"),
    ]);
    check(
        &access,
        &["a"],
        BOTH,
        &expect![[r#"
        /w read
        1: held, less than granted; making files directly in `.`; writing into what it makes in `.`, which takes `update`
        2: held
        3: held, less than granted; everything: `new/folder` does not exist, make it first
        held by the kernel: files
    "#]],
    );
}

#[test]
fn a_rule_for_a_file_is_none_for_its_other_names() {
    let access = fs(&[("a", "read update"), ("b", "read write")]);
    check(
        &access,
        &["a*2", "b"],
        BOTH,
        &expect![[r#"
            /w/b read, update
            1: held, less than granted; read: the file has 2 names, and a rule would hold for all of them, one of which is not known, does not grant it or can be moved; update: the file has 2 names, and a rule would hold for all of them, one of which is not known, does not grant it or can be moved
            2: held, less than granted; making `b` itself, which takes the same right on its folder; removing and renaming `b` itself, which takes the same right on its folder
            held by the kernel: files
        "#]],
    );
}

#[test]
fn a_rule_for_a_file_is_one_for_all_names_where_they_are_known() {
    // Both names grant it.
    check(
        &fs(&[("a/f", "read update"), ("b/f", "read")]),
        &["a/f*2", "b/f*2"],
        LANDLOCK,
        &expect![[r#"
            /w/a/f read
            /w/b/f read
            1: held, less than granted; update: the file has 2 names, and a rule would hold for all of them, one of which is not known, does not grant it or can be moved
            2: held
            held by the kernel: files
        "#]],
    );
    // What one of them does not grant is covered there.
    check(
        &fs(&[("a/f", "read update execute"), ("b/f", "read")]),
        &["a/f*2", "b/f*2"],
        BOTH,
        &expect![[r#"
            /w/a/f read, update, execute
            /w/b/f read
            cover /w/b/f read-only no-execution
            1: held
            2: held
            held by the kernel: files
        "#]],
    );
    check(
        &fs(&[("a/f", "read")]),
        &["a/f*2", "b/f*2"],
        BOTH,
        &expect![[r#"
            /w/a/f read
            cover /w/b/f hidden
            1: held
            held by the kernel: files
        "#]],
    );
    // A name that can be moved or linked takes the rule along.
    check(
        &fs(&[("a/f", "read"), ("b", "read create")]),
        &["a/f*2", "b/f*2"],
        BOTH,
        &expect![[r#"
            /w/b read, create
            1: held, less than granted; read: the file has 2 names, and a rule would hold for all of them, one of which is not known, does not grant it or can be moved
            2: held, less than granted; writing into what it makes in `b`, which takes `update`
            held by the kernel: files
        "#]],
    );
    // Another name lies elsewhere.
    check(
        &fs(&[("a/f", "read")]),
        &["a/f*3", "b/f*3"],
        BOTH,
        &expect![[r#"
            1: held, less than granted; read: the file has 3 names, and a rule would hold for all of them, one of which is not known, does not grant it or can be moved
            held by the kernel: files
        "#]],
    );
}

#[test]
fn a_closed_file_leaves_its_folder_to_be_listed() {
    let access = fs(&[(".", "read"), ("src/key", "")]);
    check(
        &access,
        &["src/key", "src/a"],
        LANDLOCK,
        &expect![[r#"
        /w list
        /w/src list
        /w/src/a read
        1: held, less than granted; reading files that are made directly in `.`
        2: held
        held by the kernel: files
    "#]],
    );
    let access = fs(&[(".", "read"), ("src/key", "")]);
    check(
        &access,
        &["src/key/k", "src/a"],
        LANDLOCK,
        &expect![[r#"
        /w/src/a read
        1: held, less than granted; listing `.`, and reading what is made directly in it
        2: held
        held by the kernel: files
    "#]],
    );
}

#[test]
fn what_a_machine_lacks_is_said() {
    let access = fs(&[(".", "read")]);
    check(
        &access,
        &["a"],
        Mechanisms::NONE,
        &expect![[r#"
        1: not held; this machine has no Landlock
        not held: files
    "#]],
    );
    let old = Mechanisms {
        landlock: 2,
        namespaces: true,
        ..Mechanisms::NONE
    };
    check(
        &access,
        &["a"],
        old,
        &expect![[r#"
        1: not held; Landlock 2 of this machine cannot keep a file from being cut short, version 3 can
        not held: files
    "#]],
    );
    check(
        &AccessPolicy::default(),
        &[".jp/"],
        BOTH,
        &expect![[r#"
        cover /w/.jp read-only
        held by the kernel: protected files
    "#]],
    );
    check(
        &AccessPolicy::default(),
        &[".jp/"],
        LANDLOCK,
        &expect![[r#"
        not held: protected files
    "#]],
    );
}

fn names() -> impl Strategy<Value = String> {
    prop::collection::vec("a|b|c|\\.jp|\\.envrc", 1..4).prop_map(|names| names.join("/"))
}

fn forest() -> impl Strategy<Value = Vec<String>> {
    let path = (names(), 0..4).prop_map(|(path, kind)| match kind {
        0 => format!("{path}/"),
        1 => format!("{path}/f*2"),
        _ => format!("{path}/f"),
    });
    prop::collection::vec(path, 0..8)
}

fn rules() -> impl Strategy<Value = Vec<(String, u8)>> {
    let path = prop_oneof![
        Just(".".to_owned()),
        names(),
        names().prop_map(|path| path + "/f")
    ];
    prop::collection::vec((path, 0_u8..32), 1..6)
}

#[test]
fn running_takes_reading() {
    check(
        &fs(&[("bin", "execute"), ("lib", "read execute")]),
        &["bin/", "lib/"],
        LANDLOCK,
        &expect![[r#"
            /w/bin execute
            /w/lib read, execute
            1: held, less than granted; running what stands at `bin`, which takes `read`
            2: held
            held by the kernel: files
        "#]],
    );
}

#[test]
fn a_folder_that_may_be_made_is_made() {
    let made = |rules: &[(&str, &str)], paths: &[&str]| -> Vec<String> {
        let plan = planned(&fs(rules), &Forest::new(paths), BOTH);
        let folders = plan.folders.iter();
        folders.map(ToString::to_string).collect()
    };
    let all = "read create update delete";
    assert_eq!(
        made(
            &[("target", all), ("target/debug", all), (".cache", "create")],
            &[]
        ),
        ["/w/.cache", "/w/target", "/w/target/debug"]
    );
    let files = [
        ("notes.md", all),
        ("Makefile", all),
        (".git", all),
        (".envrc", all),
    ];
    assert_eq!(made(&files, &[]), Vec::<String>::new());
    // It is there, its folder is not, nothing says that it may be made, or another rule says that it may not.
    let others = [
        ("a", all),
        ("b/c", all),
        ("d", "read"),
        ("e", all),
        ("e", "read"),
    ];
    assert_eq!(made(&others, &["a/"]), Vec::<String>::new());
    let nothing = planned(&fs(&[("target", all)]), &Forest::new(&[]), Mechanisms::NONE);
    assert_eq!(nothing.folders, Vec::<Utf8PathBuf>::new());
    check(
        &fs(&[("target", all)]),
        &[],
        BOTH,
        &expect![[r#"
        /w/target read, create, update, delete
        1: held, less than granted; making and removing `target` itself: it is there before the tool starts, and gone after it if it is empty
        held by the kernel: files
    "#]],
    );
}

#[test]
fn a_program_that_checks_itself_may_write_what_it_makes() {
    let forest = Forest::new(&["src/old.rs"]);
    let access = fs(&[("src", "create")]);
    let of = |checks_itself| {
        let wish = Wish {
            root: Utf8Path::new("/w"),
            access: Some(&access),
            protected: &[],
            beyond: &Beyond {
                checks_itself,
                ..Beyond::default()
            },
        };
        let plan = plan(&wish, BOTH, &forest).unwrap();
        let writes = plan
            .profile
            .unwrap()
            .allows(FsCapability::Update, Utf8Path::new("/w/src/new.rs"));
        (writes, plan.account.grants.first().unwrap().held)
    };
    assert_eq!(of(false), (false, Held::Less));
    assert_eq!(of(true), (true, Held::Not));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_let_through_that_is_not_granted(
        paths in forest(),
        rules in rules(),
        namespaces in any::<bool>(),
    ) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let forest = Forest::new(&paths);
        let rules: Vec<(&str, String)> = rules
            .iter()
            .map(|(path, bits)| {
                let words = FsCapability::ALL.iter().enumerate();
                let words = words.filter(|(index, _)| bits & (1 << index) != 0);
                (path.as_str(), words.map(|(_, word)| format!("{word} ")).collect())
            })
            .collect();
        let rules: Vec<(&str, &str)> =
            rules.iter().map(|(path, words)| (*path, words.as_str())).collect();
        let access = fs(&rules);
        let mechanisms = Mechanisms { landlock: 7, namespaces, ..Mechanisms::NONE };
        let profile = planned(&access, &forest, mechanisms).profile.unwrap();
        let policy = access.fs.compiled().unwrap();
        let inside = forest.0.keys().filter(|path| path.starts_with("/w"));
        let fresh = inside.clone().map(|path| path.join("fresh"));
        for path in inside.cloned().chain(fresh) {
            let relative = path.strip_prefix("/w").unwrap();
            let relative = if relative == "" { Utf8Path::new(".") } else { relative };
            let place = protected_prefix(relative);
            for capability in FsCapability::ALL {
                let granted = policy.decide_within(capability, relative, place.as_deref()).allowed;
                prop_assert!(
                    granted || !profile.allows(capability, &path),
                    "{capability} {path} by {profile:#?}"
                );
                let right = Rights::of(capability);
                let is_known_as = |rule: &&FileRule| {
                    !rule.is_directory && forest.identity(&rule.path) == forest.identity(&path)
                };
                let mut by_another_name = profile.rules.iter().filter(is_known_as);
                prop_assert!(
                    granted
                        || profile.covers_take(right, &path)
                        || !by_another_name.any(|rule| rule.rights.has(right)),
                    "{capability} {path} by another name: {profile:#?}"
                );
            }
        }
    }

    #[test]
    fn what_is_held_is_let_through(paths in forest(), rules in rules()) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let forest = Forest::new(&paths);
        let rules: Vec<(&str, &str)> = rules
            .iter()
            .map(|(path, bits)| (path.as_str(), if bits % 2 == 0 { "read" } else { "read execute" }))
            .collect();
        let access = fs(&rules);
        let Plan {
            profile, account, ..
        } = planned(&access, &forest, BOTH);
        let profile = profile.unwrap();
        let policy = access.fs.compiled().unwrap();
        let all_held = account.grants.iter().all(|grant| grant.held == crate::Held::Held);
        for (path, entry) in forest.0.iter().filter(|(path, _)| path.starts_with("/w")) {
            let relative = path.strip_prefix("/w").unwrap();
            let relative = if relative == "" { Utf8Path::new(".") } else { relative };
            let granted = policy.decide(FsCapability::Read, relative).allowed;
            let is_let = profile.allows(FsCapability::Read, path);
            prop_assert!(!all_held || granted == is_let || entry.names > 1, "{path} {profile:#?}");
        }
    }
}
