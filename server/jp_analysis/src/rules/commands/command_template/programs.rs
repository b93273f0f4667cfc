//! Programs that take code as an argument, programs that start another one, and where options end.
//!
//! ```text
//! sudo -u me sh -c 'grep -- "$1" .' sh {{tool.arguments.text}}
//! ^^^^^^^^^^ starts another program
//!            ^^^^^ ^^^^^^^^^^^^^^^^ code
//!                                   ^^ whatever follows is data
//! ```

use super::words::Word;

/// Programs that start another one: the options that take a value, and how many operands come before the program.
const WRAPPERS: &[(&str, &str, usize)] = &[
    ("busybox", "", 0),
    ("command", "", 0),
    ("chroot", "", 1),
    ("doas", "uC", 0),
    ("env", "uCS", 0),
    ("exec", "a", 0),
    ("ionice", "cnp", 0),
    ("nice", "n", 0),
    ("nohup", "", 0),
    ("setsid", "", 0),
    ("stdbuf", "ioe", 0),
    ("sudo", "ughpCTRDrtU", 0),
    ("time", "fo", 0),
    ("timeout", "sk", 1),
    ("xargs", "IdELnPsa", 0),
];

/// Programs whose `run` starts another one.
const RUNNERS: &[&str] = &["pdm", "pipenv", "poetry", "rye", "uv"];

const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "yash", "zsh",
];

/// Programs that read code from one option, and that option.
const CODE_OPTIONS: &[(&str, &[&str])] = &[
    ("bun", &["-e", "--eval", "-p", "--print", "-pe"]),
    ("elixir", &["-e", "--eval"]),
    ("emacs", &["--eval", "-eval", "--execute"]),
    ("groovy", &["-e"]),
    ("guile", &["-c"]),
    ("julia", &["-e", "-E", "--eval", "--print"]),
    ("lua", &["-e"]),
    ("luajit", &["-e"]),
    ("mariadb", &["-e", "--execute"]),
    ("mysql", &["-e", "--execute"]),
    ("nix-shell", &["--run", "--command"]),
    ("node", &["-e", "--eval", "-p", "--print", "-pe", "-ep"]),
    ("nodejs", &["-e", "--eval", "-p", "--print", "-pe", "-ep"]),
    ("nu", &["-c", "--commands"]),
    ("osascript", &["-e"]),
    ("php", &["-r", "--run", "-B", "-R", "-E"]),
    ("psql", &["-c", "--command"]),
    ("r", &["-e"]),
    ("raku", &["-e"]),
    ("rscript", &["-e"]),
    ("runuser", &["-c", "--command"]),
    ("script", &["-c", "-qc", "--command"]),
    ("sed", &["-e", "--expression"]),
    ("su", &["-c", "--command"]),
];

/// Languages in which a JSON text is a literal that nothing is put into.
const JSON_IS_A_LITERAL: &[&str] = &["bun", "deno", "node", "nodejs", "pypy", "python"];

/// Where the code of an interpreter stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    /// The word.
    pub(super) word: usize,
    /// Where in the word the code begins.
    pub(super) from: usize,
    /// How the code is given, for people: `sh -c`.
    pub(super) given: String,
    /// Whether a value written as JSON text stays a value.
    pub(super) json_is_a_literal: bool,
    /// Whether a shell reads it.
    pub(super) is_shell: bool,
}

/// What is known of the words of a command.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The words that are code.
    pub(super) code: Vec<Code>,
    /// The words that no program takes for options.
    pub(super) data: Vec<bool>,
    /// The word that names the program, behind those that only start it.
    pub(super) program: usize,
}

