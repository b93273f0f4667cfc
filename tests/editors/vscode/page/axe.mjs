// What axe-core finds fault with in a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The extension's folder, and what is installed in it. */
export const extension = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..", "vscode-extension");
export const ofExtension = createRequire(join(extension, "package.json"));

const axe = readFileSync(ofExtension.resolve("axe-core/axe.min.js"), "utf8");

/** The faults of a page or a frame, each with the element that has it. */
export async function faults(page) {
  await page.evaluate(`${axe};0`);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
