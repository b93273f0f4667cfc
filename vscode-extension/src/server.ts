/**
 * Finds the server's binary: the setting `jp.server.path`, else the one in the extension.
 *
 * Nothing is ever looked up in the workspace, which may be somebody else's.
 */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface Machine {
  readonly platform: string;
  readonly architecture: string;
}

export const THIS_MACHINE: Machine = { platform: process.platform, architecture: process.arch };

export interface Server {
  readonly path: string;
  readonly from: "setting" | "bundled";
}

/** The binary to start. Throws an `Error` for the user when there is none. */
export async function locate(extension: string, setting: string, machine = THIS_MACHINE): Promise<Server> {
  const configured = setting.trim();
  if (configured !== "") {
    const path = configured.startsWith("~/") ? join(homedir(), configured.slice(2)) : configured;
    if (!isAbsolute(path)) {
      throw new Error(
        `the setting jp.server.path is \`${configured}\`: write an absolute path, or one that starts with ~/`,
      );
    }
    if (!(await executable(path))) {
      throw new Error(`the setting jp.server.path names \`${path}\`, which is no executable file`);
    }
    return { path, from: "setting" };
  }
  const path = join(extension, "server", machine.platform === "win32" ? "jp-lsp.exe" : "jp-lsp");
  if (!(await executable(path))) {
    throw new Error(
      `this package of the extension holds no server for ${machine.platform}-${machine.architecture}: ` +
        "install the package for this platform, or build jp-lsp and set jp.server.path to it",
    );
  }
  return { path, from: "bundled" };
}

/** Why a binary that is there does not start, for the user. */
export async function explainFailure(server: Server, reason: string, machine = THIS_MACHINE): Promise<string> {
  const failure = await probe(server.path);
  if (failure === undefined) return `\`${server.path}\` runs, but did not answer as a language server: ${reason}`;
  const remedy =
    server.from === "setting"
      ? "correct the setting jp.server.path"
      : "install the package of the extension for this platform, or set jp.server.path to a jp-lsp built for it";
  return `\`${server.path}\` cannot start on ${machine.platform}-${machine.architecture} (${failure}): ${remedy}`;
}

function probe(path: string): Promise<string | undefined> {
  return new Promise((settle) => {
    execFile(path, ["--version"], { timeout: 5000 }, (error) => {
      const code = error?.code;
      settle(error === null ? undefined : typeof code === "number" ? `exit status ${code}` : (code ?? error.message));
    });
  });
}

async function executable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
