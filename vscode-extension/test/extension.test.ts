import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { fitted, initializationOptions, JpFeature } from "../src/client";
import { recordedCall } from "../src/explain";
import { activate, deactivate } from "../src/main";
import { cancellation, editorOf, RUN, settled } from "./fixtures";
import { clients, type LanguageClient } from "./mocks/languageclient";
import {
  addFolder,
  edited,
  executed,
  goTo,
  grantTrust,
  panels,
  registered,
  reset,
  settings,
  testControllers,
  textOf,
  toasts,
  window,
  workspace,
} from "./mocks/vscode";

let folder: string;
let client: LanguageClient;

beforeEach(async () => {
  reset();
  clients.length = 0;
  folder = mkdtempSync(join(tmpdir(), "jp-lsp-"));
  mkdirSync(join(folder, "server"));
  writeFileSync(join(folder, "server", "jp-lsp"), "#!/bin/sh\n");
  chmodSync(join(folder, "server", "jp-lsp"), 0o755);
  start();
  client = await vi.waitUntil(() => clients[0]?.started && clients[0]);
});
afterEach(async () => {
  await deactivate();
  rmSync(folder, { recursive: true });
});

function start() {
  const secrets = { get: async () => undefined, store: async () => undefined, delete: async () => undefined };
  const globalState = { get: (_: string, fallback: unknown) => fallback, update: async () => undefined };
  const paths = { extensionPath: folder, extensionUri: vscode.Uri.file(folder) };
  const context = { subscriptions: [], secrets, globalState, ...paths };
  activate(context as unknown as vscode.ExtensionContext);
}

type Pick = vscode.QuickPickItem;

const run = (command: string, ...given: unknown[]) => registered.get(command)?.(...given);

test("the bundled server is started, for files by their place", () => {
  expect(client.executable.command).toBe(join(folder, "server", "jp-lsp"));
  expect(client.clientOptions["documentSelector"]).toEqual([
    { scheme: "file", pattern: "**/.jp/**/*.toml" },
    { scheme: "file", pattern: "**/.jp.toml" },
  ]);
});

test("the server is told whether the workspace is trusted, at every start", () => {
  expect(client.clientOptions["initializationOptions"]).toBe(initializationOptions);
  expect(initializationOptions()).toEqual({ trusted: true, dialect: "rfd", disabled: [], severity: {}, agent: {} });
  workspace.isTrusted = false;
  settings["dialect"] = "released";
  expect(initializationOptions()).toEqual({
    trusted: false,
    dialect: "released",
    disabled: [],
    severity: {},
    agent: {},
  });
});

test("only a beginning asks for completion again", () => {
  const items = ["src/", "src", "anthropic/", "/kind"].map((label) => ({ label }) as vscode.CompletionItem);
  const again = { command: "editor.action.triggerSuggest", title: "" };
  fitted(items);
  expect(items.map(({ command }) => command)).toEqual([again, undefined, again, undefined]);
  const list = { items: [{ label: { label: "docs/" } }] } as vscode.CompletionList;
  expect(fitted(list).items[0]?.command).toEqual(again);
  expect(fitted(null)).toBeNull();
});

test("a value still fits when the blank before it is typed", () => {
  const value = { label: "ask", filterText: "ask", insertText: ' "ask"' } as vscode.CompletionItem;
  const list = { label: "[ … ]", insertText: { value: " [$1]" } } as vscode.CompletionItem;
  const other = { label: "run", filterText: "run", insertText: "run = " } as vscode.CompletionItem;
  expect(fitted([value, list, other]).map(({ filterText }) => filterText)).toEqual([" ask", " [ … ]", "run"]);
});

test("a grant of trust is passed on", () => {
  grantTrust();
  expect(client.sent).toContainEqual(["jp/trustGranted", {}]);
});

test("a folder that is added to a trusted workspace is passed on, and no other", () => {
  workspace.isTrusted = false;
  const granted = () => client.sent.filter(([method]) => method === "jp/trustGranted");
  addFolder(vscode.Uri.file("/later"));
  expect(granted()).toEqual([]);
  workspace.isTrusted = true;
  addFolder(vscode.Uri.file("/later"));
  expect(granted()).toEqual([["jp/trustGranted", { workspace: `${vscode.Uri.file("/later")}` }]]);
});

