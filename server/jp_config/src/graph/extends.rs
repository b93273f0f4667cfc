//! What a file `extends`: before itself or after, by path or by glob.

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Extends, FileId, FileKind, GraphProblemKind, Layer, MAXIMUM_DEPTH, MAXIMUM_FILES, SourceKind,
    loader::{Loader, left_out},
    near_file::near_file,
};
use crate::{content::ContentFormat, paths::normalize};

/// How often one source or fragment follows files that were followed before.
const MAXIMUM_REPEATS: usize = 2_000;

/// The most entries that lead nowhere and get a guess at what they mean: a guess looks into directories.
const MAXIMUM_GUESSES: usize = 20;

impl Loader<'_> {
    pub(super) fn follow(
        &mut self,
        path: &Utf8Path,
        source: SourceKind,
        chain: &mut Vec<Utf8PathBuf>,
        layers: &mut Vec<Layer>,
    ) -> FileId {
        let file = self.file(path);
        let extends = self.keys_of(file).extends.clone();
        chain.push(path.to_owned());
        for entry in extends.iter().filter(|entry| !entry.after) {
            self.extend(file, entry, source, chain, layers);
        }
        let root = self.roots;
        layers.push(Layer { file, source, root });
        for entry in extends.iter().filter(|entry| entry.after) {
            self.extend(file, entry, source, chain, layers);
        }
        chain.pop();
        file
    }

    fn extend(
        &mut self,
        file: FileId,
        entry: &Extends,
        source: SourceKind,
        chain: &mut Vec<Utf8PathBuf>,
        layers: &mut Vec<Layer>,
    ) {
        let base = self
            .graph
            .path(file)
            .parent()
            .unwrap_or(Utf8Path::new(""))
            .to_owned();
        if !self.step(file, entry) {
            return;
        }
        for path in self.targets(file, entry, &base) {
            if !self.step(file, entry) {
                return;
            }
            self.repeats += usize::from(self.by_path.contains_key(&path));
            if self.repeats > MAXIMUM_REPEATS && self.by_path.contains_key(&path) {
                let pattern = entry.path.clone();
                self.problem(file, entry, GraphProblemKind::ExtendsTooMany { pattern });
                continue;
            }
            if let Some(start) = chain.iter().position(|ancestor| *ancestor == path) {
                let mut cycle: Vec<_> = chain.iter().skip(start).cloned().collect();
                cycle.push(path);
                self.problem(file, entry, GraphProblemKind::ExtendsCycle { chain: cycle });
            } else if chain.len() >= MAXIMUM_DEPTH {
                self.problem(file, entry, GraphProblemKind::ExtendsTooDeep);
            } else {
                self.follow(&path, source, chain, layers);
            }
        }
    }

    /// The files that an `extends` entry brings in; what it cannot bring in becomes a problem.
    fn targets(&mut self, file: FileId, entry: &Extends, base: &Utf8Path) -> Vec<Utf8PathBuf> {
        let start = match entry.is_glob() {
            true => glob_base(base, &entry.path),
            false => normalize(&base.join(&entry.path)),
        };
        if !self.is_own && self.files.is_shut(&start) {
            self.problem(file, entry, GraphProblemKind::Outside { path: start });
            return Vec::new();
        }
        let candidates = if entry.is_glob() {
            self.watch(&start);
            let listing = self.files.glob(base, &entry.path);
            let pattern = || entry.path.clone();
            for kind in left_out(&listing, pattern) {
                self.problem(file, entry, kind);
            }
            for directory in &listing.directories {
                self.watch(directory);
            }
            let found = listing.paths;
            if found.len() >= MAXIMUM_FILES {
                self.problem(
                    file,
                    entry,
                    GraphProblemKind::ExtendsTooMany {
                        pattern: entry.path.clone(),
                    },
                );
            }
            found
        } else {
            let path = start;
            if let Some(directory) = path.parent() {
                self.watch(directory);
            }
            match self.files.kind(&path) {
                FileKind::Missing => {
                    let near = self.near(file, entry, base);
                    self.problem(file, entry, GraphProblemKind::ExtendsMissing { path, near });
                    return Vec::new();
                }
                FileKind::LinkOutside => {
                    self.problem(file, entry, GraphProblemKind::LinkOutside { path, more: 0 });
                    return Vec::new();
                }
                FileKind::File | FileKind::Directory | FileKind::Other | FileKind::Closed => {
                    vec![path]
                }
            }
        };
        let mut targets = Vec::new();
        for path in candidates {
            if self.files.kind(&path) == FileKind::Directory {
                // One directory is enough to make the point.
                let pattern = entry.path.clone();
                self.problem(
                    file,
                    entry,
                    GraphProblemKind::ExtendsMatchesDirectory { path, pattern },
                );
                return Vec::new();
            }
            if ContentFormat::of(&path).is_none() {
                self.problem(file, entry, GraphProblemKind::ExtendsUnsupported { path });
                continue;
            }
            targets.push(path);
        }
        targets
    }

    /// The file that an entry which leads nowhere may mean: none that the list names already.
    fn near(&mut self, file: FileId, entry: &Extends, base: &Utf8Path) -> Option<String> {
        self.guesses += 1;
        if self.guesses > MAXIMUM_GUESSES {
            return None;
        }
        let named = self.keys_of(file).extends.iter();
        let taken = named
            .map(|other| normalize(&base.join(&other.path)))
            .chain([self.graph.path(file).to_owned()])
            .collect();
        near_file(
            self.files,
            base,
            &self.graph.workspace,
            Utf8Path::new(&entry.path),
            &taken,
        )
    }
}

/// The deepest directory that every match of a glob lies in.
pub(super) fn glob_base(base: &Utf8Path, pattern: &str) -> Utf8PathBuf {
    let literal: Utf8PathBuf = Utf8Path::new(pattern)
        .components()
        .take_while(|component| !component.as_str().contains(['*', '?', '[']))
        .collect();
    normalize(&base.join(literal))
}
