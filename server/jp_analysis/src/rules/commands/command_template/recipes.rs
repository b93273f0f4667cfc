//! Programs that look for what to run, or are told by an option where it stands.
//!
//! ```toml
//! command = "make -C web lint"               # web/GNUmakefile, web/makefile or web/Makefile
//! command = "just --justfile ci/justfile x"  # ci/justfile
//! command = "cargo test"                     # Cargo.toml, build.rs and .cargo/config.toml
//! command = "eslint --config lint/rules.js"  # a config that is a program
//! ```
//!
//! What a program only reads, such as the config of `ruff`, is no recipe.

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    programs::operand,
    scripts::{ROOTS, Script, named},
    words::Word,
};

/// A program, or several that take the same options, and what it runs.
struct Recipe {
    programs: &'static [&'static str],
    /// Options that name the file to run, so that no other one is looked for.
    file: &'static [&'static str],
    /// Options that name the folder in which all of this stands.
    folder: &'static [&'static str],
    /// Options that name a file which runs beside the others.
    more: &'static [&'static str],
    /// Files that it needs, so that they are there.
    needed: &'static [&'static str],
    /// Files that it runs where they are there.
    looked_for: &'static [&'static str],
}

/// What holds of programs of which nothing else is said.
const NONE: Recipe = Recipe {
    programs: &[],
    file: &[],
    folder: &[],
    more: &[],
    needed: &[],
    looked_for: &[],
};

