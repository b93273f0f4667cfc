/** Which workspace is meant: the one that the person works in, else the one that they choose, once. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { type NamedWorkspace, request } from "./protocol";
import { labelText } from "./text";

/** The server does not know a request. */
export const METHOD_NOT_FOUND = -32601;

export class Workspaces implements vscode.Disposable {
  /** The file that the person was at last, which a conversation in a tab of its own hides. */
  private file: vscode.Uri | undefined;
  /** What the person chose while no file said which. */
  private chosen: string | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly changed: () => void) {
    this.note(vscode.window.activeTextEditor);
    this.subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (this.note(editor)) this.changed();
    });
  }

  /** The workspaces that may be meant; none is known of a server that is too old to say. */
  async meant(client: BaseLanguageClient): Promise<readonly NamedWorkspace[] | undefined> {
    const file = this.file === undefined ? {} : { file: this.file.toString() };
    try {
      const named = await request(client, "jp/workspaces", file);
      const chosen = named.find(({ uri }) => uri === this.chosen);
      return chosen === undefined ? named : [chosen];
    } catch (error) {
      if ((error as { code?: unknown }).code === METHOD_NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** The workspace that is meant, which the person chooses where several may be; none when they choose none. */
  async choose(named: readonly NamedWorkspace[]): Promise<NamedWorkspace | undefined> {
    if (named.length < 2) return named[0];
    const items = named.map((workspace) => ({ label: labelText(workspace.name, 200), workspace }));
    const title = "Which workspace is this about?";
    const picked = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
    if (picked === undefined) return undefined;
    this.chosen = picked.workspace.uri;
    this.changed();
    return picked.workspace;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Whether the person is at another file from here on. */
  private note(editor: vscode.TextEditor | undefined): boolean {
    const file = editor?.document.uri;
    if (file === undefined || vscode.workspace.getWorkspaceFolder(file) === undefined) return false;
    const isOther = file.toString() !== this.file?.toString();
    this.file = file;
    return isOther;
  }
}
