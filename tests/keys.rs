//! The runtime through the real binary, in a terminal that somebody sits at.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{
    fs,
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use pretty_assertions::assert_eq;

use program::program;

/// How long a test waits for words that never come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command in a terminal of its own.
const TERMINAL: &str = "import pty, sys; pty.spawn(sys.argv[1:])";

const ESCAPE: &str = "\x1b";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";

/// Tools that leave a mark when they run.
const CONFIG: &str = r#"
assistant.model.id = "test/model"

[conversation.tools.'*']
run = "ask"

[conversation.tools.mark]
source = "local"
command = { program = "touch", args = ["ran"] }
parameters.path = { type = "string" }

[conversation.tools.revise]
source = "local"
run = "edit"
command = { program = "touch", args = ["ran"] }
parameters.path = { type = "string" }

[conversation.tools.report]
source = "local"
run = "unattended"
result = "edit"
command = { program = "printf", args = ["All is well."] }

[conversation.tools.wait]
source = "local"
run = "unattended"
command = { program = "sh", args = ["-c", "echo $$ > waiting; sleep 600; touch ran"] }
"#;

fn calls(tool: &str) -> String {
    format!(
        r#"
[[cycles]]
batches = [[{{ text = "I begin." }}, {{ tool_call = {{ id = "call_1", name = "{tool}", arguments = {{ }} }} }}]]

[[cycles]]
batches = [[{{ text = "I am done." }}]]
"#
    )
}

/// A person at a terminal.
struct Desk {
    home: tempfile::TempDir,
    terminal: Child,
    shown: mpsc::Receiver<Vec<u8>>,
    /// What was shown and not yet seen.
    screen: String,
}

impl Desk {
    /// Asks in a workspace that is trusted, with an editor that is a script of `sh`.
    fn query(tool: &str, editor: Option<&str>) -> Self {
        Self::start(CONFIG, &calls(tool), editor, "--trust")
    }

    /// Asks in a workspace that nobody has trusted.
    fn stranger(config: &str) -> Self {
        let script = "[[cycles]]\nbatches = [[{ text = \"Here I am.\" }]]\n";
        Self::start(config, script, None, "")
    }

