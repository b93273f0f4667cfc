use expect_test::expect;

use super::*;

#[test]
fn says_what_each_machine_can_hold() {
    let machines = [(0, false), (0, true), (2, true), (3, true), (3, false)];
    let newer = [(4, false), (7, true)];
    let mut report = String::new();
    let linux = machines.into_iter().chain(newer);
    let linux = linux.map(|(landlock, namespaces)| Mechanisms {
        landlock,
        namespaces,
        ..Mechanisms::NONE
    });
    for mechanisms in linux.chain([Mechanisms::MACOS]) {
        report.push_str(&format!("{mechanisms}\n"));
        for ability in abilities(mechanisms) {
            report.push_str(&format!("  {}\n", ability.in_words()));
        }
    }
    expect![[r#"
        no Landlock, no namespaces
          files: not held: this machine has no Landlock
          network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
          namespaces: not held: a process may not give itself mounts and a network of its own here
        no Landlock, namespaces
          files: not held: this machine has no Landlock
          network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
          namespaces: not held: without Landlock that holds files, a tool could undo its mounts
        Landlock 2, namespaces
          files: not held: Landlock 2 of this machine cannot keep a file from being cut short, version 3 can
          network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
          namespaces: not held: without Landlock that holds files, a tool could undo its mounts
        Landlock 3, namespaces
          files: held
          network: partly held: all of it where nothing is granted, else nothing: ports take version 4 of Landlock
          namespaces: held
        Landlock 3, no namespaces
          files: held
          network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
          namespaces: not held: a process may not give itself mounts and a network of its own here
        Landlock 4, no namespaces
          files: held
          network: partly held: TCP ports, and everything but TCP stays open without namespaces
          namespaces: not held: a process may not give itself mounts and a network of its own here
        Landlock 7, namespaces
          files: held
          network: partly held: all of it where nothing is granted, else TCP ports: the kernel knows no hosts
          namespaces: held
        sandbox-exec
          files: held
          network: partly held: all of it where nothing is granted, else TCP ports: the kernel knows no hosts
          namespaces: not held: a Mac has none, and holds closed places in open folders without them
    "#]].assert_eq(&report);
}