test("the capability is announced, our commands stay ours, and only our language is formatted", () => {
  const register = vi.fn();
  const feature = new JpFeature(() => ({ getFeature: () => ({ register }) }) as never);
  const capabilities = { textDocument: { diagnostic: {} } };
  feature.fillClientCapabilities(capabilities);
  expect(capabilities).toEqual({
    textDocument: {},
    experimental: { jp: { prompts: true, configFiles: true, turnDetails: true } },
  });
  const server = {
    documentFormattingProvider: true,
    executeCommandProvider: { commands: ["jp.query", "jp.prompt.answer", "jp.explain", "jp.openEffectiveConfig"] },
  };
  feature.preInitialize(server);
  expect(server).toEqual({ executeCommandProvider: { commands: ["jp.prompt.answer"] } });
  feature.initialize();
  expect(register.mock.calls[0]?.[0].registerOptions).toEqual({
    documentSelector: [
      { scheme: "file", pattern: "**/.jp/**/*.toml", language: "jp-toml" },
      { scheme: "file", pattern: "**/.jp.toml", language: "jp-toml" },
    ],
  });
});

test("a conversation begins where there is a config, which can be made", async () => {
  client.answers["jp/status"] = Object.assign(new Error("no `.jp`"), { code: -32803 });
  const asked = run("jp.newConversation");
  await vi.waitUntil(() => toasts.length > 0);
  expect(toasts.at(-1)).toMatchObject({
    message: "JP: no folder here has a config yet.",
    buttons: ["Create .jp/config.toml"],
  });
  toasts.at(-1)?.dismiss();
  await asked;
  expect(panels).toHaveLength(0);
  // No question is asked for that would go nowhere.
  client.answers["jp/workspaces"] = [];
  const query = run("jp.query");
  await vi.waitUntil(() => toasts.length > 1);
  expect(toasts.at(-1)?.message).toBe("JP: no folder here has a config yet.");
  toasts.at(-1)?.dismiss();
  await query;
  expect(window.showInputBox).not.toHaveBeenCalled();
});

test("what is missing is asked again once config that is open has changed", async () => {
  const asked = () => client.sent.filter(([method]) => method === "jp/status").length;
  const before = asked();
  edited("/w/src/main.rs");
  edited("/w/.jp/config.toml");
  edited("/w/.jp/config.toml");
  await vi.waitUntil(() => asked() > before);
  expect(asked()).toBe(before + 1);
});

test("a query starts a turn and shows its conversation beside the editor, in one column", async () => {
  client.answers["jp/query/start"] = { conversation: "c1" };
  client.answers["jp/conversation/read"] = { events: [], earlier: 0 };
  expect(await run("jp.query", { text: "hello" })).toBe("c1");
  expect(client.sent).toContainEqual([
    "jp/query/start",
    { text: "hello", conversation: "new", workspace: "file:///w" },
  ]);
  expect(panels.map(({ viewType, column }) => [viewType, column])).toEqual([
    ["jp.conversation", { viewColumn: -2, preserveFocus: true }],
  ]);
  await run("jp.query", { text: "more", conversation: "c1" });
  expect(panels).toHaveLength(1);
  client.answers["jp/query/start"] = { conversation: "c2" };
  await run("jp.query", { text: "other" });
  expect(panels[1]?.column).toEqual({ viewColumn: 2, preserveFocus: true });
});

const UNTRUSTED = ["jp.query", "jp.newConversation", "jp.continue", "jp.queryAboutSelection", "jp.addToQuestion"];

test("nothing is run in an untrusted workspace, and the user is told what to do", async () => {
  workspace.isTrusted = false;
  for (const command of UNTRUSTED) await run(command);
  expect(client.sent.filter(([method]) => method === "jp/query/start")).toEqual([]);
  expect(toasts.map(({ message }) => message)).toEqual(
    Array(5).fill(
      "JP: this workspace is not trusted, so nothing is run: run `Workspaces: Manage Workspace Trust` first",
    ),
  );
});

