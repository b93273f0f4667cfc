/** The arguments of a call, or a result, opened for editing before it is approved. */
import * as vscode from "vscode";
import { editable } from "./describe";
import { isInexact } from "./exact";
import type { PromptAnswer, PromptParams } from "./protocol";

const EDITABLE = "jp.editedDocuments";

export class PromptEdits {
  private readonly open = new Map<string, { prompt: PromptParams; document: vscode.TextDocument }>();

  async start(prompt: PromptParams): Promise<void> {
    const content = editable(prompt);
    if (content === undefined) {
      void vscode.window.showErrorMessage("JP: this is too large to be edited here.");
      return;
    }
    if (prompt.kind !== "result" && isInexact(prompt.preview?.arguments)) {
      const message =
        "JP: the arguments hold a number of more than 15 digits, which cannot be shown exactly: reject the call with a reason.";
      void vscode.window.showErrorMessage(message);
      return;
    }
    const document = await vscode.workspace.openTextDocument({
      language: prompt.kind === "result" ? "plaintext" : "json",
      content,
    });
    this.open.set(prompt.id, { prompt, document });
    await this.publish();
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** The answer that a document stands for, or what is wrong with it. */
  answer(uri: vscode.Uri | undefined): { prompt: PromptParams; answer: PromptAnswer } | string {
    const key = uri?.toString();
    const edit = [...this.open.values()].find(({ document }) => document.uri.toString() === key);
    if (edit === undefined) return "this document belongs to no open prompt";
    const { prompt, document } = edit;
    const text = document.getText();
    if (prompt.kind === "result") return { prompt, answer: { action: "edit", value: text } };
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        // As text, so that no number loses its last digits on the way.
        return { prompt, answer: { action: "edit", arguments: text } };
      }
    } catch (error) {
      return `the arguments are no valid JSON: ${error instanceof Error ? error.message : String(error)}`;
    }
    return 'the arguments must be a JSON object, such as {"path": "src"}';
  }

  /** Closes the document of a prompt without asking whether to save it. */
  async close(prompt: PromptParams): Promise<void> {
    const edit = this.open.get(prompt.id);
    if (edit === undefined) return;
    this.open.delete(prompt.id);
    await this.publish();
    if (edit.document.isClosed) return;
    await vscode.window.showTextDocument(edit.document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }

  private async publish(): Promise<void> {
    const uris = [...this.open.values()].map(({ document }) => document.uri.toString());
    await vscode.commands.executeCommand("setContext", EDITABLE, uris);
  }
}
