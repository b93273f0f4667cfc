// Beside an extension that claims all of TOML, and for config that lies outside `.jp`, against the real server.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { scenario, until } from "../driver.mjs";
import { CONFIG, startWith, TEAM } from "./workspace.mjs";

const FRAGMENT = "personas/quick.toml";
const OTHERS = "Cargo.toml";
const { server, folder, global } = await startWith("beside", [], {
  files: {
    [CONFIG]: `extends = ["tools/*.toml", "../shared/team.toml"]
config_load_paths = ["personas"]

[assistant]
model.id   =   "test/scripted"
`,
    [FRAGMENT]: '[assistant]\nnname = "Quick"\n',
    [OTHERS]: "[package]\nnname = 1\n",
  },
  global: '[assistant]\nnname = "Ada"\n',
});
const OTHER = fileURLToPath(new URL("../toml-extension", import.meta.url));

/** Waits until the problems are all that is expected, in whatever order. */
const finds = (window, ...expected) =>
  until(`problems like ${expected}`, async () => {
    const problems = await window.problems();
    return expected.every((pattern) => problems.some((problem) => pattern.test(problem)));
  });
const speaks = (window, language) => until(`the language ${language}`, async () => (await window.language()) === language);

await scenario(
  server,
  folder,
  CONFIG,
  {
    "our file keeps its language, and both extensions tell of it": async (window) => {
      await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
      await speaks(window, "JP Configuration");
      await window.at(CONFIG, "model.id");
      await window.page.keyboard.type("m");
      await finds(window, /unknown key `mmodel`/, /seen as jp-toml/);
      await window.shot("both");
      await window.page.keyboard.press("Control+Shift+M");
    },
    "our file is formatted by us": async (window) => {
      await window.at(CONFIG, "mmodel.id");
      await window.page.keyboard.press("Delete");
      await window.command("Format Document");
      await until("the format", async () => (await window.text()).includes('\nmodel.id = "test/scripted"'));
      assert.ok(!(await window.text()).includes("# formatted by the other"));
    },
    "a file that a person calls TOML is still checked, explained and fixed, and the other's to format": async (window) => {
      await window.command("Change Language Mode");
      await window.quickInput().fill("TOML");
      await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "(toml)" }).first().click();
      await speaks(window, "TOML");
      await window.at(CONFIG, "model.id");
      await window.page.keyboard.type("m");
      await window.squiggles().first().waitFor();
      await finds(window, /unknown key `mmodel`/, /seen as toml/);
      await window.page.keyboard.press("Control+Shift+M");
      await window.at(CONFIG, "mmodel.id");
      await window.fix("model");
      await window.squiggles().first().waitFor({ state: "detached" });
      await window.command("Format Document");
      await until("the other's format", async () => (await window.text()).includes("# formatted by the other"));
      await window.command("File: Revert File");
    },
    "what `extends` brings in is checked, and stays the other's to format": async (window) => {
      await window.at(TEAM, "name");
      await speaks(window, "TOML");
      await window.page.keyboard.type("n");
      await finds(window, /unknown key `nname`/, /seen as toml/);
      await window.page.keyboard.press("Control+Shift+M");
      await window.command("File: Revert File");
    },
    "a fragment of `config_load_paths` is checked": async (window) => {
      await window.open(FRAGMENT);
      await window.squiggles().first().waitFor();
      await window.at(FRAGMENT, "nname");
      await window.fix("name");
      await window.squiggles().first().waitFor({ state: "detached" });
    },
    "the user's own config is checked": async (window) => {
      await window.open(global);
      await window.squiggles().first().waitFor();
      await window.shot("global");
      await window.at(global, "nname");
      await window.fix("name");
      await window.squiggles().first().waitFor({ state: "detached" });
    },
    "a file that no config loads is left to the other": async (window) => {
      await window.open(OTHERS);
      await speaks(window, "TOML");
      await finds(window, /Cargo\.toml/, /seen as toml/);
      assert.equal(await window.squiggles("error").count(), 0);
      assert.ok(!(await window.problems()).some((problem) => problem.includes("nname")));
    },
  },
  { beside: OTHER },
);
