/**
 * Prompts in the editor: notifications with buttons for approvals, a list for choices, a box for text and secrets.
 *
 * Only an explicit choice is sent to the server. Dismissing anything leaves the prompt in the list of pending prompts.
 */
import * as vscode from "vscode";
import { choicesOf, reasonOf, summary, toast } from "./describe";
import { PromptDocuments } from "./diff";
import type { VirtualDocuments } from "./documents";
import { PromptEdits } from "./edits";
import { type Asked, enterText, pickOption } from "./inputs";
import { PendingPrompts } from "./pending";
import type { PromptAnswer, PromptParams } from "./protocol";
import { labelText, notificationText, oneLine } from "./text";

interface Choice extends vscode.MessageItem {
  readonly choose: () => void | Promise<void>;
}

/** A file as the person knows it. */
export function nameOf(uri: string): string {
  return oneLine(vscode.workspace.asRelativePath(vscode.Uri.parse(uri), false), 200);
}

/** Why a prompt is asked, in one line; empty when no line of config says so. */
export function reasonLine(prompt: PromptParams): string {
  const reason = reasonOf(prompt, nameOf);
  return reason === undefined ? "" : `${reason.text} ${reason.place}`;
}

export class Prompts {
  readonly pending = new PendingPrompts();
  private readonly toasts = new Map<string, { prompt: PromptParams; message: string }>();
  private readonly asked = new Map<string, Asked<unknown>>();
  private readonly shownDocuments: PromptDocuments;
  private readonly edits = new PromptEdits();
  /** Boxes replace one another, so one waits for the other. */
  private boxes: Promise<void> = Promise.resolve();

  constructor(
    documents: VirtualDocuments,
    private readonly log: (line: string) => void,
    /** Whether the person looks at the conversation of a prompt, which shows it too. */
    private readonly isInView: (conversation: string) => boolean = () => false,
  ) {
    this.shownDocuments = new PromptDocuments(documents, reasonLine);
    this.pending.onGone((prompt) => void this.withdraw(prompt));
  }

  /** Serves `jp/prompt`: resolves when a person has decided, with `null` when that happened elsewhere or not at all. */
  ask(prompt: PromptParams, token: vscode.CancellationToken): Promise<PromptAnswer | null> {
    const answer = this.pending.add(prompt);
    token.onCancellationRequested(() => this.pending.resolved(prompt.id));
    if (!this.isInView(prompt.conversation)) void this.show(prompt, true);
    return answer;
  }