    fn start(config: &str, script: &str, editor: Option<&str>, options: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        fs::create_dir_all(at("workspace/.jp")).unwrap();
        fs::write(at("workspace/.jp/config.toml"), config).unwrap();
        fs::write(at("script.toml"), script).unwrap();
        let editor = editor.map_or("/nowhere/editor".to_owned(), |script| {
            fs::write(at("editor"), script).unwrap();
            format!("sh '{}'", at("editor").display())
        });
        // The shell is what stays of the terminal when the query is gone.
        let line = format!(
            r#"trap : INT; echo $$ > shell; stty rows 50 cols 200; "$0" query {options} Go; echo "code=$?."; stty -a; echo "end.""#
        );
        let mut terminal = Command::new("python3")
            .args(["-c", TERMINAL, "sh", "-c", &line])
            .arg(program())
            .env("JP_GLOBAL_CONFIG_DIR", at("none"))
            .env("JP_LSP_DATA_DIR", at("data"))
            .env("JP_LSP_TEST_SCRIPT", at("script.toml"))
            .env("TERM", "xterm")
            .env_remove("JP_EDITOR")
            .env_remove("VISUAL")
            .env("EDITOR", editor)
            .current_dir(at("workspace"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = terminal.stdout.take().unwrap();
        let (show, shown) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let bytes = buffer.get(..count).unwrap_or_default().to_vec();
                if show.send(bytes).is_err() {
                    break;
                }
            }
        });
        Self {
            home,
            terminal,
            shown,
            screen: String::new(),
        }
    }

    /// Waits for a text, and answers what was shown before it.
    fn sees(&mut self, text: &str) -> String {
        loop {
            if let Some((before, after)) = self.screen.split_once(text) {
                let (before, after) = (before.to_owned(), after.to_owned());
                self.screen = after;
                return before;
            }
            let bytes = self.shown.recv_timeout(PATIENCE).ok();
            assert!(bytes.is_some(), "`{text}` never came: {}", self.screen);
            let bytes = bytes.unwrap_or_default();
            self.screen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    fn press(&mut self, keys: &str) {
        let mut input = self.terminal.stdin.as_ref().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
    }

    fn interrupt(&mut self) {
        self.press("\x03");
    }

    fn file(&self, path: &str) -> PathBuf {
        self.home.path().join("workspace").join(path)
    }

    /// Sends a signal to the query; answers whether it was still there.
    fn signal(&self, name: &str) -> bool {
        let shell = fs::read_to_string(self.file("shell")).unwrap();
        let found = Command::new("pgrep")
            .args(["-P", shell.trim()])
            .output()
            .unwrap();
        let query = String::from_utf8(found.stdout).unwrap();
        let sent = Command::new("kill")
            .args([name, query.trim()])
            .stderr(Stdio::null())
            .status();
        sent.unwrap().success()
    }

    /// The exit code of the query, and whether the terminal echoes afterwards.
    fn ends(mut self) -> (String, bool) {
        self.sees("code=");
        let code = self.sees(".");
        let modes = self.sees("end.");
        self.terminal.wait().unwrap();
        let echoes = modes.split_whitespace().any(|mode| mode == "echo");
        (code, echoes)
    }
}

fn end(code: &str) -> (String, bool) {
    (code.to_owned(), true)
}

/// Picks "Edit Arguments…", the last choice but one.
fn edit(desk: &mut Desk) {
    desk.sees("Show Details");
    desk.press(&format!("{UP}{UP}\r"));
}

#[test]
fn an_editor_that_gives_up_approves_nothing() {
    for (script, said) in [
        ("exit 1", "ended with exit status: 1"),
        ("printf '{}' > \"$1\"; exit 3", "ended with exit status: 3"),
        ("kill -9 $$", "ended with signal: 9"),
    ] {
        for tool in ["mark", "revise"] {
            let mut desk = Desk::query(tool, Some(script));
            edit(&mut desk);
            desk.sees(said);
            desk.sees("Show Details");
            desk.press(ESCAPE);
            desk.sees("I am done.");
            assert!(!desk.file("ran").exists(), "{tool}: {script}");
            assert_eq!(desk.ends(), end("0"));
        }
    }
}

#[test]
fn an_editor_that_gives_up_delivers_no_result() {
    let mut desk = Desk::query("report", Some("exit 1"));
    desk.sees("Edit Result");
    desk.press(&format!("{DOWN}{DOWN}\r"));
    desk.sees("ended with exit status: 1");
    desk.sees("Edit Result");
    desk.press(ESCAPE);
    desk.sees("I am done.");
    assert_eq!(desk.ends(), end("0"));
}

#[test]
fn a_missing_editor_is_said_and_the_prompt_stays() {
    let mut desk = Desk::query("mark", None);
    edit(&mut desk);
    desk.sees("no editor can be started ($EDITOR: `/nowhere/editor`: No such file");
    desk.sees("Show Details");
    // Reject, the two ways of it, and then "Run".
    desk.press(&format!("{DOWN}{DOWN}{DOWN}\r"));
    desk.sees("I am done.");
    assert!(desk.file("ran").exists());
    assert_eq!(desk.ends(), end("0"));
}

#[test]
fn an_editor_that_saves_approves() {
    let mut desk = Desk::query("revise", Some("printf '{}' > \"$1\""));
    edit(&mut desk);
    desk.sees("I am done.");
    assert!(desk.file("ran").exists());
    assert_eq!(desk.ends(), end("0"));
}

#[test]
fn a_second_ctrl_c_stops_the_turn() {
    let mut desk = Desk::query("wait", None);
    desk.sees("I begin.");
    desk.interrupt();
    desk.sees("What now?");
    desk.sees("Stop");
    desk.interrupt();
    desk.sees("cancelled");
    assert!(!desk.file("ran").exists());
    assert_eq!(desk.ends(), end("130"));
}

#[test]
fn a_second_interrupt_from_elsewhere_stops_the_turn() {
    let mut desk = Desk::query("wait", None);
    desk.sees("I begin.");
    assert!(desk.signal("-INT"));
    desk.sees("What now?");
    desk.sees("Stop");
    assert!(desk.signal("-INT"));
    desk.sees("cancelled");
    assert_eq!(desk.ends(), end("130"));
}

#[test]
fn interrupts_from_elsewhere_end_a_turn_that_waits_at_a_prompt() {
    let mut desk = Desk::query("mark", None);
    desk.sees("Show Details");
    // Signals in a row may arrive as one.
    while desk.signal("-INT") {}
    desk.sees("cancelled");
    assert!(!desk.file("ran").exists());
    assert_eq!(desk.ends(), end("130"));
}

#[test]
fn ctrl_c_at_a_prompt_declines_the_prompt_alone() {
    let mut desk = Desk::query("mark", None);
    desk.sees("Show Details");
    desk.interrupt();
    desk.sees("I am done.");
    assert!(!desk.file("ran").exists());
    assert_eq!(desk.ends(), end("0"));
}

#[test]
fn ctrl_c_between_two_keys_is_a_key_as_well() {
    let mut desk = Desk::query("mark", None);
    desk.sees("Show Details");
    // The prompt is busy with the arrows when the last key comes.
    for _ in 0..40 {
        desk.press("\x1b[B");
    }
    desk.interrupt();
    let before = desk.sees("I am done.");
    assert!(!before.contains("^C"));
    assert!(!desk.file("ran").exists());
    assert_eq!(desk.ends(), end("0"));
}

#[test]
fn ctrl_c_again_after_a_prompt_stops_the_turn() {
    let script = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "mark", arguments = { } } }]]

[[cycles]]
batches = [[{ tool_call = { id = "call_2", name = "wait", arguments = { } } }]]
"#;
    let config = format!("interrupt.escalation_cooldown_secs = 600\n{CONFIG}");
    let mut desk = Desk::start(&config, script, None, "--trust");
    desk.sees("Show Details");
    desk.interrupt();
    desk.sees("> wait");
    desk.interrupt();
    desk.sees("cancelled");
    assert!(!desk.file("ran").exists());
    assert_eq!(desk.ends(), end("130"));
}

