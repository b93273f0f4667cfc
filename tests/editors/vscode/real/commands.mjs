// The commands, the views and the walkthrough, against the real server.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { CONFIG, NOTES, recorded, startWith } from "./workspace.mjs";

const { server, folder, data } = await startWith("commands", [
  "It names the model.",
  "Gladly.",
  ["append_note", { text: "milk" }],
  "Never said.",
]);
const said = (text) => until(`the assistant says ${text}`, () => recorded(data).includes(text), 20000);
const row = (window, text) => window.page.locator(".pane-body .monaco-list-row", { hasText: text }).first();

await scenario(server, folder, CONFIG, {
  "the status item tells of the server, the model, turns and prompts": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    assert.equal(await window.spoken(), "JP, model test/scripted");
  },
  "a query is about the selection": async (window) => {
    await window.at(CONFIG, "model.id");
    await window.page.keyboard.press("Shift+End");
    await window.command("JP: Query About Selection");
    await window.enter("What do you want to know about the selection?", "What is this?");
    await said("It names the model.");
    const text = recorded(data);
    for (const part of ["What is this?", ".jp/config.toml", "line 4", 'model.id = \\"test/scripted\\"']) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
  },
  "a conversation is continued": async (window) => {
    await window.command("JP: Continue Conversation");
    await window.enter("What next?", "Thank you");
    await said("Gladly.");
    await window.says("Gladly.");
    assert.equal(recorded(data).split('"turn_start"').length - 1, 2);
  },
  "a running turn and what it waits for are listed": async (window) => {
    await window.query("Write down: milk");
    await window.toast("append_note").waitFor();
    await until("the status", async () => /, 1 turn runs, 1 prompt waits for you$/.test(await window.spoken()));
    await window.page.locator(".activitybar .action-item .badge[aria-label='JP - 1 prompt waits for you']").click();
    await row(window, "Run local append_note tool?").waitFor();
    await row(window, "running").waitFor();
    await window.shot("views");
  },
  "a turn is stopped, and what it asked goes away": async (window) => {
    await window.command("JP: Stop");
    await row(window, "Run local append_note tool?").waitFor({ state: "detached" });
    await until("the status", async () => (await window.spoken()) === "JP, model test/scripted");
    await row(window, "running").waitFor({ state: "detached" });
    assert.equal(window.saved("notes.md"), "");
    assert.ok(!recorded(data).includes("Never said."));
  },
  "the log is shown": async (window) => {
    await window.command("JP: Show Log");
    await window.page.locator(".part.panel .output-view-container, .part.panel .pane-body .monaco-editor").first().waitFor();
    await window.page.locator(".part.panel .monaco-select-box, .part.panel .action-item", { hasText: "JP" }).first().waitFor();
    await window.command("View: Hide Panel");
  },
  "the walkthrough opens, and its buttons work": async (window) => {
    await window.command("Welcome: Open Walkthrough...");
    await window.quickInput().fill("Get started with JP");
    await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "Get started with JP" }).first().click();
    const page = window.page.locator(".gettingStartedContainer");
    const step = async (title) => {
      await page.locator(".step-title", { hasText: title }).first().click();
      await page.locator(".getting-started-step.expanded", { hasText: title }).first().waitFor();
    };
    await step("Ask something");
    await window.shot("walkthrough");
    await page.locator(".monaco-button", { hasText: "New Conversation" }).first().click();
    await window.takesFocus();
    await step("Decide later");
    await page.locator(".monaco-button", { hasText: "Show Pending Prompts" }).first().click();
    await window.toast("no prompt waits for you").waitFor();
    await step("Trust the workspace");
    await page.locator(".monaco-button", { hasText: "Manage Workspace Trust" }).first().waitFor();
    await step("Make or open your config");
    await page.locator(".monaco-button", { hasText: "Open .jp/config.toml" }).first().click();
    await until("the config", async () => (await window.text()).includes('model.id = "test/scripted"'));
  },
  "a tool call is explained": async (window) => {
    await window.at(NOTES, "policy.run");
    await window.command("JP: Explain…");
    await window.enter("Explain what?", "A tool call");
    await window.enter("Which tool?", "append_note");
    await window.enter("Explain what of append_note?", "A call of it");
    await window.enter("The arguments of a call of append_note, as JSON", '{"text": "unasked"}');
    await window.says("runs without asking");
  },
});
