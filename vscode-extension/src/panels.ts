/** The tabs of conversations: one a conversation, all in one column, each with what is on record and what happens. */
import * as vscode from "vscode";
import { type Conversations, VIEW } from "./conversations";
import type { VirtualDocuments } from "./documents";
import { messageOf } from "./log";
import { ConversationPanel, type Shown } from "./panel";
import type { Prompts } from "./prompts";
import { type ConversationEvent, type NamedWorkspace, request } from "./protocol";
import { oneLine } from "./text";
import { Transcript } from "./transcript";

interface Open {
  /** None before something was said. */
  id: string | undefined;
  /** Where it begins, if that is known before something was said. */
  workspace: NamedWorkspace | undefined;
  readonly panel: ConversationPanel;
  readonly transcript: Transcript;
  /** What happened while the record is on its way; none when it has arrived. */
  reading: ConversationEvent[] | undefined;
  /** The end of the record that was read; the answer may have overtaken what tells of it. */
  known: Set<string>;
  /** Whether what was said in it is on its way to the server. */
  isAsking: boolean;
}

export interface PanelParts {
  readonly extension: vscode.Uri;
  readonly conversations: Conversations;
  readonly prompts: Prompts;
  readonly texts: VirtualDocuments;
  readonly log: (line: string) => void;
}

export class Panels implements vscode.Disposable {
  private open: Open[] = [];

  constructor(private readonly parts: PanelParts) {}

  async show(conversation: string, focus?: "box" | "prompt"): Promise<void> {
    const known = this.of(conversation) ?? this.open.find(({ id, isAsking }) => id === undefined && isAsking);
    if (known === undefined) {
      const title = this.parts.conversations.title(conversation);
      const made = this.make(conversation, this.create(focus === undefined, title));
      if (focus !== undefined) made.panel.focusOn(focus);
      await this.read(made);
      return;
    }
    if (focus !== undefined) {
      known.panel.panel.reveal(undefined, false);
      known.panel.focusOn(focus);
    } else if (!known.panel.panel.visible) known.panel.panel.reveal(undefined, true);
    if (known.id === undefined) {
      known.id = conversation;
      await this.read(known);
    } else known.panel.changed(this.shown(known));
  }

  /** Opens a tab in which a conversation begins. */
  compose(workspace?: NamedWorkspace): void {
    const known = this.open.find(({ id }) => id === undefined);
    const empty = known ?? this.make(undefined, this.create(false, titleOfNew(workspace)));
    empty.workspace = workspace;
    if (known !== undefined) known.panel.panel.reveal(undefined, false);
    empty.panel.changed(this.shown(empty));
    empty.panel.focusOn("box");
  }

  /** Puts a text into the box of the tab in view; where none is, a conversation begins with it. */
  insert(text: string): void {
    let inView = this.open.find(({ panel }) => panel.panel.visible);
    if (inView === undefined) {
      this.compose();
      inView = this.open.find(({ id }) => id === undefined);
    }
    inView?.panel.panel.reveal(undefined, false);
    inView?.panel.insert(text);
  }

  /** Fills a tab that the editor has brought back; the page brings its own draft. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const conversation = (state as { conversation?: unknown } | undefined)?.conversation;
    await this.read(this.make(typeof conversation === "string" ? conversation : undefined, panel));
  }

  isActive(conversation: string): boolean {
    // A tab that was opened without the focus calls itself active all the same.
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    const isShown = input instanceof vscode.TabInputWebview && input.viewType.endsWith(VIEW);
    return isShown && this.of(conversation)?.panel.panel.active === true;
  }

  event(conversation: string, event: ConversationEvent): void {
    const open = this.of(conversation);
    if (open === undefined) return;
    if (open.reading !== undefined) open.reading.push(event);
    else {
      if (isKnown(open.known, event)) open.transcript.isRecorded();
      else open.transcript.event(event);
      open.panel.changed(this.shown(open));
    }
  }

  stopped(conversation: string): void {
    const open = this.of(conversation);
    open?.transcript.stopped("The server stopped; this turn did not end.");
    this.refresh(conversation);
  }

  /** Something beside the transcript is another than before, of one conversation or of all. */
  refresh(conversation?: string): void {
    for (const open of this.open) {
      if (conversation === undefined || open.id === conversation) open.panel.changed(this.shown(open));
    }
  }

  close(conversation: string): void {
    this.of(conversation)?.panel.panel.dispose();
  }

  renamed(): void {
    this.refresh();
  }

  async readAgain(): Promise<void> {
    await Promise.all(this.open.map((open) => this.read(open)));
  }

  dispose(): void {
    for (const { panel } of this.open) panel.dispose();
  }

  private of(conversation: string): Open | undefined {
    return this.open.find(({ id }) => id === conversation);
  }

  /** A tab in the column in which conversations are; only one that is asked for takes the focus. */
  private create(preserveFocus: boolean, title = titleOfNew()): vscode.WebviewPanel {
    const viewColumn = this.open.find(({ panel }) => panel.panel.viewColumn)?.panel.panel.viewColumn;
    const column = { viewColumn: viewColumn ?? vscode.ViewColumn.Beside, preserveFocus };
    return vscode.window.createWebviewPanel(VIEW, oneLine(title, 40), column, {
      enableScripts: true,
      enableFindWidget: true,
    });
  }

