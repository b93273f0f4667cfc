// Workspaces of jp below the folder that is opened, as in a monorepo, one of them without a config.toml.
//
// A config is opened at once: the editor that npm carries lacks the program with which it would look for one by itself.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { startWith } from "./workspace.mjs";

const APP = "packages/app/.jp/config.toml";
const SITE = "packages/site/.jp/tools/y.toml";
const BARE = "packages/bare/.jp/tools/x.toml";
const { server, folder } = await startWith("below", [], {
  files: {
    [APP]: '[assistant]\nmodel.id = "test/scripted"\n',
    "packages/site/.jp/config.toml": 'extends = ["tools/*.toml"]\n',
    [SITE]: '[assistant]\nnaem = "Ada"\n',
    [BARE]: '[conversation.tools.x]\nsource = "local"\ncommmand = "true"\n',
  },
  own: {},
});

await scenario(server, folder, APP, {
  "the model of one is named": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
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
});
