/** Conversations: which there are, which run, and what happened in those that run, for whoever opens one. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { messageOf } from "./log";
import type { Panels } from "./panels";
import { type ConversationEvent, type ConversationSummary, type NamedWorkspace, request } from "./protocol";
import { notificationText } from "./text";

/** What the editor calls the tab of a conversation; it brings it back under this name when the window is reloaded. */
export const VIEW = "jp.conversation";

/** How a turn ended before its time. */
export interface Broken {
  readonly outcome: "cancelled" | "failed";
  readonly error: string | undefined;
}

export class Conversations implements vscode.Disposable {
  readonly running = new Set<string>();
  /** What happened in the turns that run, since a tab that opens has to know what it has not seen. */
  private readonly happened = new Map<string, ConversationEvent[]>();
  /** The last turns that ended before their time; the recorded conversation does not say. */
  private readonly broken = new Map<string, Broken>();
  private summaries: readonly ConversationSummary[] = [];
  private panels: Panels | undefined;
  private loading: Promise<Panels> | undefined;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;

  constructor(
    readonly client: () => BaseLanguageClient | undefined,
    private readonly log: (line: string) => void,
    /** Loads what shows conversations, which nobody pays for before one is opened. */
    private readonly load: (conversations: Conversations) => Promise<Panels>,
  ) {}

  list(): readonly ConversationSummary[] {
    return this.summaries;
  }

  /** What a conversation is called. */
  title(conversation: string): string | undefined {
    return this.summaries.find(({ id }) => id === conversation)?.title ?? undefined;
  }

  /** The workspaces that hold a conversation: one, unless several share a name and an id. */
  places(conversation: string): readonly NamedWorkspace[] {
    const all = this.summaries.filter(({ id }) => id === conversation);
    // One of `jp`'s may have come with a workspace.
    const own = all.filter(({ keeper }) => keeper === "jp-lsp");
    const held = own.length > 0 ? own : all;
    const places = new Map(held.map(({ workspace, workspaceName }) => [workspace, workspaceName ?? ""]));
    return [...places].flatMap(([uri, name]) => (uri === undefined ? [] : [{ uri, name }]));
  }

  /** What happened in the turn of a conversation that runs. */
  soFar(conversation: string): readonly ConversationEvent[] {
    return this.happened.get(conversation) ?? [];
  }

  /** How the last turn of a conversation ended, if that was before its time. */
  brokenOff(conversation: string): Broken | undefined {
    return this.broken.get(conversation);
  }

  /** A turn runs from here on. */
  started(conversation: string): void {
    this.running.add(conversation);
    this.broken.delete(conversation);
    this.panels?.refresh(conversation);
    void this.reload();
  }

  /** Serves `jp/conversation/event`. */
  event(conversation: string, event: ConversationEvent): void {
    if (event.type === "turn_start") {
      this.happened.set(conversation, []);
      if (!this.running.has(conversation)) this.started(conversation);
    }
    this.note(conversation, event);
    if (event.type === "chat_response") void vscode.commands.executeCommand("setContext", "jp.hasAsked", true);
    if (event.type === "turn_end") this.ended(conversation, event);
    this.panels?.event(conversation, event);
  }

  /** The server is gone, and every turn with it. */
  stopped(): void {
    const running = [...this.running];
    this.running.clear();
    this.happened.clear();
    for (const conversation of running) this.panels?.stopped(conversation);
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
      this.panels?.renamed();
    } catch (error) {
      this.log(`conversations could not be listed: ${messageOf(error)}`);
    }
  }

  /** The server runs again: what is shown may be another by now. */
  async restarted(): Promise<void> {
    await this.reload();
    await this.panels?.readAgain();
  }

  /** Opens a conversation in its tab; the focus stays where it is, unless it is to go to the box or to what waits. */
  async show(conversation: string, focus?: "box" | "prompt"): Promise<void> {
    await (await this.loaded()).show(conversation, focus);
  }

  /** Opens a tab for a conversation that begins, in this workspace, with what is said there. */
  async compose(workspace?: NamedWorkspace): Promise<void> {
    (await this.loaded()).compose(workspace);
  }

  /** Puts a text into the box of the conversation in view, or into that of a new one. */
  async insert(text: string): Promise<void> {
    (await this.loaded()).insert(text);
  }

  /** Fills a tab that the editor has brought back. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    await (await this.loaded()).restore(panel, state);
  }

  /** Whether the person looks at a conversation. */
  isInView(conversation: string): boolean {
    return this.panels?.isActive(conversation) === true;
  }

  /** A conversation is no more. */
  forget(conversation: string): void {
    this.broken.delete(conversation);
    this.panels?.close(conversation);
  }

  /** What waits for a decision is another than before. */
  promptsChanged(): void {
    this.panels?.refresh();
  }

  dispose(): void {
    this.panels?.dispose();
    this.changes.dispose();
  }

  private loaded(): Promise<Panels> {
    this.loading ??= this.load(this).then((panels) => {
      this.panels = panels;
      return panels;
    });
    return this.loading;
  }

  private note(conversation: string, event: ConversationEvent): void {
    const happened = this.happened.get(conversation);
    if (happened === undefined) return;
    const last = happened.at(-1);
    if (last?.type === event.type && event.type === "delta_text") {
      happened[happened.length - 1] = { ...last, text: `${last.text ?? ""}${event.text ?? ""}` };
    } else happened.push(event);
  }

  private ended(conversation: string, { outcome, error }: ConversationEvent): void {
    this.running.delete(conversation);
    this.happened.delete(conversation);
    if (outcome === "failed" || outcome === "cancelled") this.broken.set(conversation, { outcome, error });
    if (outcome === "failed" && !this.isInView(conversation)) this.failed(conversation, error);
    void this.reload();
  }

  private failed(conversation: string, reason = "no reason was given"): void {
    void vscode.window
      .showErrorMessage(`JP: the turn failed: ${notificationText(reason)}`, "Show Conversation")
      .then((picked) => (picked === undefined ? undefined : this.show(conversation, "box")));
  }
}
