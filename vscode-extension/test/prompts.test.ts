import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { VirtualDocuments } from "../src/documents";
import { GUARD_MS } from "../src/inputs";
import { Prompts } from "../src/prompts";
import type { PromptParams } from "../src/protocol";
import { cancellation, DELTA, question, RULE, RUN, settled } from "./fixtures";
import { boxes, executed, reset, type Toast, tabs, toasts } from "./mocks/vscode";

let prompts: Prompts;
let documents: VirtualDocuments;
const log: string[] = [];

beforeEach(() => {
  reset();
  log.length = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  documents = new VirtualDocuments("jp-prompt");
  prompts = new Prompts(documents, (line) => log.push(line));
});
afterEach(() => {
  vi.useRealTimers();
  expect(log).toEqual([]);
});

function ask(prompt: PromptParams) {
  const { token, cancel } = cancellation();
  const answer = prompts.ask(prompt, token);
  return { answer, cancel };
}

function toast(): Toast {
  const last = toasts.at(-1);
  if (last === undefined) throw new Error("nothing is shown");
  return last;
}

test("a run is approved by its button", async () => {
  const { answer } = ask(RUN);
  expect(toast().message).toBe("Run local fs_modify_file tool? — path: src/a.rs");
  expect(toast().buttons).toEqual(["Reject", "Run", "Show Details", "More…"]);
  toast().press("Run");
  expect(await answer).toEqual({ action: "approve" });
  expect(prompts.pending.list()).toEqual([]);
});

test("a notification says why it asks, counted from 1", () => {
  ask({ ...RUN, rule: RULE });
  expect(toast().message).toBe(
    "Run local fs_modify_file tool? — path: src/a.rs — asked by rule 2, /w/.jp/config.toml:38",
  );
});

test("a prompt of the conversation that the person looks at is not shown twice", async () => {
  prompts = new Prompts(
    documents,
    (line) => log.push(line),
    () => true,
  );
  const { answer } = ask(RUN);
  expect(toasts).toEqual([]);
  await prompts.choose(RUN, 0);
  expect(await answer).toEqual({ action: "reject" });
});

test("dismissing a notification decides nothing", async () => {
  const { answer } = ask(RUN);
  toast().dismiss();
  await settled();
  expect(prompts.pending.list()).toEqual([RUN]);
  await Promise.race([prompts.open(), settled()]);
  expect(toasts).toHaveLength(2);
  toast().press("Reject");
  expect(await answer).toEqual({ action: "reject" });
});

test("two prompts that say the same have different notifications", () => {
  ask(RUN);
  ask({ ...RUN, id: "other", digest: "d" });
  expect(toasts[1]?.message).toBe(`${toasts[0]?.message} (2)`);
});

test("what loosens the config is named, as a warning", () => {
  const delta = { ...(DELTA.delta as NonNullable<typeof DELTA.delta>), loosens: ["tools.x.run: ask to unattended"] };
  ask({ ...DELTA, delta });
  expect(toast().severity).toBe("warning");
  expect(toast().message).toContain("Loosens: tools.x.run: ask to unattended");
});

test("a delta is compared and decided in the diff's title bar", async () => {
  const { answer } = ask(DELTA);
  expect(toast().buttons).toEqual(["Apply", "Reject", "Show Details", "More…"]);
  toast().press("Show Details");
  await settled();
  const [, before, after] = executed.find(([command]) => command === "vscode.diff") as [string, vscode.Uri, vscode.Uri];
  expect(documents.provideTextDocumentContent(before)).toBe('name = "one"\n');
  expect(documents.provideTextDocumentContent(after)).toBe('name = "two"\n');
  expect(executed).toContainEqual(["setContext", "jp.decidableDocuments", [after.toString()]]);
  prompts.decide(after, "approve");
  expect(await answer).toEqual({ action: "approve" });
  await settled();
  expect(tabs).toEqual([]);
  expect(executed).toContainEqual(["setContext", "jp.decidableDocuments", []]);
});

test("the diff of a decided prompt decides nothing", async () => {
  const { answer } = ask(DELTA);
  toast().press("Show Details");
  await settled();
  const after = executed.find(([command]) => command === "vscode.diff")?.[2] as vscode.Uri;
  prompts.pending.resolved("2");
  expect(await answer).toBeNull();
  prompts.decide(after, "approve");
  expect(toast().message).toBe("JP: this prompt was already decided.");
});

