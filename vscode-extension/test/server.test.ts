import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { explainFailure, locate } from "../src/server";

const LINUX = { platform: "linux", architecture: "x64" };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jp-lsp-"));
  mkdirSync(join(folder, "server"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function binary(path: string, script: string): string {
  const file = join(folder, path);
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}

test("without a setting the bundled server is taken", async () => {
  const path = binary("server/jp-lsp", "#!/bin/sh\n");
  expect(await locate(folder, "  ", LINUX)).toEqual({ path, from: "bundled" });
});

test("the setting goes before the bundled server", async () => {
  binary("server/jp-lsp", "#!/bin/sh\n");
  const path = binary("other", "#!/bin/sh\n");
  expect(await locate(folder, path, LINUX)).toEqual({ path, from: "setting" });
});

test("a relative path is refused, for it would be looked up in the workspace", async () => {
  await expect(locate(folder, "node_modules/.bin/jp-lsp", LINUX)).rejects.toThrow(
    "the setting jp.server.path is `node_modules/.bin/jp-lsp`: write an absolute path, or one that starts with ~/",
  );
});

test("a file that cannot be executed is named", async () => {
  const path = join(folder, "plain");
  writeFileSync(path, "");
  await expect(locate(folder, path, LINUX)).rejects.toThrow(
    `the setting jp.server.path names \`${path}\`, which is no executable file`,
  );
});

test("a package without a server says which platform is missing", async () => {
  await expect(locate(folder, "", { platform: "freebsd", architecture: "arm64" })).rejects.toThrow(
    "this package of the extension holds no server for freebsd-arm64: " +
      "install the package for this platform, or build jp-lsp and set jp.server.path to it",
  );
});

test("a binary for another platform is told from one that misbehaves", async () => {
  // What the system cannot load, the shell tries to read.
  const alien = binary("server/jp-lsp", "\u007fELF nonsense");
  const missing = join(folder, "gone");
  const fine = binary("fine", "#!/bin/sh\nexit 0\n");
  const broken = binary("broken", "#!/bin/sh\nexit 9\n");
  expect(await explainFailure({ path: missing, from: "setting" }, "", LINUX)).toBe(
    `\`${missing}\` cannot start on linux-x64 (ENOENT): correct the setting jp.server.path`,
  );
  expect(await explainFailure({ path: alien, from: "bundled" }, "", LINUX)).toBe(
    `\`${alien}\` cannot start on linux-x64 (exit status 127): ` +
      "install the package of the extension for this platform, or set jp.server.path to a jp-lsp built for it",
  );
  expect(await explainFailure({ path: fine, from: "setting" }, "no answer", LINUX)).toBe(
    `\`${fine}\` runs, but did not answer as a language server: no answer`,
  );
  expect(await explainFailure({ path: broken, from: "setting" }, "", LINUX)).toBe(
    `\`${broken}\` cannot start on linux-x64 (exit status 9): correct the setting jp.server.path`,
  );
});