#[test]
fn a_stop_from_the_menu_is_an_interrupted_turn() {
    let mut desk = Desk::query("wait", None);
    desk.sees("I begin.");
    desk.interrupt();
    desk.sees("What now?");
    desk.sees("Stop");
    desk.press(&format!("{UP}\r"));
    assert_eq!(desk.ends(), end("130"));
}

#[test]
fn a_query_that_has_to_go_leaves_the_terminal_as_it_was() {
    for (signal, code) in [("-TERM", "143"), ("-HUP", "129")] {
        let mut desk = Desk::query("mark", None);
        desk.sees("Show Details");
        assert!(desk.signal(signal));
        desk.sees("cancelled");
        assert!(!desk.file("ran").exists());
        assert_eq!(desk.ends(), end(code));
    }
}

/// A config with a server that leaves a mark as soon as it is started.
const STRANGER: &str = r#"
assistant.model.id = "test/model"
conversation.tools.'*'.run = "ask"

[conversation.tools.search]
source = "mcp.evil"

[providers.mcp.evil]
type = "stdio"
command = "touch"
arguments = ["ran"]
optional = true
"#;

impl Desk {
    /// Whether anything was recorded as trusted.
    fn has_records(&self) -> bool {
        self.home.path().join("data/trust/workspaces").exists()
    }
}

#[test]
fn a_stranger_is_trusted_by_a_person_who_says_so() {
    let mut desk = Desk::stranger(STRANGER);
    desk.sees("starts or sends what you have not trusted yet:");
    desk.sees("providers.mcp.evil: starts `touch ran` (.jp/config.toml:8)");
    desk.sees("Trust what the config of");
    desk.sees("Reject");
    desk.sees("Trust");
    assert!(!desk.file("ran").exists());
    desk.press(&format!("{DOWN}\r"));
    desk.sees("Here I am.");
    assert!(desk.file("ran").exists());
    assert!(desk.has_records());
    assert_eq!(desk.ends(), end("0"));
}

#[test]
fn a_stranger_is_not_trusted_by_anything_else() {
    // Ctrl-D and other keys are no answer; Enter takes the choice that is marked, which is to reject.
    for keys in [
        "\r",
        ESCAPE,
        "\x04\r",
        "\x04\x04\x04\x1b",
        "y\r",
        "Trust\r",
        "q",
    ] {
        let mut desk = Desk::stranger(STRANGER);
        desk.sees("Trust what the config of");
        desk.sees("Trust");
        desk.press(keys);
        desk.sees("was not trusted");
        assert!(!desk.file("ran").exists(), "{keys:?}");
        assert!(!desk.has_records(), "{keys:?}");
        assert_eq!(desk.ends(), end("2"), "{keys:?}");
    }
}

#[test]
fn keys_pressed_before_the_question_do_not_answer_it() {
    let mut desk = Desk::stranger(STRANGER);
    desk.press(&format!("{DOWN}\r"));
    desk.sees("Trust what the config of");
    desk.sees("Trust");
    desk.press("\r");
    desk.sees("was not trusted");
    assert!(!desk.file("ran").exists());
    assert_eq!(desk.ends(), end("2"));
}

#[test]
fn whoever_ends_the_query_at_the_question_trusts_nothing() {
    for (signal, code) in [
        ("^C", "130"),
        ("-INT", "130"),
        ("-TERM", "143"),
        ("-HUP", "129"),
    ] {
        let mut desk = Desk::stranger(STRANGER);
        desk.sees("Trust what the config of");
        desk.sees("Trust");
        match signal {
            "^C" => desk.interrupt(),
            signal => assert!(desk.signal(signal)),
        }
        desk.sees("nothing was started: the query was interrupted");
        assert!(!desk.file("ran").exists(), "{signal}");
        assert!(!desk.has_records(), "{signal}");
        assert_eq!(desk.ends(), end(code), "{signal}");
    }
}

#[test]
fn what_a_stranger_writes_stays_in_its_line() {
    let hostile = r#"
[conversation.tools."a\n  providers.mcp.good: starts `ls` (.jp/config.toml:1)\u001b[2J"]
source = "local"
command = { program = "touch", args = ["ran", "\u001b]52;c;aGk=\u0007", "\r\n? Trust nothing", "\u202egnp.exe", "\u009b31m", "\u0008\u0008\u0008"] }
"#;
    let mut desk = Desk::stranger(&format!("{STRANGER}{hostile}"));
    desk.sees("have not trusted yet:");
    let list = desk.sees("Trust what the config of");
    for hidden in [
        "\u{1b}]",
        "\u{1b}[2J",
        "\u{7}",
        "\u{8}",
        "\u{202e}",
        "\u{9b}",
    ] {
        assert!(!list.contains(hidden), "{hidden:?}: {list:?}");
    }
    // The server, the tool, and the line of the question with its marks.
    let lines: Vec<&str> = list.trim_start().lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|line| !line.starts_with("  providers.mcp.good"))
    );
    desk.press("\r");
    desk.sees("was not trusted");
    assert_eq!(desk.ends(), end("2"));
}
