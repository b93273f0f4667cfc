/** Workspace Trust: without it the server analyses and runs nothing; a grant is passed on at once. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

export function passOnTrust(
  client: () => BaseLanguageClient | undefined,
  failed: (error: unknown) => void,
): vscode.Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(() => {
    client()?.sendNotification("jp/trustGranted", {}).catch(failed);
  });
}
