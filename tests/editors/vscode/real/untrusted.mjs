// A stranger's workspace, against the real server: analysis, but nothing is run before a person says so.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { scenario, until } from "../driver.mjs";
import { CONFIG, startWith } from "./workspace.mjs";

const { server, folder, data } = await startWith("stranger", [["append_note", { text: "milk" }], "Noted."], { trusted: false });

await scenario(server, folder, CONFIG, {
  "config is checked": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    await window.at(CONFIG, "run = ");
    await window.page.keyboard.type("r");
    await window.squiggles().first().waitFor();
    await window.fix("run");
    await window.squiggles().first().waitFor({ state: "detached" });
    await window.save();
  },
  "queries are not offered, and nothing is run": async (window) => {
    await window.page.keyboard.press("F1");
    const rows = window.page.locator(".quick-input-list .monaco-list-row");
    await window.quickInput().fill(">JP: New Query");
    // Something else resembles it, so that the list is there.
    await rows.first().waitFor();
    assert.equal(await rows.filter({ hasText: "JP: New Query" }).count(), 0);
    await window.quickInput().fill(">JP: Show Log");
    await rows.filter({ hasText: "JP: Show Log" }).first().waitFor();
    await window.shot("commands");
    await window.quickInput().press("Escape");
    // What diagnostics mean is written there for links to open, and nothing else.
    assert.deepEqual(readdirSync(data), ["pages"]);
  },
  "once the workspace is trusted, a query runs": async (window) => {
    await window.command("Workspaces: Manage Workspace Trust");
    await window.page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
    await window.query("Write down: milk");
    await window.press("append_note", "Run");
    await until("the note", () => window.saved("notes.md") === "milk\n");
  },
});