/// Finds out what the words of a command are.
pub(super) fn read(words: &[Word<'_>]) -> Reading {
    let mut reading = Reading {
        data: vec![false; words.len()],
        program: program(words),
        ..Reading::default()
    };
    for at in 0..words.len() {
        interpreter(words, at, &mut reading);
    }
    options_end(words, &mut reading);
    reading
}

impl Reading {
    fn code(&mut self, word: usize, from: usize, interpreter: &str, option: &str) {
        let given = format!("{interpreter} {option}");
        let language = interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if !self.code.iter().any(|code| code.word == word) {
            self.code.push(Code {
                word,
                from,
                given: given.trim_end().to_owned(),
                json_is_a_literal: JSON_IS_A_LITERAL.contains(&language),
                is_shell: SHELLS.contains(&language),
            });
        }
    }

    fn all_code(&mut self, from: usize, words: usize, interpreter: &str, option: &str) {
        for word in from..words {
            self.code(word, 0, interpreter, option);
        }
    }

    fn data_from(&mut self, word: usize) {
        for slot in self.data.iter_mut().skip(word) {
            *slot = true;
        }
    }
}

/// The word that names the program that is started in the end.
fn program(words: &[Word<'_>]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let name = word.program();
        let is_run = |next: &Word<'_>| matches!(next.text.as_str(), "run" | "exec");
        let next = if let Some((_, values, operands)) =
            WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name)
        {
            wrapped(words, at + 1, values, *operands)
        } else if RUNNERS.contains(&name.as_str()) && words.get(at + 1).is_some_and(is_run) {
            wrapped(words, at + 2, "", 0)
        } else {
            return at;
        };
        match next {
            Some(next) => at = next,
            None => return at,
        }
    }
    0
}

