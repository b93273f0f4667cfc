/** The same choice is called the same everywhere: the server names it, and no surface has words of its own. */
import { readFileSync } from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { choicesOf } from "../src/describe";
import { VirtualDocuments } from "../src/documents";
import { pagePrompt } from "../src/page";
import { Prompts } from "../src/prompts";
import type { PromptParams } from "../src/protocol";
import { cancellation, question, RUN } from "./fixtures";
import { reset, toasts } from "./mocks/vscode";

const source = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** What the server calls its actions, as its source has them. */
const WORDS = [
  ...new Set(
    [...source("server/jp_agent/src/prompt/published.rs").matchAll(/\((\w+), "([^"]+)"\)/gu)].map(([, , words]) =>
      (words ?? "").replace("\\u{2026}", "…"),
    ),
  ),
];

beforeEach(() => reset());

test("the server has these words, and no others", () => {
  expect(WORDS.toSorted()).toEqual([
    "Answer…",
    "Apply",
    "Cancel",
    "Deliver",
    "Edit Arguments…",
    "Edit Result…",
    "Grant",
    "Reject",
    "Run",
    "Show Details",
    "Withhold",
  ]);
});

test("where a server offers no choices, the extension calls them as servers do", () => {
  const { choices: _, ...prompt } = RUN;
  const kinds: PromptParams["kind"][] = ["run", "edit", "result", "delta"];
  const titles = kinds.flatMap((kind) => choicesOf({ ...prompt, kind, actions: [] }).map(({ title }) => title));
  const own = [...titles, ...choicesOf({ ...question("text"), actions: [] }).map(({ title }) => title)];
  expect(own.filter((title) => !WORDS.includes(title.replace(" with a Reason…", "")))).toEqual([]);
});

/** What decides nothing is the editors' own, in the same words. */
const BESIDE = ["Save as Example…"];

test("Neovim has no words for decisions but the server's", () => {
  const lua = source("neovim-plugin/lua/jp/prompts.lua");
  const own = [...lua.matchAll(/title = '([^']+)'/gu)].map(([, words]) => words);
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((words) => !WORDS.includes(words ?? ""))).toEqual(BESIDE);
});

test("no surface has words of its own for the ways to interrupt a turn", () => {
  const titles = [...source("server/jp_agent/src/interrupt.rs").matchAll(/Self::\w+ => "([^"]+)"/gu)].map(
    ([, words]) => words ?? "",
  );
  expect(titles).toEqual([
    "Ask",
    "Continue",
    "Stop and reply",
    "Run the calls again",
    "Stop the calls and tell the assistant",
    "Stop",
    "Stop and drop what was said",
  ]);
  // A menu of its own would name what it does: `{ label: "Restart", action: "restart" }`, `{ action = 'restart', title = 'Do it again' }`.
  const menus = ["vscode-extension/src/commands.ts", "neovim-plugin/lua/jp/commands.lua"].map(source);
  const named = /\b(?:label|title)(?::| =) ["'`][^\n]*\baction\b|\baction(?::| =) ["'`][^\n]*\b(?:label|title)\b/u;
  expect(menus.flatMap((menu) => menu.match(named) ?? [])).toEqual([]);
  expect('{ label: "Restart", action: "restart" }').toMatch(named);
  expect("{ action = 'restart', title = 'Do it again' }").toMatch(named);
});

test("the page, the menu and the notification offer what the server offers, in its words and order", async () => {
  const titles = RUN.choices?.map(({ title }) => title) ?? [];
  expect(pagePrompt(RUN, String).choices.map(({ title }) => title)).toEqual(titles);
  const prompts = new Prompts(new VirtualDocuments("jp-prompt"), () => undefined);
  void prompts.ask(RUN, cancellation().token);
  const buttons = toasts.at(-1)?.buttons ?? [];
  expect(buttons).toEqual([...titles.filter((title) => buttons.includes(title)), "More…"]);
  await prompts.menu(RUN);
  const offered = (await vi.mocked(vscode.window.showQuickPick).mock.calls[0]?.[0]) as readonly vscode.QuickPickItem[];
  expect(offered.map(({ label }) => label)).toEqual([...titles, ...BESIDE]);
});
