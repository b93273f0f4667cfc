//! The files of the workspace that a command runs.
//!
//! ```toml
//! command = "tools/lint {{tool}}"                        # the program itself
//! command = "python3 -u {{context.root}}/tools/lint.py"  # what an interpreter is given
//! command = "node --require ./hooks.js x.js"             # and what it is told to run before that
//! command = "just serve-tools {{tool}}"                  # the recipes that `just` looks for
//! command = { program = "cd web && ./lint.sh", shell = true }
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};

use super::{
    programs::{Reading, is_assignment, operand, read},
    recipes::{Options, in_folder, is_path, module, of_program, of_texts, recipes},
    words::{Word, split, table, words},
};

/// Interpreters that are given a script, and their options that take a value.
const INTERPRETERS: &[(&str, &[&str])] = &[
    (
        "ansible-playbook",
        &["-e", "-i", "-l", "-t", "-u", "--tags"],
    ),
    ("ash", &["-o"]),
    ("awk", &["-F", "-v"]),
    ("bash", &["-o", "-O", "--rcfile", "--init-file"]),
    ("bats", &["-f", "-j"]),
    ("bun", &["-r", "--preload", "--cwd"]),
    ("dash", &["-o"]),
    ("deno", &["-c", "--config", "--import-map", "--ext"]),
    ("elixir", &["-r", "-pa"]),
    ("expect", &["-c"]),
    ("fish", &["-C"]),
    ("gawk", &["-F", "-v"]),
    ("go", &[]),
    ("groovy", &["-cp"]),
    ("guile", &["-L"]),
    ("ipython", &[]),
    ("java", &["-cp", "-classpath", "--class-path"]),
    ("julia", &["-L"]),
    ("ksh", &["-o"]),
    ("lua", &["-l"]),
    ("luajit", &["-l"]),
    ("node", &["-r", "--require", "--import", "--loader"]),
    ("nodejs", &["-r", "--require", "--import", "--loader"]),
    ("nu", &[]),
    ("perl", &["-I"]),
    ("php", &["-c", "-d"]),
    ("pwsh", &["-File", "-ExecutionPolicy"]),
    ("pypy", &["-W", "-X"]),
    ("python", &["-W", "-X"]),
    ("raku", &["-I"]),
    ("rscript", &[]),
    ("ruby", &["-I", "-r"]),
    ("rust-script", &["-d"]),
    ("sh", &["-o"]),
    ("tclsh", &[]),
    ("tsx", &["--tsconfig"]),
    ("ts-node", &["-P", "--project"]),
    ("yash", &[]),
    ("zsh", &["-o"]),
];

/// Interpreters whose first operand says what to do with the second one.
const WITH_SUBCOMMANDS: &[&str] = &["bun", "deno", "go"];

/// Options whose value an interpreter runs before the script.
const RUN_BEFORE: &[(&str, &[&str])] = &[
    ("bun", &["-r", "--preload"]),
    ("node", NODE),
    ("nodejs", NODE),
    ("ruby", &["-r"]),
    ("ts-node", NODE),
    ("tsx", NODE),
];

const NODE: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
];

/// Words of a shell that stand before a command.
const BEFORE_COMMANDS: &[&str] = &["!", "do", "elif", "else", "if", "then", "until", "while"];

/// Extensions of texts that are programs, for runners that tell them apart by these.
const SCRIPTS: [&str; 7] = ["js", "mjs", "ts", "py", "rb", "sh", "pl"];

/// What stands for the workspace in a template.
pub(super) const ROOTS: [&str; 2] = ["{{context.root}}", "{{ context.root }}"];

/// A file that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::rules) struct Script {
    /// The file as it is named: relative to the workspace, where the command starts, or absolute.
    pub(in crate::rules) file: Utf8PathBuf,
    /// Whether it runs once it is there, and nothing fails where it is not.
    pub(in crate::rules) is_looked_for: bool,
}

impl Script {
    pub(super) fn named(file: impl AsRef<str>) -> Self {
        Self {
            file: file.as_ref().into(),
            is_looked_for: false,
        }
    }

    pub(super) fn looked_for(file: impl AsRef<str>) -> Self {
        Self {
            is_looked_for: true,
            ..Self::named(file)
        }
    }
}

