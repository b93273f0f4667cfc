//! An editor that runs turns: it starts them, answers prompts and hears what happens.

use serde_json::{Value, json};

use crate::{
    server::TestServer,
    workspace::{Workspace, tell},
};

/// An editor with a trusted workspace open.
pub(crate) struct Editor<'a> {
    pub(crate) server: TestServer,
    workspace: &'a Workspace,
    /// The conversation of the last query.
    pub(crate) conversation: String,
    /// What was heard of it, an event a line.
    pub(crate) heard: String,
    /// The words that came one by one.
    pub(crate) words: String,
}

/// A prompt that waits.
pub(crate) struct Prompt {
    id: Value,
    pub(crate) params: Value,
}

impl<'a> Editor<'a> {
    pub(crate) fn open(workspace: &'a Workspace) -> Self {
        Self::open_beside(workspace, &[])
    }

    /// An editor that has more workspaces open beside the first one.
    pub(crate) fn open_beside(workspace: &'a Workspace, more: &[Workspace]) -> Self {
        workspace.trust();
        let mut server = TestServer::binary_with(workspace.environment());
        let folders: Vec<Value> = std::iter::once(workspace)
            .chain(more)
            .map(|workspace| {
                let uri = url::Url::from_file_path(workspace.root()).unwrap();
                json!({ "uri": uri, "name": "w" })
            })
            .collect();
        server.initialize_with(json!({
            "processId": null,
            "workspaceFolders": folders,
            "initializationOptions": { "trusted": true },
            "capabilities": { "experimental": { "jp": { "prompts": true } } },
        }));
        for method in ["textDocument/publishDiagnostics", "jp/notice"] {
            server.tolerate(method);
        }
        Self {
            server,
            workspace,
            conversation: String::new(),
            heard: String::new(),
            words: String::new(),
        }
    }

    /// Starts a turn of a new conversation.
    pub(crate) fn query(&mut self, text: &str) {
        self.query_in("new", text);
    }

    /// Starts a turn of a conversation.
    pub(crate) fn query_in(&mut self, conversation: &str, text: &str) {
        let params = json!({ "text": text, "conversation": conversation });
        let mut started = self.server.call("jp/query/start", params).unwrap();
        self.conversation = started["conversation"].take().as_str().unwrap().to_owned();
        assert!(
            self.conversation.starts_with("jp-c"),
            "{}",
            self.conversation
        );
    }

    /// Hears on until an event of this kind.
    pub(crate) fn hear(&mut self, kind: &str) {
        loop {
            let mut told = self.server.notification("jp/conversation/event");
            assert_eq!(told["conversation"], *self.conversation);
            let event = told["event"].take();
            if event["type"] == "delta_text" {
                self.words.push_str(event["text"].as_str().unwrap());
            }
            let found = event["type"] == kind;
            tell(&mut self.heard, event);
            if found {
                return;
            }
        }
    }

    /// Hears the rest of the turn, and asserts that what was told of it is what is stored.
    pub(crate) fn hear_the_end(&mut self) {
        self.hear("turn_end");
        let stored = self.stored();
        let told: String = self
            .heard
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("turn_end "))
            .collect();
        pretty_assertions::assert_eq!(told, stored);
    }

    /// What is stored of the conversation, an event a line.
    pub(crate) fn stored(&mut self) -> String {
        let params = json!({ "conversation": self.conversation });
        let read = self.server.call("jp/conversation/read", params).unwrap();
        let mut stored = String::new();
        for event in read["events"].as_array().unwrap() {
            tell(&mut stored, event.clone());
        }
        stored
    }

    /// Interrupts the turn.
    pub(crate) fn interrupt(&mut self, action: &str, text: &str) {
        let params = json!({ "conversation": self.conversation, "action": action, "text": text });
        self.server.call("jp/query/interrupt", params).unwrap();
    }

    /// Waits for the next prompt and checks that it is about this call, in this conversation.
    pub(crate) fn prompt(&mut self, call: &str) -> Prompt {
        let (id, params) = self.server.request("jp/prompt");
        assert_eq!(params["conversation"], *self.conversation);
        assert_eq!(params["tool"]["callId"], call);
        Prompt { id, params }
    }

    /// Answers a prompt and waits until it is known to be over.
    pub(crate) fn answer(&mut self, prompt: &Prompt, answer: Value) {
        let action = answer["action"].clone();
        self.server.respond(&prompt.id, answer);
        let resolved = self.server.notification("jp/promptResolved");
        assert_eq!(
            resolved,
            json!({ "id": prompt.params["id"], "action": action })
        );
    }

    /// The URI of a file of the workspace.
    pub(crate) fn uri(&self, name: &str) -> String {
        let path = self.workspace.root().join(name);
        url::Url::from_file_path(path).unwrap().to_string()
    }
}