/** Where turns were started. */
const places = () =>
  client.sent
    .filter(([method]) => method === "jp/query/start")
    .map(([, params]) => (params as { workspace?: string }).workspace);

test("a query goes to the workspace of the file that the person was at last", async () => {
  client.answers["jp/query/start"] = { conversation: "c1" };
  client.answers["jp/conversation/read"] = { events: [], earlier: 0 };
  client.answers["jp/workspaces"] = [{ uri: "file:///w/app", name: "app" }];
  goTo(editorOf("/w/app/src/a.rs", "", true));
  // A conversation in a tab of its own is no text, and a file from elsewhere says nothing.
  goTo(undefined);
  goTo(editorOf("/elsewhere/b.rs", "", true));
  await run("jp.query", { text: "hello" });
  expect(client.sent).toContainEqual(["jp/workspaces", { file: "file:///w/app/src/a.rs" }]);
  expect(places()).toEqual(["file:///w/app"]);
  // One that was begun goes on where it is.
  await run("jp.query", { text: "And now?", conversation: "c1" });
  expect(places()).toEqual(["file:///w/app", undefined]);
});

test("a command that starts the extension waits for the server", async () => {
  await deactivate();
  clients.length = 0;
  start();
  expect(clients).toHaveLength(0);
  await run("jp.query", { text: "hello" });
  expect(clients[0]?.sent).toContainEqual([
    "jp/query/start",
    { text: "hello", conversation: "new", workspace: "file:///w" },
  ]);
});

test("where several workspaces may be meant the person is asked which, once", async () => {
  client.answers["jp/query/start"] = { conversation: "c1" };
  client.answers["jp/conversation/read"] = { events: [], earlier: 0 };
  client.answers["jp/workspaces"] = ["app", "site"].map((name) => ({ uri: `file:///w/${name}`, name }));
  const offered = window.showQuickPick;
  offered.mockResolvedValue(undefined);
  expect(await run("jp.query", { text: "hello" })).toBeUndefined();
  expect(places()).toEqual([]);
  offered.mockImplementation(async (items: readonly { label: string }[]) =>
    items.find(({ label }) => label === "site"),
  );
  await run("jp.query", { text: "hello" });
  await run("jp.query", { text: "hello again" });
  expect(places()).toEqual(["file:///w/site", "file:///w/site"]);
  expect(offered).toHaveBeenCalledTimes(2);
  // A file says which, whatever was chosen before.
  client.answers["jp/workspaces"] = [{ uri: "file:///w/app", name: "app" }];
  await run("jp.query", { text: "hello" });
  expect(places().at(-1)).toBe("file:///w/app");
  client.answers["jp/workspaces"] = Object.assign(new Error("?"), { code: -32601 });
  window.activeTextEditor = editorOf("/w/a.rs", "", true);
  await run("jp.query", { text: "hello" });
  expect(places().at(-1)).toBe("file:///w");
});

test("a conversation begins in the workspace that its tab was opened for", async () => {
  client.answers["jp/query/start"] = { conversation: "c1" };
  client.answers["jp/conversation/read"] = { events: [], earlier: 0 };
  client.answers["jp/status"] = { model: null, canRun: false, keys: [] };
  client.answers["jp/workspaces"] = [{ uri: "file:///w/app", name: "app" }];
  await run("jp.newConversation");
  expect(panels[0]?.title).toBe("New conversation in app");
  client.answers["jp/workspaces"] = [{ uri: "file:///w/site", name: "site" }];
  panels[0]?.say({ type: "say", text: "hi" });
  await vi.waitUntil(() => places().length > 0);
  expect(places()).toEqual(["file:///w/app"]);
});

test("the model is that of the workspace in view", async () => {
  const asked = () => client.sent.filter(([method]) => method === "jp/status").map(([, params]) => params);
  client.answers["jp/workspaces"] = [{ uri: "file:///w/app", name: "app" }];
  goTo(editorOf("/w/app/a.rs", "", true));
  await vi.waitUntil(() => asked().length > 1);
  expect(asked().at(-1)).toEqual({ workspace: "file:///w/app" });
  const before = asked().length;
  goTo(editorOf("/w/app/b.rs", "", true));
  await settled();
  expect(asked()).toHaveLength(before);
});

