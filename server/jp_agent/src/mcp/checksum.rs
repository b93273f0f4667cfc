//! Programs that are pinned by their hash.
//!
//! ```toml
//! checksum = { algorithm = "sha256", value = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use crate::config::{Checksum, ChecksumAlgorithm};

/// The file of `program`, if its hash is the pinned one.
pub(super) async fn verified(
    program: &str,
    root: &Utf8Path,
    checksum: &Checksum,
) -> Result<PathBuf, String> {
    let file =
        locate(program, root).ok_or_else(|| format!("`{program}` is not found, write its path"))?;
    let content = tokio::fs::read(&file)
        .await
        .map_err(|error| format!("`{}` cannot be read: {error}", file.display()))?;
    let found = match checksum.algorithm {
        ChecksumAlgorithm::Sha1 => hexadecimal(&Sha1::digest(&content)),
        ChecksumAlgorithm::Sha256 => hexadecimal(&Sha256::digest(&content)),
    };
    if found.eq_ignore_ascii_case(checksum.value.trim()) {
        Ok(file)
    } else {
        Err(format!(
            "the checksum of `{}` is `{found}` and not the configured one; find out why before you change `checksum.value`",
            file.display()
        ))
    }
}

fn locate(program: &str, root: &Utf8Path) -> Option<PathBuf> {
    if program.contains('/') || Path::new(program).is_absolute() {
        return Some(root.as_std_path().join(program));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        // Any other element depends on the current directory.
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
