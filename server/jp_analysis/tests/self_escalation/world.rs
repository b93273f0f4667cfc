//! Random configs of two tools.

use std::collections::BTreeMap;

pub(crate) const CONFIG: &str = ".jp/config.toml";

/// The files that a tool may think of: config, new config, what runs, hooks, and one that is nothing.
pub(crate) const FILES: [&str; 16] = [
    CONFIG,
    ".jp.toml",
    ".jp/more/new.toml",
    "tools/a.sh",
    "tools/b.py",
    "bin/server",
    "justfile",
    "Cargo.toml",
    "build.rs",
    ".cargo/config.toml",
    "fmt.py",
    ".git/hooks/pre-commit",
    ".git/config",
    ".envrc",
    ".vscode/tasks.json",
    "src/x.rs",
];

pub(crate) const HOOKS: [&str; 4] = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".envrc",
    ".vscode/tasks.json",
];

/// What programs look for, and run where it is there.
pub(crate) const LOOKED_FOR: [&str; 3] = ["justfile", "build.rs", ".cargo/config.toml"];

/// Commands, and the files that each of them runs.
const COMMANDS: [(&str, &[&str]); 14] = [
    ("edit {{tool}}", &[]),
    ("tools/a.sh {{tool}}", &["tools/a.sh"]),
    ("sh -c './tools/a.sh && true'", &["tools/a.sh"]),
    ("bash tools/a.sh fmt.py", &["tools/a.sh"]),
    (
        "sh -c '. tools/a.sh; python3 tools/b.py'",
        &["tools/a.sh", "tools/b.py"],
    ),
    ("make -f tools/a.sh justfile", &["tools/a.sh"]),
    ("just --justfile tools/b.py serve", &["tools/b.py"]),
    ("env python3 -u tools/b.py {{tool}}", &["tools/b.py"]),
    (
        "node --require ./fmt.py tools/b.py",
        &["fmt.py", "tools/b.py"],
    ),
    ("eslint -c tools/b.py src/x.rs", &["tools/b.py"]),
    ("{{context.root}}/tools/a.sh", &["tools/a.sh"]),
    ("just serve {{tool}}", &["justfile"]),
    (
        "cargo test -- tools/a.sh",
        &["Cargo.toml", "build.rs", ".cargo/config.toml"],
    ),
    ("cargo fmt -- build.rs", &[".cargo/config.toml"]),
];

/// What a tool writes into config so that it runs whatever it likes.
pub(crate) const FOREIGN_CONFIG: &str = "[conversation.tools.foreign]\nsource = \"local\"\ncommand = \"foreign\"\nrun = \"unattended\"\n";

/// A small generator, so that a number names a world.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    pub(crate) fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(self.roll(of.len())).unwrap()
    }
}

/// A config, and what is known of it without reading it.
pub(crate) struct World {
    pub(crate) text: String,
    pub(crate) tools: Vec<Runs>,
    /// The file that starts a server.
    pub(crate) server: Option<&'static str>,
}

/// What a tool runs.
pub(crate) struct Runs {
    pub(crate) name: &'static str,
    pub(crate) programs: &'static [&'static str],
    pub(crate) formatter: Option<&'static str>,
}

pub(crate) fn world(dice: &mut Dice) -> World {
    let mut text = "extends = [\"more/*.toml\"]\n".to_owned();
    let server = (dice.roll(3) == 0).then(|| {
        text.push_str("[providers.mcp.docs]\ntype = \"stdio\"\ncommand = \"bin/server\"\n");
        "bin/server"
    });
    let tools = ["one", "two"].map(|name| tool(dice, name, &mut text));
    World {
        text,
        tools: tools.into(),
        server,
    }
}

fn tool(dice: &mut Dice, name: &'static str, text: &mut String) -> Runs {
    let (command, programs) = *COMMANDS.get(dice.roll(COMMANDS.len())).unwrap();
    text.push_str(&format!(
        "[conversation.tools.{name}]\nsource = \"local\"\ncommand = \"{command}\"\n"
    ));
    let formatter = (dice.roll(8) == 0).then(|| {
        text.push_str("style.parameters = \"python3 fmt.py {{tool}}\"\n");
        "fmt.py"
    });
    text.push_str("parameters.flag = { type = \"boolean\" }\n");
    let has_paths = dice.roll(2) == 0;
    if has_paths {
        let required = dice.roll(2) == 0;
        text.push_str(&format!(
            "parameters.path = {{ type = \"path\", required = {required} }}\n"
        ));
        if dice.roll(2) == 0 {
            text.push_str("parameters.to = { type = \"path\", required = true }\n");
        }
    }
    let mode = |dice: &mut Dice| {
        dice.pick(&["ask", "unattended", "unattended", "skip"])
            .to_owned()
    };
    let mut rules = Vec::new();
    for _ in 0..dice.roll(4) {
        let mode = mode(dice);
        rules.push(if has_paths && dice.roll(4) > 0 {
            let arg = match text.contains("parameters.to") && dice.roll(3) == 0 {
                true if text
                    .rsplit("[conversation")
                    .next()
                    .unwrap()
                    .contains("parameters.to") =>
                {
                    "/to"
                }
                _ => "/path",
            };
            let path = dice.pick(&[
                "tools",
                ".jp",
                ".git",
                ".",
                "src",
                "tools/a.sh",
                ".envrc",
                "bin",
            ]);
            format!("{{ arg = \"{arg}\", prefix = \"{path}\", mode = \"{mode}\" }}")
        } else {
            let flag = dice.roll(2) == 0;
            format!("{{ arg = \"/flag\", const = {flag}, mode = \"{mode}\" }}")
        });
    }
    rules.push(format!("{{ mode = \"{}\" }}", mode(dice)));
    text.push_str(&format!("policy.run = [{}]\n", rules.join(", ")));
    let mut grants = BTreeMap::new();
    for _ in 0..1 + dice.roll(4) {
        let path = dice.pick(&[
            ".",
            "tools",
            "tools/a.sh",
            ".jp",
            ".jp/more",
            ".jp.toml",
            ".git",
            ".git/hooks",
            "src",
            "bin",
            "justfile",
            "Cargo.toml",
            "build.rs",
            ".cargo",
            ".envrc",
            ".vscode",
            "fmt.py",
        ]);
        let flags =
            ["create", "update", "delete"].map(|flag| format!("{flag} = {}", dice.roll(3) == 0));
        grants.insert(
            path,
            format!("{{ path = \"{path}\", {} }}", flags.join(", ")),
        );
    }
    let grants: Vec<String> = grants.into_values().collect();
    text.push_str(&format!("access.fs = [{}]\n", grants.join(", ")));
    if dice.roll(6) == 0 {
        let path = dice.pick(&[
            "assistant.name",
            "conversation.tools.one.run",
            "conversation.tools.*.access",
            "conversation",
        ]);
        let apply = dice.pick(&["ask", "unattended"]);
        text.push_str(&format!(
            "access.config = [{{ path = \"{path}\", write = \"insecure_allow\", apply = \"{apply}\" }}]\n"
        ));
    }
    Runs {
        name,
        programs,
        formatter,
    }
}
