use jp_config::merge::{Located, LocatedValue};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{in_workspace, scripts};

fn located(value: &Value) -> Located {
    let value = match value {
        Value::String(text) => LocatedValue::String(text.clone()),
        Value::Bool(flag) => LocatedValue::Boolean(*flag),
        Value::Array(items) => LocatedValue::List(items.iter().map(located).collect()),
        Value::Object(object) => LocatedValue::Table(
            object
                .iter()
                .map(|(key, value)| (key.clone(), located(value)))
                .collect(),
        ),
        _ => LocatedValue::Null,
    };
    Located {
        value,
        origins: Vec::new(),
    }
}

#[track_caller]
fn check(command: &Value, expected: &[&str]) {
    let files = scripts(&located(command));
    let files = files
        .iter()
        .filter_map(|script| in_workspace(&script.file, "/w".into()));
    assert_eq!(files.collect::<Vec<_>>(), expected, "{command}");
}

#[test]
fn a_program_with_a_folder_is_a_file() {
    check(&json!("tools/lint {{tool}}"), &["tools/lint"]);
    check(&json!("./lint.sh"), &["lint.sh"]);
    check(&json!("/w/bin/lint"), &["bin/lint"]);
    check(&json!("{{context.root}}/bin/lint x"), &["bin/lint"]);
    check(&json!("env -i A=1 timeout 5 tools/lint"), &["tools/lint"]);
    check(
        &json!({ "program": "tools/my lint", "args": ["a/b"] }),
        &["tools/my lint"],
    );
}

#[test]
fn other_programs_are_none() {
    for command in [
        "lint {{tool}}",
        "/usr/bin/lint",
        "../elsewhere/lint",
        "grep -rn x src/a.py",
        "cat tools/lint.py",
        "{{tool.arguments.program}}/x",
        "python3 {{tool.arguments.script}}",
        "python3 -c 'import a' tools/lint.py",
        "sh -c 'echo tools/lint.sh'",
        "node -e 1 tools/x.js",
        "node --import tsx",
        "go test ./...",
        "bun install",
        "npm ls",
        "ruff check --config ruff.toml",
        "tsc -p tsconfig.json",
        "sed -f tools/x.sed",
        "cargo --version",
        "make -C {{tool.arguments.folder}}",
        "mvn --file {{tool.arguments.pom}}",
        "",
        "'",
    ] {
        check(&json!(command), &[]);
    }
}

#[test]
fn interpreters_run_what_they_are_given() {
    check(
        &json!("python3 -u tools/lint.py {{tool}}"),
        &["tools/lint.py"],
    );
    check(&json!("python3.12 -W error lint.py"), &["lint.py"]);
    check(
        &json!("python -m tools.lint --fix"),
        &["tools/lint.py", "tools/lint/__main__.py"],
    );
    check(&json!("ruby -r./lib/a lint.rb"), &["lib/a.rb", "lint.rb"]);
    check(&json!("go run tools/gen.go"), &["tools/gen.go"]);
    check(&json!("bun run lint"), &["package.json"]);
    check(&json!("sh -c tools/lint.sh"), &["tools/lint.sh"]);
    check(&json!("ansible-playbook -i hosts site.yml"), &["site.yml"]);
    check(
        &json!("node --require ./hook.js --import tsx web/lint.mjs"),
        &["hook.js", "web/lint.mjs"],
    );
    check(&json!("deno run -A lint.ts"), &["lint.ts"]);
    check(&json!("sh tools/lint.sh"), &["tools/lint.sh"]);
    check(&json!("uv run tools/lint.py"), &["tools/lint.py"]);
    check(&json!("uv run lint.py"), &["lint.py"]);
    check(&json!("uv run python lint.py"), &["lint.py"]);
    check(&json!("awk -f tools/x.awk data"), &["tools/x.awk"]);
    check(
        &json!({ "program": "ruby", "args": ["tools/lint.rb", "{{tool}}"] }),
        &["tools/lint.rb"],
    );
}