const RECIPES: &[Recipe] = &[
    Recipe {
        programs: &["just"],
        file: &["-f", "--justfile"],
        looked_for: &["justfile", ".justfile"],
        ..NONE
    },
    Recipe {
        programs: &["make", "gmake"],
        file: &["-f", "--file", "--makefile"],
        folder: &["-C", "--directory"],
        looked_for: &["GNUmakefile", "makefile", "Makefile"],
        ..NONE
    },
    Recipe {
        programs: &["rake"],
        file: &["-f", "--rakefile"],
        looked_for: &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
        ..NONE
    },
    Recipe {
        programs: &["npm"],
        folder: &["-C", "--prefix"],
        needed: &["package.json"],
        looked_for: &[".npmrc"],
        ..NONE
    },
    Recipe {
        programs: &["pnpm"],
        folder: &["-C", "--dir"],
        needed: &["package.json"],
        looked_for: &[".npmrc", ".pnpmfile.cjs"],
        ..NONE
    },
    Recipe {
        programs: &["yarn"],
        folder: &["--cwd"],
        needed: &["package.json"],
        looked_for: &[".yarnrc.yml", ".yarnrc"],
        ..NONE
    },
    Recipe {
        programs: &["task", "go-task"],
        file: &["-t", "--taskfile"],
        folder: &["-d", "--dir"],
        looked_for: &[
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yaml",
        ],
        ..NONE
    },
    Recipe {
        programs: &["mise"],
        folder: &["-C", "--cd"],
        looked_for: &["mise.toml", ".mise.toml", "mise.local.toml"],
        ..NONE
    },
    Recipe {
        programs: &["gradle", "gradlew"],
        file: &["-b", "--build-file"],
        folder: &["-p", "--project-dir"],
        more: &["-I", "--init-script", "-c", "--settings-file"],
        looked_for: &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
        ],
        ..NONE
    },
    Recipe {
        programs: &["mvn", "mvnw"],
        file: &["-f", "--file"],
        needed: &["pom.xml"],
        looked_for: &[".mvn/extensions.xml"],
        ..NONE
    },
    Recipe {
        programs: &["ant"],
        file: &["-f", "-file", "-buildfile"],
        needed: &["build.xml"],
        ..NONE
    },
    Recipe {
        programs: &["ninja", "samu"],
        file: &["-f"],
        folder: &["-C"],
        needed: &["build.ninja"],
        ..NONE
    },
    Recipe {
        programs: &["scons"],
        file: &["-f", "--file", "--makefile", "--sconstruct"],
        folder: &["-C", "--directory"],
        looked_for: &["SConstruct", "Sconstruct", "sconstruct", "SConstruct.py"],
        ..NONE
    },
    Recipe {
        programs: &["cmake"],
        more: &["-P", "-C"],
        ..NONE
    },
    Recipe {
        programs: &["tox"],
        file: &["-c", "--conf"],
        looked_for: &["tox.ini", "tox.toml"],
        ..NONE
    },
    Recipe {
        programs: &["nox"],
        file: &["-f", "--noxfile"],
        needed: &["noxfile.py"],
        ..NONE
    },
    Recipe {
        programs: &["invoke", "inv"],
        looked_for: &["tasks.py", "tasks/__init__.py"],
        ..NONE
    },
    Recipe {
        programs: &["fab"],
        looked_for: &["fabfile.py", "fabfile/__init__.py"],
        ..NONE
    },
    Recipe {
        programs: &["pre-commit"],
        file: &["-c", "--config"],
        needed: &[".pre-commit-config.yaml"],
        ..NONE
    },
    Recipe {
        programs: &["pytest", "py.test"],
        more: &["-c", "--config-file"],
        looked_for: &["conftest.py", "pytest.ini"],
        ..NONE
    },
    Recipe {
        programs: &["mypy"],
        file: &["--config-file"],
        looked_for: &["mypy.ini", ".mypy.ini"],
        ..NONE
    },
    Recipe {
        programs: &["pylint"],
        file: &["--rcfile"],
        looked_for: &["pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml"],
        ..NONE
    },
    Recipe {
        programs: &["flake8"],
        file: &["--config"],
        looked_for: &["setup.cfg", "tox.ini", ".flake8"],
        ..NONE
    },
    Recipe {
        programs: &["eslint"],
        file: &["-c", "--config"],
        looked_for: &["eslint.config.js", "eslint.config.mjs", "eslint.config.cjs"],
        ..NONE
    },
    Recipe {
        programs: &["prettier"],
        file: &["--config"],
        more: &["--plugin"],
        looked_for: &[
            ".prettierrc",
            "prettier.config.js",
            "prettier.config.mjs",
            "prettier.config.cjs",
        ],
        ..NONE
    },
    Recipe {
        programs: &["jest"],
        file: &["-c", "--config"],
        looked_for: &[
            "jest.config.js",
            "jest.config.ts",
            "jest.config.mjs",
            "jest.config.cjs",
        ],
        ..NONE
    },
    Recipe {
        programs: &["vite", "vitest"],
        file: &["-c", "--config"],
        looked_for: &[
            "vitest.config.ts",
            "vitest.config.js",
            "vite.config.ts",
            "vite.config.js",
            "vite.config.mjs",
        ],
        ..NONE
    },
    Recipe {
        programs: &["mocha"],
        file: &["--config"],
        more: &["-r", "--require"],
        looked_for: &[
            ".mocharc.js",
            ".mocharc.cjs",
            ".mocharc.json",
            ".mocharc.yml",
        ],
        ..NONE
    },
    Recipe {
        programs: &["webpack"],
        file: &["-c", "--config"],
        looked_for: &[
            "webpack.config.js",
            "webpack.config.mjs",
            "webpack.config.cjs",
        ],
        ..NONE
    },
    Recipe {
        programs: &["rollup"],
        more: &["-c", "--config"],
        ..NONE
    },
    Recipe {
        programs: &["playwright"],
        file: &["-c", "--config"],
        looked_for: &["playwright.config.ts", "playwright.config.js"],
        ..NONE
    },
    Recipe {
        programs: &["gulp"],
        file: &["-f", "--gulpfile"],
        looked_for: &["gulpfile.js", "gulpfile.mjs", "gulpfile.cjs", "gulpfile.ts"],
        ..NONE
    },
    Recipe {
        programs: &["grunt"],
        file: &["--gruntfile"],
        looked_for: &["Gruntfile.js", "Gruntfile.coffee"],
        ..NONE
    },
    Recipe {
        programs: &["babel"],
        file: &["--config-file"],
        looked_for: &["babel.config.js", "babel.config.cjs", "babel.config.json"],
        ..NONE
    },
    Recipe {
        programs: &["honcho", "foreman", "overmind"],
        file: &["-f", "--procfile"],
        needed: &["Procfile"],
        ..NONE
    },
    Recipe {
        programs: &["supervisord"],
        file: &["-c", "--configuration"],
        looked_for: &["supervisord.conf", "etc/supervisord.conf"],
        ..NONE
    },
    Recipe {
        programs: &["psql"],
        more: &["-f", "--file"],
        ..NONE
    },
    Recipe {
        programs: &["sqlite3"],
        more: &["-init", "--init"],
        ..NONE
    },
    Recipe {
        programs: &["gdb"],
        more: &["-x", "--command"],
        ..NONE
    },
    Recipe {
        programs: &["vim"],
        more: &["-S"],
        ..NONE
    },
    Recipe {
        programs: &["nvim"],
        more: &["-S", "-l"],
        ..NONE
    },
    Recipe {
        programs: &["emacs"],
        more: &["-l", "--load", "--script", "-script", "-x"],
        ..NONE
    },
    Recipe {
        programs: &["ssh"],
        more: &["-F"],
        ..NONE
    },
];

