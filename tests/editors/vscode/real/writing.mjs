// What helps a person to write config, and to decide about a change of it, against the real server.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { CONFIG, NOTES, recorded, startWith } from "./workspace.mjs";

const MODELS = `extends = ["tools/*.toml"]

[providers.llm.aliases]
quick = "test/quick"
strong = "test/strong"

[assistant]
model.id = "quick" # for most of the day

[conversation.tools.'*']
run = "ask"
`;
const { server, folder, data } = await startWith(
  "writing",
  [
    ["append_note", { text: "milk_and_bread" }],
    "Then not.",
    ["switch_model", { model: "test/strong" }],
    "I am stronger.",
  ],
  { files: { [CONFIG]: MODELS } },
);
const said = (text) => until(`the assistant says ${text}`, () => recorded(data).includes(text), 20000);
const suggested = (window, text) => window.page.locator(".suggest-widget.visible .monaco-list-row", { hasText: text }).first();

/** Writes below a line. */
async function writes(window, path, line, text) {
  await window.at(path, line);
  await window.page.keyboard.press("End");
  await window.page.keyboard.press("Enter");
  await window.page.keyboard.type(text);
}

await scenario(server, folder, CONFIG, {
  "texts are offered behind an equals sign, with their quotes": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/quick"), 90000);
    await window.at(CONFIG, '"quick" #');
    await window.page.keyboard.press("Shift+End");
    await window.page.keyboard.press("Delete");
    await window.page.keyboard.press("Control+Space");
    await suggested(window, "strong").waitFor();
    await window.shot("model");
    await suggested(window, "strong").click();
    await until("the alias", async () => (await window.text()).includes('model.id = "strong"'));
    await window.command("File: Revert File");
  },
  "so are the modes of a policy": async (window) => {
    await writes(window, NOTES, "[conversation.tools.append_note]", "policy.result = ");
    // The list comes by itself behind the equals sign, and stays as it is when the blank is typed.
    await suggested(window, "ask").waitFor();
    await until("all of it", async () => (await window.page.locator(".suggest-widget.visible .monaco-list-row").count()) === 6);
    await window.shot("modes");
    await suggested(window, "ask").click();
    await until("the mode", async () => (await window.text()).includes('policy.result = "ask"'));
    await window.command("File: Revert File");
  },
  "Enter behind a bracket opens a line": async (window) => {
    await writes(window, NOTES, "[conversation.tools.append_note]", "");
    await window.page.keyboard.press("Escape");
    await window.page.keyboard.type("policy.result = [");
    await window.page.keyboard.press("Enter");
    await until("the line", async () => /policy\.result = \[\n\s*\n/.test(await window.text()));
    await window.command("File: Revert File");
  },
  "the form of a rule is at most three lines": async (window) => {
    await window.at(NOTES, 'const = "unasked"');
    await window.command("Trigger Parameter Hints");
    const hint = window.page.locator(".parameter-hints-widget.visible");
    await hint.waitFor();
    await window.shot("form");
    const lines = (await hint.innerText()).split("\n").filter((line) => line.trim() !== "");
    assert.ok(lines.length <= 3, lines.join("\n"));
    assert.match(lines.join("\n"), /arg = "\/text"/);
    await window.page.keyboard.press("Escape");
  },
  "the effective config says where each value comes from": async (window) => {
    await window.open(CONFIG);
    await window.command("JP: Open Effective Config");
    await until("the config", async () => (await window.text()).includes('source = "local" # .jp/tools/append_note.toml:2'));
    await window.command("View: Close Editor");
  },
  "the details of an approval are for reading: no digest, no escapes, nothing twice": async (window) => {
    await window.query("Write down: milk");
    await window.press("append_note", "Show Details");
    await window.page.locator(".tab.active", { hasText: "details.txt" }).waitFor();
    const expected = [
      "Run local append_note tool?",
      "Asked by rule 2, .jp/tools/append_note.toml:7",
      ...["", "Tool", "    append_note"],
      ...["", "Arguments", "    text: milk_and_bread"],
      ...["", "Command", "    sh tools/append.sh milk_and_bread", ""],
    ];
    await until("the details", async () => (await window.text()) === expected.join("\n"));
    await window.shot("details");
    await window.page.locator(".editor-actions .action-label[aria-label^='Reject']").first().click();
    await window.page.locator(".tab", { hasText: "details.txt" }).waitFor({ state: "detached" });
    await said("Then not.");
  },
  "a change that is kept is written as the file is: the alias of the model, and the comment stays": async (window) => {
    await window.query("Switch to the stronger model");
    await window.press("switch_model", "Apply");
    await said("I am stronger.");
    await window.press("holds for its conversation", "Keep in Config");
    await window.enter("Keep the change in which file?", CONFIG);
    // What the alias stands for is told behind it, sooner or later.
    const kept = /model\.id = "strong"(\s*= test\/strong)?\s*# for most of the day/;
    await until("the change", async () => kept.test(await window.text()));
    await window.save();
    await until("the change on disk", () => window.saved(CONFIG) === MODELS.replace('"quick" #', '"strong" #'));
    assert.equal(await window.squiggles().count(), 0);
    await window.shot("kept");
  },
});
