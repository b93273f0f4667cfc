import { beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { Conversations } from "../src/conversations";
import { VirtualDocuments } from "../src/documents";
import type { FromPage } from "../src/messages";
import { Panels } from "../src/panels";
import { Prompts } from "../src/prompts";
import type { ConversationEvent, PromptParams } from "../src/protocol";
import { cancellation, RULE, RUN, settled } from "./fixtures";
import {
  executed,
  panels,
  registered,
  reset,
  TabInputWebview,
  toasts,
  type WebviewPanel,
  window,
} from "./mocks/vscode";

let conversations: Conversations;
let prompts: Prompts;
let read: (params: { before?: number }) => Promise<{ events: ConversationEvent[]; earlier: number }>;
const sent: [string, unknown][] = [];
const load = vi.fn();
const log: string[] = [];

beforeEach(() => {
  reset();
  sent.length = log.length = 0;
  read = async () => ({ events: [], earlier: 0 });
  const client = {
    sendRequest: async (method: string, params: unknown) => {
      sent.push([method, params]);
      if (method === "jp/conversation/read") return read(params as { before?: number });
      return method === "jp/conversation/list" ? [{ id: "c1", title: "First" }] : null;
    },
  };
  prompts = new Prompts(new VirtualDocuments("jp-prompt"), (line) => log.push(line));
  const texts = new VirtualDocuments("jp-text");
  load.mockImplementation(async (its: Conversations) => {
    const parts = { extension: vscode.Uri.file("/e"), conversations: its, prompts, texts };
    return new Panels({ ...parts, log: (line: string) => log.push(line) });
  });
  conversations = new Conversations(
    () => client as never,
    (line) => log.push(line),
    load,
  );
  prompts.pending.onChanged(() => conversations.promptsChanged());
});

const happens = (...events: ConversationEvent[]): void => {
  for (const event of events) conversations.event("c1", event);
};
const started = { type: "turn_start", timestamp: "1" };
const hi = { type: "chat_request", content: "hi", timestamp: "2" };

/** Opens the conversation, whose page is then there. */
async function opened(): Promise<WebviewPanel> {
  await conversations.show("c1");
  const panel = panels.at(-1) as WebviewPanel;
  panel.say({ type: "ready" } satisfies FromPage);
  return panel;
}

const textsOf = (panel: WebviewPanel): unknown[] =>
  panel.posted.flatMap((message) => (message["blocks"] ?? []) as { text: unknown }[]).map(({ text }) => text);

test("nothing of what shows conversations is loaded before one is shown", async () => {
  happens(started, hi, { type: "delta_text", text: "a" }, { type: "turn_end", outcome: "completed" });
  expect(load).not.toHaveBeenCalled();
  await opened();
  await conversations.show("c1");
  expect(load).toHaveBeenCalledTimes(1);
  expect(panels).toHaveLength(1);
});

test("the first words of an answer are there, although they came before the tab", async () => {
  happens(started, hi, { type: "delta_text", text: "alpha " });
  let answer: (read: { events: ConversationEvent[]; earlier: number }) => void = () => undefined;
  read = () => new Promise((settle) => (answer = settle));
  const showing = conversations.show("c1");
  await settled();
  happens({ type: "delta_text", text: "beta " });
  answer({ events: [started, hi], earlier: 0 });
  await showing;
  const panel = panels[0] as WebviewPanel;
  panel.say({ type: "ready" });
  expect(textsOf(panel)).toEqual([{ text: "hi" }, "alpha beta "]);
  happens({ type: "delta_text", text: "gamma" });
  await vi.waitUntil(() => panel.of("words").length > 0);
  expect(panel.of("words")).toEqual([{ type: "words", at: 1, text: "gamma" }]);
});

test("what was read before it was told is shown once", async () => {
  read = async () => ({ events: [started, hi], earlier: 0 });
  const panel = await opened();
  happens(started, hi, { type: "delta_text", text: "alpha" });
  await vi.waitUntil(() => panel.of("tail").length > 0);
  expect(textsOf(panel)).toEqual([{ text: "hi" }, "alpha"]);
  // Whoever says the same again says it twice.
  happens({ type: "turn_start", timestamp: "3" }, { ...hi, timestamp: "4" });
  await vi.waitUntil(() => textsOf(panel).length > 2);
  expect(textsOf(panel)).toEqual([{ text: "hi" }, "alpha", { text: "hi" }, "alpha"]);
});

test("what is tried again is said, as long as it is", async () => {
  const panel = await opened();
  happens(started, hi, { type: "retrying", text: "Attempt 1 failed (cannot reach ollama), trying again in 1.0 s." });
  const said = () => (panel.of("status").at(-1) as { status?: { text: string } } | undefined)?.status?.text;
  await vi.waitUntil(() => said()?.startsWith("Attempt 1 failed"));
  happens({ type: "delta_text", text: "alpha" });
  await vi.waitUntil(() => said() === "The assistant writes");
  expect(toasts).toEqual([]);
});

test("a prompt is decided in the page, by its digest and the place of the choice", async () => {
  const panel = await opened();
  const prompt: PromptParams = { ...RUN, rule: RULE };
  const answer = prompts.ask(prompt, cancellation().token);
  await vi.waitUntil(() => panel.of("prompts").some(({ prompts: its }) => (its as unknown[]).length > 0));
  expect(panel.of("prompts").at(-1)).toMatchObject({
    prompts: [
      {
        title: RUN.title,
        reason: { text: "asked by rule 2,", place: "/w/.jp/config.toml:38" },
        choices: RUN.choices?.map(({ title }) => ({ title })),
      },
    ],
  });
  panel.say({ type: "openRule", id: "1" });
  panel.say({ type: "choose", id: "1", digest: "another", choice: 3 });
  panel.say({ type: "choose", id: "2", digest: "d1", choice: 3 });
  panel.say({ type: "choose", id: "1", digest: "d1", choice: 99 });
  await settled();
  expect(vi.mocked(vscode.window.showTextDocument).mock.calls[0]?.[0].toString()).toBe("file:///w/.jp/config.toml");
  expect(prompts.pending.list()).toEqual([prompt]);
  panel.say({ type: "choose", id: "1", digest: "d1", choice: 3 });
  expect(await answer).toEqual({ action: "approve" });
  await vi.waitUntil(() => JSON.stringify(panel.of("prompts").at(-1)) === '{"type":"prompts","prompts":[]}');
});

test("a reason that the page asked for goes with the rejection", async () => {
  const panel = await opened();
  const answer = prompts.ask(RUN, cancellation().token);
  panel.say({ type: "choose", id: "1", digest: "d1", choice: 2, reason: "too wide" });
  expect(await answer).toEqual({ action: "reject", reason: "too wide" });
});

test("a page decides nothing of another conversation", async () => {
  const panel = await opened();
  void prompts.ask({ ...RUN, conversation: "c2" }, cancellation().token);
  panel.say({ type: "choose", id: "1", digest: "d1", choice: 3 });
  await settled();
  expect(prompts.pending.list()).toHaveLength(1);
  expect(panel.of("prompts").at(-1)).toEqual({ type: "prompts", prompts: [] });
});

test("what is said stops a running turn, or asks anew, and comes back when it is not taken", async () => {
  const panel = await opened();
  happens(started);
  panel.say({ type: "say", text: "Use grep." });
  await settled();
  expect(sent.at(-1)).toEqual([
    "jp/query/interrupt",
    { conversation: "c1", action: "stop_and_reply", text: "Use grep." },
  ]);
  happens({ type: "turn_end", outcome: "cancelled" });
  const query = vi.fn(async () => "c1" as string | undefined);
  registered.set("jp.query", query);
  panel.say({ type: "say", text: "And now?" });
  await settled();
  expect(query).toHaveBeenCalledWith({ text: "And now?", conversation: "c1" });
  expect(panel.of("refused")).toEqual([]);
  query.mockResolvedValueOnce(undefined);
  panel.say({ type: "continue" });
  await settled();
  expect(panel.of("refused")).toEqual([{ type: "refused", text: "Continue." }]);
});

test("a conversation that begins in its tab stays there", async () => {
  await conversations.compose();
  const [panel] = panels as [WebviewPanel];
  panel.say({ type: "ready" });
  expect(panel.of("focus")).toEqual([{ type: "focus", on: "box" }]);
  registered.set("jp.query", async () => {
    await conversations.show("c1");
    return "c1";
  });
  panel.say({ type: "say", text: "hi" });
  await vi.waitUntil(() => panel.of("reset").some(({ conversation }) => conversation === "c1"));
  expect(panels).toHaveLength(1);
});

test("a tab that the editor brings back is filled again", async () => {
  read = async () => ({ events: [started, hi], earlier: 0 });
  const panel = new (await import("./mocks/vscode")).WebviewPanel("jp.conversation", undefined);
  await conversations.restore(panel as never, { conversation: "c1", draft: "half" });
  panel.say({ type: "ready" });
  expect(textsOf(panel)).toEqual([{ text: "hi" }]);
  panel.close();
  await conversations.show("c1");
  expect(panels).toHaveLength(2);
});

test("of a long conversation the page gets the end, and the rest when it asks", async () => {
  const asked = (before: number, number: number) =>
    Array.from({ length: number }, (_, index) => ({ type: "chat_request", content: `q${before - number + index}` }));
  read = async ({ before = 10_000 }) => {
    const number = before === 10_000 ? 100 : Math.min(1000, before);
    return { events: asked(before, number), earlier: before - number };
  };
  const panel = await opened();
  expect(sent.at(-1)).toEqual(["jp/conversation/read", { conversation: "c1", last: 300, markdown: false }]);
  expect(panel.of("reset").at(-1)).toMatchObject({ start: 40, hasEarlier: true, blocks: { length: 60 } });
  const earlier = async (number: number): Promise<Record<string, unknown>> => {
    panel.say({ type: "earlier" });
    await vi.waitUntil(() => panel.of("earlier").length === number);
    return panel.of("earlier").at(-1) as Record<string, unknown>;
  };
  const second = await earlier(1);
  expect(sent.at(-1)).toEqual([
    "jp/conversation/read",
    { conversation: "c1", before: 9900, last: 1000, markdown: false },
  ]);
  expect(second).toMatchObject({
    start: -20,
    hasEarlier: true,
    blocks: { length: 60, 59: { text: { text: "q9939" } } },
  });
  // What was read before keeps its place.
  happens(started, { type: "chat_request", content: "new", timestamp: "3" });
  await vi.waitUntil(() => panel.of("tail").length > 0);
  expect(panel.of("tail").at(-1)).toMatchObject({ from: 100, blocks: [{ text: { text: "new" } }] });
  let steps = 1;
  while (panel.of("earlier").at(-1)?.["hasEarlier"] === true) {
    steps += 1;
    await earlier(steps);
  }
  expect(steps).toBe(43);
  expect(panel.of("earlier").at(-1)).toMatchObject({
    start: -9900,
    hasEarlier: false,
    blocks: { 0: { text: { text: "q0" } } },
  });
  expect(sent.filter(([method]) => method === "jp/conversation/read")).toHaveLength(11);
});

test("what a page is told at first does not grow with the conversation", async () => {
  const result = "a line of a file that is read\n".repeat(3000);
  const turn = (number: number): ConversationEvent[] => [
    { type: "turn_start" },
    { type: "chat_request", content: `Question ${number}: ${"why ".repeat(5000)}` },
    { type: "tool_call_request", id: "call", name: "read_file", arguments: { path: result } },
    { type: "tool_call_response", id: "call", content: result },
    { type: "chat_response", message: `Answer ${number}` },
  ];
  // As many events as the server answers at most, with far larger ones.
  read = async () => ({ events: Array.from({ length: 120 }, (_, number) => turn(number)).flat(), earlier: 9400 });
  const panel = await opened();
  expect(sent.filter(([method]) => method === "jp/conversation/read")).toHaveLength(1);
  const blocks = panel.posted.flatMap((message) => (message["blocks"] ?? []) as unknown[]);
  expect(panel.posted.map(({ type }) => type)).toEqual(["reset", "prompts", "status"]);
  expect(blocks).toHaveLength(60);
  expect(JSON.stringify(panel.posted).length).toBeLessThan(250_000);
});

test("a prompt that comes tells the page of its call alone, not of one that never ended", async () => {
  const call = (id: string): ConversationEvent => ({ type: "tool_call_request", id, name: "grep", arguments: {} });
  const said = Array.from({ length: 50 }, (_, index) => ({ type: "chat_response", message: `${index}` }));
  read = async () => ({ events: [started, call("broken"), ...said, call("call_1")], earlier: 0 });
  const panel = await opened();
  const cancelled = cancellation();
  const answer = prompts.ask(RUN, cancelled.token);
  await vi.waitUntil(() => panel.of("prompts").length > 1);
  const waits = { from: 51, blocks: [{ kind: "call", id: "call_1", state: "waiting" }] };
  expect(panel.of("tail").at(-1)).toMatchObject(waits);
  cancelled.cancel();
  await answer;
  await vi.waitUntil(() => panel.of("prompts").length > 2);
  expect(panel.of("tail").at(-1)).toMatchObject({ ...waits, blocks: [{ id: "call_1", state: "open" }] });
});

test("a page that was behind another tab takes the focus once it is there again", async () => {
  await conversations.compose();
  const panel = panels.at(-1) as WebviewPanel;
  panel.say({ type: "ready" });
  expect(panel.of("focus")).toHaveLength(1);
  panel.show(false);
  await conversations.compose();
  expect(panel.reveal).toHaveBeenCalled();
  expect(panel.of("focus")).toHaveLength(1);
  panel.show(true);
  panel.say({ type: "ready" });
  expect(panel.of("focus")).toHaveLength(2);
  expect(panel.of("reset")).toHaveLength(2);
});

test("a beginning that cannot be read can be asked for again", async () => {
  read = async ({ before }) => {
    if (before !== undefined) throw new Error("the disk is gone");
    return { events: [started, hi], earlier: 5 };
  };
  const panel = await opened();
  panel.say({ type: "earlier" });
  await vi.waitUntil(() => toasts.length > 0);
  expect(toasts.at(-1)?.message).toBe("JP: the disk is gone");
  expect(panel.of("earlier")).toEqual([{ type: "earlier", start: 0, hasEarlier: true, blocks: [] }]);
});

test("a long result goes over when it is asked for", async () => {
  const result = "line\n".repeat(3000);
  const call = { type: "tool_call_request", id: "a", name: "grep", arguments: {} };
  read = async () => ({ events: [call, { type: "tool_call_response", id: "a", content: result }], earlier: 0 });
  const panel = await opened();
  expect(panel.of("reset").at(-1)).toMatchObject({
    blocks: [{ result: { text: "line\n".repeat(12), lines: 3000 } }],
  });
  panel.say({ type: "unfold", at: 0, part: "result" });
  expect(panel.of("unfolded")).toEqual([{ type: "unfolded", at: 0, part: "result", text: result }]);
  panel.say({ type: "unfold", at: 7, part: "result" });
  expect(panel.of("unfolded")).toHaveLength(1);
});

test("the page may load one script and one style sheet, and nothing else", async () => {
  const { html, options } = (await opened()).webview;
  const [, policy] = /content="(default-src[^"]+)"/u.exec(html) ?? [];
  const [, nonce] = /script-src 'nonce-([\w-]{32})'/u.exec(policy ?? "") ?? [];
  expect(policy).toBe(
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src https://editor.example; img-src 'none'; connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'`,
  );
  expect(options).toMatchObject({ enableCommandUris: false, enableForms: false });
  expect(html.match(/<script/gu)).toHaveLength(1);
});

