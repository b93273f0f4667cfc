// The suite that runs inside the extension host, against the stand-in server.
import { fileURLToPath } from "node:url";
import { extensionHost, FAKE, start, workspace } from "../driver.mjs";

const folder = workspace("host", {
  ".jp/config.toml": '[assistant]\nname = "one"\noops = 1\n',
  "shared/tools.toml": "oops_shared = 1\n",
  "Cargo.toml": "oops = 1\n",
});
await extensionHost(await start("host", { machine: FAKE }), folder, fileURLToPath(new URL("../fake-suite", import.meta.url)));
