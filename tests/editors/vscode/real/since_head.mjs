// What became of a tool since the last commit: a line above it, and how as a document, against the real server.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenario, until } from "../driver.mjs";
import { startWith } from "./workspace.mjs";

const READ = ".jp/tools/read.toml";
const TOOL = `[conversation.tools.read]
source = "local"
command = { program = "printf", args = ["read"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src/a", mode = "unattended" },
    { mode = "ask" },
]
`;

const { server, folder } = await startWith("since_head", [], { files: { [READ]: TOOL } });
const git = (...words) => {
  const who = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...words], { cwd: folder, stdio: "pipe" });
};
const commit = () => {
  git("add", "-A");
  git("commit", "-q", "-m", "c");
};
git("init", "-q");
commit();
const path = join(folder, READ);
writeFileSync(path, readFileSync(path, "utf8").replace("src/a", "src"));

const lens = (window) => window.page.locator(".codelens-decoration a", { hasText: "since HEAD:" }).first();

await scenario(server, folder, READ, {
  "a line above a tool says what became of it, and shows how": async (window) => {
    await lens(window).filter({ hasText: "since HEAD: loosened" }).click({ timeout: 90000 });
    await until("the difference", async () => (await window.text()).includes('ask -> unattended: {"path":"src/x"}'));
    await window.shot("difference");
  },
  "the palette shows it, too": async (window) => {
    await window.open(READ);
    await window.command("JP: Show Changes Since the Last Commit");
    await until("the difference", async () => (await window.text()).includes("# What changed since HEAD"));
  },
  "it goes when the change is committed, and comes with the next that is saved": async (window) => {
    await window.open(READ);
    await lens(window).waitFor();
    commit();
    await lens(window).waitFor({ state: "detached" });
    await window.at(READ, '"ask"');
    await window.page.keyboard.press("Shift+End");
    await window.page.keyboard.press("Delete");
    await window.page.keyboard.type('"skip" },');
    await until("the edit", async () => (await window.text()).includes('mode = "skip"'));
    await window.save();
    await lens(window).filter({ hasText: "since HEAD: tightened" }).waitFor();
  },
});