test("a server that is gone ends what was being said", async () => {
  const panel = await opened();
  happens(started, { type: "delta_text", text: "I lo" });
  conversations.stopped();
  await vi.waitUntil(() => textsOf(panel).includes("The server stopped; this turn did not end."));
  expect(conversations.running.size).toBe(0);
});

test("a failure is told where nobody looks at the conversation", async () => {
  happens(started, { type: "turn_end", outcome: "failed", error: "no [key](command:x)" });
  expect(toasts.at(-1)?.message).toBe("JP: the turn failed: no [key] (command:x)");
  const panel = await opened();
  expect(textsOf(panel)).toEqual(["The turn failed: no [key](command:x)"]);
  panel.active = true;
  window.tabGroups.activeTabGroup.activeTab = { input: new TabInputWebview("mainThreadWebview-jp.conversation") };
  happens(started, { type: "turn_end", outcome: "failed", error: "again" });
  expect(toasts).toHaveLength(1);
  expect(executed.filter(([command]) => command === "jp.query")).toEqual([]);
});

test("a conversation that several workspaces hold is known to lie in each", async () => {
  const held = (uri: string, name: string, keeper = "jp-lsp") => ({
    id: "c1",
    workspace: uri,
    workspaceName: name,
    keeper,
  });
  const [a, b, brought] = [
    held("file:///a/app", "a/app"),
    held("file:///b/app", "b/app"),
    held("file:///x", "x", "jp"),
  ];
  const listed = [brought, a, b, a, { id: "c2" }];
  const client = { sendRequest: async () => listed };
  const known = new Conversations(
    () => client as never,
    () => {},
    load,
  );
  await known.reload();
  expect(known.places("c1")).toEqual([
    { uri: "file:///a/app", name: "a/app" },
    { uri: "file:///b/app", name: "b/app" },
  ]);
  expect(known.places("c2")).toEqual([]);
  expect(known.places("c3")).toEqual([]);
});
