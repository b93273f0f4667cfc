// A stranger's workspace: analysis, but nothing is run.
import assert from "node:assert/strict";
import { scenario, start, until, workspace } from "../driver.mjs";

const folder = workspace("untrusted", { ".jp/config.toml": "oops = 1\n" });
const server = await start("untrusted", { trusted: false });
const initialize = () => server.received().find(({ method }) => method === "initialize");

await scenario(server, folder, ".jp/config.toml", {
  "config is checked, and the server is told not to trust": async (window) => {
    await window.squiggles().first().waitFor({ timeout: 90000 });
    assert.equal(initialize().params.initializationOptions.trusted, false);
    await window.shot("untrusted");
  },
  "queries are not offered": async (window) => {
    await window.command("JP: Show Log");
    await window.page.keyboard.press("F1");
    await window.quickInput().fill(">JP: New Query");
    const row = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "JP: New Query" });
    await until("a list", async () => (await window.page.locator(".quick-input-list .monaco-list-row").count()) > 0);
    assert.equal(await row.count(), 0);
    await window.quickInput().press("Escape");
  },
  "a grant is passed on, and queries run": async (window) => {
    await window.command("Workspaces: Manage Workspace Trust");
    await window.page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
    await until("the grant", () => server.received().some(({ method }) => method === "jp/trustGranted"));
    await window.query("run");
    await window.press("Run fs_modify_file?", "Reject");
    await until("the answer", () => server.received().some(({ answered }) => answered === "run"));
  },
});