  /** Shows a pending prompt again. `guarded` says that it opens by itself. */
  async show(prompt: PromptParams, guarded = false): Promise<void> {
    try {
      const type = prompt.kind === "question" ? prompt.question?.answerType.type : undefined;
      if (type === "select" || type === "text" || type === "secret") await this.box(prompt, guarded);
      else await this.notify(prompt);
    } catch (error) {
      this.log(`prompt ${prompt.id} could not be shown: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Lets a person choose among the pending prompts, and then decide. */
  async open(): Promise<void> {
    const prompts = this.pending.list();
    const [only] = prompts;
    if (only === undefined) {
      void vscode.window.showInformationMessage("JP: no prompt waits for you.");
      return;
    }
    const items = prompts.map((prompt) => ({
      label: summary(prompt).replaceAll("$(", "$ ("),
      description: notificationText(prompt.tool.name, 60).replaceAll("$(", "$ ("),
      prompt,
    }));
    const picked =
      prompts.length === 1
        ? only
        : (await vscode.window.showQuickPick(items, { title: "Pending prompts", ignoreFocusOut: true }))?.prompt;
    if (picked !== undefined) await this.show(picked);
  }

  /** Every way to decide one prompt. */
  async menu(prompt: PromptParams): Promise<void> {
    const items = [
      ...this.choices(prompt).map(({ title, choose }) => ({ label: labelText(title), choose })),
      ...this.beside(prompt),
    ];
    const picked = await vscode.window.showQuickPick(items, { title: summary(prompt), ignoreFocusOut: true });
    await picked?.choose();
  }

  /** What may be done about a call beside deciding it; the prompt waits on. */
  private beside(prompt: PromptParams): { readonly label: string; readonly choose: () => Promise<void> }[] {
    const input = prompt.preview?.arguments;
    if (input === undefined || (prompt.kind !== "run" && prompt.kind !== "result")) return [];
    const example = { tool: prompt.tool.name, input, ...(prompt.kind === "result" ? { result: true } : {}) };
    const choose = async () => {
      await vscode.commands.executeCommand("jp.saveExample", example);
      if (this.pending.get(prompt.id) === prompt) void this.show(prompt);
    };
    return [{ label: "Save as Example…", choose }];
  }

  /** Does what a choice says, by its place; `reason` is what the person gives for it, where that was asked already. */
  async choose(prompt: PromptParams, index: number, reason?: string): Promise<void> {
    const effect = choicesOf(prompt)[index]?.effect;
    if (effect === undefined) return;
    if (typeof effect === "object") this.answer(prompt, effect.answer);
    else if (effect === "edit") await this.edits.start(prompt);
    else if (effect === "details") await this.details(prompt);
    else if (reason === undefined) await this.rejectWithReason(prompt);
    else this.reject(prompt, reason);
  }

  /** Answers a question with what was typed. */
  answerText(prompt: PromptParams, value: string): void {
    const type = prompt.question?.answerType.type;
    if (typeof value === "string" && (type === "text" || type === "secret")) {
      this.answer(prompt, { action: "answer", value });
    }
  }

  /** Shows what a prompt is about: the diff, or all its details. */
  details(prompt: PromptParams): Promise<void> {
    return this.shownDocuments.show(prompt);
  }

  /** Decides the prompt that a document shows, from the document's title bar. */
  decide(uri: vscode.Uri | undefined, action: "approve" | "reject"): void {
    const prompt = this.shownDocuments.promptOf(uri ?? activeUri());
    if (prompt === undefined) void vscode.window.showWarningMessage("JP: this prompt was already decided.");
    else this.answer(prompt, { action });
  }

  /** Approves what was edited in the active document. */
  approveEdited(uri: vscode.Uri | undefined): void {
    const edited = this.edits.answer(uri ?? activeUri());
    if (typeof edited === "string") void vscode.window.showErrorMessage(notificationText(`JP: ${edited}`));
    else this.answer(edited.prompt, edited.answer);
  }

  /** The server is gone: what it asked is refused on its side, and nothing may answer it later. */
  drop(): number {
    return this.pending.drop();
  }

  private answer(prompt: PromptParams, answer: PromptAnswer): void {
    if (!this.pending.answer(prompt.id, prompt.digest, answer)) {
      void vscode.window.showWarningMessage("JP: this prompt was already decided.");
    }
  }

  private choices(prompt: PromptParams): (Choice & { readonly isRare: boolean })[] {
    return choicesOf(prompt).map(({ title, effect }, index) => ({
      title: notificationText(title, 80),
      // What is edited or given a reason is rarely what somebody wants, unless there is nothing else to do.
      isRare:
        effect === "reason" ||
        (effect === "edit" && prompt.kind !== "edit") ||
        (typeof effect === "object" && (effect.answer.remember !== undefined || effect.answer.action === "always")),
      choose: () => this.choose(prompt, index),
    }));
  }

  private async notify(prompt: PromptParams): Promise<void> {
    // A notification has room for four buttons; what else there is to do has its place in the menu.
    const all = this.choices(prompt);
    const choices: Choice[] = all.filter(({ isRare }) => !isRare);
    if (choices.length < all.length) choices.push({ title: "More…", choose: () => this.menu(prompt) });
    const message = this.distinct(prompt, toast(prompt, reasonLine(prompt)));
    const shown = { prompt, message };
    this.toasts.set(prompt.id, shown);
    const loosens = (prompt.delta?.loosens.length ?? 0) > 0;
    const picked = loosens
      ? await vscode.window.showWarningMessage(message, ...choices)
      : await vscode.window.showInformationMessage(message, ...choices);
    if (this.toasts.get(prompt.id) === shown) this.toasts.delete(prompt.id);
    await picked?.choose();
  }

  /** Two prompts that wait never share a notification, even when they say the same: one would take the other's place. */
  private distinct({ id }: PromptParams, message: string): string {
    const others = new Set([...this.toasts].flatMap(([other, shown]) => (other === id ? [] : [shown.message])));
    let numbered = message;
    for (let number = 2; others.has(numbered); number += 1) numbered = `${message} (${number})`;
    return numbered;
  }

  private box(prompt: PromptParams, guarded: boolean): Promise<void> {
    const turn = this.boxes.then(async () => {
      if (this.pending.get(prompt.id) !== prompt) return;
      const select = prompt.question?.answerType.type === "select";
      const asked: Asked<unknown> = select ? pickOption(prompt, guarded) : enterText(prompt, guarded);
      this.asked.set(prompt.id, asked);
      const entered = await asked.answer;
      this.asked.delete(prompt.id);
      if (entered !== undefined) this.answer(prompt, { action: "answer", value: entered.value });
    });
    this.boxes = turn.catch(() => undefined);
    return turn;
  }

  private async rejectWithReason(prompt: PromptParams): Promise<void> {
    const reason = await vscode.window.showInputBox({
      title: summary(prompt),
      prompt: "Why? The assistant reads this.",
      ignoreFocusOut: true,
    });
    if (reason !== undefined) this.reject(prompt, reason);
  }

  private reject(prompt: PromptParams, reason: string): void {
    this.answer(prompt, { action: "reject", ...(reason.trim() === "" ? {} : { reason }) });
  }

  private async withdraw(prompt: PromptParams): Promise<void> {
    this.asked.get(prompt.id)?.close();
    if (this.toasts.get(prompt.id)?.prompt === prompt) {
      this.toasts.delete(prompt.id);
      // A notification cannot be closed by its extension; hidden, it stays in the centre, where its buttons do nothing.
      await vscode.commands.executeCommand("notifications.hideToasts");
    }
    await this.shownDocuments.close(prompt);
    await this.edits.close(prompt);
  }
}

function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}