  private make(id: string | undefined, webview: vscode.WebviewPanel): Open {
    const { extension, prompts, texts, log } = this.parts;
    const transcript = new Transcript();
    const open: Open = {
      id,
      workspace: undefined,
      transcript,
      reading: undefined,
      known: new Set(),
      isAsking: false,
      panel: new ConversationPanel(
        webview,
        extension,
        { id, title: titleOfNew(), transcript, isRunning: false, mayContinue: false },
        prompts,
        {
          say: (text) => this.say(open, text),
          stop: (conversation) => this.stop(conversation),
          interrupt: async (conversation) => {
            await vscode.commands.executeCommand("jp.interrupt", { id: conversation });
          },
          readEarlier: () => this.readEarlier(open),
        },
        texts,
        log,
      ),
    };
    webview.onDidDispose(() => {
      open.panel.dispose();
      this.open = this.open.filter((it) => it !== open);
    });
    this.open.push(open);
    return open;
  }

  private shown({ id, workspace, transcript }: Open): Shown {
    const { conversations } = this.parts;
    const known = id === undefined ? undefined : conversations.title(id);
    return {
      id,
      title: known || transcript.firstQuestion() || (transcript.unread > 0 && id) || titleOfNew(workspace),
      transcript,
      isRunning: id !== undefined && conversations.running.has(id),
      mayContinue: id !== undefined && conversations.brokenOff(id) !== undefined,
    };
  }

  /** Shows what is on record, then what has happened since. */
  private async read(open: Open): Promise<void> {
    const { conversations, log } = this.parts;
    const client = conversations.client();
    const { id } = open;
    if (client === undefined || id === undefined || open.reading !== undefined) return;
    const before = [...conversations.soFar(id)];
    open.reading = [];
    try {
      const last = { conversation: id, last: AT_FIRST, markdown: false } as const;
      const { events, earlier } = await request(client, "jp/conversation/read", last);
      open.known = new Set(events.slice(-OVERTAKEN).map((event) => JSON.stringify(event)));
      open.transcript.load(events as ConversationEvent[], earlier);
      catchUp(open.transcript, events as ConversationEvent[], [...before, ...open.reading]);
      const broken = conversations.brokenOff(id);
      if (broken !== undefined) open.transcript.event({ type: "turn_end", ...broken } as ConversationEvent);
    } catch (error) {
      log(`conversation ${id} could not be read: ${messageOf(error)}`);
    } finally {
      open.reading = undefined;
    }
    open.panel.reset(this.shown(open));
  }

  /** Takes some of what was said before that which is here. */
  private async readEarlier({ id, transcript }: Open): Promise<void> {
    const client = this.parts.conversations.client();
    const before = transcript.unread;
    if (client === undefined || id === undefined || before === 0) return;
    const part = { conversation: id, before, last: AT_A_TIME, markdown: false } as const;
    const { events, earlier } = await request(client, "jp/conversation/read", part);
    // Meanwhile the end may have been read anew.
    if (transcript.unread === before) transcript.prepend(events as ConversationEvent[], earlier);
  }

  private async say(open: Open, text: string): Promise<boolean> {
    const { conversations } = this.parts;
    const client = conversations.client();
    if (open.id !== undefined && client !== undefined && conversations.running.has(open.id)) {
      const reply = { conversation: open.id, action: "stop_and_reply", text } as const;
      try {
        await request(client, "jp/query/interrupt", reply);
        return true;
      } catch (error) {
        // A turn that has ended meanwhile is answered by a turn of its own.
        if (conversations.running.has(open.id)) throw error;
      }
    }
    open.isAsking = true;
    try {
      const place = open.id === undefined && open.workspace !== undefined ? { workspace: open.workspace.uri } : {};
      const begun = await vscode.commands.executeCommand("jp.query", {
        text,
        conversation: open.id ?? "new",
        ...place,
      });
      return begun !== undefined;
    } finally {
      open.isAsking = false;
    }
  }

  private async stop(conversation: string): Promise<void> {
    const client = this.parts.conversations.client();
    if (client !== undefined) await request(client, "jp/query/cancel", { conversation });
  }
}

/** What a conversation is called in which nothing was said: where it begins, unless that is a folder of the editor. */
function titleOfNew(workspace?: NamedWorkspace): string {
  const isFolder = (uri: string): boolean =>
    vscode.workspace.workspaceFolders?.some((folder) => folder.uri.toString() === vscode.Uri.parse(uri).toString()) ===
    true;
  return workspace === undefined || isFolder(workspace.uri)
    ? "New conversation"
    : `New conversation in ${oneLine(workspace.name, 60)}`;
}

/** How many events are read when a conversation is opened, at least: more than what is shown of it at first. */
const AT_FIRST = 300;

/** How many events before them are read at a time, at least. */
const AT_A_TIME = 1000;

/** Events are recorded, or only happen. */
const TRANSIENT: ReadonlySet<string> = new Set(["delta_text", "retrying", "call_state", "usage", "turn_end"]);

/** How many events of the record may still have to be told. */
const OVERTAKEN = 50;

/** Whether what is told now was read before; what follows something new is new. */
function isKnown(known: Set<string>, event: ConversationEvent): boolean {
  if (known.size === 0 || TRANSIENT.has(event.type)) return false;
  if (known.delete(JSON.stringify(event))) return true;
  known.clear();
  return false;
}

/** Gives a transcript what happened and is not on record: each event once, in its order. */
export function catchUp(
  transcript: Transcript,
  recorded: readonly ConversationEvent[],
  happened: readonly ConversationEvent[],
): void {
  if (happened.length === 0) return;
  const last = new Set(recorded.slice(-happened.length).map((event) => JSON.stringify(event)));
  const isOnRecord = (event: ConversationEvent): boolean =>
    !TRANSIENT.has(event.type) && last.has(JSON.stringify(event));
  const known = happened.findLastIndex(isOnRecord);
  happened.forEach((event, index) => {
    // Words that were on their way before the last recorded event stand in it; what calls are doing does not.
    const counts =
      index > known || event.type === "usage" || (event.type === "call_state" && event["state"] !== "deciding");
    if (counts && !isOnRecord(event)) transcript.event(event);
  });
}
