/** Conversations: which there are, which run, and each as a Markdown document that grows while the assistant writes. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { VirtualDocuments } from "./documents";
import { type ConversationEvent, type ConversationSummary, request } from "./protocol";
import { escaped, fenced, notificationText } from "./text";

/** How long changes are collected before an open document is read again. */
const REFRESH_MS = 100;

/** The editor's own rendering of Markdown, which runs no scripts and loads nothing insecure. */
const PREVIEW = "vscode.markdown.preview.editor";

interface Open {
  committed: string;
  streaming: string;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** How often it was asked for, and which of the answers is shown. */
  asked: number;
  answered: number;
}

export class Conversations implements vscode.Disposable {
  readonly running = new Set<string>();
  private summaries: readonly ConversationSummary[] = [];
  private readonly open = new Map<string, Open>();
  /** Why the last turn of a conversation failed; the recorded conversation does not say. */
  private readonly failures = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly documents: VirtualDocuments,
    private readonly client: () => BaseLanguageClient | undefined,
    private readonly log: (line: string) => void,
  ) {}

  list(): readonly ConversationSummary[] {
    return this.summaries;
  }

  /** A turn runs from here on. */
  started(conversation: string): void {
    this.running.add(conversation);
    void this.reload();
  }

  /** Serves `jp/conversation/event`. */
  event(conversation: string, event: ConversationEvent): void {
    const open = this.open.get(conversation);
    if (event.type === "delta_text") {
      if (open !== undefined) {
        open.streaming += event.text ?? "";
        this.publish(conversation, open);
      }
      return;
    }
    if (event.type === "turn_end") {
      this.running.delete(conversation);
      if (event.outcome === "failed") this.failed(conversation, event.error ?? "no reason was given");
      void this.reload();
    } else if (event.type === "turn_start") {
      this.failures.delete(conversation);
      if (!this.running.has(conversation)) this.started(conversation);
    }
    if (open !== undefined && open.timer === undefined) {
      open.timer = setTimeout(() => {
        open.timer = undefined;
        void this.read(conversation, open);
      }, REFRESH_MS);
    }
  }

  /** The server is gone, and every turn with it. */
  stopped(): void {
    this.running.clear();
    this.failures.clear();
    this.changes.fire();
  }

  /** Asks the server which conversations there are. */
  async reload(): Promise<void> {
    this.changes.fire();
    const client = this.client();
    if (client === undefined) return;
    try {
      this.summaries = (await request(client, "jp/conversation/list", {})) ?? [];
      this.changes.fire();
    } catch (error) {
      this.log(`conversations could not be listed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Opens a conversation as rendered Markdown. */
  async show(conversation: string): Promise<void> {
    const open = this.open.get(conversation) ?? {
      committed: "",
      streaming: "",
      timer: undefined,
      asked: 0,
      answered: 0,
    };
    this.open.set(conversation, open);
    await this.read(conversation, open);
    const uri = this.publish(conversation, open);
    // All conversations share one column, and none takes the focus from what is being written.
    const shown = ({ input }: vscode.Tab) => input instanceof vscode.TabInputCustom && input.uri.scheme === uri.scheme;
    const group = vscode.window.tabGroups.all.find(({ tabs }) => tabs.some(shown));
    const viewColumn = group?.viewColumn ?? vscode.ViewColumn.Beside;
    await vscode.commands.executeCommand("vscode.openWith", uri, PREVIEW, {
      viewColumn,
      preserveFocus: true,
      preview: true,
    });
    // The editor hears of no change while it opens a document.
    this.documents.changed(uri);
  }

  dispose(): void {
    for (const { timer } of this.open.values()) clearTimeout(timer);
    this.changes.dispose();
  }

  private failed(conversation: string, reason: string): void {
    this.failures.set(conversation, reason);
    void vscode.window
      .showErrorMessage(`JP: the turn failed: ${notificationText(reason)}`, "Show Conversation")
      .then((picked) => (picked === undefined ? undefined : this.show(conversation)));
  }

  private async read(conversation: string, open: Open): Promise<void> {
    try {
      const client = this.client();
      if (client === undefined) return;
      open.asked += 1;
      const turn = open.asked;
      const read = await request(client, "jp/conversation/read", { conversation });
      // What was asked later may be answered earlier, and knows more.
      if (turn < open.answered) return;
      open.answered = turn;
      open.committed = read.markdown;
      open.streaming = "";
      this.publish(conversation, open);
    } catch (error) {
      this.log(
        `conversation ${conversation} could not be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  private publish(conversation: string, open: Open): vscode.Uri {
    // What still streams may end in the middle of anything: as code it cannot become anything else.
    const streaming = open.streaming === "" ? "" : `\n### Assistant (writing)\n\n${fenced(open.streaming)}`;
    const failure = this.failures.get(conversation);
    const failed = failure === undefined ? "" : `\n### The turn failed\n\n> ${escaped(failure, 2000)}\n`;
    const text = open.committed + streaming + failed;
    return this.documents.set(`/${encodeURIComponent(conversation)}.md`, text || "This conversation is empty.\n");
  }
}
