// Packs the extension for one platform: `npm run package [-- --server PATH] [--target linux-x64] [--out FILE]`.
//
// The server is target/release/jp-lsp unless --server names another binary; nothing is built here but the bundle.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: { server: { type: "string" }, target: { type: "string" }, out: { type: "string" } },
});
const target = values.target ?? `${process.platform}-${process.arch}`;
const name = target.startsWith("win32") ? "jp-lsp.exe" : "jp-lsp";
const server = resolve(values.server ?? join(folder, "..", "target", "release", name));
const out = resolve(values.out ?? join(folder, `jp-lsp-${target}.vsix`));

if (!existsSync(server)) {
  console.error(`no server at ${server}: run \`cargo build --release -p jp_lsp\`, or name one with --server`);
  process.exit(2);
}

process.chdir(folder);
rmSync("server", { recursive: true, force: true });
mkdirSync("server");
copyFileSync(server, join("server", name));
chmodSync(join("server", name), 0o755);
mkdirSync("schemas", { recursive: true });
copyFileSync(join("..", "schemas", "jp-config.schema.json"), join("schemas", "jp-config.schema.json"));
copyFileSync(join("..", "LICENSE"), "LICENSE");

execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
const vsce = join("node_modules", "@vscode", "vsce", "vsce");
// The pictures of the README are in the package.
const options = ["--no-dependencies", "--target", target, "--out", out, "--no-rewrite-relative-links"];
execFileSync(process.execPath, [vsce, "package", ...options], { stdio: ["ignore", "ignore", "inherit"] });
console.log(`${out} (${Math.round(statSync(out).size / 1024)} KiB)`);
