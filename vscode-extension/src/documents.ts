/** Read-only documents that exist only in the editor: prompts and their diffs, conversations, explanations. */
import * as vscode from "vscode";

export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;
  readonly onDidChange = this.emitter.event;

  constructor(readonly scheme: string) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This is no longer available.\n";
  }

  /** Sets the text of `path`; an open editor shows it at once. */
  set(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.scheme, path });
    const key = uri.toString();
    if (this.texts.get(key) !== text) {
      this.texts.set(key, text);
      this.emitter.fire(uri);
    }
    return uri;
  }

  /** Lets an open editor read a document again. */
  changed(uri: vscode.Uri): void {
    this.emitter.fire(uri);
  }

  /** Closes the tabs that show any of the documents and forgets them. */
  async close(uris: readonly vscode.Uri[]): Promise<void> {
    const keys = new Set(uris.map(String));
    for (const key of keys) this.texts.delete(key);
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => {
        if (input instanceof vscode.TabInputTextDiff) return keys.has(input.modified.toString());
        return input instanceof vscode.TabInputText && keys.has(input.uri.toString());
      });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  dispose(): void {
    this.registration.dispose();
    this.emitter.dispose();
  }
}
