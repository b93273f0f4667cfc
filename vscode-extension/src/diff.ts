/** What a prompt would change, in the editor's own diff view with the decision in its title bar. */
import * as vscode from "vscode";
import { details, sides } from "./describe";
import type { VirtualDocuments } from "./documents";
import type { PromptParams } from "./protocol";
import { oneLine } from "./text";

/** The context key that lists the documents with a decision open, so that the title bar's buttons go away with it. */
const DECIDABLE = "jp.decidableDocuments";

export class PromptDocuments {
  private readonly shown = new Map<string, { prompt: PromptParams; uris: vscode.Uri[]; deciding: vscode.Uri }>();

  constructor(
    private readonly documents: VirtualDocuments,
    private readonly reason: (prompt: PromptParams) => string,
  ) {}

  /** Opens the diff of a prompt, or its details when there is nothing to compare. */
  async show(prompt: PromptParams): Promise<void> {
    const compared = sides(prompt);
    const folder = `/${encodeURIComponent(prompt.id)}-${encodeURIComponent(prompt.digest)}`;
    if (compared === undefined) {
      const uri = this.documents.set(`${folder}/details.txt`, details(prompt, this.reason(prompt)));
      await this.remember(prompt, [uri], uri);
      await vscode.window.showTextDocument(uri, { preview: false });
      return;
    }
    // A folder called `.jp` makes the editor colour a delta like the config that it changes.
    const side = (name: string) => `${folder}/${name}${prompt.delta === undefined ? "" : "/.jp"}/${compared.name}`;
    const before = this.documents.set(side("before"), compared.before);
    const after = this.documents.set(side("after"), compared.after);
    await this.remember(prompt, [before, after], after);
    // No file changes by a delta.
    const what = prompt.delta === undefined ? compared.name : "Config of this conversation";
    const title = oneLine(`${what} (${prompt.tool.name})`, 100);
    await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: false });
  }

  /** The prompt that a document shows. */
  promptOf(uri: vscode.Uri | undefined): PromptParams | undefined {
    const key = uri?.toString();
    return [...this.shown.values()].find(({ uris }) => uris.some((it) => it.toString() === key))?.prompt;
  }

  /** Closes what shows a prompt. */
  async close(prompt: PromptParams): Promise<void> {
    const shown = this.shown.get(prompt.id);
    if (shown === undefined) return;
    this.shown.delete(prompt.id);
    await this.publish();
    await this.documents.close(shown.uris);
  }

  private async remember(prompt: PromptParams, uris: vscode.Uri[], deciding: vscode.Uri): Promise<void> {
    this.shown.set(prompt.id, { prompt, uris, deciding });
    await this.publish();
  }

  private async publish(): Promise<void> {
    const uris = [...this.shown.values()].map(({ deciding }) => deciding.toString());
    await vscode.commands.executeCommand("setContext", DECIDABLE, uris);
  }
}