test("a prompt that was answered elsewhere takes its notification away, and a late press is discarded", async () => {
  const { answer } = ask(RUN);
  const shown = toast();
  prompts.pending.resolved("1");
  expect(await answer).toBeNull();
  expect(executed).toContainEqual(["notifications.hideToasts"]);
  shown.press("Run");
  await settled();
  expect(toast().message).toBe("JP: this prompt was already decided.");
});

test("a request that the server cancels is withdrawn", async () => {
  const { answer, cancel } = ask(RUN);
  cancel();
  expect(await answer).toBeNull();
});

test.each([
  ["Yes", true],
  ["No", false],
])("a boolean is answered by %s", async (button, value) => {
  const { answer } = ask(question("boolean"));
  toast().press(button);
  expect(await answer).toEqual({ action: "answer", value });
});

test("a choice is made in a list that ignores keys at first", async () => {
  const { answer } = ask(question("select", { default: "develop" }));
  await settled();
  const [box] = boxes;
  expect(box?.items.map(({ label, description }) => [label, description])).toEqual([
    ["main", ""],
    ["develop", "default"],
  ]);
  box?.enter("main");
  expect(prompts.pending.list()).toHaveLength(1);
  vi.advanceTimersByTime(GUARD_MS);
  box?.enter("develop");
  expect(await answer).toEqual({ action: "answer", value: "develop" });
});

test("somebody who types while a box opens answers nothing", async () => {
  const { answer } = ask(question("text", { default: "Ada" }));
  await settled();
  for (const _ of "abc") {
    vi.advanceTimersByTime(GUARD_MS - 1);
    boxes[0]?.type("let x");
    expect(boxes[0]?.value).toBe("Ada");
  }
  boxes[0]?.enter();
  expect(prompts.pending.list()).toHaveLength(1);
  vi.advanceTimersByTime(GUARD_MS);
  boxes[0]?.enter("Grace");
  expect(await answer).toEqual({ action: "answer", value: "Grace" });
});

test("an option is shown safely and delivered exactly", async () => {
  const options = ["$(check) \u202eseven"];
  const { answer } = ask(question("select", { answerType: { type: "select", options } }));
  await settled();
  vi.advanceTimersByTime(GUARD_MS);
  boxes[0]?.enter("$ (check) \\u{202e}seven");
  expect(await answer).toEqual({ action: "answer", value: "$(check) \u202eseven" });
});

test("a text starts with its default, a secret is hidden and starts empty", async () => {
  const text = ask(question("text", { default: "Ada" }));
  await settled();
  expect([boxes[0]?.value, boxes[0]?.password]).toEqual(["Ada", false]);
  boxes[0]?.hide();
  await settled();
  prompts.pending.drop();
  expect(await text.answer).toBeNull();
  ask(question("secret", { default: "x" }));
  await settled();
  expect([boxes[1]?.value, boxes[1]?.password]).toEqual(["", true]);
});

test("a closed box leaves its question pending, and the list opens it again", async () => {
  const { answer } = ask(question("text"));
  await settled();
  boxes[0]?.hide();
  await settled();
  expect(prompts.pending.list()).toHaveLength(1);
  void prompts.open();
  await settled();
  boxes[1]?.enter("Ada");
  expect(await answer).toEqual({ action: "answer", value: "Ada" });
});

test("a box goes away when its question is answered elsewhere", async () => {
  const { answer } = ask(question("text"));
  await settled();
  const hidden = vi.spyOn(boxes[0] as NonNullable<(typeof boxes)[0]>, "hide");
  prompts.pending.resolved("3");
  expect(await answer).toBeNull();
  expect(hidden).toHaveBeenCalledOnce();
});

test("edited arguments must be an object", async () => {
  const edit: PromptParams = { ...RUN, kind: "edit", choices: [], actions: [{ id: "edit", title: "Edit…" }] };
  const { answer } = ask(edit);
  vi.mocked(vscode.workspace.openTextDocument).mockImplementationOnce(
    async () => ({ uri: "untitled:1", isClosed: false, getText: () => text }) as unknown as vscode.TextDocument,
  );
  let text = "{";
  toast().press("Edit…");
  await settled();
  const uri = "untitled:1" as unknown as vscode.Uri;
  prompts.approveEdited(uri);
  expect(toast().message).toMatch(/^JP: the arguments are no valid JSON: /);
  text = "[1]";
  prompts.approveEdited(uri);
  expect(toast().message).toBe('JP: the arguments must be a JSON object, such as {"path": "src"}');
  text = '{"path": "b", "id": 9007199254740993}';
  prompts.approveEdited(uri);
  expect(await answer).toEqual({ action: "edit", arguments: text });
});

