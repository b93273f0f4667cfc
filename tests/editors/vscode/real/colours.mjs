// What a reader sees without reading: colours by meaning, in the themes that most people have; and Enter where a list begins.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { CONFIG, startWith } from "./workspace.mjs";

const TOOL = ".jp/tools/find.toml";
const THEMES = [
  ["Default Light Modern", "vs"],
  ["Default Dark Modern", "vs-dark"],
  ["Default High Contrast", "hc-black"],
];
const { server, folder } = await startWith("colours", [], {
  files: {
    [TOOL]: `[conversation.tools.find]
source = "local"
run = "unattended"
result = "ask"
command = { program = "find", args = ["-name", "x{{tool.arguments.name}}y"] }
parameters.name.type = "string"
`,
  },
});

/** The letters of the first line that begins with a text, each with its colour and whether it is bold. */
async function letters(window, begin) {
  const line = window.page.locator(".editor-group-container.active .monaco-editor .view-line", { hasText: begin }).first();
  return line.evaluate((line) =>
    [...line.querySelectorAll("span > span")].flatMap((span) => {
      const { color, fontWeight } = getComputedStyle(span);
      return [...span.textContent.replaceAll("\u00a0", " ")].map((letter) => ({ letter, color, isBold: Number(fontWeight) >= 600 }));
    }),
  );
}

/** The one colour that a part of a line has. */
function colourOf(line, part) {
  const at = line.map(({ letter }) => letter).join("").indexOf(part);
  assert.ok(at >= 0, `${part} in ${line.map(({ letter }) => letter).join("")}`);
  const colours = new Set(line.slice(at, at + part.length).map(({ color }) => color));
  assert.equal(colours.size, 1, `one colour of ${part}: ${[...colours]}`);
  return [...colours][0];
}

/** The colours of parts that follow one another, each of its first letter. */
function piecesOf(line, parts) {
  const text = line.map(({ letter }) => letter).join("");
  const at = text.indexOf(parts.join(""));
  assert.ok(at >= 0, `${parts.join("")} in ${text}`);
  return parts.map((part, index) => line[at + parts.slice(0, index).join("").length].color);
}

/** Whether a colour is one that people take for an error. */
function isRed(colour) {
  const [red, green, blue] = colour.match(/\d+/g).map(Number);
  return red > 180 && green < 80 && blue < 80;
}

async function inTheme(window, [theme, body]) {
  window.set("workbench.colorTheme", theme);
  await window.page.locator(`.monaco-workbench.${body}`).waitFor();
}

const isBold = (line, part) => {
  const at = line.map(({ letter }) => letter).join("").indexOf(part);
  return line.slice(at, at + part.length).every((it) => it.isBold);
};

await scenario(server, folder, CONFIG, {
  "keys and their dots are not red in any theme": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    for (const theme of THEMES) {
      await inTheme(window, theme);
      const line = await letters(window, "model.id");
      for (const part of ["model", ".", "id"]) assert.ok(!isRed(colourOf(line, part)), `${part} in ${theme[0]}`);
      await window.shot(`dots-${theme[1]}`);
    }
  },
  "what runs without asking stands out": async (window) => {
    await window.open(TOOL);
    for (const theme of THEMES) {
      await inTheme(window, theme);
      await until(`it is bold in ${theme[0]}`, async () => isBold(await letters(window, "run ="), '"unattended"'));
      assert.equal(isBold(await letters(window, "result ="), '"ask"'), false);
    }
  },
  "what is put into a command has a colour of its own": async (window) => {
    for (const theme of THEMES) {
      await inTheme(window, theme);
      await until(`colours in ${theme[0]}`, async () => {
        const colours = piecesOf(await letters(window, "command ="), ['"x', "{{tool.arguments.", "name", "}}", 'y"']);
        const [before, template, name, end, after] = colours;
        return before === after && template === end && template !== before && name !== before;
      });
      await window.shot(`template-${theme[1]}`);
    }
  },
  "Enter behind a bracket opens a line": async (window) => {
    await window.page.keyboard.press("Control+End");
    await window.page.keyboard.type("policy.run = [");
    // The server has seen the bracket, and would have offered what an element begins with.
    await window.squiggles().first().waitFor();
    await window.page.keyboard.press("Enter");
    await window.page.keyboard.type('{ mode = "ask" },');
    await until("the lines", async () => /policy\.run = \[\n\s+\{ mode = "ask" \},$/.test((await window.text()).trimEnd()));
    await window.shot("bracket");
  },
});
