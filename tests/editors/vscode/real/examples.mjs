// The examples beside the rules in the Test Explorer, against the real server.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { startWith } from "./workspace.mjs";

const CONFIG = ".jp/config.toml";
const EXAMPLES = ".jp/policy.tests.toml";
const { server, folder } = await startWith("examples", [], {
  files: {
    [CONFIG]: `[assistant]
model.id = "test/scripted"

[conversation.tools.read]
source = "local"
command = "cat"
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { mode = "ask" },
]
`,
    [EXAMPLES]: `[[case]]
name = "sources are read"
tool = "read"
call = { path = "src/a" }
run = "unattended"

[[case]]
name = "documents are skipped"
tool = "read"
call = { path = "docs" }
run = "skip"
`,
  },
});
const item = (window, text) =>
  window.page.locator(".test-explorer .monaco-list-row", { hasText: text }).first();

await scenario(server, folder, CONFIG, {
  "examples are listed": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    await window.command("Testing: Focus on Test Explorer View");
    await item(window, "policy.tests.toml").waitFor();
    await item(window, "policy.tests.toml").click();
    await window.page.keyboard.press("ArrowRight");
    await item(window, "sources are read").waitFor();
    await item(window, "documents are skipped").waitFor();
  },
  "all are run, and one fails with a message at its line": async (window) => {
    await window.command("Test: Run All Tests");
    await item(window, "sources are read").locator(".codicon-testing-passed-icon").waitFor();
    await item(window, "documents are skipped").locator(".codicon-testing-failed-icon").waitFor();
    const output = window.page.locator(".test-output-peek .xterm-rows, .terminal-outer-container .xterm-rows, .xterm-rows").first();
    await until("the output", async () => /✗ read: documents are skipped: run: expected `skip`/.test((await output.innerText()).replaceAll("\u00a0", " ")));
    await window.shot("explorer");
    await window.open(EXAMPLES);
    const message = window.page.locator(".test-error-content-widget", { hasText: "expected" }).first();
    await message.waitFor();
    assert.match(await message.innerText(), /run: expected `skip`, decided `ask` by rule 2 at \.jp\/config\.toml:10/);
    // Its line is that of the case, the seventh.
    const number = window.page.locator(".editor-group-container.active .line-numbers", { hasText: /^7$/ }).first();
    // Lenses that come late move lines and messages one after the other.
    await until("the message at its line", async () => {
      const [own, line] = [await message.boundingBox(), await number.boundingBox()];
      return own && line && Math.abs(own.y + own.height / 2 - (line.y + line.height / 2)) < line.height / 2;
    });
    await window.shot("message");
  },
  "what is mended passes when it is run again": async (window) => {
    await window.at(EXAMPLES, '"skip"');
    await window.page.keyboard.press("Shift+End");
    await window.page.keyboard.press("Delete");
    await window.page.keyboard.type('"ask"');
    await until("the edit", async () => (await window.text()).endsWith('run = "ask"\n'));
    await window.save();
    await window.command("Test: Run All Tests");
    await item(window, "documents are skipped").locator(".codicon-testing-passed-icon").waitFor();
  },
  "a call is saved as an example, in a file that the person saves": async (window) => {
    await window.command("JP: Save as Example…");
    await window.enter("Save what as an example?", "A tool call");
    await window.enter("Which tool?", "read");
    await window.enter("The arguments of a call of read, as JSON", '{"path": "src/new"}');
    await until("the example", async () => (await window.text()).includes('call = { path = "src/new" }'));
    assert.ok(!window.saved(EXAMPLES).includes("src/new"));
    await window.command("File: Revert File");
  },
});
