/** Files and selections that go with a question, as part of its words; `jp-lsp query --attach` writes them the same way. */
import * as vscode from "vscode";

/** The most bytes of one attachment. */
export const LARGEST = 512 << 10;

/** What cannot go with a question, in words for the user. */
export class NotAttached extends Error {}

/** The selection, or the whole file where nothing is selected, with the path as the workspace knows it. */
export function attachmentOf(document: vscode.TextDocument, selection: vscode.Selection | undefined): string {
  if (vscode.workspace.getWorkspaceFolder(document.uri) === undefined) {
    throw new NotAttached("the file lies outside of the workspace: copy it there, or paste its text");
  }
  const isPart = selection !== undefined && !selection.isEmpty;
  const text = isPart ? document.getText(selection) : document.getText();
  if (Buffer.byteLength(text) > LARGEST) {
    throw new NotAttached(`at most ${LARGEST >> 10} KiB go with a question: select the lines that it is about`);
  }
  // A name must not end the line that it stands in.
  const path = vscode.workspace.asRelativePath(document.uri, false).replace(/[`\r\n]/gu, "?");
  const lines = isPart ? `, ${linesOf(selection)}` : "";
  // Visible spelling would change what the assistant is asked about, so only the fence is made safe.
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length + 1)));
  const language = document.languageId === "jp-toml" ? "toml" : document.languageId;
  return `\`${path}\`${lines}:\n\n${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** The lines of a selection, counted from 1; one that ends where a line starts has nothing of that line. */
export function linesOf({ start, end }: vscode.Selection): string {
  const first = start.line + 1;
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}
