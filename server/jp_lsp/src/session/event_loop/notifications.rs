//! What the client tells, one method after another.
//!
//! ```json
//! { "method": "workspace/didChangeWatchedFiles", "params": { "changes": [{ "uri": "file:///w/.jp/config.toml", "type": 1 }] } }
//! ```

use camino::Utf8Path;
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWatchedFilesRegistrationOptions, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, FileSystemWatcher, GlobPattern, MessageType, Registration,
    RegistrationParams, request::RegisterCapability,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::EventLoop;
use crate::{
    agent::protocol::{TRUST_GRANTED, TrustGrantedParams},
    session::{
        client::Folder,
        documents::{DocumentError, FileKey},
        engine::Engine,
    },
};

#[derive(Deserialize)]
struct FoldersParams {
    event: FoldersEvent,
}

#[derive(Deserialize)]
struct FoldersEvent {
    #[serde(default)]
    added: Vec<Value>,
    #[serde(default)]
    removed: Vec<Value>,
}

impl<E: Engine> EventLoop<E> {
    pub(super) fn notified(&mut self, method: &str, params: Value) {
        match method {
            "initialized" => self.register_watchers(),
            "textDocument/didOpen" => self.told(method, params, Self::opened),
            "textDocument/didChange" => self.told(method, params, Self::changed),
            "textDocument/didClose" => {
                self.told(method, params, |this, params| this.closed(&params));
            }
            "workspace/didChangeWatchedFiles" => {
                self.told(method, params, |this, params| {
                    this.watched_files_changed(&params);
                });
            }
            "workspace/didChangeWorkspaceFolders" => {
                self.told(method, params, |this, params| this.folders_changed(&params));
            }
            TRUST_GRANTED => {
                // Parameters are younger than the notification: `null` and nothing mean every folder.
                let params = match params {
                    Value::Null => Value::Object(serde_json::Map::new()),
                    params => params,
                };
                self.told(method, params, |this, params| this.trust_granted(&params));
            }
            _ => self.engine.notified(method, &params),
        }
    }

    fn trust_granted(&mut self, params: &TrustGrantedParams) {
        let seen = |folder: &Utf8Path| self.engine.first_seen(folder);
        match &params.workspace {
            None => self.world.trust(None, seen),
            Some(uri) => match FileKey::of(uri).path() {
                Some(path) => self.world.trust(Some(path.to_owned()), seen),
                None => self.outbox.log(
                    MessageType::WARNING,
                    format!("`{TRUST_GRANTED}` was ignored: `{uri}` is no folder of this machine"),
                ),
            },
        }
        self.engine.vouched(self.world.vouched());
    }

    fn told<P: DeserializeOwned>(
        &mut self,
        method: &str,
        params: Value,
        handle: impl FnOnce(&mut Self, P),
    ) {
        match serde_json::from_value(params) {
            Ok(params) => handle(self, params),
            Err(error) => {
                tracing::warn!(method, %error, "the parameters of a notification do not fit");
                self.outbox.log(
                    MessageType::WARNING,
                    format!("`{method}` was ignored, its parameters do not fit: {error}"),
                );
            }
        }
    }

    fn opened(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        self.pulled
            .edited(FileKey::of(&item.uri), self.world.generation() + 1);
        let opened = self.world.edit_documents(|documents, _| {
            documents.open(item.uri, &item.language_id, item.version, item.text)
        });
        self.complain(opened);
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let item = params.text_document;
        self.pulled
            .edited(FileKey::of(&item.uri), self.world.generation() + 1);
        let changed = self.world.edit_documents(|documents, client| {
            documents.change(
                &item.uri,
                item.version,
                params.content_changes,
                client.encoding,
            )
        });
        self.complain(changed);
    }

    fn closed(&mut self, params: &DidCloseTextDocumentParams) {
        let closed = self
            .world
            .edit_documents(|documents, _| documents.close(&params.text_document.uri));
        self.complain(closed.map(drop));
    }

    fn complain(&self, done: Result<(), DocumentError>) {
        if let Err(error) = done {
            tracing::warn!(%error, "a buffer is out of step");
            self.outbox.log(MessageType::WARNING, error.to_string());
        }
    }

    fn watched_files_changed(&mut self, params: &DidChangeWatchedFilesParams) {
        let keys: Vec<FileKey> = params
            .changes
            .iter()
            .map(|change| FileKey::of(&change.uri))
            .collect();
        for path in keys.iter().filter_map(FileKey::path) {
            self.is_recording(path);
        }
        self.world.edit_disk(|disk| {
            keys.iter()
                .filter_map(FileKey::path)
                .for_each(|path| disk.touch(path));
        });
    }

    fn folders_changed(&mut self, params: &FoldersParams) {
        let removed: Vec<Folder> = params
            .event
            .removed
            .iter()
            .filter_map(Folder::from_json)
            .collect();
        let added: Vec<Folder> = params
            .event
            .added
            .iter()
            .filter_map(Folder::from_json)
            .collect();
        for folder in removed.iter().filter_map(|folder| folder.path.as_deref()) {
            self.world.distrust(folder);
        }
        self.world.edit_folders(|folders| {
            folders.retain(|folder| !removed.iter().any(|removed| same(removed, folder)));
            for folder in added {
                if !folders.iter().any(|known| same(known, &folder)) {
                    folders.push(folder);
                }
            }
        });
        self.engine.folders_changed(self.world.folders());
        // Some may have been trusted before they were opened.
        self.engine.vouched(self.world.vouched());
    }

    fn register_watchers(&self) {
        let globs = self.engine.watch_globs();
        if globs.is_empty() || !self.world.client().watches_files() {
            return;
        }
        let watchers = globs
            .into_iter()
            .map(|glob| FileSystemWatcher {
                glob_pattern: GlobPattern::String(glob),
                kind: None,
            })
            .collect();
        let options = DidChangeWatchedFilesRegistrationOptions { watchers };
        let registration = Registration {
            id: "jp/watch".into(),
            method: "workspace/didChangeWatchedFiles".into(),
            register_options: serde_json::to_value(options).ok(),
        };
        let answer = self
            .outbox
            .request::<RegisterCapability>(RegistrationParams {
                registrations: vec![registration],
            });
        let outbox = self.outbox.clone();
        tokio::spawn(async move {
            if let Ok(Err(error)) = answer.await {
                outbox.log(
                    MessageType::WARNING,
                    format!("the client does not watch files: {}", error.message),
                );
            }
        });
    }
}

fn same(one: &Folder, other: &Folder) -> bool {
    FileKey::of(&one.uri) == FileKey::of(&other.uri)
}