#[test]
fn recipes_are_looked_for() {
    check(
        &json!("just serve-tools {{context}} {{tool}}"),
        &["justfile", ".justfile"],
    );
    check(
        &json!("just --justfile tools/justfile x"),
        &["tools/justfile"],
    );
    check(&json!("just -f=tools/justfile x"), &["tools/justfile"]);
    let make = ["GNUmakefile", "makefile", "Makefile"];
    check(&json!("make lint"), &make);
    check(&json!("make --always-make lint -- -f x"), &make);
    for command in ["make -f ci.mk x", "make x -fci.mk", "make --file=ci.mk"] {
        check(&json!(command), &["ci.mk"]);
    }
    check(&json!("make -C web -f ci.mk"), &["web/ci.mk"]);
    check(
        &json!("make -C web"),
        &["web/GNUmakefile", "web/makefile", "web/Makefile"],
    );
    check(&json!("npm run lint"), &["package.json", ".npmrc"]);
    check(
        &json!("npm --prefix web run lint"),
        &["web/package.json", "web/.npmrc"],
    );
    check(&json!("mvn -fae test"), &["pom.xml", ".mvn/extensions.xml"]);
}

#[test]
fn some_config_is_run() {
    check(
        &json!("eslint --config lint/rules.js src"),
        &["lint/rules.js"],
    );
    check(&json!("jest -c ci/jest.js"), &["ci/jest.js"]);
    check(
        &json!("npx mocha --require ts-node/register -r ./hook.js --config ci/m.json"),
        &[".npmrc", "node_modules/.bin/mocha", "ci/m.json", "hook.js"],
    );
    check(&json!("npx -y @scope/server"), &[".npmrc"]);
    check(&json!("pylint --rcfile=ci/pylintrc src"), &["ci/pylintrc"]);
    check(
        &json!("python3 -m pytest -q"),
        &[
            "pytest.py",
            "pytest/__main__.py",
            "conftest.py",
            "pytest.ini",
        ],
    );
    check(&json!("psql -f db/x.sql base"), &["db/x.sql"]);
}

#[test]
fn cargo_runs_build_scripts_and_what_its_config_names() {
    let test = [".cargo/config.toml", "Cargo.toml", "build.rs"];
    check(&json!("cargo test --all -- --config x"), &test);
    check(&json!("cargo +nightly --locked clippy"), &test);
    check(&json!("cargo fmt"), &[".cargo/config.toml"]);
    check(
        &json!(
            "cargo check --manifest-path=web/Cargo.toml --config net.offline=true --config ci/cargo.toml"
        ),
        &[
            ".cargo/config.toml",
            "ci/cargo.toml",
            "web/Cargo.toml",
            "web/build.rs",
        ],
    );
    check(
        &json!("sh -c 'cd web && cargo build'"),
        &[
            "web/.cargo/config.toml",
            ".cargo/config.toml",
            "web/Cargo.toml",
            "web/build.rs",
        ],
    );
}

#[test]
fn what_is_looked_for_may_be_missing() {
    let looked_for = |command: &str| -> Vec<String> {
        let scripts = scripts(&located(&json!(command)));
        let scripts = scripts.into_iter().filter(|script| script.is_looked_for);
        scripts.map(|script| script.file.into_string()).collect()
    };
    assert_eq!(looked_for("cargo test"), [".cargo/config.toml", "build.rs"]);
    assert_eq!(looked_for("just x"), ["justfile", ".justfile"]);
    assert_eq!(looked_for("just -f justfile x"), Vec::<String>::new());
    assert_eq!(looked_for("npm test"), [".npmrc"]);
}

#[test]
fn shells_run_each_command_of_their_code() {
    check(
        &json!("sh -c './tools/a.sh && python3 b.py | cat c.py'"),
        &["tools/a.sh", "b.py"],
    );
    check(
        &json!({ "program": "cd web && ./lint.sh", "shell": true }),
        &["web/lint.sh"],
    );
    check(
        &json!({ "program": "tools/lint", "args": ["{{tool}}"], "shell": true }),
        &["tools/lint"],
    );
    check(
        &json!(
            "bash -c '. tools/env.sh; if true; then A=1 tools/b.sh {{tool}}; fi; echo \"x; ./c.sh\"'"
        ),
        &["tools/env.sh", "tools/b.sh"],
    );
    check(
        &json!("sh -c 'cd web && cd app && ./x.sh'"),
        &["web/app/x.sh"],
    );
    check(
        &json!("sh -c 'cd {{tool.arguments.folder}} && ./x.sh'"),
        &[],
    );
}