/// Programs that start one of a package, looked for in the workspace first.
const PACKAGE_RUNNERS: &[&str] = &["npx", "bunx", "pnpx"];

/// The same as a command of a package manager.
const PACKAGE_COMMANDS: &[(&str, &[&str])] = &[
    ("npm", &["exec", "x"]),
    ("pnpm", &["exec", "dlx"]),
    ("yarn", &["exec", "dlx"]),
    ("bun", &["x"]),
];

/// Commands of `npm` that run scripts of the package.
const NPM_SCRIPTS: &[&str] = &[
    "ci",
    "i",
    "install",
    "pack",
    "prune",
    "publish",
    "rebuild",
    "restart",
    "run",
    "run-script",
    "start",
    "stop",
    "t",
    "test",
    "tst",
    "version",
];

/// Programs that take other options of a file for the names of packages.
const WITH_PACKAGES: &[&str] = &["mocha", "prettier"];

/// Programs whose long options begin with one dash, so that nothing is joined to a letter.
const WITH_LONG_LETTERS: &[&str] = &["ant", "cmake", "emacs", "mvn", "mvnw", "sqlite3"];

/// Programs whose options end where their first operand begins.
const WITH_OPERANDS_BEHIND: &[&str] = &["just"];

/// Commands of `cargo` that compile, and so run the build script.
const COMPILES: &[&str] = &[
    "b", "bench", "build", "c", "check", "clippy", "d", "doc", "expand", "fix", "llvm-cov", "miri",
    "nextest", "package", "publish", "r", "run", "rustc", "rustdoc", "t", "test",
];

