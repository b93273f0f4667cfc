//! The files of the workspace that a command runs.
//!
//! ```toml
//! command = "tools/lint {{tool}}"                        # the program itself
//! command = "python3 -u {{context.root}}/tools/lint.py"  # what an interpreter is given
//! command = "just serve-tools {{tool}}"                  # the recipes that `just` looks for
//! command = { program = "cd web && ./lint.sh", shell = true }
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};

use super::{
    programs::{Reading, operand, read},
    words::{Word, split, table, words},
};

/// Interpreters that are given a script, and their options that take a value.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("ash", &["-o"]),
    ("awk", &["-F", "-v"]),
    ("bash", &["-o", "-O", "--rcfile", "--init-file"]),
    ("bun", &["-r", "--preload", "--cwd"]),
    ("dash", &["-o"]),
    ("deno", &["-c", "--config", "--import-map", "--ext"]),
    ("elixir", &["-r", "-pa"]),
    ("fish", &["-C"]),
    ("gawk", &["-F", "-v"]),
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
    ("sh", &["-o"]),
    ("tsx", &["--tsconfig"]),
    ("ts-node", &["-P", "--project"]),
    ("yash", &[]),
    ("zsh", &["-o"]),
];

/// Interpreters whose first operand says what to do with the second one.
const WITH_SUBCOMMANDS: &[&str] = &["bun", "deno"];

/// Programs that look for what to run, and the files that they look for.
const RECIPES: &[(&str, &[&str], &[&str])] = &[
    ("just", &["-f", "--justfile"], &["justfile", ".justfile"]),
    (
        "make",
        &["-f", "--file", "--makefile"],
        &["GNUmakefile", "Makefile"],
    ),
    (
        "gmake",
        &["-f", "--file", "--makefile"],
        &["GNUmakefile", "Makefile"],
    ),
    ("rake", &["-f", "--rakefile"], &["Rakefile"]),
    ("npm", &[], &["package.json"]),
    ("npx", &[], &["package.json"]),
    ("pnpm", &[], &["package.json"]),
    ("yarn", &[], &["package.json"]),
    ("task", &["-t", "--taskfile"], &["Taskfile.yml"]),
    ("mise", &[], &["mise.toml"]),
];

/// Extensions of texts that are programs, for runners that tell them apart by these.
const SCRIPTS: [&str; 7] = ["js", "mjs", "ts", "py", "rb", "sh", "pl"];

/// What stands for the workspace in a template.
const ROOTS: [&str; 2] = ["{{context.root}}", "{{ context.root }}"];

/// The files that a command runs, as it names them: relative to the workspace where it starts, or absolute.
pub(in crate::rules) fn scripts(command: &Located) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    match &command.value {
        LocatedValue::Table(_) if in_shell(command) => {
            let code = command.get("program").and_then(|it| it.value.as_str());
            code_runs(command, code.unwrap_or_default(), &mut found);
        }
        _ => words_run(&words(command), &mut found),
    }
    found.dedup();
    found
}

/// The files that a program with arguments of its own key runs, as [`scripts`] does.
pub(in crate::rules) fn scripts_of(
    program: &Located,
    arguments: Option<&Located>,
) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    words_run(&table(program, arguments), &mut found);
    found.dedup();
    found
}

/// Whether a program looks for a file of this name, relative to the workspace, beside other names.
pub(in crate::rules) fn is_looked_for(file: &Utf8Path) -> bool {
    let mut names = RECIPES.iter().flat_map(|(_, _, files)| files.iter());
    names.any(|name| file == *name)
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

fn words_run(words: &[Word<'_>], found: &mut Vec<Utf8PathBuf>) {
    let reading = read(words);
    for code in reading.code.iter().filter(|code| code.is_shell) {
        if let Some(word) = words.get(code.word) {
            let text = word.text.get(code.from..).unwrap_or_default();
            code_runs(word.located, text, found);
        }
    }
    let Some(program) = words.get(reading.program) else {
        return;
    };
    let text = named(&program.text);
    let is_script = |text: &str| {
        let extension = Utf8Path::new(text).extension();
        extension.is_some_and(|extension| SCRIPTS.contains(&extension))
    };
    // Without a slash a program is looked for in `PATH`, but for what another program is told to run.
    if text.is_some_and(|text| text.contains('/') || (reading.program > 0 && is_script(text))) {
        found.extend(text.map(Utf8PathBuf::from));
    }
    let name = program.program();
    let language = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if let Some((_, values)) = INTERPRETERS.iter().find(|(known, _)| *known == language) {
        found.extend(script(words, &reading, language, values));
    }
    if let Some((_, options, files)) = RECIPES.iter().find(|(known, ..)| *known == name) {
        match given(words, reading.program, options) {
            Some(file) => found.extend(named(&file).map(Utf8PathBuf::from)),
            None => found.extend(files.iter().map(Utf8PathBuf::from)),
        }
    }
}

/// The script that an interpreter is given; nothing where it is given code, or reads what a model writes.
fn script(
    words: &[Word<'_>],
    reading: &Reading,
    language: &str,
    values: &[&str],
) -> Option<Utf8PathBuf> {
    let at = reading.program;
    if let Some(file) = given(words, at, &["-f", "--file", "-File"])
        && matches!(language, "awk" | "gawk" | "pwsh")
    {
        return named(&file).map(Utf8PathBuf::from);
    }
    if let Some(module) = given(words, at, &["-m"])
        && matches!(language, "python" | "pypy")
    {
        let path = named(&module)?.replace('.', "/");
        return Some(format!("{path}.py").into());
    }
    if reading.code.iter().any(|code| code.word > at) {
        return None;
    }
    let mut operand_at = operand(words, at + 1, values)?;
    let is_run = |word: &Word<'_>| matches!(word.text.as_str(), "run" | "test" | "x");
    if WITH_SUBCOMMANDS.contains(&language) && words.get(operand_at).is_some_and(is_run) {
        operand_at = operand(words, operand_at + 1, values)?;
    }
    named(&words.get(operand_at)?.text).map(Utf8PathBuf::from)
}

/// What an option is given, in its own word or the next.
fn given(words: &[Word<'_>], program: usize, options: &[&str]) -> Option<String> {
    let mut rest = words.iter().skip(program + 1);
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if options.contains(&text) {
            return rest.next().map(|word| word.text.clone());
        }
        let joined = text.split_once('=');
        if let Some((option, value)) = joined
            && options.contains(&option)
        {
            return Some(value.to_owned());
        }
        if !text.starts_with('-') {
            return None;
        }
    }
    None
}

/// What the code of a shell runs: the first words of its commands.
fn code_runs(located: &Located, code: &str, found: &mut Vec<Utf8PathBuf>) {
    let mut folder = String::new();
    let commands = code.split(['\n', ';', '|', '&', '(', ')', '{', '}']);
    // A template is not split: its braces stand in pairs.
    let commands: Vec<&str> = match code.contains("{{") {
        true => vec![code],
        false => commands.collect(),
    };
    for command in commands {
        let words = split(located, command).unwrap_or_default();
        match words.as_slice() {
            [program, to] if program.text == "cd" => folder.clone_from(&to.text),
            [] => {}
            words if words.len() <= MOST_WORDS => {
                let mut inner = Vec::new();
                words_run(words, &mut inner);
                let folder = Utf8Path::new(&folder);
                found.extend(inner.into_iter().map(|file| folder.join(file)));
            }
            _ => {}
        }
    }
}

/// Longer commands are not looked into.
const MOST_WORDS: usize = 1_000;

/// A word as the name of a file; nothing where a template decides what it is.
fn named(text: &str) -> Option<&str> {
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