/// The files that a command runs.
pub(in crate::rules) fn scripts(command: &Located) -> Vec<Script> {
    let mut found = Vec::new();
    let here = Utf8Path::new("");
    match &command.value {
        LocatedValue::Table(_) if in_shell(command) => {
            let code = command.get("program").and_then(|it| it.value.as_str());
            code_runs(command, code.unwrap_or_default(), here, &mut found);
        }
        _ => words_run(&words(command), here, &mut found),
    }
    found.dedup();
    found
}

/// The files that a program with arguments of its own key runs, as [`scripts`] does.
pub(in crate::rules) fn scripts_of(program: &Located, arguments: Option<&Located>) -> Vec<Script> {
    let mut found = Vec::new();
    words_run(&table(program, arguments), Utf8Path::new(""), &mut found);
    found.dedup();
    found
}

/// A path that a command names, relative to the workspace; nothing where it leads out of that.
pub(in crate::rules) fn in_workspace(path: &Utf8Path, workspace: &Utf8Path) -> Option<Utf8PathBuf> {
    let path = normalize(&workspace.join(path));
    let relative = path.strip_prefix(workspace).ok()?;
    (!relative.as_str().is_empty()).then(|| relative.to_owned())
}

fn in_shell(command: &Located) -> bool {
    let shell = command.get("shell");
    shell.is_some_and(|shell| shell.value.as_bool() == Some(true))
}

