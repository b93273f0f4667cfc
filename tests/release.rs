//! A release from packing to a program that runs, on this machine: a local server stands for the release page.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a release that cannot be prepared fails the test"
)]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use expect_test::expect;
use pretty_assertions::assert_eq;

/// Where releases lie, as everything in the repository says it.
const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

/// Everything that a release holds for.
const TARGETS: [&str; 6] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Runs something of the repository; answers what it printed, and whether it succeeded.
fn run(command: &mut Command) -> (String, bool) {
    let output = command.current_dir(root()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}

/// Programs that say their version, in place of those that take minutes to build.
fn programs(folder: &Path) {
    for name in ["jp-lsp", "jp-fs-tools"] {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\necho \"{name} $1\"\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(&path, folder.join(format!("{name}.exe"))).unwrap();
    }
}

/// A release page on this machine, until it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut process = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let port = line.split_whitespace().nth(5).unwrap();
        Self {
            address: format!("http://127.0.0.1:{port}"),
            process,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The target that the installer chooses here.
fn target() -> String {
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-musl"
    };
    format!("{}-{system}", std::env::consts::ARCH)
}

/// The line that the README has people run, against another release page.
fn install(server: &Server, home: &Path, version: Option<&str>) -> (String, bool) {
    let readme = read("README.md");
    let line = readme
        .lines()
        .find(|line| line.ends_with("install.sh | sh"));
    let line = line
        .unwrap()
        .replace(RELEASES, &server.address)
        .replace("--proto '=https' --tlsv1.2 ", "");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &line])
        .env("HOME", home)
        .env("JP_LSP_RELEASES", &server.address)
        .env_remove("JP_LSP_INSTALL_DIR")
        .env_remove("JP_LSP_VERSION");
    if let Some(version) = version {
        shell.env("JP_LSP_VERSION", version);
    }
    let (text, ended_well) = run(&mut shell);
    let text = text.replace(home.to_str().unwrap(), "HOME");
    (text.replace(&server.address, "SERVER"), ended_well)
}

