/** What can be done with a conversation as a whole: another title, a copy, one turn less, its end; and finding one. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { Conversations } from "./conversations";
import { type ConversationSummary, request } from "./protocol";
import { labelText, oneLine } from "./text";

/** When a conversation was used last, as people say it; the server tells the time in UTC. */
export function relativeTime(timestamp: string | undefined, now: number): string {
  const then = Date.parse(`${(timestamp ?? "").trim().replace(" ", "T")}Z`);
  if (Number.isNaN(then)) return "";
  const seconds = Math.round((now - then) / 1000);
  if (seconds < 60) return "now";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  if (days < 7) return days === 1 ? "yesterday" : `${days} days ago`;
  return new Date(then).toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** The same in full, in the person's own time zone. */
export function localTime(timestamp: string | undefined): string {
  const then = Date.parse(`${(timestamp ?? "").trim().replace(" ", "T")}Z`);
  return Number.isNaN(then) ? "" : new Date(then).toLocaleString();
}

export async function rename(
  client: BaseLanguageClient,
  conversations: Conversations,
  { id, title }: ConversationSummary,
): Promise<void> {
  const value = title ?? conversations.title(id) ?? "";
  const entered = await vscode.window.showInputBox({ title: "Rename the conversation", value, ignoreFocusOut: true });
  if (entered === undefined || entered.trim() === "") return;
  await request(client, "jp/conversation/rename", { conversation: id, title: entered });
  await conversations.reload();
}

export async function remove(
  client: BaseLanguageClient,
  conversations: Conversations,
  { id, title }: ConversationSummary,
): Promise<void> {
  const name = oneLine(title || id, 80);
  const button = "Delete";
  const detail = "It cannot be brought back.";
  const picked = await vscode.window.showWarningMessage(`Delete “${name}”?`, { modal: true, detail }, button);
  if (picked !== button) return;
  await request(client, "jp/conversation/delete", { conversation: id });
  conversations.forget(id);
  await conversations.reload();
}

/** Shows a copy, without the last turn where that is to be undone. */
export async function fork(
  client: BaseLanguageClient,
  conversations: Conversations,
  { id }: ConversationSummary,
  withoutLast: 0 | 1,
): Promise<void> {
  const { conversation } = await request(client, "jp/conversation/fork", { conversation: id, withoutLast });
  await conversations.reload();
  await conversations.show(conversation, "box");
}

/** Asks for words, and shows the conversation that is picked among those that have them. */
export async function search(client: BaseLanguageClient, conversations: Conversations): Promise<void> {
  const prompt = "Words of its title, or of what was said";
  const text = await vscode.window.showInputBox({ title: "Search Conversations", prompt, ignoreFocusOut: true });
  if (text === undefined || text.trim() === "") return;
  const found = await request(client, "jp/conversation/search", { text });
  if (found.length === 0) {
    void vscode.window.showInformationMessage("JP: no conversation has these words.");
    return;
  }
  const items = found.map(({ id, title, lastActivatedAt, excerpt }) => ({
    label: labelText(title || id),
    description: relativeTime(lastActivatedAt, Date.now()),
    detail: labelText(excerpt ?? "", 200),
    id,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: "Search Conversations", ignoreFocusOut: true });
  if (picked !== undefined) await conversations.show(picked.id, "box");
}
