//! Rules that are moved, and what their titles say of what that decides.

use super::*;

#[test]
fn a_rule_is_moved_past_its_neighbour() {
    let rules = "[conversation.tools.a]\nparameters.p.type = \"path\"\npolicy.run = [\n  { arg = \"/p\", prefix = \"a\", mode = \"unattended\" },\n  # hidden\n  { arg = \"/p\", prefix = \"a/b\", mode = \"$0ask\" }, # so\n  { arg = \"/p\", prefix = \"c\", mode = \"skip\" },\n  { mode = \"ask\" },\n]\n";
    check(
        rules,
        "Move the rule up",
        &expect![[r#"
        [conversation.tools.a]
        parameters.p.type = "path"
        policy.run = [
          # hidden
          { arg = "/p", prefix = "a/b", mode = "ask" }, # so
          { arg = "/p", prefix = "a", mode = "unattended" },
          { arg = "/p", prefix = "c", mode = "skip" },
          { mode = "ask" },
        ]
    "#]],
    );
    check_titles(
        rules,
        &expect![[r#"
        QuickFix: Move the rule above the one that covers it (changes what is decided)
        QuickFix: Remove the rule, which decides nothing
        Rewrite: Sort rules: stricter modes first (changes what is decided)
        Rewrite: Move the rule up (changes what is decided)
        Rewrite: Move the rule down
    "#]],
    );
    let last = "conversation.tools.a.policy.run = [{ mode = \"ask\" }, { mode = \"s$0kip\" }]";
    has_none(last, "Move the rule down");
    let headers = "[[conversation.tools.a.policy.result]]\nmode = \"skip\"\n[[conversation.tools.a.policy.result]]\nmo$0de = \"ask\"\n";
    check(
        headers,
        "Move the rule up (changes what is decided)",
        &expect![[r#"
            [[conversation.tools.a.policy.result]]
            mode = "ask"
            [[conversation.tools.a.policy.result]]
            mode = "skip"
        "#]],
    );
}

#[test]
fn the_rules_of_all_tools_are_compared_for_each_that_takes_them() {
    let defaults = "[conversation.tools.'*']\npolicy.run = [{ arg = \"/p\", prefix = \"a\", mode = \"skip\" }, { arg = \"/p\", prefix = \"a/b\", mode = \"as$0k\" }]\n";
    check_titles(
        defaults,
        &expect![[r#"
        QuickFix: Move the rule above the one that covers it: more calls get `ask`
        QuickFix: Remove the rule, which decides nothing
        Rewrite: Move the rule up
        FixAll: Fix the one problem with a safe fix
    "#]],
    );
    check_titles(
        &format!(
            "{defaults}[conversation.tools.t]\nsource = \"local\"\ncommand = \"t {{{{tool}}}}\"\nparameters.p = {{ type = \"path\" }}\n"
        ),
        &expect![[r#"
            QuickFix: Move the rule above the one that covers it: more calls get `ask`
            QuickFix: Remove the rule, which decides nothing
            Rewrite: Move the rule up (changes what is decided)
            FixAll: Fix the one problem with a safe fix
        "#]],
    );
}

#[test]
fn a_list_that_other_files_add_to_is_not_compared() {
    let mut files = MemoryFiles::default();
    let list = |rules: &str| {
        format!(
            "conversation.tools.t.policy.run = {{ strategy = \"append\", value = [{rules}] }}\n"
        )
    };
    let own = list(
        "{ arg = \"/p\", const = 1, mode = \"skip\" }, { arg = \"/p\", const = 2, mode = \"ask\" }",
    );
    files.insert(CONFIG, &format!("extends = [\"more.toml\"]\nconversation.tools.t.parameters.p = {{ type = \"integer\" }}\n{own}"));
    files.insert("/w/.jp/more.toml", &list("{ mode = \"ask\" }"));
    let analysis = analyse(&files);
    let id = analysis.graph().file_at(Utf8Path::new(CONFIG)).unwrap();
    let offset = files
        .text(Utf8Path::new(CONFIG))
        .unwrap()
        .find("const = 1")
        .unwrap();
    let titles: Vec<String> = ask(&analysis, id, offset)
        .into_iter()
        .map(|action| action.title)
        .collect();
    expect![[r#"
        Remove the rule, which decides nothing
        Fix the one problem with a safe fix"#]]
    .assert_eq(&titles.join("\n"));
}
