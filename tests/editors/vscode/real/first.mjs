// From an empty folder to a first approved call, by what the editor itself offers, in the real editor with the real server.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenario, start, until, workspace } from "../driver.mjs";
import { CONFIG } from "./workspace.mjs";

const HOSTILE = "![x](http://127.0.0.1/a.png) [click](command:workbench.action.quit) <b>x</b> \u001b[31mred \u202egnp.exe";
const folder = workspace("first", { "notes.md": "# Notes\n" });
const call = { tool_call: { id: "call_1", name: "changed_files", arguments: {} } };
const beside = workspace(join("first", "beside"), {
  "script.json": JSON.stringify({ cycles: [{ batches: [[{ text: HOSTILE }, call]] }, { batches: [[{ text: "That is **all**." }]] }] }),
  "global/config.toml": "",
});
const server = await start("first", {
  environment: {
    JP_LSP_TEST_SCRIPT: join(beside, "script.json"),
    JP_LSP_DATA_DIR: join(beside, "data"),
    JP_GLOBAL_CONFIG_DIR: join(beside, "global"),
  },
});
const model = (window, name) => until(`the model ${name}`, async () => (await window.status().innerText()).includes(name), 90000);

/** Which steps of the walkthrough are ticked. */
async function ticked(window) {
  await window.command("Welcome: Open Walkthrough...");
  await window.quickInput().fill("Get started with JP");
  await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "Get started with JP" }).first().click();
  const boxes = window.page.locator(".gettingStartedContainer [data-done-step-id]");
  await boxes.first().waitFor();
  const all = await boxes.evaluateAll((them) => them.map((it) => [it.dataset.doneStepId.split("#").pop(), it.getAttribute("aria-checked")]));
  return Object.fromEntries(all);
}

await scenario(server, folder, "notes.md", {
  "a step of the walkthrough is not ticked because its command was tried": async (window) => {
    await window.command("JP: Open .jp/config.toml");
    await window.toast("there is no .jp/config.toml").waitFor({ timeout: 90000 });
    // Nobody writes a question that goes nowhere.
    await window.command("JP: New Query");
    await window.toast("no folder here has a config yet").waitFor({ timeout: 90000 });
    assert.equal(await window.box("What should the assistant do?").count(), 0);
    await window.command("Notifications: Clear All Notifications");
    const { config, query, prompts } = await ticked(window);
    assert.deepEqual({ config, query, prompts }, { config: "false", query: "false", prompts: "false" });
    await window.shot("walkthrough");
    await window.command("View: Close Editor");
  },
  "a conversation in a folder without config offers to make it": async (window) => {
    await window.command("JP: New Conversation");
    await window.toast("no folder here has a config yet").waitFor({ timeout: 90000 });
    assert.equal(await window.page.locator("iframe.webview").count(), 0);
    await window.shot("no-config");
    await window.press("no folder here has a config yet", "Create .jp/config.toml");
    await window.page.locator(".tab.active", { hasText: "config.toml" }).waitFor();
    assert.match(window.saved(CONFIG), /run = "ask"/);
    await model(window, "anthropic/");
  },
  "the model follows a file that another program has changed": async (window) => {
    const text = window.saved(CONFIG).replace(/"anthropic\/[^"]+"/, '"test/scripted"');
    writeFileSync(join(folder, CONFIG), text);
    await model(window, "test/scripted");
  },
  "a call is approved by keyboard alone": async (window) => {
    await window.command("JP: New Conversation");
    const page = await window.conversation();
    await page.locator("#box:focus").waitFor();
    await window.page.keyboard.type("What has changed?");
    await window.page.keyboard.press("Enter");
    await page.locator(".prompt").waitFor();
    assert.match(await page.locator(".prompt").innerText(), /Run local changed_files tool\?[^]*git status --short/);
    await window.shot("asked");
    await window.page.keyboard.press("Control+Alt+j");
    await page.locator(".prompt button:focus", { hasText: "Reject" }).waitFor();
    const titles = await page.locator(".choices button").allInnerTexts();
    const run = titles.find((title) => /^\dRun$/.test(title));
    await until("the answer", async () => {
      if ((await page.getByText("That is all.").count()) > 0) return true;
      if ((await page.locator(".prompt").count()) > 0) await window.page.keyboard.press(run[0]);
      return false;
    });
  },
  "what was done is ticked": async (window) => {
    const { config, query, prompts } = await ticked(window);
    assert.deepEqual({ config, query, prompts }, { config: "true", query: "true", prompts: "true" });
    await window.command("View: Close Editor");
  },
  "what a model writes is shown, and does nothing": async (window) => {
    const page = await window.conversation();
    assert.equal(await page.locator("#log img, #log b").count(), 0);
    const links = await page.locator("#log a").evaluateAll((all) => all.map((it) => it.getAttribute("href")));
    assert.deepEqual(links, ["http://127.0.0.1/a.png"]);
    const text = await page.locator(".entry.assistant").first().innerText();
    assert.match(text, /command:workbench\.action\.quit/);
    assert.doesNotMatch(text, /[\u001b\u202e]/);
    await window.shot("answered");
  },
});
