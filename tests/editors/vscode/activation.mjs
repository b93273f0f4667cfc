// How long the extension takes to start, in windows of one editor: `run.sh activation.mjs` with JP_LSP_BIN naming a
// release build. The server's own start is none of it.
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { development, inside, start, workspace } from "./driver.mjs";

const WINDOWS = 11;
const COLUMNS = {
  code: "load the code",
  activate: "call `activate`",
  finish: "until it resolves",
  client: "load the client, after activation",
  server: "start the server and shake hands",
};

const folder = workspace("activation", { ".jp/config.toml": '[assistant]\nname = "one"\n' });
const server = await start("activation", { machine: { "jp.server.path": process.env.JP_LSP_BIN } });
const suite = fileURLToPath(new URL("activation", import.meta.url));
const extension = development(server);
const browser = await launch();
const rows = [];
try {
  for (let window = 0; window < WINDOWS; window++) {
    const { code, lines } = await inside(browser, { server, extension, folder, suite });
    const line = lines.find((it) => it.startsWith("measured "));
    if (code !== 0 || line === undefined) throw new Error(`window ${window}: ${code}\n${lines.join("\n")}`);
    rows.push(JSON.parse(line.slice("measured ".length)));
  }
} finally {
  await browser.close();
  server.stop();
}

const of = (column) => rows.map((row) => row[column]).toSorted((a, b) => a - b);
console.log(`| part | median of ${WINDOWS} | worst |\n|---|---|---|`);
for (const [column, title] of Object.entries(COLUMNS)) {
  const values = of(column);
  const [median, worst] = [values[Math.floor(values.length / 2)], values.at(-1)];
  console.log(`| ${title} | ${Math.round(median)} ms | ${Math.round(worst)} ms |`);
}
