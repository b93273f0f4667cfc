use std::sync::Arc;

use expect_test::expect;
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

use crate::{
    Analysis, Code, Dialect, Options,
    fixture::{analyse, check, check_fix, render},
};

#[test]
fn some_layer_says_where_a_tool_comes_from() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["more.toml"]
[conversation.tools.grep]
enable = true
[conversation.tools.find]
enable = true
[conversation.tools.describe_tools]
enable = false
[conversation.tools]
ask_user = { enable = false }
//- /w/.jp/more.toml
[conversation.tools.find]
source = "local"
command = "find"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            [conversation.tools.grep]
                                ^^^^ error[missing-required]: missing required value for `conversation.tools.grep.source`; write `source = "local"`, or where else the tool comes from
        "#]],
    );
}

#[test]
fn an_mcp_server_says_where_it_is() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["more.toml"]
[providers.mcp.docs]
type = "http"
[providers.mcp.local]
type = "stdio"
command = ""
[providers.mcp.elsewhere]
type = "stdio"
[providers.mcp.here]
type = "http"
url = "http://localhost:8080/mcp"
[providers.mcp.clear]
type = "http"
url = "http://docs.example/mcp"
[providers.mcp.keyed]
type = "http"
url = "https://me:secret@docs.example/mcp"
//- /w/.jp/more.toml
[providers.mcp.elsewhere]
type = "stdio"
command = "npx"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            [providers.mcp.docs]
                           ^^^^ warning[missing-required]: missing required value for `providers.mcp.docs.url`: the server is not reached without it; write its address, such as `url = "https://docs.example/mcp"`
            [providers.mcp.local]
                           ^^^^^ warning[missing-required]: missing required value for `providers.mcp.local.command`: the server is not started without it; write its program, such as `command = "npx"`
            url = "http://docs.example/mcp"
                  ^^^^^^^^^^^^^^^^^^^^^^^^^ error[invalid-value]: what is sent to `http://docs.example/mcp` could be read and changed on its way: write `https://…`, or an address of this machine
                fix!: Write `"https://docs.example/mcp"`
            url = "https://me:secret@docs.example/mcp"
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[invalid-value]: the address holds a name or a password, which anybody reads who reads the config: put a token into a variable of the environment, and name that as `bearer_token_env`
        "#]],
    );
}

#[test]
fn a_missing_file_may_say_where_a_server_is() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["gone.toml"]
[providers.mcp.docs]
type = "http"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            extends = ["gone.toml"]
                       ^^^^^^^^^^^ warning[extends-missing]: no file stands at `.jp/gone.toml`, so this entry adds nothing
                help: paths in `extends` are relative to the file that holds them
                fix: Remove this entry
            [providers.mcp.docs]
                           ^^^^ hint[missing-required]: missing required value for `providers.mcp.docs.url`: the server is not reached without it; write its address, such as `url = "https://docs.example/mcp"`
        "#]],
    );
}

#[test]
fn a_missing_file_may_say_it() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["gone.toml"]
[conversation.tools.grep]
enable = true
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            extends = ["gone.toml"]
                       ^^^^^^^^^^^ warning[extends-missing]: no file stands at `.jp/gone.toml`, so this entry adds nothing
                help: paths in `extends` are relative to the file that holds them
                fix: Remove this entry
            [conversation.tools.grep]
                                ^^^^ hint[missing-required]: missing required value for `conversation.tools.grep.source`; write `source = "local"`, or where else the tool comes from
        "#]],
    );
}

#[test]
fn a_fragment_may_be_picked_with_the_tool() {
    check(
        r#"//- /w/.jp/config.toml
config_load_paths = [".jp/config"]
[conversation.tools.read_file]
source = "local"
command = "read"
//- /w/.jp/config/skill.toml
[conversation.tools]
read_file = { enable = true }
raed_file = { enable = true }
grep = { enable = true }
unheard = { enable = true }
//- /w/.jp/config/tool.toml
[conversation.tools.grep]
source = "local"
command = "grep"
"#,
        &expect![[r#"
            //- /w/.jp/config/skill.toml
            raed_file = { enable = true }
            ^^^^^^^^^ warning[missing-required]: missing required value for `conversation.tools.raed_file.source`; did you mean the tool `read_file`?
                fix: Write `read_file`
            unheard = { enable = true }
            ^^^^^^^ hint[missing-required]: missing required value for `conversation.tools.unheard.source`; write `source = "local"`, or where else the tool comes from
        "#]],
    );
}

#[test]
fn access_rules_have_what_they_need() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.grep]
source = "local"
command = "grep"
access.fs = [{ read = true }]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ read = true }]
                         ^^^^^^^^^^^^^^^ error[missing-required]: missing required value for `conversation.tools.grep.access.fs.0.path`
        "#]],
    );
}

#[test]
fn a_model_and_a_mode_are_asked_for_where_the_user_config_is_known() {
    check(
        r#"//- /home/config.toml
[user]
name = "Ada"
//- /w/.jp/config.toml
[conversation.tools.'*']
enable = true
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            [conversation.tools.'*']
            ^ hint[missing-required]: missing required value for `assistant.model.id`; write a model, such as `id = "anthropic/claude-sonnet-5"` under `[assistant.model]`
                help: an environment variable or an option of the command line may set it
            ^ hint[missing-required]: missing required value for `conversation.tools.*.run`; write a mode, such as `run = "ask"` under `[conversation.tools.'*']`
                help: an environment variable or an option of the command line may set it
        "#]],
    );
}

