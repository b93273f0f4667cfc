// A workspace for the scenarios against the real server, with what its scripted model says.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { start, workspace } from "../driver.mjs";

export const CONFIG = ".jp/config.toml";
export const NOTES = ".jp/tools/append_note.toml";
export const TEAM = "shared/team.toml";

const FILES = {
  [CONFIG]: `extends = ["tools/*.toml", "../shared/team.toml"]

[assistant]
model.id = "test/scripted"

[conversation.tools.'*']
run = "ask"
`,
  [TEAM]: `[assistant]
name = "Ada"
`,
  [NOTES]: `[conversation.tools.append_note]
source = "local"
command = { program = "sh", args = ["tools/append.sh", "{{tool.arguments.text}}"] }
summary = "Appends a line to notes.md."
policy.run = [
    { arg = "/text", const = "unasked", mode = "unattended" },
    { mode = "ask" },
]

[conversation.tools.append_note.parameters.text]
type = "string"
required = true

[[conversation.tools.append_note.access.fs]]
path = "notes.md"
read = true
create = true
update = true

[[conversation.tools.append_note.access.fs]]
path = "tools"
read = true
`,
  ".jp/tools/log_in.toml": `[conversation.tools.log_in]
source = "local"
run = "unattended"
command = { program = "sh", args = ["tools/log_in.sh"] }
summary = "Logs in."
access.fs = [{ path = "tools", read = true }]
`,
  ".jp/tools/switch_model.toml": `[conversation.tools.switch_model]
source = "local"
run = "unattended"
command = { program = "sh", args = ["tools/switch.sh", "{{tool.arguments.model}}"] }
summary = "Lets another model answer."
access.fs = [{ path = "tools", read = true }]

[conversation.tools.switch_model.parameters.model]
type = "string"
required = true

[[conversation.tools.switch_model.access.config]]
path = "assistant.model.id"
read = true
write = true
apply = "ask"
`,
  // What is held to a grant on one file can write into it; to create it takes a grant on its folder.
  "notes.md": "",
  "tools/append.sh": `printf '%s\\n' "$1" >> notes.md
printf '{"type": "success", "content": "appended"}'
`,
  "tools/log_in.sh": `case $(cat) in
*swordfish*) printf '{"type": "success", "content": "logged in"}' ;;
*) printf '{"type": "needs_input", "question": {"id": "token", "text": "Which token?", "answer_type": {"type": "secret"}}}' ;;
esac
`,
  "tools/switch.sh": `printf '{"type": "success", "content": "%s answers.", "config": {"assistant": {"model": {"id": "%s"}}}}' "$1" "$1"
`,
};

/**
 * Makes the workspace, and starts an editor in which the model says one cycle after the other: a text, a tool call, or
 * several of both at once.
 *
 * `files` are there beside `own`, which are those of every workspace; `global` is the user's own config.
 */
export async function startWith(name, cycles, { files = {}, own = FILES, global = "", ...options } = {}) {
  let calls = 0;
  const call = ([tool, given]) => ({ tool_call: { id: `call_${++calls}`, name: tool, arguments: given } });
  const script = {
    cycles: cycles.map((cycle) => ({ batches: [together(cycle).map((it) => (typeof it === "string" ? { text: it } : call(it)))] })),
  };
  const folder = workspace(name, { ...own, ...files });
  const beside = workspace(join(name, "beside"), {
    "script.json": JSON.stringify(script),
    "global/config.toml": global,
  });
  const environment = {
    JP_LSP_TEST_SCRIPT: join(beside, "script.json"),
    JP_LSP_DATA_DIR: join(beside, "data"),
    JP_GLOBAL_CONFIG_DIR: join(beside, "global"),
  };
  const server = await start(name, { environment, ...options });
  return { server, folder, data: environment.JP_LSP_DATA_DIR, environment, global: join(beside, "global", "config.toml") };
}

/** What is said in one cycle: `["grep", {}]` is one call, `["I look.", ["grep", {}]]` are words and a call. */
function together(cycle) {
  return Array.isArray(cycle) && cycle.some(Array.isArray) ? cycle : [cycle];
}

/** Everything that was recorded of conversations; empty before there is one. */
export function recorded(data) {
  if (!existsSync(data)) return "";
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  return files.map((it) => readFileSync(join(it.parentPath, it.name), "utf8")).join("\n");
}

/** The language server's process in an editor. */
export function processOf(server) {
  const processes = readdirSync("/proc").filter((it) => /^\d+$/.test(it));
  return processes.map(Number).find((id) => {
    try {
      return readlinkSync(`/proc/${id}/exe`).startsWith(join(server.data, "extensions"));
    } catch {
      return false;
    }
  });
}
