/** Workspace Trust: without it the server analyses and runs nothing; a grant is passed on at once. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

export function passOnTrust(
  client: () => BaseLanguageClient | undefined,
  failed: (error: unknown) => void,
): vscode.Disposable[] {
  const pass = (params: { readonly workspace?: string }): void => {
    client()?.sendNotification("jp/trustGranted", params).catch(failed);
  };
  return [
    vscode.workspace.onDidGrantWorkspaceTrust(() => pass({})),
    // The server trusts the folders that were open when trust was given; Visual Studio Code asks about each further one.
    vscode.workspace.onDidChangeWorkspaceFolders(({ added }) => {
      for (const folder of vscode.workspace.isTrusted ? added : []) {
        pass({ workspace: folder.uri.toString() });
      }
    }),
  ];
}
