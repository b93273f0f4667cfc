use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Rendered, render};
use crate::config::CommandConfig;

fn argv(args: &[&str], shell: bool) -> Result<Rendered, String> {
    let mut words = args.iter().map(|word| (*word).to_owned());
    let command = CommandConfig {
        program: words.next().unwrap(),
        args: words.collect(),
        shell,
    };
    let tool = json!({
        "name": "t",
        "arguments": {"text": "a 'b' $(c)", "n": 1.5, "flag": true, "list": [1, "x"], "nothing": null},
    });
    render(&command, &tool, &json!({"root": "/w"}))
}

fn rendered(template: &str) -> Result<String, String> {
    argv(&["p", template], false).map(|rendered| rendered.argv[1].clone())
}

#[test]
fn values_print_as_tools_expect_them() {
    let table = [
        ("{{tool.arguments.text}}", "a 'b' $(c)"),
        ("{{tool.arguments.n}}", "1.5"),
        ("{{tool.arguments.flag}}", "true"),
        ("{{tool.arguments.list}}", "[1,\"x\"]"),
        ("{{tool.arguments.nothing}}", "null"),
        ("{{tool.arguments.missing}}", "null"),
        ("{{nope}}", "null"),
        ("{{context}}", "{\"root\":\"/w\"}"),
        ("--x={{tool.arguments.missing|default('')}}", "--x="),
        ("{{tool.name}}\n", "t"),
    ];
    for (template, expected) in table {
        assert_eq!(rendered(template).as_deref(), Ok(expected), "{template}");
    }
}

#[test]
fn a_key_below_nothing_is_an_error() {
    assert_eq!(
        rendered("{{tool.foo.bar}}"),
        Err("the template `{{tool.foo.bar}}` cannot be rendered: undefined value".to_owned())
    );
}

#[test]
fn a_template_that_was_cut_apart_says_how_to_write_it() {
    assert_eq!(
        rendered("{{tool.arguments.mmm"),
        Err(
            "the template `{{tool.arguments.mmm` cannot be rendered: unexpected end of input, expected end of \
             variable block; a template with spaces in a string command is cut apart, write the command as a table \
             with `args`"
                .to_owned()
        )
    );
}

#[test]
fn a_loop_without_end_ends() {
    let error = rendered(
        "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
    );
    assert_eq!(
        error.map_err(|error| error.ends_with("cannot be rendered: engine ran out of fuel")),
        Err(true)
    );
}

#[test]
fn a_shell_gets_quoted_arguments_and_a_fixed_program() {
    let line = argv(&["grep -r", "{{tool.arguments.text}}", "--"], true).unwrap();
    assert_eq!(line.argv, ["sh", "-c", "grep -r \"a 'b' \"'$(c)' --"]);
    assert_eq!(
        argv(&["grep {{tool.arguments.text}}"], true),
        Err(
            "`program` holds the template `grep {{tool.arguments.text}}` and `shell = true`, so a value could run \
             commands of its own; move the template to `args`, where values are quoted"
                .to_owned()
        )
    );
}

#[test]
fn a_command_without_templates_takes_no_input_in_its_arguments() {
    assert!(!argv(&["p", "-v"], false).unwrap().takes_input);
    assert!(argv(&["p", "{{tool.name}}"], false).unwrap().takes_input);
}
