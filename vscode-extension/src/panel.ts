/** The conversation in a tab of its own: it hears of blocks and prompts, and says what the person does. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageHtml } from "./document";
import type { VirtualDocuments } from "./documents";
import { messageOf } from "./log";
import type { FromPage, PageBlock, PageStatus, Part, ToPage } from "./messages";
import { pageBlock, pagePrompt, partOf } from "./page";
import { nameOf, type Prompts } from "./prompts";
import type { PromptParams } from "./protocol";
import { notificationText, oneLine } from "./text";
import type { Block, Transcript } from "./transcript";

/** How many blocks are shown at first. */
const WINDOW = 60;

/** How many more with a step back, at most: each step doubles what is shown, so that the beginning is not far. */
const MOST_MORE = 240;

/** How long changes are collected before the page hears of them. */
const FLUSH_MS = 30;

/** What a panel needs of the conversation that it shows. */
export interface Shown {
  /** None before something was said. */
  readonly id: string | undefined;
  readonly title: string;
  readonly transcript: Transcript;
  readonly isRunning: boolean;
  /** Whether the last turn ended before its time. */
  readonly mayContinue: boolean;
}

/** What a panel does on behalf of the person. */
export interface Acting {
  /** False when it was not taken, and the person knows why. */
  say(text: string): Promise<boolean>;
  stop(conversation: string): Promise<void>;
  interrupt(conversation: string): Promise<void>;
  /** Brings more of what was said before into the transcript. */
  readEarlier(): Promise<void>;
}

