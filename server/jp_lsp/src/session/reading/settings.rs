//! A file of our own settings as the editor has it: a repository's, or a person's.
//!
//! ```text
//! .jp/lsp.toml (buffer, revision 3) -> severities, and every mistake
//! ```

use std::{collections::BTreeSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    Mistake, Severities,
    settings::{self, PATH, Settings},
};
use jp_config::{
    document::Span,
    graph::{ReadProblem, Roots},
};
use lsp_types::{Diagnostic, DiagnosticSeverity};
use serde_json::Value;

use super::files::{Source, buffer, disk_for, source_of};
use crate::{
    disk::{
        config_files::DiskFiles,
        settings_file::MAXIMUM_SIZE,
        user_settings::{self, UserSettingsError},
    },
    line_index::LineIndex,
    session::{report::told, snapshot::Snapshot, trusted_folders::TrustedFolders},
};

/// Up to how many bytes settings are parsed on the server's one thread.
const PARSED_AT_ONCE: usize = 64 * 1024;

/// Whose settings they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of the workspace at this root.
    Repository(Utf8PathBuf),
    /// Those of the person, beside these workspaces.
    Person(BTreeSet<Utf8PathBuf>),
}

/// A file of settings, and what it sets.
#[derive(Debug)]
pub(crate) struct KeptSettings {
    whose: Whose,
    path: Utf8PathBuf,
    source: Source,
    /// Whether a person trusts a workspace decides whether a link may lead out of it.
    trusted: Arc<TrustedFolders>,
    /// None where there is no such file.
    text: Option<String>,
    set: Settings,
}

impl Whose {
    /// Where the settings stand; none where the person has no folder for config.
    fn path(&self) -> Option<Utf8PathBuf> {
        match self {
            Self::Repository(root) => Some(root.join(PATH)),
            Self::Person(_) => user_settings::path(),
        }
    }

    fn parse(&self, path: &Utf8Path, text: &str) -> Settings {
        let mistakes = match self {
            Self::Repository(_) => return Settings::read(text),
            Self::Person(roots) => {
                if roots.iter().any(|root| user_settings::lies_in(path, root)) {
                    let path = path.to_owned();
                    return refused(UserSettingsError::InWorkspace { path }.to_string());
                }
                user_settings::parse(text).1
            }
        };
        Settings {
            mistakes,
            ..Settings::default()
        }
    }

    fn saved(&self, path: &Utf8Path, snapshot: &Snapshot) -> Result<Option<String>, ReadProblem> {
        match self {
            Self::Repository(root) => disk_for(&Roots::workspace_only(root), snapshot),
            Self::Person(_) => DiskFiles::trusted(),
        }
        .settings(path)
    }
}

impl KeptSettings {
    /// The settings of `snapshot`; the disk is read where they changed there.
    pub(super) fn of(
        whose: Whose,
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let path = whose.path()?;
        if let Some(kept) = Self::known(&whose, &path, snapshot, before) {
            return Some(kept);
        }
        let read = match buffer(&path, snapshot) {
            Some(document) if document.text().len() > MAXIMUM_SIZE => Err(ReadProblem::TooLarge),
            Some(document) => Ok(Some(document.text().to_owned())),
            None => whose.saved(&path, snapshot),
        };
        let (text, set) = match read {
            Ok(Some(text)) => {
                let set = whose.parse(&path, &text);
                (Some(text), set)
            }
            Ok(None) => (None, Settings::default()),
            Err(problem) => {
                let problem = format!("`{path}` cannot be read: {problem}");
                (Some(String::new()), refused(problem))
            }
        };
        Some(Arc::new(Self {
            source: source_of(&path, snapshot),
            trusted: Arc::clone(snapshot.trusted_folders()),
            whose,
            path,
            text,
            set,
        }))
    }

    /// The settings of `snapshot` where that takes no time; none of them where they set something else than before.
    pub(super) fn reread(self: &Arc<Self>, snapshot: &Snapshot) -> Option<Arc<Self>> {
        if let Some(kept) = Self::known(&self.whose, &self.path, snapshot, Some(self)) {
            return Some(kept);
        }
        let document = buffer(&self.path, snapshot)?;
        let is_repository = matches!(self.whose, Whose::Repository(_));
        if !is_repository || document.text().len() > PARSED_AT_ONCE {
            return None;
        }
        let next = Self::of(self.whose.clone(), snapshot, None)?;
        (next.set.severities == self.set.severities).then_some(next)
    }

    fn known(
        whose: &Whose,
        path: &Utf8Path,
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let before = before.filter(|before| {
            before.whose == *whose
                && before.path == path
                && before.source == source_of(path, snapshot)
                && before.trusted == *snapshot.trusted_folders()
        });
        before.cloned()
    }

    /// Whose they are.
    pub(super) fn whose(&self) -> &Whose {
        &self.whose
    }

    /// Their file.
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Whether there are any.
    pub(in crate::session) fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// What their file may hold.
    pub(crate) fn json_schema(&self) -> &'static Value {
        match self.whose {
            Whose::Repository(_) => settings::json_schema(),
            Whose::Person(_) => user_settings::json_schema(),
        }
    }

    /// How bad findings are, as far as that is set without a mistake.
    pub(super) fn severities(&self) -> &Severities {
        &self.set.severities
    }

    /// The mistakes.
    pub(in crate::session) fn diagnostics(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        let text = self.text.as_deref().unwrap_or_default();
        let lines = LineIndex::new(text);
        let encoding = snapshot.client().encoding;
        let mistakes = self.set.mistakes.iter();
        mistakes
            .map(|mistake| {
                let range = lines.range(text, mistake.span.range(), encoding);
                told(
                    range,
                    DiagnosticSeverity::ERROR,
                    "settings-mistake",
                    &mistake.message,
                )
            })
            .collect()
    }
}

/// The settings of each workspace, and the person's beside them.
pub(super) fn of_workspaces(
    roots: &BTreeSet<Utf8PathBuf>,
    snapshot: &Snapshot,
    known: &[Arc<KeptSettings>],
) -> Vec<Arc<KeptSettings>> {
    let person = (!roots.is_empty()).then(|| Whose::Person(roots.clone()));
    let repositories = roots.iter().cloned().map(Whose::Repository);
    let all = repositories.chain(person).filter_map(|whose| {
        let before = known.iter().find(|kept| *kept.whose() == whose);
        KeptSettings::of(whose, snapshot, before)
    });
    all.collect()
}

/// What the person's editor says about severities, and for other codes the repository.
pub(super) fn severities(
    root: &Utf8Path,
    settings: &[Arc<KeptSettings>],
    snapshot: &Snapshot,
) -> Severities {
    let is_own =
        |kept: &&Arc<KeptSettings>| matches!(kept.whose(), Whose::Repository(of) if of == root);
    let chosen = snapshot.client().severities.clone();
    match settings.iter().find(is_own) {
        Some(repository) => chosen.over(repository.severities()),
        None => chosen,
    }
}

/// Settings that are not heeded at all.
fn refused(message: String) -> Settings {
    let mistake = Mistake {
        span: Span::new(0, 0),
        message,
    };
    Settings {
        mistakes: vec![mistake],
        ..Settings::default()
    }
}