test("arguments whose digits are lost already are not edited", async () => {
  const preview = { kind: "arguments" as const, text: "…", arguments: { ids: [{ id: 2 ** 53 }] } };
  ask({ ...RUN, kind: "edit", choices: [], preview, actions: [{ id: "edit", title: "Edit…" }] });
  toast().press("Edit…");
  await settled();
  expect(toast().message).toMatch(/^JP: the arguments hold a number of more than 15 digits/);
  expect(vscode.workspace.openTextDocument).not.toHaveBeenCalled();
});

test("arguments that the server left out for their size are not edited", async () => {
  const preview = { kind: "arguments" as const, text: "…" };
  ask({ ...RUN, kind: "edit", choices: [], preview, actions: [{ id: "edit", title: "Edit…" }] });
  toast().press("Edit…");
  await settled();
  expect(toast().message).toBe("JP: this is too large to be edited here.");
  expect(vscode.workspace.openTextDocument).not.toHaveBeenCalled();
});

test("what cannot be seen whole is decided once", async () => {
  const truncated: PromptParams = { ...RUN, choices: [], preview: { kind: "text", text: "…", truncated: true } };
  ask(truncated);
  await prompts.menu(truncated);
  const items = (await vi.mocked(vscode.window.showQuickPick).mock.calls[0]?.[0]) as readonly vscode.QuickPickItem[];
  expect(items.map(({ label }) => label)).toEqual(["Reject", "Reject with a Reason…", "Run", "Show Details"]);
});

test("the menu offers what the server offers, in its order, and asks why not", async () => {
  const { answer } = ask(RUN);
  vi.mocked(vscode.window.showQuickPick).mockImplementationOnce(async (items) => {
    const offered = (await items) as readonly vscode.QuickPickItem[];
    expect(offered.map(({ label }) => label)).toEqual([
      ...(RUN.choices ?? []).map(({ title }) => title),
      "Save as Example…",
    ]);
    return offered[2];
  });
  vi.mocked(vscode.window.showInputBox).mockResolvedValueOnce("too wide");
  await prompts.menu(RUN);
  expect(await answer).toEqual({ action: "reject", reason: "too wide" });
});

test("a call is saved as an example without being decided", async () => {
  ask(RUN);
  vi.mocked(vscode.window.showQuickPick).mockImplementationOnce(async (items) => {
    const all = (await items) as readonly vscode.QuickPickItem[];
    return all.find(({ label }) => label === "Save as Example…");
  });
  await prompts.menu(RUN);
  await settled();
  expect(executed).toContainEqual(["jp.saveExample", { tool: RUN.tool.name, input: { path: "src/a.rs" } }]);
  expect(prompts.pending.list()).toEqual([RUN]);
});

test("a yes or no is remembered where the server offers it", async () => {
  const always = { action: "answer", value: true, remember: "turn" } as const;
  const prompt: PromptParams = {
    ...question("boolean"),
    choices: [
      { title: "Cancel", effect: { answer: { action: "cancel" } } },
      { title: "Yes", effect: { answer: { action: "answer", value: true } } },
      { title: "Yes, for the rest of this turn", effect: { answer: always } },
    ],
  };
  const { answer } = ask(prompt);
  vi.mocked(vscode.window.showQuickPick).mockImplementationOnce(async (items) => {
    const offered = (await items) as readonly vscode.QuickPickItem[];
    expect(offered.map(({ label }) => label)).toEqual(["Cancel", "Yes", "Yes, for the rest of this turn"]);
    return offered[2];
  });
  toast().press("More…");
  expect(await answer).toEqual(always);
});

test("details are plain text, in which nothing passes for a heading", async () => {
  const preview = { kind: "command" as const, text: "sh -c 'x\nTool\n\n'\u202e", arguments: { text: "a_b\nTool" } };
  ask({ ...RUN, title: "Run local a_b tool?", preview, rule: RULE });
  toast().press("Show Details");
  await settled();
  const uri = vi.mocked(vscode.window.showTextDocument).mock.calls[0]?.[0] as unknown as vscode.Uri;
  expect(documents.provideTextDocumentContent(uri)).toBe(
    [
      "Run local a_b tool?",
      "Asked by rule 2, /w/.jp/config.toml:38",
      "",
      "Tool",
      "    fs_modify_file",
      "",
      "Arguments",
      "    text:",
      "      a_b",
      "      Tool",
      "",
      "Command",
      "    sh -c 'x",
      "    Tool",
      "",
      "    '\\u{202e}",
      "",
    ].join("\n"),
  );
});