/// The first word after the options, assignments and operands of a wrapper.
fn wrapped(words: &[Word<'_>], from: usize, values: &str, mut operands: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            return (at + 1 + operands < words.len()).then_some(at + 1 + operands);
        }
        let takes_value = text.starts_with('-')
            && !text.starts_with("--")
            && text.chars().count() == 2
            && text
                .chars()
                .last()
                .is_some_and(|last| values.contains(last));
        if takes_value {
            at += 2;
        } else if text.starts_with('-') || is_assignment(text) {
            at += 1;
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

pub(super) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}

/// Marks the code and the data of the interpreter at a word, if it is one.
fn interpreter(words: &[Word<'_>], at: usize, reading: &mut Reading) {
    let Some(word) = words.get(at) else {
        return;
    };
    let name = word.program();
    let language = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match language {
        _ if SHELLS.contains(&language) => shell(words, at, &name, reading),
        "python" | "pypy" | "pythonw" | "ipython" => {
            letters(words, at, &name, "c", "WXm", true, reading);
        }
        "perl" => letters(words, at, &name, "eE", "CDFIMimx", false, reading),
        "ruby" => letters(words, at, &name, "e", "CEFIKTWirx", false, reading),
        "deno" => deno(words, at, reading),
        "awk" | "gawk" | "mawk" | "nawk" if at == reading.program => awk(words, at, &name, reading),
        "sed" => {
            options(words, at, &name, &["-e", "--expression"], reading);
            sed(words, at, reading);
        }
        "pwsh" | "powershell" => powershell(words, at, &name, reading),
        "cmd" => cmd(words, at, reading),
        "ssh" => ssh(words, at, reading),
        "watch" if at == reading.program => watch(words, at, reading),
        "env" => options(words, at, &name, &["-S", "--split-string"], reading),
        "sqlite" => {
            if at == reading.program {
                reading.all_code(at + 2, words.len(), &name, "");
            }
        }
        _ => {
            if let Some((_, given)) = CODE_OPTIONS.iter().find(|(known, _)| *known == language) {
                options(words, at, &name, given, reading);
            }
        }
    }
}

/// `sh -c CODE NAME ARGUMENT..`, in clusters such as `-euc` too.
fn shell(words: &[Word<'_>], at: usize, name: &str, reading: &mut Reading) {
    let mut takes_code = None;
    let mut next = at + 1;
    while let Some(word) = words.get(next) {
        let text = word.text.as_str();
        if let Some((option, code)) = text
            .split_once('=')
            .filter(|(option, _)| matches!(*option, "--command" | "--init-command"))
        {
            reading.code(next, word.text.len() - code.len(), name, option);
        } else if matches!(text, "--command" | "--init-command") {
            reading.code(next + 1, 0, name, text);
            next += 1;
        } else if matches!(text, "--rcfile" | "--init-file") {
            next += 1;
        } else if let Some(cluster) = cluster(text) {
            if text.starts_with('-') && cluster.contains('c') {
                takes_code = Some(text);
            }
            if cluster.ends_with(['o', 'O']) {
                next += 1;
            }
        } else if !text.starts_with("--") {
            // What follows a script goes to the script, unless the model chooses the script.
            if let Some(option) = takes_code {
                reading.code(next, 0, name, option);
                reading.data_from(next + 1);
            } else if at == reading.program && !text.starts_with("{{") {
                reading.data_from(next + 1);
            }
            return;
        }
        next += 1;
    }
}

/// The letters of `-abc` or `+abc`.
fn cluster(text: &str) -> Option<&str> {
    let letters = text.strip_prefix(['-', '+'])?;
    (!letters.is_empty() && !letters.starts_with('-')).then_some(letters)
}

/// Interpreters whose letters come in clusters, with the code behind its letter or in the next word.
fn letters(
    words: &[Word<'_>],
    at: usize,
    name: &str,
    code: &str,
    with_values: &str,
    ends: bool,
    reading: &mut Reading,
) {
    let mut next = at + 1;
    while let Some(word) = words.get(next) {
        let text = word.text.as_str();
        let Some(letters) = cluster(text).filter(|_| text.starts_with('-')) else {
            if text.starts_with("--") && text != "--" {
                next += 1;
                continue;
            }
            return;
        };
        for (offset, letter) in letters.char_indices() {
            let rest = letters
                .get(offset + letter.len_utf8()..)
                .unwrap_or_default();
            if code.contains(letter) {
                let option = format!("-{letter}");
                if rest.is_empty() {
                    next += 1;
                    reading.code(next, 0, name, &option);
                } else {
                    reading.code(next, word.text.len() - rest.len(), name, &option);
                }
                if ends {
                    reading.data_from(next + 1);
                    return;
                }
                break;
            }
            if with_values.contains(letter) {
                let takes_next = rest.is_empty() && matches!(letter, 'W' | 'X' | 'm' | 'I');
                if letter == 'm' && ends {
                    return;
                }
                next += usize::from(takes_next);
                break;
            }
        }
        next += 1;
    }
}

/// Programs with options that take code: `--eval CODE` and `--eval=CODE`.
fn options(words: &[Word<'_>], at: usize, name: &str, given: &[&str], reading: &mut Reading) {
    let mut next = at + 1;
    while let Some(word) = words.get(next) {
        let text = word.text.as_str();
        if text == "--" {
            return;
        }
        if given.contains(&text) {
            next += 1;
            reading.code(next, 0, name, text);
        } else if let Some(option) = given.iter().find(|option| attached(text, option)) {
            reading.code(next, option.len(), name, option);
        }
        next += 1;
    }
}

fn attached(text: &str, option: &str) -> bool {
    text.strip_prefix(option).is_some_and(|rest| {
        rest.starts_with('=')
            || (!option.starts_with("--") && option.len() == 2 && !rest.is_empty())
    })
}

fn deno(words: &[Word<'_>], at: usize, reading: &mut Reading) {
    if words.get(at + 1).is_some_and(|word| word.text == "eval")
        && let Some(code) = operand(words, at + 2, &["--ext", "--config", "-c", "--import-map"])
    {
        reading.code(code, 0, "deno", "eval");
        reading.data_from(code + 1);
    }
}

fn awk(words: &[Word<'_>], at: usize, name: &str, reading: &mut Reading) {
    let from_file =
        |word: &Word<'_>| word.text.starts_with("-f") || word.text.starts_with("--file");
    let Some(code) = operand(words, at + 1, &["-F", "-v", "-f", "--file", "--assign"]) else {
        return;
    };
    if !words.iter().take(code).skip(at).any(from_file) {
        reading.code(code, 0, name, "");
    }
    reading.data_from(code + 1);
}

/// Without `-e` and `-f` the first operand is the script.
fn sed(words: &[Word<'_>], at: usize, reading: &mut Reading) {
    let given = |word: &Word<'_>| {
        let text = word.text.as_str();
        ["-e", "-f", "--expression", "--file"]
            .iter()
            .any(|option| text == *option || attached(text, option))
    };
    let has_script = words.iter().skip(at + 1).any(given);
    if !has_script && let Some(code) = operand(words, at + 1, &["-l"]) {
        reading.code(code, 0, "sed", "");
    }
}

fn powershell(words: &[Word<'_>], at: usize, name: &str, reading: &mut Reading) {
    const VALUES: &[&str] = &[
        "configurationname",
        "custompipename",
        "executionpolicy",
        "ep",
        "ex",
        "inputformat",
        "outputformat",
        "psconsolefile",
        "settingsfile",
        "version",
        "windowstyle",
        "workingdirectory",
        "wd",
    ];
    let mut next = at + 1;
    while let Some(word) = words.get(next) {
        let text = word.text.to_lowercase();
        let Some(option) = text
            .strip_prefix(['-', '/'])
            .filter(|option| !option.is_empty())
        else {
            // `powershell CODE`; the newer `pwsh` takes a file here.
            if name == "powershell" {
                reading.all_code(next, words.len(), name, "");
            } else {
                reading.data_from(next + 1);
            }
            return;
        };
        let is_code = ["command", "commandwithargs", "encodedcommand"]
            .iter()
            .any(|full| full.starts_with(option))
            || matches!(option, "cwa" | "ec");
        if is_code {
            reading.all_code(next + 1, words.len(), name, &word.text);
            return;
        }
        if "file".starts_with(option) {
            reading.data_from(next + 2);
            return;
        }
        next += 1 + usize::from(VALUES.contains(&option));
    }
}

fn cmd(words: &[Word<'_>], at: usize, reading: &mut Reading) {
    let runs = |word: &Word<'_>| matches!(word.text.to_lowercase().as_str(), "/c" | "/k" | "/r");
    if let Some(option) = words.iter().skip(at + 1).position(runs) {
        let option = at + 1 + option;
        let text = words.get(option).map_or("", |word| word.text.as_str());
        reading.all_code(option + 1, words.len(), "cmd", text);
    }
}

/// The shell at the other end reads everything after the host.
fn ssh(words: &[Word<'_>], at: usize, reading: &mut Reading) {
    const VALUES: &[&str] = &[
        "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o",
        "-p", "-Q", "-R", "-S", "-W", "-w",
    ];
    if at == reading.program
        && let Some(host) = operand(words, at + 1, VALUES)
    {
        reading.all_code(host + 1, words.len(), "ssh", "");
    }
}

fn watch(words: &[Word<'_>], at: usize, reading: &mut Reading) {
    let without_shell = |word: &Word<'_>| matches!(word.text.as_str(), "-x" | "--exec");
    if let Some(command) = operand(words, at + 1, &["-n", "--interval", "-q", "--equexit"])
        && !words.iter().take(command).any(without_shell)
    {
        reading.all_code(command, words.len(), "watch", "");
    }
}

/// The first word that is neither an option nor the value of one of `with_values`.
pub(super) fn operand(words: &[Word<'_>], from: usize, with_values: &[&str]) -> Option<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            return (at + 1 < words.len()).then_some(at + 1);
        }
        if !text.starts_with('-') || text == "-" {
            return Some(at);
        }
        at += 1 + usize::from(with_values.contains(&text));
    }
    None
}

/// Marks the words that the program takes for data: behind `--`, and what an option is known to take.
fn options_end(words: &[Word<'_>], reading: &mut Reading) {
    let start = reading.program;
    let name = words.get(start).map(Word::program).unwrap_or_default();
    // These print what they are given.
    if name == "echo" {
        reading.data_from(start + 1);
    }
    if name == "printf" {
        reading.data_from(start + 2);
    }
    let is_end =
        |word: &Word<'_>| word.text == "--" || (name == "git" && word.text == "--end-of-options");
    if let Some(end) = words.iter().skip(start + 1).position(is_end) {
        reading.data_from(start + 1 + end + 1);
    }
    let takes_pattern = matches!(
        name.as_str(),
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "git"
    );
    for at in start + 1..words.len() {
        let before = words.get(at - 1).map(|word| word.text.as_str());
        if takes_pattern
            && before == Some("-e")
            && let Some(slot) = reading.data.get_mut(at)
        {
            *slot = true;
        }
    }
}

/// What to write before a word so that the program takes it for data.
///
/// To `git` a `--` begins the list of files.
pub(super) fn end_of_options(words: &[Word<'_>], reading: &Reading) -> &'static str {
    let name = words.get(reading.program).map(Word::program);
    let subcommand = words.get(reading.program + 1);
    match (name.as_deref(), subcommand.map(|word| word.text.as_str())) {
        (Some("git"), Some("grep")) => "-e",
        (Some("git"), _) => "--end-of-options",
        _ => "--",
    }
}
