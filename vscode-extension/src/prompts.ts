/**
 * Prompts in the editor: notifications with buttons for approvals, a list for choices, a box for text and secrets.
 *
 * Only an explicit choice is sent to the server. Dismissing anything leaves the prompt in the list of pending prompts.
 */
import * as vscode from "vscode";
import { decisions, remembering, sides, summary, toast } from "./describe";
import { PromptDocuments } from "./diff";
import type { VirtualDocuments } from "./documents";
import { PromptEdits } from "./edits";
import { type Asked, enterText, pickOption } from "./inputs";
import { PendingPrompts } from "./pending";
import type { PromptAnswer, PromptParams } from "./protocol";
import { notificationText } from "./text";

interface Choice extends vscode.MessageItem {
  readonly rare?: boolean;
  readonly choose: () => void | Promise<void>;
}

export class Prompts {
  readonly pending = new PendingPrompts();
  private readonly toasts = new Map<string, PromptParams>();
  private readonly asked = new Map<string, Asked<unknown>>();
  private readonly shownDocuments: PromptDocuments;
  private readonly edits = new PromptEdits();
  /** Boxes replace one another, so one waits for the other. */
  private boxes: Promise<void> = Promise.resolve();

  constructor(
    documents: VirtualDocuments,
    private readonly log: (line: string) => void,
  ) {
    this.shownDocuments = new PromptDocuments(documents);
    this.pending.onGone((prompt) => void this.withdraw(prompt));
  }

  /** Serves `jp/prompt`: resolves when a person has decided, with `null` when that happened elsewhere or not at all. */
  ask(prompt: PromptParams, token: vscode.CancellationToken): Promise<PromptAnswer | null> {
    const answer = this.pending.add(prompt);
    token.onCancellationRequested(() => this.pending.resolved(prompt.id));
    void this.show(prompt, true);
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

  /** Every way to decide one prompt, with those that have no place in a notification. */
  async menu(prompt: PromptParams): Promise<void> {
    const items: (vscode.QuickPickItem & { choose: () => void | Promise<void> })[] = this.choices(prompt).map(
      ({ title, choose }) => ({ label: title.replaceAll("$(", "$ ("), choose }),
    );
    for (const { title, answer } of remembering(prompt)) {
      items.push({ label: title.replaceAll("$(", "$ ("), choose: () => this.answer(prompt, answer) });
    }
    if (decisions(prompt).some(({ id }) => id === "reject"))
      items.push({ label: "Reject with a reason…", choose: () => this.rejectWithReason(prompt) });
    const picked = await vscode.window.showQuickPick(items, { title: summary(prompt), ignoreFocusOut: true });
    await picked?.choose();
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

  private choices(prompt: PromptParams): Choice[] {
    const boolean = prompt.question?.answerType.type === "boolean";
    const choices = decisions(prompt).flatMap(({ id, title }): Choice[] => {
      switch (id) {
        case "answer":
          if (!boolean) return [{ title, choose: () => this.show(prompt) }];
          return [
            { title: "Yes", choose: () => this.answer(prompt, { action: "answer", value: true }) },
            { title: "No", choose: () => this.answer(prompt, { action: "answer", value: false }) },
          ];
        case "edit":
          return [{ title, rare: prompt.kind === "run", choose: () => this.edits.start(prompt) }];
        default:
          return [{ title, choose: () => this.answer(prompt, { action: id }) }];
      }
    });
    const title = sides(prompt) === undefined ? "Show Details" : "Show Diff";
    choices.push({ title, choose: () => this.details(prompt) });
    return choices;
  }

  private async notify(prompt: PromptParams): Promise<void> {
    // A notification has room for four buttons; what else there is to do has its place in the menu.
    const hasMore = prompt.kind !== "question" || remembering(prompt).length > 0;
    const choices = this.choices(prompt).filter(({ rare }) => !rare);
    if (prompt.kind === "question" && hasMore) choices.pop();
    if (hasMore) choices.push({ title: "More…", choose: () => this.menu(prompt) });
    this.toasts.set(prompt.id, prompt);
    const loosens = (prompt.delta?.loosens.length ?? 0) > 0;
    const message = toast(prompt);
    const picked = loosens
      ? await vscode.window.showWarningMessage(message, ...choices)
      : await vscode.window.showInformationMessage(message, ...choices);
    if (this.toasts.get(prompt.id) === prompt) this.toasts.delete(prompt.id);
    await picked?.choose();
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
    if (reason !== undefined) this.answer(prompt, { action: "reject", ...(reason === "" ? {} : { reason }) });
  }

  private async withdraw(prompt: PromptParams): Promise<void> {
    this.asked.get(prompt.id)?.close();
    if (this.toasts.get(prompt.id) === prompt) {
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
