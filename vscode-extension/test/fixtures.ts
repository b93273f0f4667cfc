import * as vscode from "vscode";
import type { PromptParams, Question } from "../src/protocol";

export const RUN: PromptParams = {
  id: "1",
  digest: "d1",
  conversation: "c1",
  kind: "run",
  title: "Run local fs_modify_file tool?",
  message: "path: src/a.rs",
  tool: { name: "fs_modify_file", callId: "call_1" },
  preview: { kind: "arguments", text: "path: src/a.rs", arguments: { path: "src/a.rs" } },
  actions: [
    { id: "reject", title: "Reject" },
    { id: "approve", title: "Run" },
    { id: "details", title: "Show Details" },
  ],
  choices: [
    { title: "Reject", effect: { answer: { action: "reject" } } },
    { title: "Reject, and others like it", effect: { answer: { action: "reject", remember: "turn" } } },
    { title: "Reject with a Reason…", effect: "reason" },
    { title: "Run", effect: { answer: { action: "approve" } } },
    { title: "Run, and others like it", effect: { answer: { action: "approve", remember: "turn" } } },
    { title: "Show Details", effect: "details" },
  ],
};

/** The rule that made a call ask. */
export const RULE: NonNullable<PromptParams["rule"]> = {
  index: 1,
  uri: "file:///w/.jp/config.toml",
  range: { start: { line: 37, character: 4 }, end: { line: 37, character: 20 } },
};

export const DELTA: PromptParams = {
  ...RUN,
  choices: [],
  id: "2",
  digest: "d2",
  kind: "delta",
  title: "Apply a config change?",
  message: "set assistant.name",
  delta: {
    changes: [{ path: "assistant.name", op: "set", old: "one", new: "two" }],
    before: 'name = "one"\n',
    after: 'name = "two"\n',
    loosens: [],
  },
  actions: [
    { id: "approve", title: "Apply" },
    { id: "reject", title: "Reject" },
  ],
};

export function question(type: Question["answerType"]["type"], more: Partial<Question> = {}): PromptParams {
  const options = type === "select" ? { options: ["main", "develop"] } : {};
  const { preview: _, choices: __, ...rest } = RUN;
  return {
    ...rest,
    id: "3",
    digest: "d3",
    kind: "question",
    title: "A question",
    message: "",
    question: { text: "Which?", answerType: { type, ...options }, ...more },
    actions: [
      { id: "answer", title: "Answer…" },
      { id: "cancel", title: "Cancel" },
    ],
  };
}

/** A token that is cancelled by calling `cancel`. */
export function cancellation() {
  let listener: (event: undefined) => void = () => undefined;
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (given: (event: undefined) => void) => {
      listener = given;
      return { dispose: () => undefined };
    },
  };
  return { token, cancel: () => listener(undefined) };
}

/** Lets everything that waits for nothing run. */
export const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

/** An editor with a text in the third line, selected or not. */
export const editorOf = (path: string, text: string, isSelected: boolean) => ({
  document: { uri: vscode.Uri.file(path), languageId: "rust", getText: () => text },
  selection: { isEmpty: !isSelected, start: { line: 2, character: 0 }, end: { line: 2, character: text.length } },
});
