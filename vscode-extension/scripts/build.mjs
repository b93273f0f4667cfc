// Bundles the extension: dist/main.js is what activation loads, dist/client.js the connection to the server, dist/panels.js
// what shows conversations, and dist/webview.js with dist/webview.css the page that they are shown in.
import { rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
const shared = {
  outdir: "dist",
  bundle: true,
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  logLevel: "warning",
};
await build({
  ...shared,
  entryPoints: ["src/main.ts", "src/client.ts", "src/panels.ts"],
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["vscode"],
  // The editor gives its own module to what is required, not to what is imported.
  supported: { "dynamic-import": false },
  plugins: [
    {
      name: "parts-apart",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/(client|panels)$/ }, ({ kind, path }) =>
          kind === "dynamic-import" ? { path: `${path}.js`, external: true } : undefined,
        ),
    },
  ],
});
await build({
  ...shared,
  entryPoints: { webview: "src/webview/main.ts" },
  format: "iife",
  platform: "browser",
  target: "es2023",
});
await build({ ...shared, entryPoints: { webview: "src/webview/style.css" } });
