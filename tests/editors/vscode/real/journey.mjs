// What a person does with the extension, from the first mistake to a server that dies, against the real server.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { CONFIG, NOTES, processOf, recorded, startWith, TEAM } from "./workspace.mjs";

const ask = (given) => ["ask_user", given];
const append = (text) => ["append_note", { text }];
const { server, folder, data } = await startWith("journey", [
  append("milk"),
  "Noted.",
  append("bread"),
  "Then not.",
  ask({ question: "Shall I go on?", answer_type: "boolean" }),
  ask({ question: "Which branch?", answer_type: "select", options: ["main", "develop"] }),
  ask({ question: "What name?", answer_type: "text" }),
  "Thank you.",
  ["log_in", {}],
  "I am in.",
  ["switch_model", { model: "test/stronger" }],
  "I am stronger.",
  append("eggs"),
  "Noted.",
  append("salt"),
  "Noted.",
]);
const GRANT = ["[[conversation.tools.append_note.access.config]]", 'path = "conversation.tools.*.access"', "write = true"];
const notes = (window) => window.saved("notes.md").trim().split("\n");
const appended = (window, text) => until(`${text} in notes.md`, () => notes(window).includes(text), 20000);
const said = (text) => until(`the assistant says ${text}`, () => recorded(data).includes(text), 20000);