test("a turn that runs can be stopped, one that does not cannot", async () => {
  await run("jp.stop");
  expect(toasts.at(-1)?.message).toBe("JP: no turn is running");
  client.receive("jp/conversation/event", { conversation: "c9", event: { type: "turn_start" } });
  await run("jp.stop");
  expect(client.sent).toContainEqual(["jp/query/cancel", { conversation: "c9" }]);
  const failed = { type: "turn_end", outcome: "failed", error: "no [key](command:x)" };
  client.receive("jp/conversation/event", { conversation: "c9", event: failed });
  expect(toasts.at(-1)?.message).toBe("JP: the turn failed: no [key] (command:x)");
});

test("to continue or stop a turn that has ended meanwhile is no error, to say something to it is", async () => {
  const happens = (event: object): unknown => client.receive("jp/conversation/event", { conversation: "c9", event });
  client.answers["jp/query/interrupt"] = new Error("no turn of `c9` is running");
  const actions = ["continue", "stop_and_reply", "restart", "stop"];
  client.answers["jp/query/interruptChoices"] = actions.map((action) => ({ action, title: action }));
  window.showInputBox.mockResolvedValue("No.");
  const interrupted = async (action: string): Promise<unknown> => {
    happens({ type: "turn_start" });
    window.showQuickPick.mockImplementation(async (items: readonly { action: string }[]) => {
      happens({ type: "turn_end", outcome: "completed" });
      return items.find((item) => item.action === action);
    });
    return run("jp.interrupt");
  };
  for (const action of ["continue", "stop"]) await interrupted(action);
  expect(client.sent.filter(([method]) => method === "jp/query/interrupt")).toHaveLength(2);
  expect(toasts).toEqual([]);
  for (const action of ["restart", "stop_and_reply"]) await interrupted(action);
  expect(toasts.map(({ message }) => message)).toEqual(Array(2).fill("JP: no turn of `c9` is running"));
});

test("a turn is interrupted in the server's words, by itself where it is too old to say them", async () => {
  client.receive("jp/conversation/event", { conversation: "c9", event: { type: "turn_start" } });
  client.answers["jp/query/interruptChoices"] = [
    { action: "restart", title: "Run the calls again" },
    { action: "stop_and_reply", title: "Stop and reply" },
  ];
  const interrupts = (): unknown[] =>
    client.sent.filter(([method]) => method === "jp/query/interrupt").map(([, params]) => params);
  const picks = async (title: string): Promise<void> => {
    window.showQuickPick.mockImplementation(async (items: readonly { label: string }[]) => {
      expect(items.map(({ label }) => label)).toEqual(["Run the calls again", "Stop and reply"]);
      return items.find(({ label }) => label === title);
    });
    await run("jp.interrupt");
  };
  await picks("Run the calls again");
  expect(interrupts()).toEqual([{ conversation: "c9", action: "restart" }]);
  window.showInputBox.mockResolvedValue(" ");
  await picks("Stop and reply");
  expect(interrupts()).toHaveLength(1);
  window.showInputBox.mockResolvedValue("No.");
  await picks("Stop and reply");
  expect(interrupts()[1]).toEqual({ conversation: "c9", action: "stop_and_reply", text: "No." });
  client.answers["jp/query/interruptChoices"] = Object.assign(new Error("?"), { code: -32601 });
  await run("jp.interrupt");
  expect(interrupts()[2]).toEqual({ conversation: "c9" });
  expect(toasts).toEqual([]);
});

test("a selection goes into the box of the conversation in view, and is not sent by itself", async () => {
  window.activeTextEditor = editorOf("/w/src/a.rs", "let a = 1;", true);
  await run("jp.addToQuestion");
  const [panel] = panels;
  expect(panel?.posted).toEqual([]);
  panel?.say({ type: "ready" });
  const text = "`/w/src/a.rs`, line 3:\n\n```rust\nlet a = 1;\n```\n";
  await vi.waitFor(() => expect(panel?.of("insert")).toEqual([{ type: "insert", text }]));
  await run("jp.addToQuestion");
  expect(panels).toHaveLength(1);
  expect(panel?.of("insert")).toHaveLength(2);
  expect(panel?.of("focus").at(-1)).toEqual({ type: "focus", on: "box" });
  expect(client.sent.filter(([method]) => method === "jp/query/start")).toEqual([]);
});

