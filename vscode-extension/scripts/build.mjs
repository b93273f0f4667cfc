// Bundles the extension into dist/main.js.
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.js",
  bundle: true,
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["vscode"],
  logLevel: "warning",
});
