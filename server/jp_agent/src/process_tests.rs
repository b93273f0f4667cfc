use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use pretty_assertions::assert_eq;
use tokio_util::sync::CancellationToken;

use super::{Ended, ProcessLimits, StartError, Surroundings, run};

fn at(directory: &Utf8Path) -> Surroundings<'_> {
    Surroundings {
        directory,
        variables: std::env::vars_os().collect(),
        profile: None,
    }
}

async fn shell(script: &str, input: Option<&str>, limits: ProcessLimits) -> String {
    let argv = ["sh", "-c", script].map(str::to_owned);
    let ended = run(
        &argv,
        at(Utf8Path::new("/")),
        input.map(|input| input.as_bytes().to_vec()),
        limits,
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    match ended {
        Ended::Exited {
            status,
            stdout,
            stderr,
        } => format!(
            "{}|{}|{}",
            status.code().unwrap_or(-1),
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap()
        ),
        Ended::TimedOut => "timed out".to_owned(),
        Ended::Flooded => "flooded".to_owned(),
        Ended::Cancelled => "cancelled".to_owned(),
    }
}

fn limits(seconds: u64) -> ProcessLimits {
    ProcessLimits {
        timeout: Duration::from_secs(seconds),
        output: 1000,
    }
}

fn is_alive(pid: &str) -> bool {
    // A zombie that nobody has reaped yet is dead all the same.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z"))
}

/// Returns when a killed process has gone; that takes the kernel a moment.
async fn dies(pid: &str) {
    while is_alive(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn both_outputs_and_the_status_come_back() {
    assert_eq!(
        shell("cat; echo err >&2; exit 3", Some("in"), limits(60)).await,
        "3|in|err\n"
    );
}

#[tokio::test]
async fn input_that_nobody_reads_does_no_harm() {
    let input = "x".repeat(1 << 20);
    assert_eq!(shell("echo ok", Some(&input), limits(60)).await, "0|ok\n|");
}

#[tokio::test]
async fn a_flood_ends_the_process() {
    assert_eq!(shell("yes", None, limits(60)).await, "flooded");
}

#[tokio::test]
async fn a_flood_of_errors_is_cut_and_does_no_harm() {
    let ended = shell("yes | head -c 200000 >&2; echo ok", None, limits(60)).await;
    assert_eq!(ended.len(), "0|ok\n|".len() + 64 * 1024);
}

#[tokio::test]
async fn a_process_without_end_is_ended() {
    let limits = ProcessLimits {
        timeout: Duration::from_millis(50),
        output: 1000,
    };
    assert_eq!(shell("sleep 1000", None, limits).await, "timed out");
}

#[tokio::test]
async fn closed_outputs_do_not_end_a_process() {
    assert_eq!(
        shell("exec >&- 2>&-; sleep 0.05; exit 4", None, limits(60)).await,
        "4||"
    );
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_is_killed_with_the_group() {
    let ended = shell("sleep 1000 & echo $!", None, limits(60)).await;
    let pid = ended.split(['|', '\n']).nth(1).unwrap();
    assert_eq!(ended, format!("0|{pid}\n|"));
    dies(pid).await;
}

#[tokio::test]
async fn cancelling_kills_grandchildren() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    let script = format!(
        "sleep 1000 & echo $! > {f}.tmp; mv {f}.tmp {f}; wait",
        f = file.display()
    );
    let argv = ["sh".to_owned(), "-c".to_owned(), script];
    let cancel = CancellationToken::new();
    let root = Utf8PathBuf::from("/");
    let running = run(&argv, at(&root), None, limits(60), &cancel);
    let stop = async {
        while !file.exists() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(running, stop);
    assert!(matches!(ended, Ok(Ended::Cancelled)));
    let pid = std::fs::read_to_string(&file).unwrap();
    dies(pid.trim()).await;
}

#[tokio::test]
async fn an_argument_above_the_limit_is_an_error_before_the_spawn() {
    let (root, cancel) = (Utf8PathBuf::from("/"), CancellationToken::new());
    let argv = ["true".to_owned(), "x".repeat(131_072)];
    let started = run(&argv, at(&root), None, limits(60), &cancel).await;
    assert_eq!(
        started.map_err(|error| error.to_string()).unwrap_err(),
        "argument 1 of its command is 131072 bytes and the operating system takes 131071; drop `{{tool}}` and \
         `{{context}}` from the command, then the tool gets its input on standard input"
    );
    let argv = ["true".to_owned(), "x".repeat(131_071)];
    let ended = run(&argv, at(&root), None, limits(60), &cancel).await;
    assert!(matches!(ended, Ok(Ended::Exited { .. })));
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_an_error() {
    let argv = ["no-such-program".to_owned()];
    let root = Utf8PathBuf::from("/");
    let cancel = CancellationToken::new();
    let error = run(&argv, at(&root), None, limits(60), &cancel).await;
    assert!(matches!(error, Err(StartError::Io { program, .. }) if program == "no-such-program"));
}
