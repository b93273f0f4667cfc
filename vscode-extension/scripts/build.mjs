// Bundles the extension: dist/main.js is what activation loads, dist/client.js the connection to the server.
import { rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: ["src/main.ts", "src/client.ts"],
  outdir: "dist",
  bundle: true,
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["vscode"],
  // The editor gives its own module to what is required, not to what is imported.
  supported: { "dynamic-import": false },
  plugins: [
    {
      name: "client-apart",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/client$/ }, ({ kind }) =>
          kind === "dynamic-import" ? { path: "./client.js", external: true } : undefined,
        ),
    },
  ],
  logLevel: "warning",
});