#[test]
fn a_tool_that_another_fragment_loses_is_missed_at_once() {
    let mut files = MemoryFiles::from_fixture(
        r#"//- /w/.jp/config.toml
config_load_paths = [".jp/config"]
//- /w/.jp/config/skill.toml
assistant.tool_choice = "grep"
[conversation.tools]
grep = { enable = true }
//- /w/.jp/config/tool.toml
[conversation.tools.grep]
source = "local"
command = "grep"
"#,
    );
    let before = analyse(&files);
    assert_eq!(render(&files, &before), "");
    files.insert("/w/.jp/config/tool.toml", "[conversation.tools]\n");
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let after = render(&files, &before.update(Arc::new(graph)));
    assert_eq!(after, render(&files, &analyse(&files)));
    assert!(after.contains("grep.source"), "{after}");
}

#[test]
fn a_misspelt_tool_is_put_right_wherever_it_stands() {
    check_fix(
        r#"//- /w/.jp/config.toml
extends = ["grep.toml", "style.toml"]
[conversation.tools.grpe.policy]
result = "ask"

[conversation.tools.grpe] # search
run = "ask"
//- /w/.jp/grep.toml
[conversation.tools.grep]
source = "local"
command = "grep {{tool}}"
//- /w/.jp/style.toml
conversation.tools.grpe.style.hidden = true
"#,
        Code::MissingRequired,
        0,
        &expect![[r#"
            extends = ["grep.toml", "style.toml"]
            [conversation.tools.grep.policy]
            result = "ask"

            [conversation.tools.grep] # search
            run = "ask"
            conversation.tools.grep.style.hidden = true
        "#]],
    );
}

#[test]
fn a_model_that_says_something_says_which_one_it_is() {
    check(
        r#"//- /w/.jp/config.toml
config_load_paths = [".jp/config"]
extends = ["more.toml"]
[assistant.model.parameters]
temperature = 0
[conversation.title.generate.model.parameters]
temperature = 0
[conversation.inquiry.assistant]
model.id = { provider = "openai" }
[style.reasoning]
summary_model = {}
[providers.llm.aliases]
complete = { provider = "openai", name = "x" }
partial.name = "x"
elsewhere.name = "y"
[[conversation.compaction.rules]]
keep_first = 2
[conversation.compaction.rules.summary.model.parameters]
top_k = 3
[[conversation.compaction.rules]]
summary.model.id = "complete"
[conversation.tools.ask]
source = "local"
command = "ask"
questions.q.target.model.parameters.temperature = 1
//- /w/.jp/more.toml
providers.llm.aliases.elsewhere.provider = "openai"
//- /w/.jp/config/picked.toml
[assistant.model.id]
provider = "openai"
[conversation.inquiry.assistant.model]
id.name = "x"
[conversation.compaction]
rules = [{ summary.model.parameters.top_k = 3 }]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            [conversation.title.generate.model.parameters]
                                         ^^^^^ warning[missing-required]: missing required value for `conversation.title.generate.model.id`, and `jp` refuses the whole config without it; write `id = "anthropic/claude-sonnet-5"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
            model.id = { provider = "openai" }
                  ^^ warning[missing-required]: missing required value for `conversation.inquiry.assistant.model.id.name`, and `jp` refuses the whole config without it; write `name = "claude-sonnet-5"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
            summary_model = {}
                            ^^ warning[missing-required]: missing required value for `style.reasoning.summary_model.id`, and `jp` refuses the whole config without it; write `id = "anthropic/claude-sonnet-5"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
            partial.name = "x"
            ^^^^^^^ warning[missing-required]: missing required value for `providers.llm.aliases.partial.provider`, and `jp` refuses the whole config without it; write `provider = "anthropic"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
            [conversation.compaction.rules.summary.model.parameters]
                                                   ^^^^^ warning[missing-required]: missing required value for `conversation.compaction.rules.0.summary.model.id`, and `jp` refuses the whole config without it; write `id = "anthropic/claude-sonnet-5"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
            //- /w/.jp/config/picked.toml
            [assistant.model.id]
                             ^^ hint[missing-required]: missing required value for `assistant.model.id.name`, and `jp` refuses the whole config without it; write `name = "claude-sonnet-5"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
            rules = [{ summary.model.parameters.top_k = 3 }]
                               ^^^^^ hint[missing-required]: missing required value for `conversation.compaction.rules.2.summary.model.id`, and `jp` refuses the whole config without it; write `id = "anthropic/claude-sonnet-5"`, or the like
                help: nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole
        "#]],
    );
}

#[test]
fn the_released_jp_wants_the_source_of_every_tool() {
    let files = MemoryFiles::from_fixture(
        r#"//- /w/.jp/config.toml
[conversation.tools.describe_tools]
enable = false
[conversation.tools]
ask_user = { style.hidden = true }
'*'.run = "ask"
//- /w/.jp/good.toml
conversation.tools.ask_user.source = "builtin"
"#,
    );
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let options = Options {
        dialect: Dialect::Released,
    };
    let analysis = Analysis::new(Arc::new(graph), options);
    expect![[r#"
        //- /w/.jp/config.toml
        [conversation.tools.describe_tools]
                            ^^^^^^^^^^^^^^ error[missing-required]: missing required value for `conversation.tools.describe_tools.source`, and the released `jp` refuses the whole config without it; write `source = "builtin"`
        ask_user = { style.hidden = true }
        ^^^^^^^^ error[missing-required]: missing required value for `conversation.tools.ask_user.source`, and the released `jp` refuses the whole config without it; write `source = "builtin"`
    "#]].assert_eq(&render(&files, &analysis));
}
