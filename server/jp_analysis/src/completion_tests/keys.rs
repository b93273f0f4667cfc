//! Keys and headers.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn keys_leave_out_what_is_there_and_begin_with_what_is_required() {
    check(
        "[[conversation.tools.a.access.config]]\nwrite = true\n$0",
        &expect![[r#"
            path -> path = "$1"
            read -> read = ${1|true,false|}
            delete -> delete = ${1|true,false|}
            apply -> apply = "${1|ask,unattended|}"
        "#]],
    );
    check(
        "[conversation.tools]\na = { source = \"local\", co$0 }",
        &expect![[r#"
            enable -> enable = ${1|true,false,"on","off","explicit","always"|}
            command -> command = "$1"
            summary -> summary = "$1"
            description -> description = "$1"
            examples -> examples = "$1"
            parameters -> parameters = { $1 \}
            run -> run = "${1|ask,unattended,edit,skip|}"
            format -> format = "${1|ask,unattended|}"
            result -> result = "${1|unattended,ask,edit,skip|}"
            policy -> policy = { $1 \}
            cancellation_response -> cancellation_response = "$1"
            style -> style = { $1 \}
            questions -> questions = { $1 \}
            options -> options = { $1 \}
            access -> access = { $1 \}
        "#]],
    );
}

#[test]
fn a_key_before_an_equals_sign_is_only_renamed() {
    check_accepted(
        "[assistant]\nna$0 = \"x\"",
        "name",
        &expect![[r#"
            [assistant]
            name = "x""#]],
    );
    check_accepted(
        "[conversation.tools.a]\npolicy.ru$0",
        "run",
        &expect![[r#"
            [conversation.tools.a]
            policy.run = "ask""#]],
    );
    check_accepted(
        "[conversation.tools.a]\npolicy.$0",
        "result",
        &expect![[r#"
            [conversation.tools.a]
            policy.result = "unattended""#]],
    );
}

#[test]
fn a_header_may_stand_where_no_statement_follows() {
    check_accepted(
        "[conversation.tools.a]\nsource = \"local\"\n\nacc$0\n",
        "[[conversation.tools.a.access.fs]]",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [[conversation.tools.a.access.fs]]
            path = "."

        "#]],
    );
    has(
        "[conversation.tools.a]\n$0\nsource = \"local\"",
        &["access", "summary"],
        &["[[conversation.tools.a.access.fs]]"],
    );
}

#[test]
fn headers_are_completed_by_segments() {
    check(
        "[conversation.tools.a.policy]\n[[conversation.tools.a.acc$0",
        &expect![[r#"
            access.fs -> access.fs]]
            access.net -> access.net]]
            access.env -> access.env]]
            access.config -> access.config]]
        "#]],
    );
    has(
        "[$0",
        &["assistant", "conversation", "conversation.tools"],
        &["extends"],
    );
    has("[$0]", &["assistant"], &[]);
    has("[[$0", &["conversation.attachments"], &["assistant"]);
    has(
        "[conversation.tools.a]\nsource = \"local\"\n[conversation.tools.$0]",
        &["a.policy", "'*'", "<tool>"],
        &["a"],
    );
    check_accepted(
        "[conver$0.tools.a]",
        "conversation",
        &expect!["[conversation.tools.a]"],
    );
}

#[test]
fn the_tables_of_the_entry_before_come_first() {
    let tool = "[conversation.tools.a.parameters.path]\ntype = \"path\"\n";
    check(
        &format!("{tool}[[$0"),
        &expect![[r#"
        conversation.tools.a.policy.run -> conversation.tools.a.policy.run]]
        conversation.tools.a.policy.result -> conversation.tools.a.policy.result]]
        conversation.tools.a.access.fs -> conversation.tools.a.access.fs]]
        conversation.tools.a.access.net -> conversation.tools.a.access.net]]
        conversation.tools.a.access.env -> conversation.tools.a.access.env]]
        conversation.tools.a.access.config -> conversation.tools.a.access.config]]
        extends -> extends]]
        assistant.system_prompt_sections -> assistant.system_prompt_sections]]
        assistant.instructions -> assistant.instructions]]
        conversation.attachments -> conversation.attachments]]
        conversation.compaction.rules -> conversation.compaction.rules]]
    "#]],
    );
    check(
        &format!("{tool}[[conversation.to$0]]\n[conversation.tools.b]\n"),
        &expect![[r#"
            tools.a.policy.run
            tools.a.policy.result
            tools.a.access.fs
            tools.a.access.net
            tools.a.access.env
            tools.a.access.config
        "#]],
    );
    has(
        &format!("{tool}[conversation.tools.a.$0"),
        &["policy"],
        &["a.policy"],
    );
    has(
        &format!("{tool}[assistant.$0"),
        &["model"],
        &["conversation.tools.a.policy"],
    );
}

#[test]
fn a_header_is_told_from_a_key_by_its_brackets() {
    has(
        "[conversation.tools.find]\n$0\n",
        &[
            "enable",
            "[conversation.tools.find.enable]",
            "[[conversation.tools.find.access.fs]]",
            "[conversation.tools.find.parameters.<parameter>]",
        ],
        &["access.fs"],
    );
}

#[test]
fn access_is_for_local_tools() {
    let at = |source: &str| format!("[conversation.tools.a]\nsource = \"{source}\"\n$0");
    let access = ["[[conversation.tools.a.access.fs]]"];
    has(&at("local"), &access, &[]);
    has(&at("mcp.github"), &["run"], &access);
    has(&at("builtin"), &["run"], &access);
    has(
        "[conversation.tools.a]\nsource = \"builtin\"\n[conversation.tools.a.$0]",
        &["policy"],
        &["access"],
    );
    has(
        "conversation.tools.a = { source = \"mcp.x\", $0 }",
        &["policy"],
        &["access"],
    );
}

#[test]
fn a_key_that_takes_a_plain_value_is_offered_where_headers_are() {
    check_accepted("ext$0", "extends", &expect!["extends = []"]);
    check_accepted(
        "[conversation]\nattach$0",
        "attachments",
        &expect![[r#"
        [conversation]
        attachments = []"#]],
    );
    check_accepted(
        "[providers.llm.aliases]\n$0",
        "<alias>",
        &expect![[r#"
        [providers.llm.aliases]
        alias = """#]],
    );
    has(
        "[conversation.labels]\n$0",
        &["<label>"],
        &["strategy", "discard_when_merged"],
    );
    has(
        "[conversation]\nlabels = { value = { a = \"b\" }, $0 }",
        &["strategy"],
        &["value"],
    );
}

#[test]
fn of_many_names_those_that_go_with_what_is_typed_are_offered() {
    let tools: String = (0..300)
        .map(|number| format!("[conversation.tools.tool_{number:03}]\nsource = \"local\"\n"))
        .collect();
    for (typed, wanted, most) in [
        ("", "tool_000", 200),
        ("tool_299", "tool_299", 4),
        ("l29", "tool_290", 50),
        ("TOOL_0", "tool_099", 200),
    ] {
        let asked = ask(&format!(
            "[assistant]\ntool_choice = \"{typed}$0\"\n{tools}"
        ));
        let items = &asked.found.items;
        assert!(items.iter().any(|item| item.label == wanted), "{typed}");
        assert!(items.len() <= most, "{typed}");
        assert!(asked.found.is_incomplete);
    }
    for (typed, wanted) in [
        ("", "tool_000"),
        ("tool_299", "tool_299"),
        ("TOOL_29", "tool_297"),
    ] {
        let asked = ask(&format!("{tools}[conversation.tools.{typed}$0"));
        let items = &asked.found.items;
        // The table that is there already is offered by its parts.
        let below = format!("{wanted}.policy");
        assert!(
            items
                .iter()
                .any(|item| item.label == wanted || item.label == below),
            "{typed}: {items:#?}"
        );
        assert!(asked.found.is_incomplete, "{typed}");
    }
}

#[test]
fn a_name_that_is_being_typed_is_not_offered() {
    has(
        "[conversation.tools.grep]\nsource = \"local\"\n[conversation.tools.gr$0\n",
        &["grep.policy"],
        &["gr", "gr.policy"],
    );
    has("[assist$0]\nname = \"x\"", &["assistant"], &["assist"]);
}

#[test]
fn a_table_of_the_entry_before_is_offered_once() {
    let mut found =
        labels("[conversation.tools.a.parameters.path]\ntype = \"path\"\n[conversation.tools.$0");
    let count = found.len();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), count);
}

#[test]
fn a_segment_is_replaced_by_one_under_which_the_next_can_stand() {
    assert_eq!(labels("assis$0.\"name\" = \"x\""), ["assistant", "user"]);
    assert_eq!(labels("[conver$0.tools.a]"), ["conversation"]);
    assert_eq!(
        labels("[[conversation.tools.a.poli$0.run]]\nmode = \"ask\""),
        ["policy"]
    );
    // Where nothing fits, the next segment is what is wrong.
    has("[conver$0.toolz.a]", &["conversation"], &[]);
    has("[assistant]\nmod$0.idd = \"x\"", &["model"], &[]);
}