/// What a command runs that is started in a folder.
fn words_run(words: &[Word<'_>], folder: &Utf8Path, found: &mut Vec<Script>) {
    let reading = read(words);
    for code in reading.code.iter().filter(|code| code.is_shell) {
        if let Some(word) = words.get(code.word) {
            let text = word.text.get(code.from..).unwrap_or_default();
            code_runs(word.located, text, folder, found);
        }
    }
    let Some(program) = words.get(reading.program) else {
        return;
    };
    let text = named(&program.text);
    // Without a slash a program is looked for in `PATH`, but for what another program is told to run.
    if let Some(text) = text
        && (text.contains('/') || (reading.program > 0 && is_script(text)))
    {
        found.extend(in_folder(vec![Script::named(text)], folder));
    }
    let name = program.program();
    if matches!(name.as_str(), "." | "source") {
        let file = words.get(reading.program + 1);
        let file = file.and_then(|file| named(&file.text)).map(Script::named);
        found.extend(in_folder(file.into_iter().collect(), folder));
        return;
    }
    let language = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if let Some((_, values)) = INTERPRETERS.iter().find(|(known, _)| *known == language) {
        let before = run_before(words, reading.program, language);
        let scripts = script(words, &reading, language, values, folder);
        found.extend(in_folder(before, folder));
        found.extend(scripts);
    }
    found.extend(recipes(words, reading.program, folder));
}

fn is_script(text: &str) -> bool {
    let extension = Utf8Path::new(text).extension();
    extension.is_some_and(|extension| SCRIPTS.contains(&extension))
}

/// What an interpreter runs before its script.
fn run_before(words: &[Word<'_>], program: usize, language: &str) -> Vec<Script> {
    let options = RUN_BEFORE.iter().find(|(known, _)| *known == language);
    let Some((_, options)) = options else {
        return Vec::new();
    };
    let given = Options {
        words,
        program,
        anywhere: false,
        joins_letters: language == "ruby",
    };
    let mut given = given.given(options);
    given.retain(|text| is_path(text));
    let scripts = of_texts(&given).into_iter();
    let scripts = scripts.map(|script| match language {
        "ruby" if script.file.extension().is_none() => {
            Script::named(script.file.with_extension("rb"))
        }
        _ => script,
    });
    scripts.collect()
}

/// The scripts that an interpreter is given; none where it is given code, or reads what a model writes.
fn script(
    words: &[Word<'_>],
    reading: &Reading,
    language: &str,
    values: &[&str],
    folder: &Utf8Path,
) -> Vec<Script> {
    let at = reading.program;
    let one = |text: Option<&str>| {
        let script = text.and_then(named).map(Script::named);
        in_folder(script.into_iter().collect(), folder)
    };
    let options = Options {
        words,
        program: at,
        anywhere: false,
        joins_letters: false,
    };
    if let Some(file) = options.given(&["-f", "--file", "-File"]).first()
        && matches!(language, "awk" | "gawk" | "pwsh")
    {
        return one(Some(file));
    }
    if let Some(given) = options.given(&["-m"]).first()
        && matches!(language, "python" | "pypy")
    {
        // Modules are looked for where it starts, before those that are installed.
        let Some(name) = named(given) else {
            return Vec::new();
        };
        let modules = vec![
            Script::looked_for(module(name)),
            Script::looked_for(module(&format!("{name}.__main__"))),
        ];
        let mut found = in_folder(modules, folder);
        found.extend(of_program(&name.replace('_', "-"), words, at, folder));
        return found;
    }
    if reading.code.iter().any(|code| code.word > at) {
        return Vec::new();
    }
    let Some(mut operand_at) = operand(words, at + 1, values) else {
        return Vec::new();
    };
    let text = |at: usize| words.get(at).map(|word| word.text.as_str());
    if WITH_SUBCOMMANDS.contains(&language) {
        let command = text(operand_at).unwrap_or_default();
        if matches!(command, "run" | "test" | "x") && !(language == "go" && command == "test") {
            match operand(words, operand_at + 1, values) {
                Some(next) => operand_at = next,
                None => return Vec::new(),
            }
        } else if !is_script(command) && !command.contains('/') {
            return Vec::new();
        }
        let given = text(operand_at).unwrap_or_default();
        match (language, command) {
            // The name of a script of the package.
            ("bun", "run") if !is_script(given) && !given.contains('/') => {
                return in_folder(vec![Script::named("package.json")], folder);
            }
            ("bun", "test" | "x") if !is_script(given) => return Vec::new(),
            ("go", _) if !given.ends_with(".go") => return Vec::new(),
            _ => {}
        }
    }
    one(text(operand_at))
}

/// What the code of a shell runs: the first words of its commands.
fn code_runs(located: &Located, code: &str, folder: &Utf8Path, found: &mut Vec<Script>) {
    let mut folder = folder.to_owned();
    for command in commands(code) {
        let words = split(located, command).unwrap_or_default();
        let is_before = |word: &&Word<'_>| {
            BEFORE_COMMANDS.contains(&word.text.as_str()) || is_assignment(&word.text)
        };
        let before = words.iter().take_while(is_before).count();
        match words.get(before..).unwrap_or_default() {
            [program, to] if program.text == "cd" => match named(&to.text) {
                Some(to) => folder.push(to),
                // Nobody knows what is run there.
                None => return,
            },
            [] => {}
            words if words.len() <= MOST_WORDS => words_run(words, &folder, found),
            _ => {}
        }
    }
}

/// The commands of a shell's code: neither quotes nor templates are cut.
fn commands(code: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut from = 0;
    let mut at = 0;
    let mut quote = None;
    while let Some(rest) = code.get(at..)
        && let Some(character) = rest.chars().next()
    {
        let template = [("{{", "}}"), ("{%", "%}")]
            .into_iter()
            .find(|(open, _)| rest.starts_with(open));
        if let Some((_, close)) = template {
            at += rest.find(close).map_or(rest.len(), |end| end + close.len());
            continue;
        }
        at += character.len_utf8();
        if character == '\\' && quote != Some('\'') {
            at += rest.chars().nth(1).map_or(0, char::len_utf8);
        } else if quote == Some(character) {
            quote = None;
        } else if quote.is_none() && matches!(character, '\'' | '"') {
            quote = Some(character);
        } else if quote.is_none() && "\n;|&(){}".contains(character) {
            commands.extend(code.get(from..at - character.len_utf8()));
            from = at;
        }
    }
    commands.extend(code.get(from..));
    commands
}

/// Longer commands are not looked into.
const MOST_WORDS: usize = 1_000;

/// A word as the name of a file; nothing where a template decides what it is.
pub(super) fn named(text: &str) -> Option<&str> {
    let text = ROOTS
        .iter()
        .find_map(|root| text.strip_prefix(root)?.strip_prefix('/'))
        .unwrap_or(text);
    let is_fixed = !text.contains("{{") && !text.contains("{%") && !text.contains('$');
    (is_fixed && !text.is_empty() && text != "-").then_some(text)
}

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
