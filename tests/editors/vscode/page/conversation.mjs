// The page of a conversation: what it shows, which keys decide, and what hostile text comes to.
import assert from "node:assert/strict";
import { until } from "../driver.mjs";
import { run, source } from "./page.mjs";

const { folded } = await source("page");

const reset = (blocks, more = {}) => ({
  type: "reset",
  conversation: "jp-c1",
  title: "What main.rs does",
  start: 0,
  hasEarlier: false,
  blocks,
  history: [],
  ...more,
});
const user = (text) => ({ kind: "user", text: { text } });
const said = (text, isWriting = false) => ({ kind: "assistant", text, isWriting });
const call = (id, state, more = {}) => ({
  kind: "call",
  id,
  tool: "fs_read_file",
  state,
  arguments: { text: "path: src/main.rs" },
  isEdited: false,
  asked: [],
  result: undefined,
  decision: "",
  ...more,
});
const prompt = (more = {}) => ({
  id: "7",
  digest: "9f2c",
  callId: "call_2",
  title: "Run local fs_delete_file tool?",
  message: "",
  reason: { text: "asked by rule 2,", place: ".jp/config.toml:38" },
  preview: { kind: "command", text: "rm notes.md" },
  isCut: false,
  changes: "",
  loosens: [],
  choices: [
    { title: "Reject", effect: "answer" },
    { title: "Reject with a Reason…", effect: "reason" },
    { title: "Run", effect: "answer" },
    { title: "Edit Arguments…", effect: "edit" },
    { title: "Show Details", effect: "details" },
  ],
  initial: "",
  ...more,
});
const RICH = [
  user("What does main.rs do?"),
  { kind: "reasoning", text: "I think." },
  said("# Plan\n\nI *look* at `main.rs` and [the guide](https://example.org/guide):\n\n1. read\n2. run\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```"),
  call("call_1", "done", { result: folded("fn main() {}\n".repeat(3000)) }),
  call("call_2", "waiting", { tool: "fs_delete_file" }),
  call("call_3", "running"),
  call("call_4", "failed", { decision: "You allowed it.", result: { text: "no such file" } }),
  call("call_5", "deciding", { asked: [{ question: "Which branch?", answer: "main" }] }),
  { kind: "change", text: { text: 'assistant.model.id.name = "strong"' } },
  { kind: "note", text: "The turn failed: the model is gone", isError: true },
];
const running = { type: "status", status: { text: "Waits for your decision", isRunning: true, mayContinue: false, usage: "1,200 tokens read, 80 written" } };
const chosen = (sent) => sent.filter(({ type }) => type === "choose" || type === "answer");
const HOSTILE = [
  "![a picture](http://127.0.0.1:1/a.png) ![x](javascript:alert(1))",
  '<img src="/stolen.png" onerror="window.ran = 1"><script>window.ran = 1</script><style>*{display:none}</style>',
  "[click me](command:workbench.action.files.newUntitledFile) [js](javascript:window.ran=1) [data](data:text/html,x)",
  "[https://bank.example](https://evil.example/login)",
  "esc \u001b[31mred\u001b[0m, bidi \u202eevil\u202c, zero\u200bwidth, &#x202e;entity, nul \u0000",
  '<a href="command:x">html link</a> &lt;b&gt;',
  "[ref]\n\n[ref]: javascript:window.ran=1",
  "<iframe src='/frame.html'></iframe>",
].join("\n\n");