test("nothing from outside of the workspace goes into the box", async () => {
  window.activeTextEditor = editorOf("/etc/passwd", "root", false);
  await run("jp.addToQuestion");
  expect(panels).toHaveLength(0);
  expect(toasts.at(-1)?.message).toBe("JP: the file lies outside of the workspace: copy it there, or paste its text");
});

test("a crash drops the prompts before the server is restarted", async () => {
  const answer = client.receive("jp/prompt", RUN, cancellation().token);
  const handler = client.clientOptions["errorHandler"] as { closed(): Promise<unknown> };
  expect(await handler.closed()).toEqual({ action: 2, handled: true });
  expect(await answer).toBeNull();
  expect(toasts.at(-1)?.message).toBe(
    "JP: the server stopped unexpectedly and was restarted. 1 open prompt was refused.",
  );
});

test("a message of the server holds no command link, and its buttons answer with their action", async () => {
  const answer = client.receive("window/showMessageRequest", {
    type: 2,
    message: "[x](command:y)",
    actions: [{ title: "Reject" }, { title: "Allow\u202e" }],
  });
  expect(toasts.at(-1)).toMatchObject({
    severity: "warning",
    message: "JP: [x] (command:y)",
    buttons: ["Reject", "Allow\\u{202e}"],
  });
  toasts.at(-1)?.press("Allow\\u{202e}");
  expect(await answer).toEqual({ title: "Allow\u202e" });
});

test("a dismissed message is answered by nothing", async () => {
  const answer = client.receive("window/showMessageRequest", { type: 3, message: "m", actions: [{ title: "A" }] });
  toasts.at(-1)?.dismiss();
  expect(await answer).toBeNull();
});

test("a server that cannot start is explained", async () => {
  rmSync(join(folder, "server", "jp-lsp"));
  await run("jp.restartServer");
  expect(toasts.at(-1)?.message).toBe(
    `JP: this package of the extension holds no server for ${process.platform}-${process.arch}: ` +
      "install the package for this platform, or build jp-lsp and set jp.server.path to it",
  );
  expect(await run("jp.query", { text: "x" })).toBeUndefined();
  expect(toasts.at(-1)?.message).toBe("JP: the server is not running: run `JP: Restart Server`, or see `JP: Show Log`");
  await settled();
});

test("a code lens asks for the call that is to be explained, and the answer is in words", async () => {
  client.answers["jp/explain"] = { mode: "ask", words: "It is **asked**." };
  vi.mocked(vscode.window.showInputBox).mockResolvedValueOnce('{"path": "a"}');
  await run("jp.explain", { kind: "policy", tool: "edit", workspace: "file:///w", show: true });
  const params = { kind: "policy", tool: "edit", workspace: "file:///w", input: { path: "a" }, show: false };
  expect(client.sent).toContainEqual(["jp/explain", { ...params, words: "markdown" }]);
  expect(vi.mocked(vscode.window.showInputBox)).toHaveBeenCalledTimes(1);
  const [, uri] = executed.find(([command]) => command === "markdown.showPreview") ?? [];
  expect(textOf(uri)).toBe("It is **asked**.");
  vi.mocked(vscode.window.showInputBox).mockResolvedValueOnce(undefined);
  expect(await run("jp.explain", { kind: "policy", tool: "edit" })).toBeUndefined();
  const explained = client.sent.filter(([method, its]) => method === "jp/explain" && (its as typeof params).tool);
  expect(explained).toHaveLength(1);
});

