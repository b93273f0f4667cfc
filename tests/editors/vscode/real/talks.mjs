// Conversations as a whole, in the real editor with the real server: a very long one is opened and read, and another is
// renamed, found, copied, gone on with without its last turn, and deleted.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { scenario, until } from "../driver.mjs";
import { CONFIG, recorded, startWith } from "./workspace.mjs";

/** How many events the long conversation has, five a turn. */
const EVENTS = 10_000;

const { server, folder, data, environment } = await startWith("talks", ["The answer."]);

/** Has a conversation in the terminal, as the editor finds it later. */
function converse(text, ...options) {
  const given = ["query", "--trust", "--workspace", folder, ...options, text];
  const { status, stderr } = spawnSync(process.env.JP_LSP_BIN, given, { env: { ...process.env, ...environment }, encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

/** The folders of all conversations. */
function stored() {
  const root = join(data, "conversations");
  return readdirSync(root).flatMap((workspace) => readdirSync(join(root, workspace)).map((id) => join(root, workspace, id)));
}

/** Adds turns to a conversation, or goes on and on with its last one. */
function lengthen(directory, inOneTurn = false) {
  const events = [];
  for (let turn = 0; events.length < EVENTS; turn += 1) {
    const id = `call_${turn}`;
    const content = Array.from({ length: 30 }, (_, line) => `line ${line} of file ${turn}`).join("\n");
    if (!inOneTurn) events.push({ type: "turn_start" }, { type: "chat_request", content: `Question ${turn}` });
    events.push(
      { type: "tool_call_request", id, name: "read_file", arguments: { path: `src/file_${turn}.rs` } },
      { type: "tool_call_response", id, content, is_error: false },
      { type: "chat_response", message: `Answer **${turn}**\n\n- one\n- two\n\n\`\`\`rust\nfn main() {}\n\`\`\`` },
    );
  }
  const line = (event) => `${JSON.stringify({ timestamp: "2026-01-02 03:04:05.000000", ...event })}\n`;
  appendFileSync(join(directory, "events.jsonl"), events.map(line).join(""));
}

converse("The long one");
lengthen(stored()[0]);
const [known] = stored();
converse("The long turn");
lengthen(stored().find((directory) => directory !== known), true);
converse("The short one");

const pane = (window) => window.page.locator(".pane", { has: window.page.locator("[aria-label='Conversations Section']") });
const row = (window, title) => pane(window).locator(".monaco-list-row", { hasText: title }).first();
const titles = (window) => pane(window).locator(".monaco-list-row .label-name").allInnerTexts();

/**
 * Opens a conversation, and says how long that took: the page from its script to its largest entry, and all from the click
 * on, most of which is the time in which the browser makes a frame.
 */
async function opened(window, title, text) {
  const began = Date.now();
  await row(window, title).click();
  await window.says(text);
  const all = Date.now() - began;
  const page = await window.conversation();
  const own = await page.evaluate(
    () =>
      new Promise((settle) => {
        const script = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("webview.js"));
        const seen = (list) => settle(Math.round(list.getEntries().at(-1).startTime - script.responseEnd));
        new PerformanceObserver(seen).observe({ type: "largest-contentful-paint", buffered: true });
        setTimeout(() => settle(undefined), 2000);
      }),
  );
  console.log(`# opened ${title}: the page ${own} ms, all ${all} ms`);
  return { entries: await page.locator("article").count(), nodes: await page.locator("*").count() };
}

/** Picks from the menu of a conversation in the list. */
async function menu(window, title, action) {
  const item = window.page.locator(".monaco-menu .action-item", { hasText: action }).first();
  await until(`the menu of ${title}`, async () => {
    await row(window, title).click({ button: "right" });
    return item.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
  });
  // A menu that has just opened takes no click.
  await until(`${action} of ${title}`, async () => {
    if (!(await item.isVisible())) return true;
    await item.click({ timeout: 1000 }).catch(() => undefined);
    return false;
  });
}

/** What the reader sees of the conversation. */
const seen = (page) =>
  page.locator("#scroller").evaluate((scroller) => {
    const { top, bottom } = scroller.getBoundingClientRect();
    const articles = [...document.querySelectorAll("#log > article")];
    const shown = articles.filter((it) => it.getBoundingClientRect().bottom > top && it.getBoundingClientRect().top < bottom);
    return { entries: articles.length, first: shown[0]?.innerText ?? "", last: shown.at(-1)?.innerText ?? "" };
  });

await scenario(server, folder, CONFIG, {
  "all conversations are listed": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    await window.page.locator(".activitybar .action-item a[aria-label^='JP']").first().click();
    await row(window, "The long one").waitFor();
    assert.deepEqual(await titles(window), ["The short one", "The long turn", "The long one"]);
  },
  "nothing is shown before one is opened": async (window) => {
    assert.equal(await window.page.locator("iframe.webview").count(), 0);
  },
  "one of ten thousand events opens like a short one": async (window) => {
    assert.equal((await opened(window, "The short one", "The answer.")).entries, 2);
    for (const [title, text] of [["The long turn", "Answer 3333"], ["The long one", "Answer 1999"]]) {
      const { entries, nodes } = await opened(window, title, text);
      assert.equal(entries, 60, title);
      assert.ok(nodes < 1500, `${title}: ${nodes} elements`);
      assert.match((await seen(await window.conversation())).last, new RegExp(text));
    }
  },
  "it scrolls, and what came before comes along": async (window) => {
    const page = await window.conversation();
    const frames = await page.evaluate(async () => {
      const scroller = document.getElementById("scroller");
      const frames = [];
      for (let last = performance.now(); frames.length < 120; ) {
        scroller.scrollTop -= 600;
        const now = await new Promise(requestAnimationFrame);
        frames.push(now - last);
        last = now;
      }
      return frames.sort((a, b) => a - b);
    });
    console.log(`# scrolled: a frame in ${Math.round(frames[60])} ms, the slowest in ${Math.round(frames.at(-1))} ms`);
    assert.ok((await seen(page)).entries > 60);
  },
  "its beginning can be reached": async (window) => {
    const page = await window.conversation();
    const began = Date.now();
    await until("the beginning", async () => {
      const isWhole = await page.evaluate(async () => {
        document.getElementById("scroller").scrollTop = 0;
        await new Promise(requestAnimationFrame);
        return document.getElementById("earlier") === null;
      });
      // What comes last moves what is read out of its place: it stays in view.
      return isWhole && /The long one/.test((await seen(page)).first);
    }, 120_000);
    console.log(`# went to the beginning in ${Date.now() - began} ms`);
    assert.equal((await seen(page)).entries, 2 + (EVENTS / 5) * 3);
  },
  "one is renamed": async (window) => {
    await menu(window, "The short one", "Rename Conversation");
    await window.enter("Rename the conversation", "Ἑλλάς & <b>bold</b>");
    await row(window, "Ἑλλάς & <b>bold</b>").waitFor();
    assert.ok(recorded(data).includes("Ἑλλάς & <b>bold</b>"));
  },
  "one is found by what was said": async (window) => {
    await window.command("JP: Search Conversations");
    await window.enter("Words of its title, or of what was said", "question 1234");
    const found = window.page.locator(".quick-input-list .monaco-list-row");
    await found.first().waitFor();
    assert.equal(await found.count(), 1);
    assert.match(await found.innerText(), /The long one[^]*Question 1234/);
    await window.shot("search");
    await found.click();
    await window.says("Answer 1999");
  },
  "one is copied, and the copy opens": async (window) => {
    const before = stored().length;
    await menu(window, "bold", "Copy Conversation");
    await until("the copy", () => stored().length === before + 1);
    await until("the copy in the list", async () => (await titles(window)).filter((it) => it.includes("bold")).length === 2);
    await window.says("The answer.");
    await window.takesFocus();
  },
  "the last turn of one is undone in a copy": async (window) => {
    const before = stored().length;
    await menu(window, "The long one", "Undo the Last Turn");
    await until("the copy", () => stored().length === before + 1);
    await window.says("Answer 1998");
    const page = await window.conversation();
    assert.equal(await page.getByText("Answer 1999").count(), 0);
    assert.equal((await titles(window)).filter((it) => it === "The long one").length, 2);
  },
  "one is deleted once that is confirmed, and its tab closes": async (window) => {
    const before = stored();
    const tabs = () => window.page.locator(".tab", { hasText: "bold" }).count();
    const open = await tabs();
    await menu(window, "bold", "Delete Conversation");
    const dialog = window.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /Delete “Ἑλλάς & <b>bold<\/b>”\?\s+It cannot be brought back\./);
    await window.shot("delete");
    await window.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(stored().length, before.length);
    await menu(window, "bold", "Delete Conversation");
    await dialog.locator(".monaco-button", { hasText: "Delete" }).click();
    await until("it is gone", () => stored().length === before.length - 1);
    await until("its tab is closed", async () => (await tabs()) === open - 1);
    assert.ok(stored().every((directory) => existsSync(directory)));
  },
});