await scenario(server, folder, CONFIG, {
  "config is our language, and the status item names the model": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    assert.equal(await window.language(), "JP Configuration");
  },
  "a mistake is underlined while it is typed, and says what to write": async (window) => {
    await window.at(CONFIG, "run = ");
    await window.page.keyboard.type("r");
    await window.squiggles().first().waitFor();
    const problems = (await window.problems()).join();
    assert.match(problems, /unknown key `rrun`.*`run`/s);
    await window.picture("squiggle");
    await window.page.keyboard.press("Control+Shift+M");
    await window.at(CONFIG, "rrun");
    await window.fix("run");
    await until("the fix", async () => (await window.text()).includes("\nrun = "));
    await window.squiggles().first().waitFor({ state: "detached" });
  },
  "a rule of access is explained": async (window) => {
    await window.at(NOTES, 'path = "notes.md"');
    await window.page.keyboard.press("Control+k");
    await window.page.keyboard.press("Control+i");
    const hover = window.page.locator(".monaco-hover:not(.hidden)", { hasText: "notes.md" }).first();
    await hover.waitFor();
    assert.match(await hover.innerText(), /append_note may read, create and change files at and below notes\.md/);
    await window.shot("hover");
    await window.page.keyboard.press("Escape");
  },
  "an argument is completed": async (window) => {
    await window.at(NOTES, 'text", const');
    for (let i = 0; i < 4; i++) await window.page.keyboard.press("Delete");
    await window.page.keyboard.press("Control+Space");
    const row = window.page.locator(".suggest-widget.visible .monaco-list-row", { hasText: "text" }).first();
    await row.waitFor();
    await window.shot("completion");
    await window.page.keyboard.press("Enter");
    await until("the argument", async () => (await window.text()).includes('{ arg = "/text", const'));
  },
  "a grant to change grants is refused until it is spelled out": async (window) => {
    await window.at(NOTES, "update = true");
    await window.page.keyboard.press("End");
    await window.page.keyboard.press("Enter");
    for (const line of GRANT) await window.page.keyboard.insertText(`\n${line}`);
    await window.squiggles().first().waitFor();
    await window.at(NOTES, "write = true");
    await window.fix("insecure_allow");
    await until("the fix", async () => (await window.text()).includes('write = "insecure_allow"'));
    await window.squiggles().first().waitFor({ state: "detached" });
    await window.shot("insecure_allow");
    await window.command("File: Revert File");
    await until("the file as it was", async () => !(await window.text()).includes("insecure_allow"));
  },
  "a file elsewhere is config because config loads it": async (window) => {
    await window.at(TEAM, "name");
    await until("our language", async () => (await window.language()) === "JP Configuration");
    await window.page.keyboard.type("n");
    await window.squiggles().first().waitFor();
    await window.fix("name");
    await window.squiggles().first().waitFor({ state: "detached" });
    await window.command("File: Revert File");
  },
  "the effective config is shown": async (window) => {
    await window.command("JP: Open Effective Config");
    await until("the config", async () => (await window.text()).includes('[conversation.tools.append_note.command]'));
    await window.command("View: Close Editor");
  },
  "a run is approved": async (window) => {
    await window.at(CONFIG, "run = ");
    await window.query("Write down: milk");
    await window.toast("append_note").waitFor();
    await until("the status", async () => (await window.status().innerText()).includes("1 prompt"));
    await window.says("append_note");
    await window.picture("run");
    await window.press("append_note", "Run");
    await appended(window, "milk");
    await said("Noted.");
  },
  "a run is rejected": async (window) => {
    await window.query("Write down: bread");
    await window.press("append_note", "Reject");
    await said("Then not.");
    assert.deepEqual(notes(window), ["milk"]);
  },
  "questions of each type are answered": async (window) => {
    await window.query("Ask me");
    await window.press("Shall I go on?", "Yes");
    await window.box("Which branch?").waitFor();
    await window.shot("select");
    await window.enter("Which branch?", "develop");
    await window.enter("What name?", "Grace");
    await said("Thank you.");
    const text = recorded(data);
    for (const answer of ['"answer":true', '"develop"', '"Grace"']) assert.ok(text.includes(answer), `${answer} in ${text}`);
  },
  "a secret is neither shown nor recorded": async (window) => {
    await window.query("Log in");
    await window.box("Which token?").waitFor();
    assert.equal(await window.quickInput().getAttribute("type"), "password");
    await window.shot("secret");
    await window.enter("Which token?", "swordfish");
    await said("I am in.");
    assert.ok(!recorded(data).includes("swordfish"));
  },
  "a change of the config is compared, and applied in the diff's title bar": async (window) => {
    await window.query("Switch to the stronger model");
    await window.toast("switch_model").waitFor();
    await window.shot("delta");
    await window.press("switch_model", "Show Details");
    await window.page.locator(".monaco-diff-editor .view-line", { hasText: "stronger" }).first().waitFor();
    await window.says("Switch to the stronger model");
    await window.picture("diff");
    await window.page.locator(".editor-actions .action-label[aria-label^='Apply']").first().click();
    await window.page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
    await said("I am stronger.");
    assert.ok(window.saved(CONFIG).includes("test/scripted"));
  },
  "the change is kept in the file, and undone": async (window) => {
    await window.press("holds for its conversation", "Keep in Config");
    await window.enter("Keep the change in which file?", CONFIG);
    await until("the change in the editor", async () => (await window.text()).includes("stronger"));
    await window.at(CONFIG, "stronger");
    await window.shot("kept");
    await window.save();
    await until("the change on disk", () => window.saved(CONFIG).includes("stronger"));
    await window.page.keyboard.press("Control+z");
    await until("the file as it was", async () => (await window.text()).includes("test/scripted"));
    await window.save();
    await until("the file on disk as it was", () => window.saved(CONFIG).includes("test/scripted"));
  },
  "a prompt that is answered elsewhere disappears": async (window) => {
    await window.query("Write down: eggs");
    await window.toast("append_note").waitFor();
    await window.at(NOTES, 'mode = "ask"');
    await window.fix("Run");
    await appended(window, "eggs");
    await window.toast("append_note").waitFor({ state: "detached" });
    await until("no prompt waits", async () => !(await window.status().innerText()).includes("prompt"));
  },
  "a dismissed prompt waits in the list": async (window) => {
    await window.query("Write down: salt");
    const toast = window.toast("append_note");
    await toast.hover();
    await toast.locator(".codicon-notifications-clear").click();
    await toast.waitFor({ state: "detached" });
    await until("the status", async () => (await window.status().innerText()).includes("1 prompt"));
    await window.status().click();
    await window.press("append_note", "Run");
    await appended(window, "salt");
  },
  "the conversation is shown": async (window) => {
    await window.says("Write down: salt");
    await window.shot("conversation");
  },
  "the server is killed: it is restarted, and what it asked is refused": async (window) => {
    const before = processOf(server);
    assert.ok(before);
    await window.command("JP: Restart Server");
    const started = await until("a server", () => [processOf(server)].find((it) => it !== undefined && it !== before));
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"));
    await window.query("Write down: nothing");
    await window.toast("append_note").waitFor();
    process.kill(started, "SIGKILL");
    await window.toast("the server stopped unexpectedly and was restarted. 1 open prompt was refused.").waitFor();
    await window.shot("crash");
    await until("another server", () => ![undefined, started].includes(processOf(server)));
    await until("no prompt waits", async () => (await window.status().innerText()).includes("test/scripted"));
    assert.deepEqual(notes(window), ["milk", "eggs", "salt"]);
    await window.at(CONFIG, "run = ");
    await window.page.keyboard.type("r");
    await window.squiggles().first().waitFor();
  },
});
