/** One log for the extension and the server: "JP" in the Output panel. */
import * as vscode from "vscode";

export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel("JP", { log: true });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
