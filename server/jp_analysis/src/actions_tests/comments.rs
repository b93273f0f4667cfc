//! What becomes of comments.

use super::*;

#[test]
fn a_table_takes_its_comments_along() {
    check(
        "[conversation.tools.a] # a\nsource = \"local\"\n# next\n\n# about\n[conversation.tools.a.st$0yle] # head\n# first\nhidden = true # why\nparameters = [ # in\n] # out\n# tail\n\n[assistant]\n",
        "Write the table in braces",
        &expect![[r#"
            [conversation.tools.a] # a
            source = "local"
            # about
            # head
            # first
            # why
            # out
            style = { hidden = true, parameters = [ # in
            ] }
            # next

            # tail

            [assistant]
        "#]],
    );
    check(
        "[conversation.tools.a]\nst$0yle = { # open\n    # first\n    hidden = true, # why\n    inline_results = \"off\" # results\n    # last\n} # closed\nsource = \"local\"\n",
        "Write the table as",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [conversation.tools.a.style] # closed
            # open
            # first
            hidden = true # why
            inline_results = "off" # results
            # last
        "#]],
    );
    check(
        "[conversation.tools.a]\npara$0meters = { \"p q\" . type = \"string\", 'r' = { type = \"path\" } }\n",
        "Write the table as",
        &expect![[r#"
            [conversation.tools.a]

            [conversation.tools.a.parameters]
            "p q" . type = "string"
            'r' = { type = "path" }
        "#]],
    );
    check(
        "[conversation.tools.a]\nsty$0le = { hidden = true }\n",
        "Write the table as",
        &expect![[r#"
            [conversation.tools.a]

            [conversation.tools.a.style]
            hidden = true
        "#]],
    );
}

#[test]
fn sorted_rules_take_their_comments_along() {
    check(
        "[conversation.tools.a.policy]\nrun = [\n  # loose\n  { arg = \"/p\", prefix = \"$0a\", mode = \"unattended\" }, # one\n\n  # strict\n  # indeed\n  { arg = \"/p\", prefix = \"b\", mode = \"skip\" },\n  { arg = \"/p\", prefix = \"c\", mode = \"ask\" } # three\n]\n",
        "Sort rules",
        &expect![[r#"
            [conversation.tools.a.policy]
            run = [
              # strict
              # indeed
              { arg = "/p", prefix = "b", mode = "skip" },

              { arg = "/p", prefix = "c", mode = "ask" }, # three
              # loose
              { arg = "/p", prefix = "a", mode = "unattended" } # one
            ]
        "#]],
    );
    check(
        "# loose\n[[conversation.tools.a.policy.run]]\narg = \"/p\"\nprefix = \"$0a\" # one\nmode = \"unattended\"\n\n# other\n[assistant]\nname = \"x\"\n# strict\n[[conversation.tools.a.policy.run]]\narg = \"/p\"\nprefix = \"b\"\nmode = \"skip\"\n",
        "Sort rules",
        &expect![[r##"
            # strict
            [[conversation.tools.a.policy.run]]
            arg = "/p"
            prefix = "b"
            mode = "skip"

            # other
            [assistant]
            name = "x"
            # loose
            [[conversation.tools.a.policy.run]]
            arg = "/p"
            prefix = "a" # one
            mode = "unattended"
        "##]],
    );
    has_none(
        "conversation.tools.a.policy.run = [ # all\n  { arg = \"/p\", prefix = \"$0a\", mode = \"unattended\" }, { arg = \"/p\", prefix = \"b\", mode = \"skip\" } ]\n",
        "Sort rules",
    );
}

#[test]
fn merged_rules_leave_their_comments() {
    check(
        "[conversation.tools.a.policy]\nrun = [\n  { arg = \"/k\", const = \"x\", mode = \"ask\" }, # one\n  # above\n  { arg = \"/k\", const = \"y$0\", mode = \"ask\" }, # two\n  { arg = \"/k\", const = \"z\", mode = \"ask\" },\n]\n",
        "Merge 3 rules",
        &expect![[r#"
            [conversation.tools.a.policy]
            run = [
              { arg = "/k", enum = ["x", "y", "z"], mode = "ask" }, # one
              # above
              # two
            ]
        "#]],
    );
    check(
        "[[conversation.tools.a.policy.run]]\narg = \"/k\"\nconst = \"x$0\" # one\nmode = \"ask\"\n\n[[conversation.tools.a.policy.run]]\narg = \"/k\"\nconst = \"y\"\nmode = \"ask\"\n\n[[conversation.tools.a.policy.run]]\nmode = \"ask\"\n",
        "Merge 2 rules",
        &expect![[r#"
            [[conversation.tools.a.policy.run]]
            arg = "/k"
            enum = ["x", "y"] # one
            mode = "ask"

            [[conversation.tools.a.policy.run]]
            mode = "ask"
        "#]],
    );
}

#[test]
fn the_comment_of_a_table_in_braces_goes_to_its_header() {
    check(
        "[conversation.tools.a]\nsty$0le = { hidden = true } # ä\nsource = \"local\"\n",
        "Write the table",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [conversation.tools.a.style] # ä
            hidden = true
        "#]],
    );
}
