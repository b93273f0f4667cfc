/** The side bar: prompts that wait, and conversations. */
import * as vscode from "vscode";
import type { Conversations } from "./conversations";
import { summary } from "./describe";
import type { PendingPrompts } from "./pending";
import type { ConversationSummary, PromptParams } from "./protocol";
import { localTime, relativeTime } from "./talks";
import { oneLine } from "./text";

export class PromptTree implements vscode.TreeDataProvider<PromptParams> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly pending: PendingPrompts) {
    pending.onChanged(() => this.changes.fire());
  }

  getChildren(parent?: PromptParams): PromptParams[] {
    return parent === undefined ? [...this.pending.list()] : [];
  }

  getTreeItem(prompt: PromptParams): vscode.TreeItem {
    const item = new vscode.TreeItem(summary(prompt));
    item.description = oneLine(prompt.tool.name, 60);
    item.tooltip = oneLine(prompt.message, 1000);
    item.iconPath = new vscode.ThemeIcon(prompt.kind === "question" ? "question" : "shield");
    item.contextValue = "prompt";
    item.command = { command: "jp.prompts.show", title: "Show", arguments: [prompt] };
    return item;
  }
}

export class ConversationTree implements vscode.TreeDataProvider<ConversationSummary> {
  readonly onDidChangeTreeData: vscode.Event<void>;

  constructor(private readonly conversations: Conversations) {
    this.onDidChangeTreeData = conversations.onDidChange;
  }

  getChildren(parent?: ConversationSummary): ConversationSummary[] {
    return parent === undefined ? [...this.conversations.list()] : [];
  }

  private areOfSeveralWorkspaces(): boolean {
    return new Set(this.conversations.list().map(({ workspace }) => workspace)).size > 1;
  }

  getTreeItem(conversation: ConversationSummary): vscode.TreeItem {
    const runs = this.conversations.running.has(conversation.id);
    const item = new vscode.TreeItem(oneLine(conversation.title || conversation.id, 120));
    const when = relativeTime(conversation.lastActivatedAt, Date.now());
    const keeper = conversation.keeper === "jp" ? "kept by jp" : "";
    const place = oneLine(conversation.workspaceName ?? "", 60);
    const where = this.areOfSeveralWorkspaces() && place !== "" ? `in ${place}` : "";
    item.description = [runs ? "running" : when, where, runs ? "" : keeper].filter(Boolean).join(", ");
    item.tooltip = [
      oneLine(conversation.title ?? "", 300),
      localTime(conversation.lastActivatedAt),
      where,
      conversation.id,
    ]
      .filter(Boolean)
      .join("\n");
    item.iconPath = new vscode.ThemeIcon(runs ? "sync~spin" : "comment-discussion");
    // What `jp` keeps is not renamed or deleted here.
    const kept = conversation.keeper === "jp" ? "conversation.jp" : "conversation";
    item.contextValue = runs ? "conversation.running" : kept;
    item.command = { command: "jp.showConversation", title: "Show", arguments: [conversation] };
    return item;
  }
}