/// What the program at a word runs because it looks for it, in the folder where it starts.
pub(super) fn recipes(words: &[Word<'_>], program: usize, folder: &Utf8Path) -> Vec<Script> {
    let Some(name) = words.get(program).map(Word::program) else {
        return Vec::new();
    };
    if name == "cargo" {
        return cargo(words, program, folder);
    }
    if PACKAGE_RUNNERS.contains(&name.as_str()) {
        return package(words, program, folder);
    }
    let command = operand(words, program + 1, &["-C", "--prefix", "--dir", "--cwd"]);
    let text = command.and_then(|at| words.get(at));
    let is_among = |known: &[&str]| text.is_some_and(|word| known.contains(&word.text.as_str()));
    let starts_a_package = PACKAGE_COMMANDS
        .iter()
        .any(|(manager, commands)| *manager == name && is_among(commands));
    if let Some(command) = command.filter(|_| starts_a_package) {
        return package(words, command, folder);
    }
    if name == "npm" && !is_among(NPM_SCRIPTS) {
        return Vec::new();
    }
    of_program(&name, words, program, folder)
}

/// What a program of this name runs, given the words behind the one at `program`.
pub(super) fn of_program(
    name: &str,
    words: &[Word<'_>],
    program: usize,
    folder: &Utf8Path,
) -> Vec<Script> {
    let Some(recipe) = RECIPES.iter().find(|it| it.programs.contains(&name)) else {
        return Vec::new();
    };
    let options = Options {
        words,
        program,
        anywhere: !WITH_OPERANDS_BEHIND.contains(&name),
        joins_letters: !WITH_LONG_LETTERS.contains(&name),
    };
    let mut folder = folder.to_owned();
    for inner in options.given(recipe.folder) {
        match named(&inner) {
            Some(inner) => folder.push(inner),
            None => return Vec::new(),
        }
    }
    let files = options.given(recipe.file);
    let mut found: Vec<Script> = match files.is_empty() {
        false => of_texts(&files),
        true => {
            let needed = recipe.needed.iter().map(Script::named);
            needed
                .chain(recipe.looked_for.iter().map(Script::looked_for))
                .collect()
        }
    };
    let mut more = options.given(recipe.more);
    more.retain(|text| !WITH_PACKAGES.contains(&name) || is_path(text));
    found.extend(of_texts(&more));
    in_folder(found, &folder)
}

/// The scripts that words name.
pub(super) fn of_texts(texts: &[String]) -> Vec<Script> {
    let texts = texts.iter().filter_map(|text| named(text));
    texts.map(Script::named).collect()
}

/// The same scripts, as they are called from the workspace.
pub(super) fn in_folder(scripts: Vec<Script>, folder: &Utf8Path) -> Vec<Script> {
    let moved = scripts.into_iter().map(|script| Script {
        file: folder.join(&script.file),
        ..script
    });
    moved.collect()
}

/// Whether a text is a path for programs to which other texts are the names of packages.
pub(super) fn is_path(text: &str) -> bool {
    let is_rooted = ROOTS.iter().any(|root| text.starts_with(root));
    is_rooted
        || ["/", "./", "../"]
            .iter()
            .any(|start| text.starts_with(start))
}

/// `cargo test`: the manifest says what is run, a build script runs, and the config names programs that run.
fn cargo(words: &[Word<'_>], program: usize, folder: &Utf8Path) -> Vec<Script> {
    let behind = words.get(program + 1);
    let toolchain = behind.is_some_and(|word| word.text.starts_with('+'));
    let first = program + 1 + usize::from(toolchain);
    let values = ["--color", "--config", "-C", "-Z", "--manifest-path"];
    let Some(command) = operand(words, first, &values) else {
        return Vec::new();
    };
    let options = Options {
        words,
        program,
        anywhere: true,
        joins_letters: true,
    };
    let mut folder = folder.to_owned();
    for inner in options.given(&["-C"]) {
        match named(&inner) {
            Some(inner) => folder.push(inner),
            None => return Vec::new(),
        }
    }
    // All of them count, from the workspace to where it starts.
    let mut found: Vec<Script> = folder
        .ancestors()
        .map(|folder| Script::looked_for(folder.join(".cargo/config.toml")))
        .collect();
    // What is no file is a setting: `--config net.offline=true`.
    let configs = options.given(&["--config"]);
    let configs = of_texts(&configs).into_iter();
    let configs = configs.filter(|script| !script.file.as_str().contains('='));
    found.extend(in_folder(configs.collect(), &folder));
    let compiles = words
        .get(command)
        .is_some_and(|word| COMPILES.contains(&word.text.as_str()));
    if !compiles {
        return found;
    }
    let manifests = options.given(&["--manifest-path"]);
    let package = match manifests.as_slice() {
        [] => Some(folder.clone()),
        [manifest, ..] => named(manifest).map(|manifest| {
            let manifest = folder.join(manifest);
            manifest.parent().unwrap_or(&manifest).to_owned()
        }),
    };
    if let Some(package) = package {
        found.push(Script::named(package.join("Cargo.toml")));
        found.push(Script::looked_for(package.join("build.rs")));
    }
    found
}

/// `npx eslint`: the program of a package, and what that one looks for.
fn package(words: &[Word<'_>], program: usize, folder: &Utf8Path) -> Vec<Script> {
    let mut found = in_folder(vec![Script::looked_for(".npmrc")], folder);
    let values = ["-p", "--package", "-c", "--call"];
    let Some(at) = operand(words, program + 1, &values) else {
        return found;
    };
    let Some(name) = words.get(at).and_then(|word| named(&word.text)) else {
        return found;
    };
    if !name.contains('@') && !name.contains('/') {
        let installed = Script::looked_for(format!("node_modules/.bin/{name}"));
        found.extend(in_folder(vec![installed], folder));
        found.extend(of_program(name, words, at, folder));
    }
    found
}

/// The options of a program.
pub(super) struct Options<'w> {
    pub(super) words: &'w [Word<'w>],
    pub(super) program: usize,
    /// Whether they may stand behind operands, up to `--`.
    pub(super) anywhere: bool,
    /// Whether a value may be joined to a letter, as in `-fx`.
    pub(super) joins_letters: bool,
}

impl Options<'_> {
    /// What options are given, in the next word or behind a `=`.
    pub(super) fn given(&self, options: &[&str]) -> Vec<String> {
        let mut given = Vec::new();
        let mut rest = self.words.iter().skip(self.program + 1).peekable();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if options.contains(&text) {
                let value = rest.next_if(|next| !next.text.starts_with('-'));
                given.extend(value.map(|value| value.text.clone()));
            } else if let Some(value) = options.iter().find_map(|it| self.joined(text, it)) {
                given.push(value.to_owned());
            } else if text == "--" || (!self.anywhere && !text.starts_with('-')) {
                break;
            }
        }
        given
    }

    /// `--file=x`, `-f=x` and `-fx`.
    fn joined<'t>(&self, text: &'t str, option: &str) -> Option<&'t str> {
        let value = text.strip_prefix(option)?;
        let is_letter = option.len() == 2 && self.joins_letters;
        match value.strip_prefix('=') {
            Some(value) => Some(value),
            None => (is_letter && !value.is_empty()).then_some(value),
        }
    }
}

/// The file of a Python module.
pub(super) fn module(name: &str) -> Utf8PathBuf {
    format!("{}.py", name.replace('.', "/")).into()
}
