import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^vscode$/, replacement: at("./test/mocks/vscode.ts") },
      { find: /^vscode-languageclient(\/node)?$/, replacement: at("./test/mocks/languageclient.ts") },
    ],
  },
  test: { include: ["test/**/*.test.ts"] },
});
