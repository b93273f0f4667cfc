// Workspaces of jp below the folder that is opened, as in a monorepo, one of them without a config.toml.
//
// A config is opened at once: the editor that npm carries lacks the program with which it would look for one by itself.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scenario, until } from "../driver.mjs";
import { startWith } from "./workspace.mjs";

const APP = "packages/app/.jp/config.toml";
const SITE = "packages/site/.jp/tools/y.toml";
const BARE = "packages/bare/.jp/tools/x.toml";
const SOURCE = "packages/app/src/main.rs";
const NOTE = `[assistant]
model.id = "test/scripted"

[conversation.tools.'*']
run = "ask"

[conversation.tools.note]
source = "local"
command = { program = "touch", args = ["noted"] }
summary = "Leaves a note."
`;
const { server, folder } = await startWith("below", [["note", {}], "The first is there.", ["note", {}], "The second is there."], {
  files: {
    [APP]: NOTE,
    [SOURCE]: "fn main() {}\n",
    "README.md": "Many projects.\n",
    "packages/other/.jp/config.toml": NOTE.replace("test/scripted", "test/other"),
    "packages/site/.jp/config.toml": 'extends = ["tools/*.toml"]\n',
    [SITE]: '[assistant]\nnaem = "Ada"\n',
    [BARE]: '[conversation.tools.x]\nsource = "local"\ncommmand = "true"\n',
  },
  own: {},
});

const noted = (name) => existsSync(join(folder, "packages", name, "noted"));
const rows = (window) => window.page.locator(".quick-input-list .monaco-list-row");
const named = (window, model) => until(`the model ${model}`, async () => (await window.status().innerText()).includes(model), 90000);

/** Decides what waits in the conversation that is shown. */
async function choose(window, title, choice) {
  const page = await window.conversation();
  const prompt = page.locator(".prompt", { hasText: title });
  await prompt.waitFor({ timeout: 90000 });
  await prompt.getByRole("button", { name: choice, exact: true }).click();
  await prompt.waitFor({ state: "detached" });
}

await scenario(server, folder, APP, {
  "the model of one is named": async (window) => {
    await named(window, "test/scripted");
  },
  "a mistake in another one is underlined and listed": async (window) => {
    await window.open(SITE);
    await window.squiggles().first().waitFor();
    assert.match((await window.problems()).join("\n"), /unknown key `naem`, did you mean `name`\?/);
  },
  "so is one in a `.jp` without config.toml": async (window) => {
    await window.open(BARE);
    await until("the problem", async () => (await window.problems()).some((it) => it.includes("unknown key `commmand`")));
  },
  "a turn begins in the workspace of the active file, once the person has seen what it starts": async (window) => {
    await window.open(SOURCE);
    await named(window, "test/scripted");
    await window.query("Leave a note");
    await choose(window, /Trust what the config of .*packages\/app. starts and sends\?/, "Trust");
    await choose(window, "Run local note tool?", "Run");
    await window.says("The first is there.");
    assert.deepEqual([noted("app"), noted("other")], [true, false]);
  },
  "where no file says which workspace is meant, the person is asked, and who chooses none begins nothing": async (window) => {
    await window.open("README.md");
    await window.command("JP: New Conversation");
    await window.box("Which workspace is this about?").waitFor();
    assert.deepEqual(await rows(window).allInnerTexts(), ["packages/app", "packages/bare", "packages/other", "packages/site"]);
    await window.shot("which");
    await window.page.keyboard.press("Escape");
    assert.equal(await window.page.locator(".tab", { hasText: "New conversation" }).count(), 0);
  },
  "the one that is chosen has a conversation of its own, and its model": async (window) => {
    await window.command("JP: New Conversation");
    await window.box("Which workspace is this about?").waitFor();
    await rows(window).filter({ hasText: "packages/other" }).click();
    await window.page.locator(".tab", { hasText: "New conversation in packages/other" }).waitFor();
    await named(window, "test/other");
    await window.takesFocus();
    await window.page.keyboard.type("Leave another");
    await window.page.keyboard.press("Enter");
    await choose(window, /Trust what the config of .*packages\/other. starts and sends\?/, "Trust");
    await window.shot("trust");
    await choose(window, "Run local note tool?", "Run");
    await window.says("The first is there.");
    assert.equal(noted("other"), true);
  },
  "it is asked once, and the list says where each conversation is": async (window) => {
    await window.open("README.md");
    await window.query("And again?");
    await choose(window, "Run local note tool?", "Reject");
    await window.says("The second is there.");
    await window.command("Focus on Conversations View");
    const list = window.page.locator(".pane-body .monaco-list-row", { hasText: "in packages/" });
    await until("the places", async () => (await list.count()) === 3);
    await window.shot("list");
  },
});