test("a tool is picked from those of the config, and its call begins with its parameters", async () => {
  const edit = { parameters: { path: { type: "path", required: true }, mode: { enum: ["a", "b"], required: true } } };
  client.answers["jp/explain"] = { value: { "*": { run: "ask" }, edit, grep: {} } };
  const picks = [(all: Pick[]) => all[0], (all: Pick[]) => all[0], (all: Pick[]) => all[0]];
  const offered: string[][] = [];
  vi.mocked(vscode.window.showQuickPick).mockImplementation(async (items) => {
    const all = (await items) as Pick[];
    offered.push(all.map(({ label }) => label));
    return picks.shift()?.(all);
  });
  vi.mocked(vscode.window.showInputBox).mockImplementationOnce(async (options) => options?.value);
  await run("jp.explain");
  expect(offered[1]).toEqual(["edit", "grep"]);
  expect(client.sent.at(-1)).toEqual([
    "jp/explain",
    { kind: "policy", tool: "edit", input: { path: "", mode: "a" }, show: false, words: "markdown" },
  ]);
  vi.mocked(vscode.window.showQuickPick).mockReset();
});

test("every command of the manifest is registered, and none besides", async () => {
  const manifest = await import("../package.json");
  expect([...registered.keys()].sort()).toEqual(manifest.contributes.commands.map(({ command }) => command).sort());
});

test("the examples beside the rules are run in the Test Explorer", async () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };
  const example = (title: string, message?: string) => ({
    title,
    tool: "edit",
    range,
    holds: message === undefined,
    message,
  });
  client.answers["jp/tests"] = {
    uri: "file:///w/.jp/policy.tests.toml",
    cases: [example("reads src"), example("writes .env", "expected\u001b[2J skip, is ask")],
    mistakes: [{ range, message: "unknown key `rnu`" }],
  };
  const controller = testControllers[0];
  await controller?.refreshHandler?.();
  expect([...(controller?.items ?? [])].flatMap((file) => [...file.children].map(({ label }) => label))).toEqual([
    "reads src",
    "writes .env",
  ]);
  await controller?.runHandler?.({});
  expect(controller?.said.map((line) => line.replace(/: [^:]*policy.tests.toml/, ""))).toEqual([
    "passed: reads src",
    "failed: writes .env: expected␛[2J skip, is ask",
    "errored: unknown key `rnu`",
    "end",
  ]);
  expect(controller?.output).toEqual([
    "✓ edit: reads src\r\n",
    "✗ edit: writes .env: expected␛[2J skip, is ask\r\n",
    "unknown key `rnu`\r\n",
  ]);
});

test("what changed since the last commit is asked of the workspace in view, and what stands in the way is told", async () => {
  const asked = () => client.sent.filter(([method]) => method === "workspace/executeCommand").map(([, its]) => its);
  await run("jp.showChanges");
  window.activeTextEditor = editorOf("/w/inner/.jp/config.toml", "", true);
  await run("jp.showChanges");
  window.activeTextEditor = editorOf("/etc/passwd", "", false);
  client.answers["workspace/executeCommand"] = new Error("`/w` lies in no git repository");
  await run("jp.showChanges");
  expect(asked()).toEqual([
    { command: "jp.diff.show", arguments: [{}] },
    { command: "jp.diff.show", arguments: [{ workspace: "file:///w/inner/.jp/config.toml" }] },
    { command: "jp.diff.show", arguments: [{}] },
  ]);
  expect(toasts.at(-1)?.message).toBe("JP: `/w` lies in no git repository");
});

test("a recorded call is saved as an example from its line", () => {
  const lines = ["# `read`: calls on record", "", '- 2020 · ask (rule 2) · ran · `{"path":"src/a"}`', "- other"];
  const editor = (line: number, path = "/data/calls-read.md") =>
    ({
      document: { uri: { path }, lineAt: (number: number) => ({ text: lines[number] }) },
      selection: { active: { line } },
    }) as unknown as vscode.TextEditor;
  expect(recordedCall(editor(2))).toEqual({ tool: "read", input: { path: "src/a" } });
  expect(recordedCall(editor(3))).toBeUndefined();
  expect(recordedCall(editor(2, "/w/notes.md"))).toBeUndefined();
  expect(recordedCall(undefined)).toBeUndefined();
});

test("a call is saved as an example by the server, which asks for the edit", async () => {
  await run("jp.saveExample", { tool: "read", input: { path: "a" } });
  expect(client.sent).toContainEqual([
    "workspace/executeCommand",
    { command: "jp.tests.save", arguments: [{ tool: "read", input: { path: "a" } }] },
  ]);
});