#[test]
fn the_line_of_the_readme_installs_the_latest_release() {
    let page = tempfile::tempdir().unwrap();
    let built = tempfile::tempdir().unwrap();
    programs(built.path());
    for folder in ["latest/download", "download/v0.1.0"] {
        let (said, packed) = run(Command::new("packaging/archive.sh")
            .arg(target())
            .arg(built.path())
            .arg(page.path().join(folder)));
        assert!(packed, "{said}");
        fs::copy(
            root().join("install.sh"),
            page.path().join(folder).join("install.sh"),
        )
        .unwrap();
    }
    let server = Server::start(page.path());
    let home = tempfile::tempdir().unwrap();
    for version in [None, Some("0.1.0"), Some("v0.1.0")] {
        let (said, installed) = install(&server, home.path(), version);
        assert!(installed, "{said}");
        expect![[r#"
            jp-lsp --version
            installed in HOME/.local/bin
            put it on your PATH: export PATH="HOME/.local/bin:$PATH"
        "#]]
        .assert_eq(&said);
    }
    let (said, _) = run(Command::new(home.path().join(".local/bin/jp-fs-tools")).arg("runs"));
    assert_eq!(said, "jp-fs-tools runs\n");
    let (said, installed) = install(&server, home.path(), Some("9.9.9"));
    assert!(!installed);
    let name = format!("jp-lsp-{}", target());
    assert!(
        said.ends_with(&format!(
            "install.sh: SERVER/download/v9.9.9/{name}.tar.gz cannot be downloaded\n"
        )),
        "{said}"
    );
}

#[test]
fn an_archive_with_another_checksum_is_not_installed() {
    let page = tempfile::tempdir().unwrap();
    let folder = page.path().join("latest/download");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(root().join("install.sh"), folder.join("install.sh")).unwrap();
    let archive = format!("jp-lsp-{}.tar.gz", target());
    fs::write(folder.join(&archive), "not what was packed").unwrap();
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(page.path());
    for wanted in ["0000", ""] {
        fs::write(folder.join(format!("{archive}.sha256")), wanted).unwrap();
        let (said, installed) = install(&server, home.path(), None);
        assert!(!installed);
        assert!(said.ends_with(": nothing was installed\n"), "{said}");
        assert!(!home.path().join(".local").exists());
    }
}

#[test]
fn a_program_that_does_not_run_replaces_none() {
    let page = tempfile::tempdir().unwrap();
    let built = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let folder = page.path().join("latest/download");
    let pack = || {
        let (said, packed) = run(Command::new("packaging/archive.sh")
            .arg(target())
            .arg(built.path())
            .arg(&folder));
        assert!(packed, "{said}");
    };
    programs(built.path());
    pack();
    fs::copy(root().join("install.sh"), folder.join("install.sh")).unwrap();
    let server = Server::start(page.path());
    assert!(install(&server, home.path(), None).1);
    fs::write(built.path().join("jp-lsp"), "#!/bin/sh\nexit 126\n").unwrap();
    pack();
    let (said, installed) = install(&server, home.path(), None);
    assert!(!installed);
    assert_eq!(
        said,
        "install.sh: the program does not run on this machine: what was installed before stays\n"
    );
    let bin = home.path().join(".local/bin");
    let (said, _) = run(Command::new(bin.join("jp-lsp")).arg("runs"));
    assert_eq!(said, "jp-lsp runs\n");
    assert_eq!(fs::read_dir(bin).unwrap().count(), 2);
}

#[test]
fn what_begins_with_https_is_not_led_to_less() {
    let home = tempfile::tempdir().unwrap();
    let curl = home.path().join("curl");
    fs::write(&curl, "#!/bin/sh\necho \"$@\" >&2\nexit 1\n").unwrap();
    fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let (said, _) = run(Command::new("sh")
        .arg("install.sh")
        .env("PATH", format!("{}:{path}", home.path().to_str().unwrap()))
        .env("HOME", home.path())
        .env_remove("JP_LSP_RELEASES")
        .env_remove("JP_LSP_VERSION"));
    assert!(
        said.starts_with("--proto =https --tlsv1.2 --fail "),
        "{said}"
    );
    assert!(
        said.contains(&format!("{RELEASES}/latest/download/jp-lsp-")),
        "{said}"
    );
}

#[test]
fn the_same_programs_make_the_same_archive() {
    let built = tempfile::tempdir().unwrap();
    programs(built.path());
    let sums: Vec<String> = (0..2)
        .map(|_| {
            let out = tempfile::tempdir().unwrap();
            let (said, packed) = run(Command::new("packaging/archive.sh")
                .arg("x86_64-unknown-linux-musl")
                .arg(built.path())
                .arg(out.path()));
            assert!(packed, "{said}");
            let sum = "jp-lsp-x86_64-unknown-linux-musl.tar.gz.sha256";
            fs::read_to_string(out.path().join(sum)).unwrap()
        })
        .collect();
    assert_eq!(sums.first(), sums.last());
}

#[test]
fn the_manifests_are_filled_in() {
    let archives = tempfile::tempdir().unwrap();
    for target in TARGETS {
        let suffix = if target.contains("windows") {
            "zip"
        } else {
            "tar.gz"
        };
        let name = format!("jp-lsp-{target}.{suffix}");
        let sum = format!("{:x<64}  {name}\n", target.len());
        fs::write(archives.path().join(format!("{name}.sha256")), sum).unwrap();
    }
    let out = tempfile::tempdir().unwrap();
    let (said, filled) = run(Command::new("packaging/manifests.sh")
        .arg("v1.2.3")
        .arg(archives.path())
        .arg(out.path()));
    assert!(filled, "{said}");
    let files = [
        "homebrew/jp-lsp.rb",
        "mason/package.yaml",
        "winget/dcdpr.jp-lsp.yaml",
        "winget/dcdpr.jp-lsp.locale.en-US.yaml",
        "winget/dcdpr.jp-lsp.installer.yaml",
    ];
    for file in files {
        let text = fs::read_to_string(out.path().join(file)).unwrap();
        assert!(text.contains("1.2.3"), "{text}");
        assert!(
            !text.contains("@VERSION@") && !text.contains("@SHA256"),
            "{text}"
        );
    }
    fs::remove_file(
        archives
            .path()
            .join("jp-lsp-aarch64-apple-darwin.tar.gz.sha256"),
    )
    .unwrap();
    let (said, filled) = run(Command::new("packaging/manifests.sh")
        .arg("1.2.3")
        .arg(archives.path())
        .arg(out.path()));
    assert!(!filled);
    assert!(
        said.ends_with("is missing, which homebrew/jp-lsp.rb names\n"),
        "{said}"
    );
}

#[test]
fn the_notes_are_those_of_the_changelog() {
    let (notes, found) = run(Command::new("packaging/notes.sh").arg("Unreleased"));
    assert!(found, "{notes}");
    assert!(notes.starts_with("### Added\n"), "{notes}");
    let (said, found) = run(Command::new("packaging/notes.sh").arg("v9.9.9"));
    assert!(!found);
    assert_eq!(
        said,
        "CHANGELOG.md says nothing of 9.9.9: name its section `## 9.9.9`\n"
    );
}

#[test]
fn nothing_is_published_with_the_draft() {
    let (release, publish) = (
        read(".github/workflows/release.yml"),
        read(".github/workflows/publish.yml"),
    );
    assert!(release.contains("--draft"));
    for secret in ["VSCE_PAT", "OVSX_PAT"] {
        assert!(!release.contains(secret) && publish.contains(secret));
    }
    assert!(publish.contains("types: [published]"));
}

#[test]
fn everything_names_the_same_place_and_the_same_targets() {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let named = [
        "README.md",
        "install.sh",
        "install.ps1",
        "packaging/homebrew/jp-lsp.rb",
        "packaging/winget/dcdpr.jp-lsp.installer.yaml",
        "packaging/winget/dcdpr.jp-lsp.locale.en-US.yaml",
        "packaging/mason/package.yaml",
        "vscode-extension/package.json",
        "editors/zed/extension.toml",
    ];
    for file in named {
        assert!(read(file).contains(repository), "{file}");
    }
    let owner = repository.split('/').nth(3).unwrap();
    let manifest = read("vscode-extension/package.json");
    assert!(manifest.contains(&format!("\"publisher\": \"{owner}\"")));
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&version));
    for manifest in ["server/jp_lsp/Cargo.toml", "server/jp_fs_tools/Cargo.toml"] {
        let manifest = read(manifest);
        for text in ["repository.workspace = true", "[package.metadata.binstall]"] {
            assert!(manifest.contains(text), "{manifest}");
        }
    }
    let workflow = read(".github/workflows/release.yml");
    let mason = read("packaging/mason/package.yaml");
    for target in TARGETS {
        assert!(workflow.contains(&format!("target: {target},")), "{target}");
        assert!(mason.contains(&format!("jp-lsp-{target}.")), "{target}");
    }
}