await run({
  "the page says that it is ready, and shows what comes": async ({ open }) => {
    const { page, sent, post, problems } = await open();
    assert.deepEqual(sent, [{ type: "ready" }]);
    await post(reset([user("hi"), said("**Hello**, you")]));
    await page.locator("strong", { hasText: "Hello" }).waitFor();
    assert.equal(await page.locator("#title").innerText(), "What main.rs does");
    assert.deepEqual(problems, []);
    await page.close();
  },
  "Markdown streams, and what stands there stays": async ({ open }) => {
    const { page, post } = await open();
    await post(reset([user("hi"), said("First *part*.\n\nSecond", true)]));
    const first = await page.locator("em").elementHandle();
    for (const text of [" `pa", "rt`.\n\n- a", "\n- b"]) await post({ type: "words", at: 1, text });
    await page.locator("li", { hasText: "b" }).waitFor();
    assert.equal(await page.locator("code").innerText(), "part");
    assert.ok(await first.evaluate((it) => it.isConnected), "the first paragraph is the same element");
    await post({ type: "tail", from: 1, blocks: [said("First *part*.\n\nSecond `part`.\n\n- a\n- b")] });
    assert.ok(await first.evaluate((it) => it.isConnected));
    assert.equal(await page.locator(".writing").count(), 0);
    await page.close();
  },
  "hostile text loads, runs and hides nothing": async ({ open, asked }) => {
    const before = asked.length;
    const { page, post, violations, problems } = await open();
    await post(reset([user(HOSTILE), said(HOSTILE), { kind: "reasoning", text: HOSTILE },
      call("call_2", "waiting", { tool: HOSTILE, arguments: { text: HOSTILE }, result: { text: HOSTILE } }),
      { kind: "note", text: HOSTILE, isError: true }]));
    await post({ type: "prompts", prompts: [prompt({ title: HOSTILE, context: HOSTILE, preview: { kind: "command", text: HOSTILE }, loosens: [HOSTILE], choices: [{ title: HOSTILE, effect: "answer" }] })] });
    await page.locator(".prompt").waitFor();
    assert.equal(await page.evaluate(() => window.ran), undefined);
    assert.deepEqual(asked.slice(before).filter((url) => url !== "/favicon.ico"), ["/", "/webview.css", "/webview.js"]);
    assert.deepEqual([violations, problems], [[], []]);
    assert.equal(await page.locator("img, script:not([nonce]), iframe, style, object, embed, form").count(), 0);
    const links = await page.locator("a").evaluateAll((all) => all.map((it) => [it.getAttribute("href"), it.textContent]));
    assert.deepEqual(links, [
      ["http://127.0.0.1:1/a.png", "http://127.0.0.1:1/a.png"],
      ["https://evil.example/login", "https://bank.example (evil.example)"],
    ]);
    const text = await page.locator(".entry.assistant").textContent();
    for (const shown of ["[picture: a picture]", "javascript:alert(1)", "command:workbench.action.files.newUntitledFile",
      "data:text/html,x", "\u241b[31mred", "\\u{202e}evil\\u{202c}", "zero\\u{200b}width", "\\u{202e}entity", "<script>window.ran = 1</script>"]) {
      assert.ok(text.includes(shown), `${shown} in ${text}`);
    }
    const all = await page.evaluate(() => document.body.textContent);
    assert.doesNotMatch(all, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/u);
    await page.close();
  },
  "the policy keeps out what is not ours": async ({ open }) => {
    const { page, post, violations } = await open();
    await post(reset([]));
    await page.evaluate(() => {
      const add = (tag, fields) => document.body.appendChild(Object.assign(document.createElement(tag), fields));
      add("script", { textContent: "window.ran = 1" });
      add("script", { src: "/other.js" });
      add("img", { src: "/a.png" });
      add("style", { textContent: "*{display:none}" });
      add("iframe", { src: "/frame" });
      add("div", {}).setAttribute("onclick", "window.ran = 1");
      fetch("/stolen").catch(() => undefined);
      document.body.lastElementChild.click();
    });
    const kinds = ["script-src-elem inline", "script-src-elem", "img-src", "style-src-elem inline", "frame-src", "connect-src", "script-src-attr inline"];
    for (const kind of kinds) {
      await until(`a violation of ${kind}`, () => violations.some((what) => what.startsWith(kind)), 5000);
    }
    assert.equal(await page.evaluate(() => window.ran), undefined);
    await page.close();
  },
  "a call that waits says why, and its choices have keys": async ({ open }) => {
    const { page, sent, post } = await open({ stopsClock: true });
    await post(reset([user("go"), call("call_1", "running"), call("call_2", "waiting")]));
    await post({ type: "prompts", prompts: [prompt()] });
    const card = page.locator(".entry.call").nth(1).locator(".prompt");
    assert.match(await card.innerText(), /Run local fs_delete_file tool\?\s+Asked by rule 2, \.jp\/config\.toml:38\s+rm notes\.md/);
    assert.deepEqual(await card.locator(".choices button").allInnerTexts(), ["1Reject", "2Reject with a Reason…", "3Run", "4Edit Arguments…", "5Show Details"]);
    assert.match(await page.locator("[role=alert]").innerText(), /Run local fs_delete_file tool\? asked by rule 2, \.jp\/config\.toml:38/);
    await card.locator(".place").click();
    assert.deepEqual(sent.at(-1), { type: "openRule", id: "7" });
    await page.keyboard.press("3");
    assert.deepEqual(chosen(sent), [], "whoever is typing has not seen it yet");
    await page.clock.runFor(700);
    await page.keyboard.press("3");
    assert.deepEqual(chosen(sent), [{ type: "choose", id: "7", digest: "9f2c", choice: 2 }]);
    await post({ type: "prompts", prompts: [] });
    await card.waitFor({ state: "detached" });
    await page.close();
  },
  "digits that are typed into the box decide nothing": async ({ open }) => {
    const { page, sent, post } = await open({ stopsClock: true });
    await post(reset([call("call_2", "waiting")]));
    await post({ type: "prompts", prompts: [prompt()] });
    await page.clock.runFor(700);
    await page.locator("#box").focus();
    await page.keyboard.type("123");
    assert.deepEqual(chosen(sent), []);
    assert.equal(await page.locator("#box").inputValue(), "123");
    await page.close();
  },
  "Esc leaves a prompt waiting, and a reason is given in place": async ({ open }) => {
    const { page, sent, post } = await open({ stopsClock: true });
    await post(reset([call("call_2", "waiting")]));
    await post({ type: "prompts", prompts: [prompt()] });
    await page.clock.runFor(700);
    await post({ type: "focus", on: "prompt" });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "1Reject");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.id), "box");
    assert.deepEqual(chosen(sent), []);
    await post({ type: "focus", on: "prompt" });
    await page.keyboard.press("2");
    await page.keyboard.type("Not 3 files.");
    await page.keyboard.press("Enter");
    assert.deepEqual(chosen(sent), [{ type: "choose", id: "7", digest: "9f2c", choice: 1, reason: "Not 3 files." }]);
    await page.close();
  },
  "whoever decides by keyboard goes on with the next prompt, unless they have begun to write": async ({ open }) => {
    const { page, post } = await open();
    await post(reset([call("call_2", "waiting")]));
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    const next = async (id) => {
      await post({ type: "tail", from: 0, blocks: [call("call_2", "running")] });
      assert.equal(await focused(), "1Reject", "a call that changes leaves the focus where it is");
      await post({ type: "prompts", prompts: [] });
      assert.equal(await focused(), "box");
      if (id === "9") await page.keyboard.type("wait");
      await post({ type: "prompts", prompts: [prompt({ id })] });
      return focused();
    };
    await post({ type: "prompts", prompts: [prompt()] });
    await post({ type: "focus", on: "prompt" });
    assert.equal(await next("8"), "1Reject");
    assert.equal(await next("9"), "box");
    await page.close();
  },
  "what a change loosens is said, and a diff has its signs": async ({ open }) => {
    const { page, post } = await open();
    await post(reset([]));
    await post({ type: "prompts", prompts: [prompt({ preview: { kind: "diff", text: "@@ -1 +1 @@\n-old\n+new\n" }, changes: "run = unattended (was ask)", loosens: ["`grep` would no longer ask"] })] });
    const card = page.locator("#waiting .prompt");
    assert.deepEqual(await card.locator(".line").allInnerTexts(), ["@@ -1 +1 @@", "-old", "+new"]);
    assert.match(await card.innerText(), /This loosens what you have allowed:\s+`grep` would no longer ask/);
    await page.close();
  },
  "a text and a secret are typed in place, and a secret is kept nowhere": async ({ open }) => {
    const { page, sent, post } = await open();
    await post(reset([call("call_2", "waiting")]));
    await post({ type: "prompts", prompts: [prompt({ input: "secret", preview: undefined, choices: [{ title: "Cancel", effect: "answer" }] })] });
    const field = page.locator(".field input");
    assert.equal(await field.getAttribute("type"), "password");
    await field.fill("hunter2");
    await field.press("Enter");
    assert.deepEqual(chosen(sent), [{ type: "answer", id: "7", digest: "9f2c", value: "hunter2" }]);
    assert.ok(!JSON.stringify(await page.evaluate(() => window.keptState)).includes("hunter2"));
    await page.close();
  },
  "a long result is folded, unfolds in place, and opens in an editor": async ({ open }) => {
    const { page, sent, post } = await open();
    const text = Array.from({ length: 3000 }, (_, line) => `line ${line + 1}`).join("\n");
    await post(reset([call("call_1", "done", { result: folded(text) })]));
    const result = page.locator("[data-part=result]");
    assert.equal((await result.innerText()).trimEnd(), Array.from({ length: 12 }, (_, line) => `line ${line + 1}`).join("\n"));
    await page.getByRole("button", { name: "Show all 3,000 lines" }).click();
    assert.deepEqual(sent.at(-1), { type: "unfold", at: 0, part: "result" });
    await post({ type: "unfolded", at: 0, part: "result", text });
    assert.match(await result.innerText(), /line 3000$/);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.part), "result");
    await page.getByRole("button", { name: "Open in an editor" }).click();
    assert.deepEqual(sent.at(-1), { type: "openText", at: 0, part: "result" });
    await page.getByRole("button", { name: "Show less" }).click();
    assert.doesNotMatch(await result.innerText(), /line 13/);
    await page.close();
  },
  "a result without a word is said to be none": async ({ open }) => {
    const { page, post } = await open();
    await post(reset([call("call_1", "done", { result: { text: "\n" } }), call("call_2", "done", { result: { text: "0" } })]));
    assert.deepEqual(await page.locator("h3 + *").allInnerTexts(), ["Nothing.", "0"]);
    await page.close();
  },
  "the view follows the text unless the reader has scrolled": async ({ open }) => {
    const { page, post } = await open();
    const blocks = Array.from({ length: 40 }, (_, index) => said(`Paragraph ${index}\n\n${"word ".repeat(60)}`));
    await post(reset(blocks));
    const atEnd = () => page.evaluate(() => {
      const { scrollTop, scrollHeight, clientHeight } = document.getElementById("scroller");
      return scrollHeight - scrollTop - clientHeight < 48;
    });
    await page.waitForFunction(() => { const it = document.getElementById("scroller"); return it.scrollTop > 0 && it.scrollHeight - it.scrollTop - it.clientHeight < 48; });
    await post({ type: "tail", from: 40, blocks: [said("The end")] });
    await page.waitForFunction(() => { const it = document.getElementById("scroller"); return it.scrollHeight - it.scrollTop - it.clientHeight < 48; });
    await page.locator("#scroller").evaluate((it) => { it.scrollTop = 900; });
    await page.locator("#jump").waitFor();
    await post({ type: "tail", from: 41, blocks: [said("More")] });
    assert.equal(await atEnd(), false);
    await page.locator("#jump").click();
    assert.equal(await atEnd(), true);
    await page.close();
  },
  "of a long conversation only the end is there, and what came before is fetched": async ({ open }) => {
    const { page, sent, post } = await open();
    await post(reset(Array.from({ length: 60 }, (_, index) => said(`Entry ${9940 + index}`)), { start: -9, hasEarlier: true }));
    assert.equal(await page.locator("article").count(), 60);
    await page.getByRole("button", { name: "Show earlier entries" }).click();
    assert.deepEqual(sent.filter(({ type }) => type === "earlier"), [{ type: "earlier" }]);
    await post({ type: "earlier", start: -69, hasEarlier: false, blocks: Array.from({ length: 60 }, (_, index) => said(`Entry ${9880 + index}`)) });
    assert.equal(await page.locator("article").count(), 120);
    assert.match(await page.locator("article").first().textContent(), /Entry 9880/);
    assert.equal(await page.locator("#earlier").count(), 0);
    await post({ type: "tail", from: 50, blocks: [said("Entry 9999 in other words")] });
    assert.match(await page.locator("article").last().textContent(), /in other words/);
    assert.equal(await page.locator("article").count(), 120);
    await page.close();
  },
  "the box sends with Enter, breaks lines, and brings back what was said": async ({ open }) => {
    const { page, sent, post } = await open({ state: { conversation: "jp-c1", draft: "half a" } });
    await post(reset([], { history: ["first", "second"] }));
    const box = page.locator("#box");
    assert.equal(await box.inputValue(), "half a");
    await box.focus();
    await page.keyboard.press("End");
    await page.keyboard.type(" word");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("and more");
    assert.deepEqual(await page.evaluate(() => window.keptState), { conversation: "jp-c1", draft: "half a word\nand more" });
    await page.keyboard.press("Enter");
    assert.deepEqual(sent.at(-1), { type: "say", text: "half a word\nand more" });
    assert.equal(await box.inputValue(), "");
    await page.keyboard.type("new");
    await page.keyboard.press("ArrowUp");
    assert.equal(await box.inputValue(), "half a word\nand more");
    for (const expected of ["half a word\nand more", "second", "first", "first"]) {
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("ArrowUp");
      void expected;
    }
    assert.equal(await box.inputValue(), "first");
    for (let step = 0; step < 5; step += 1) {
      await page.keyboard.press("Control+End");
      await page.keyboard.press("ArrowDown");
    }
    assert.equal(await box.inputValue(), "new");
    await post({ type: "refused", text: "lost" });
    assert.equal(await box.inputValue(), "new");
    await page.close();
  },
  "a turn is stopped, interrupted and gone on with": async ({ open }) => {
    const { page, sent, post } = await open();
    await post(reset([]));
    await post(running);
    assert.equal(await page.locator("#status").innerText(), "Waits for your decision");
    assert.equal(await page.locator("#send").innerText(), "Stop and Reply");
    await page.locator("#stop").click();
    await page.locator("#interrupt").click();
    await post({ type: "status", status: { text: "", isRunning: false, mayContinue: true, usage: "" } });
    await page.locator("#continue").click();
    assert.deepEqual(sent.slice(1).map(({ type }) => type), ["stop", "interrupt", "continue"]);
    assert.equal(await page.locator("#stop").isVisible(), false);
    await page.close();
  },
  "axe-core finds no fault, in any theme": async ({ open }) => {
    for (const theme of ["light", "dark", "contrast"]) {
      const { page, post, faults, shot } = await open({ theme });
      await post(reset(RICH, { start: 10, hasEarlier: true }));
      await post({ type: "prompts", prompts: [prompt({ loosens: ["`grep` would no longer ask"] }), prompt({ id: "8", callId: "none", input: "text", preview: { kind: "diff", text: "-old\n+new" } })] });
      await post(running);
      await page.locator("#waiting .prompt").waitFor();
      await shot(theme);
      assert.deepEqual(await faults(), [], theme);
      await page.close();
    }
  },
});
