// Every kind of prompt as a person meets it, against the stand-in server.
import assert from "node:assert/strict";
import { FAKE, scenario, start, until, workspace } from "../driver.mjs";

const folder = workspace("prompts", {
  ".jp/config.toml": '[assistant]\nname = "one"\noops = 1\n',
  "shared/tools.toml": "oops_shared = 1\n",
});
const server = await start("prompts", { machine: FAKE });
const answers = () => server.received().filter(({ answered }) => answered !== undefined);
const answered = (count) => until(`${count} answers`, () => answers()[count - 1], 20000);

await scenario(server, folder, ".jp/config.toml", {
  "an unknown key is underlined": async (window) => {
    await window.squiggles().first().waitFor({ timeout: 90000 });
    assert.match((await window.problems()).join(), /unknown key `oops`/);
    await window.shot("squiggle");
    await window.page.keyboard.press("Control+Shift+M");
    await window.page.locator(".monaco-editor .view-line").first().click();
  },
  "the file is our language, and the status item names the model": async (window) => {
    assert.equal(await window.language(), "JP Configuration");
    await until("the model", async () => (await window.status().innerText()).includes("fake/model-1"));
  },
  "a run is approved in its notification": async (window) => {
    await window.query("run");
    await window.toast("Run fs_modify_file?").waitFor();
    assert.match(await window.status().innerText(), /1 prompt/);
    await window.shot("run");
    await window.press("Run fs_modify_file?", "Run");
    assert.deepEqual((await answered(1)).answer, { action: "approve" });
  },
  "a conversation is shown as it grows": async (window) => {
    await window.says("run: ");
    await window.shot("conversation");
  },
  "a run is rejected": async (window) => {
    await window.query("run");
    await window.press("Run fs_modify_file?", "Reject");
    assert.deepEqual((await answered(2)).answer, { action: "reject" });
  },
  "a dismissed prompt stays, and is answered from the list": async (window) => {
    await window.query("boolean");
    const toast = window.toast("Shall I go on?");
    await toast.hover();
    await toast.locator(".codicon-notifications-clear").click();
    await toast.waitFor({ state: "detached" });
    assert.equal(answers().length, 2);
    await window.command("JP: Show Pending Prompts");
    await window.press("Shall I go on?", "Yes");
    assert.deepEqual((await answered(3)).answer, { action: "answer", value: true });
  },
  "a choice comes as a list": async (window) => {
    await window.query("select");
    // What the tool suggests has the focus, not what stands first.
    await window.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "develop" }).waitFor();
    await window.shot("select");
    await window.enter("Which branch?", "develop");
    assert.deepEqual((await answered(4)).answer, { action: "answer", value: "develop" });
  },
  "a list that is closed decides nothing": async (window) => {
    await window.query("select");
    await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "develop" }).waitFor();
    await window.quickInput().press("Escape");
    await window.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    assert.equal(answers().length, 4);
    await window.command("JP: Show Pending Prompts");
    await window.enter("Which branch?", "main");
    assert.deepEqual((await answered(5)).answer, { action: "answer", value: "main" });
  },
  "a text is entered": async (window) => {
    await window.query("text");
    await window.enter("What name?", "Ada");
    assert.deepEqual((await answered(6)).answer, { action: "answer", value: "Ada" });
  },
  "a secret is not shown": async (window) => {
    await window.query("secret");
    await window.page.locator(".quick-input-widget", { hasText: "Which token?" }).waitFor();
    assert.equal(await window.quickInput().getAttribute("type"), "password");
    await window.enter("Which token?", "hunter2");
    assert.deepEqual((await answered(7)).answer, { action: "answer", value: "hunter2" });
  },
  "a delta is compared, and applied in the diff's title bar": async (window) => {
    await window.query("delta");
    await window.press("Apply a config change?", "Show Details");
    await window.page.locator(".monaco-diff-editor .view-line", { hasText: "two" }).first().waitFor();
    await window.shot("diff");
    await window.page.locator(".editor-actions .action-label[aria-label^='Apply']").first().click();
    assert.deepEqual((await answered(8)).answer, { action: "approve" });
    await window.page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
  },
  "a prompt that is answered elsewhere disappears": async (window) => {
    await window.query("delta");
    await window.press("Apply a config change?", "Show Details");
    await window.page.locator(".monaco-diff-editor").waitFor();
    await window.command("JP: Stop");
    await window.page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
    assert.deepEqual((await answered(9)).answer, { action: "cancel" });
    await until("no prompt waits", async () => !(await window.status().innerText()).includes("prompt"));
  },
  "arguments are edited and approved": async (window) => {
    await window.query("edit");
    await window.press("look at the arguments first", "Edit Arguments");
    const line = window.page.locator(".monaco-editor .view-line", { hasText: "src/a.rs" }).first();
    await line.click();
    await window.page.keyboard.press("Control+A");
    await window.page.keyboard.press("Delete");
    await window.page.keyboard.type('{"path": "src/b.rs"}');
    await window.shot("edit");
    await window.page.locator(".editor-actions .action-label[aria-label^='Approve With']").first().click();
    assert.deepEqual((await answered(10)).answer, { action: "edit", arguments: '{"path": "src/b.rs"}' });
  },
  "hostile text is only text": async (window) => {
    await window.query("hostile");
    const toast = window.toast("evil");
    await toast.waitFor();
    await window.shot("hostile");
    const text = await toast.locator(".notification-list-item-message").innerText();
    assert.ok(text.startsWith("Run \\u{202e}evil␛[31m? — [click me] (command:"), text);
    assert.ok(text.includes("<b>bold</b>"), text);
    assert.equal(await toast.locator(".notification-list-item-message a").count(), 0);
    await window.press("evil", "Reject");
    assert.deepEqual((await answered(11)).answer, { action: "reject" });
  },
  "the server crashes: it is restarted, and open prompts are refused": async (window) => {
    await window.query("run");
    await window.toast("Run fs_modify_file?").waitFor();
    const running = server.received().filter(({ method }) => method === "initialize").length;
    await window.query("crash");
    await window.toast("the server stopped unexpectedly and was restarted. 1 open prompt was refused.").waitFor();
    await window.shot("crash");
    await until("a second start", () => server.received().filter(({ method }) => method === "initialize").length > running);
    await until("no prompt waits", async () => !(await window.status().innerText()).includes("prompt"));
  },
});