export class ConversationPanel implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[] = [];
  /** The place of the first block that the page shows. */
  private start = 0;
  /** The words of the last block that the page has. */
  private writing: { at: number; length: number } | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isReady = false;
  /** What goes into the box once the page is there. */
  private inserted: string[] = [];
  private focus: "box" | "prompt" | undefined;
  private status = "";
  private shownPrompts = "";
  /** The calls that waited when the page heard of prompts last. */
  private waited: ReadonlySet<string> = new Set();

  constructor(
    readonly panel: vscode.WebviewPanel,
    extension: vscode.Uri,
    private shown: Shown,
    private readonly prompts: Prompts,
    private readonly acting: Acting,
    private readonly texts: VirtualDocuments,
    private readonly log: (line: string) => void,
  ) {
    const dist = vscode.Uri.joinPath(extension, "dist");
    panel.webview.options = {
      enableScripts: true,
      enableCommandUris: false,
      enableForms: false,
      localResourceRoots: [dist],
    };
    const uriOf = (name: string): string => panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    this.subscriptions.push(
      panel.webview.onDidReceiveMessage((message: FromPage) => this.receive(message)),
      // Behind another tab there is no page; it is made anew, and says so, when it is shown again.
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.isReady = false;
      }),
    );
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(extension, name);
    panel.iconPath = { light: icon("icon.svg"), dark: icon("icon-dark.svg") };
    panel.webview.html = pageHtml({
      script: uriOf("webview.js"),
      style: uriOf("webview.css"),
      source: panel.webview.cspSource,
      nonce: randomBytes(24).toString("base64url"),
    });
  }

  get conversation(): string | undefined {
    return this.shown.id;
  }

  /** Takes the focus once the page is there. */
  focusOn(on: "box" | "prompt"): void {
    this.focus = on;
    if (this.isReady) this.takeFocus();
  }

  /** Puts a text behind what stands in the box, and the focus into it. */
  insert(text: string): void {
    this.inserted.push(text);
    this.focusOn("box");
  }

  /** Something about the conversation is another than before. */
  changed(shown: Shown): void {
    this.shown = shown;
    this.panel.title = oneLine(shown.title, 40);
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** All of the conversation is another than before. */
  reset(shown: Shown): void {
    this.shown = shown;
    this.panel.title = oneLine(shown.title, 40);
    if (this.isReady) this.showAll();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private post(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  private receive(message: FromPage): void {
    this.act(message).catch((error: unknown) => {
      this.log(`the conversation's page: ${messageOf(error)}`);
      void vscode.window.showErrorMessage(notificationText(`JP: ${messageOf(error)}`));
    });
  }

  private async act(message: FromPage): Promise<void> {
    const { id } = this.shown;
    switch (message.type) {
      case "ready":
        this.isReady = true;
        this.showAll();
        this.takeFocus();
        return;
      case "say":
        return this.say(message.text);
      case "continue":
        return this.say("Continue.");
      case "stop":
        return id === undefined ? undefined : this.acting.stop(id);
      case "interrupt":
        return id === undefined ? undefined : this.acting.interrupt(id);
      case "earlier":
        return this.showEarlier();
      case "unfold": {
        const text = this.textOf(message.at, message.part);
        if (text !== undefined) this.post({ type: "unfolded", at: message.at, part: message.part, text });
        return;
      }
      case "openText":
        return this.openText(message.at, message.part);
      case "choose":
      case "answer":
      case "openRule":
        return this.decide(message);
    }
  }

  private async say(text: string): Promise<void> {
    if (typeof text !== "string" || text.trim() === "") return;
    let isTaken = false;
    try {
      isTaken = await this.acting.say(text);
    } finally {
      // What was written is not lost.
      if (!isTaken) this.post({ type: "refused", text });
    }
  }

  private async decide(message: Extract<FromPage, { type: "choose" | "answer" | "openRule" }>): Promise<void> {
    const prompt = this.prompts.pending.get(message.id);
    if (prompt === undefined || prompt.conversation !== this.shown.id) return;
    if (message.type === "openRule") return openRule(prompt);
    if (prompt.digest !== message.digest) return;
    if (message.type === "answer") this.prompts.answerText(prompt, message.value);
    else await this.prompts.choose(prompt, message.choice, message.reason);
  }

  private textOf(at: number, part: Part): string | undefined {
    const { transcript } = this.shown;
    return partOf(transcript.blocks()[at - transcript.first], part);
  }

  private async openText(at: number, part: Part): Promise<void> {
    const text = this.textOf(at, part);
    if (text === undefined) return;
    const name = `/${encodeURIComponent(this.shown.id ?? "new")}/${at}-${part}.txt`;
    await vscode.window.showTextDocument(this.texts.set(name, text), { preview: true });
  }

  private showAll(): void {
    const { transcript, title } = this.shown;
    const blocks = transcript.blocks();
    transcript.changes();
    const skipped = Math.max(0, blocks.length - WINDOW);
    this.start = transcript.first + skipped;
    this.post({
      type: "reset",
      conversation: this.shown.id,
      title,
      start: this.start,
      hasEarlier: this.hasEarlier(),
      blocks: this.pageBlocks(blocks.slice(skipped)),
      history: transcript.questions(50),
    });
    this.noteWriting(blocks);
    this.shownPrompts = this.status = "";
    this.showPrompts();
    this.showStatus();
  }

  private async showEarlier(): Promise<void> {
    const { transcript } = this.shown;
    const more = Math.min(transcript.first + transcript.blocks().length - this.start, MOST_MORE);
    try {
      if (transcript.unread > 0 && this.start - more < transcript.first) await this.acting.readEarlier();
    } finally {
      const { first } = transcript;
      const before = Math.max(first, this.start - more);
      const blocks = this.pageBlocks(transcript.blocks().slice(before - first, this.start - first));
      this.start = before;
      this.post({ type: "earlier", start: before, hasEarlier: this.hasEarlier(), blocks });
    }
  }

  /** Whether there is something before what the page shows. */
  private hasEarlier(): boolean {
    const { first, unread } = this.shown.transcript;
    return this.start > first || unread > 0;
  }

  private pageBlocks(blocks: readonly Block[]): readonly PageBlock[] {
    const waiting = this.waiting();
    return blocks.map((block) => pageBlock(block, waiting));
  }

  private flush(): void {
    this.timer = undefined;
    if (!this.isReady) return;
    this.showTail();
    this.showPrompts();
    this.showStatus();
  }

  private showTail(): void {
    const { transcript } = this.shown;
    const blocks = transcript.blocks();
    const { first } = transcript;
    const from = Math.max(this.start, transcript.changes());
    const end = first + blocks.length;
    if (from > end) return;
    const last = blocks[blocks.length - 1];
    const { writing } = this;
    // Words that follow words are all that goes over.
    if (last?.kind === "assistant" && last.isWriting && writing?.at === end - 1 && from >= writing.at) {
      this.post({ type: "words", at: writing.at, text: last.text.slice(writing.length) });
    } else this.post({ type: "tail", from, blocks: this.pageBlocks(blocks.slice(from - first)) });
    this.noteWriting(blocks);
  }

  private noteWriting(blocks: readonly Block[]): void {
    const last = blocks[blocks.length - 1];
    const isWriting = last?.kind === "assistant" && last.isWriting;
    const at = this.shown.transcript.first + blocks.length - 1;
    this.writing = isWriting ? { at, length: last.text.length } : undefined;
  }

  private showPrompts(): void {
    const prompts = this.own().map((prompt) => pagePrompt(prompt, nameOf));
    const now = JSON.stringify(prompts.map(({ id, digest }) => [id, digest]));
    if (now === this.shownPrompts) return;
    this.shownPrompts = now;
    // The call that waits says so itself, and so does the one that waits no more.
    const { transcript } = this.shown;
    const waits = this.waiting();
    const concerned = new Set([...waits, ...this.waited]);
    this.waited = waits;
    const shown = transcript.blocks().slice(this.start - transcript.first);
    const open = shown.findIndex((block) => block.kind === "call" && !block.isClosed && concerned.has(block.id));
    if (open >= 0) {
      this.post({ type: "tail", from: this.start + open, blocks: this.pageBlocks(shown.slice(open)) });
    }
    this.post({ type: "prompts", prompts });
  }

  private showStatus(): void {
    const { transcript, isRunning, mayContinue } = this.shown;
    const waits = this.own().length;
    const status: PageStatus = {
      text: statusText(transcript, isRunning, waits),
      isRunning,
      mayContinue: mayContinue && !isRunning,
      usage: transcript.fill,
    };
    const now = JSON.stringify(status);
    if (now === this.status) return;
    this.status = now;
    this.post({ type: "status", status });
  }

  private takeFocus(): void {
    for (const text of this.inserted.splice(0)) this.post({ type: "insert", text });
    if (this.focus !== undefined) this.post({ type: "focus", on: this.focus });
    this.focus = undefined;
  }

  private own(): readonly PromptParams[] {
    return this.prompts.pending.list().filter(({ conversation }) => conversation === this.shown.id);
  }

  private waiting(): ReadonlySet<string> {
    return new Set(this.own().map(({ tool }) => tool.callId));
  }
}

/** What goes on, in one line. */
export function statusText(transcript: Transcript, isRunning: boolean, waits: number): string {
  if (waits > 0) return waits === 1 ? "Waits for your decision" : `${waits} prompts wait for your decision`;
  if (!isRunning) return "";
  if (transcript.retrying !== "") return oneLine(transcript.retrying, 200);
  const blocks = transcript.blocks();
  const running = blocks.flatMap((block) => (block.kind === "call" && block.state === "running" ? [block.tool] : []));
  if (running.length > 0) return `Running ${oneLine([...new Set(running)].join(", "), 80)}`;
  const last = blocks[blocks.length - 1];
  return last?.kind === "assistant" && last.isWriting ? "The assistant writes" : "Waiting for the model";
}

/** Shows the rule that made a call ask. */
async function openRule({ rule }: PromptParams): Promise<void> {
  if (rule === undefined) return;
  const { start, end } = rule.range as { start: vscode.Position; end: vscode.Position };
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  await vscode.window.showTextDocument(vscode.Uri.parse(rule.uri), { selection, viewColumn: vscode.ViewColumn.One });
}
