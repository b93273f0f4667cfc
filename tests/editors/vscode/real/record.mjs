// Recorded calls: above rules, behind an edit, as a list, and as a rule that is picked at a prompt, against the real server.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { recorded, startWith } from "./workspace.mjs";

const READ = ".jp/tools/read.toml";
const ASKS = '    { mode = "ask" },\n';
const RULE = '    { arg = "/path", prefix = "docs", mode = "unattended" },\n';
const TOOL = `[conversation.tools.read]
source = "local"
command = { program = "printf", args = ["read"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
${ASKS}]
`;

const call = (path, second) => ({
  timestamp: `2020-01-02 03:04:0${second}.5`,
  type: "tool_call_request",
  id: `old_${second}`,
  name: "read",
  arguments: { path },
});
const { server, folder, data } = await startWith(
  "record",
  [["read", { path: "docs/a.md" }], "The first is read.", ["read", { path: "docs/b.md" }], "The second is read."],
  {
    files: {
      [READ]: TOOL,
      ".jp/conversations/17636666521-first/events.json": JSON.stringify([call("src/a.rs", 1), call("src/b.rs", 2)]),
    },
  },
);
const said = (text) => until(`the assistant says ${text}`, () => recorded(data).includes(text), 20000);
const lens = (window, text) => window.page.locator(".codelens-decoration a", { hasText: text }).first();

await scenario(server, folder, READ, {
  "a line above a rule says how many recorded calls it decided, and lists them": async (window) => {
    await lens(window, "decided 2 of 2 calls").click({ timeout: 90000 });
    await until("the list", async () => (await window.text()).includes("2 of 2 on record, the newest first."));
    assert.match(await window.text(), /unattended \(rule 1\) · not on record whether it ran · `\{"path":"src\/b.rs"\}`/u);
  },
  "a hint behind the tool says which of them an edit changes, until that is undone": async (window) => {
    await window.at(READ, '"src"');
    await window.page.keyboard.press("ArrowRight");
    await window.page.keyboard.press("Delete");
    // The editor shows no more of a hint.
    await until("the hint", async () => (await window.text()).includes("this edit changes 2 recorded calls: 2 unatt"));
    await window.page.keyboard.press("Control+z");
    await until("no hint", async () => !(await window.text()).includes("this edit changes"));
  },
  "a rule that is picked at a prompt is written, and the call runs": async (window) => {
    await window.query("Read the first");
    await window.press("read", "More…");
    const choice = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "Always run calls like this" });
    await choice.first().click();
    await window.press("Always run calls of", "2: path in docs");
    await window.press("into the config?", "Write into");
    await said("The first is read.");
    await window.open(READ);
    await until("the rule", async () => (await window.text()).includes(RULE.trim()));
    assert.equal(window.saved(READ), TOOL);
  },
  "the next call like it asks no more": async (window) => {
    await window.query("Read the second");
    await said("The second is read.");
  },
  "one undo takes the rule back": async (window) => {
    await window.open(READ);
    await window.page.keyboard.press("Control+z");
    await until("the text as it was", async () => !(await window.text()).includes(RULE.trim()));
  },
});
