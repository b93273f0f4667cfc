/**
 * Config changes that a person approved, to be kept in a config file when they want that.
 *
 * Nothing is kept by itself: an approved change holds for its conversation and ends with it.
 */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { messageOf } from "./log";
import { type ConversationEvent, execute, type KeepResult, type PromptParams } from "./protocol";
import { labelText, notificationText, oneLine } from "./text";

/** How many changes are remembered, the latest ones. */
const REMEMBERED = 20;

/** An approved change. */
export interface Change {
  readonly conversation: string;
  readonly callId: string;
  readonly tool: string;
  readonly paths: readonly string[];
}

export class ApprovedChanges {
  /** Approved, but not in effect before its call has ended. */
  private readonly approved = new Map<string, Change>();
  /** In effect and not kept yet, the oldest first. */
  private settled: readonly Change[] = [];
  private configFiles: readonly vscode.Uri[] = [];

  constructor(
    private readonly client: () => BaseLanguageClient | undefined,
    private readonly log: (line: string) => void,
  ) {}

  /** Notes that a person approved a change. */
  approve({ conversation, tool: { name, callId }, delta }: PromptParams): void {
    const paths = delta?.changes.map(({ path }) => path) ?? [];
    this.approved.set(keyOf(conversation, callId), { conversation, callId, tool: name, paths });
  }

  /** Serves `jp/conversation/event`: a change is in effect when its call has ended. */
  event(conversation: string, { type, id }: ConversationEvent): void {
    if (type !== "tool_call_response" || typeof id !== "string") return;
    const key = keyOf(conversation, id);
    const change = this.approved.get(key);
    if (change === undefined) return;
    this.approved.delete(key);
    this.settled = [...this.settled, change].slice(-REMEMBERED);
    this.offer(change).catch((error: unknown) => this.log(`a change could not be kept: ${messageOf(error)}`));
  }

  /** Serves `jp/configFiles`. */
  setConfigFiles(uris: readonly string[]): void {
    this.configFiles = uris.map((uri) => vscode.Uri.parse(uri));
  }

  /** The server is gone, and with it what it knew of changes. */
  stopped(): void {
    this.approved.clear();
    this.settled = [];
  }

  /** Lets a person choose among the changes, and keeps the chosen one. */
  async choose(): Promise<void> {
    if (this.settled.length === 0) {
      void vscode.window.showInformationMessage("JP: no approved config change is left to keep.");
      return;
    }
    const items = this.settled.toReversed().map((change) => ({
      label: labelText(change.paths.join(", ") || change.callId),
      description: labelText(change.tool, 60),
      change,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: "Keep which config change?",
      ignoreFocusOut: true,
    });
    if (picked !== undefined) await this.keep(picked.change);
  }

  private async offer(change: Change): Promise<void> {
    const what = notificationText(change.paths.join(", ") || "the config", 200);
    const message = `JP: the change of ${what} by ${notificationText(change.tool, 60)} holds for its conversation.`;
    const button = "Keep in Config…";
    if ((await vscode.window.showInformationMessage(message, button)) === button) await this.keep(change);
  }

  /** Writes a change into the file that a person picks; the editor makes the edit, so its undo takes it back. */
  private async keep(change: Change): Promise<void> {
    const file = await this.pickFile();
    const client = this.client();
    if (file === undefined || client === undefined) return;
    const { conversation, callId } = change;
    let kept: KeepResult;
    try {
      kept = await execute(client, "jp.delta.persist", { conversation, callId, file: file.toString() });
    } catch (error) {
      void vscode.window.showErrorMessage(`JP: the change was not kept: ${notificationText(messageOf(error))}`);
      return;
    }
    if (kept.applied) this.settled = this.settled.filter((it) => it !== change);
    await showWhereOpen(vscode.Uri.parse(kept.file));
    const leftOut = kept.leftOut.map(({ path, reason }) => `${path} (${reason})`).join("; ");
    if (leftOut !== "") {
      void vscode.window.showWarningMessage(`JP: not all of it is kept: ${notificationText(leftOut)}`);
    } else if (!kept.applied) {
      void vscode.window.showWarningMessage("JP: the change was not kept: the editor did not make the edit.");
    }
  }

  private async pickFile(): Promise<vscode.Uri | undefined> {
    const toml = this.configFiles.filter(({ path }) => path.endsWith(".toml"));
    // What is set in the workspace's own file is what people look for there.
    const files = toml.toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)));
    if (files.length <= 1) return files[0];
    const items = files.map((uri) => ({ label: oneLine(vscode.workspace.asRelativePath(uri)), uri }));
    return (await vscode.window.showQuickPick(items, { title: "Keep the change in which file?", ignoreFocusOut: true }))
      ?.uri;
  }
}

/** Shows a file in the column in which it is open, if it is. */
async function showWhereOpen(uri: vscode.Uri): Promise<void> {
  const key = uri.toString();
  const shows = ({ input }: vscode.Tab) => input instanceof vscode.TabInputText && input.uri.toString() === key;
  const group = vscode.window.tabGroups.all.find(({ tabs }) => tabs.some(shows));
  await vscode.window.showTextDocument(uri, group === undefined ? {} : { viewColumn: group.viewColumn });
}

function isMain({ path }: vscode.Uri): boolean {
  return path.endsWith("/.jp/config.toml");
}

function keyOf(conversation: string, callId: string): string {
  return JSON.stringify([conversation, callId]);
}
