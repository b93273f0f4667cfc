/**
 * The prompts that wait for a decision.
 *
 * Dismissing a view of a prompt decides nothing: it stays here until it is answered here, answered elsewhere or dropped.
 */
import type { ActionId, PromptAnswer, PromptParams } from "./protocol";

interface Waiting {
  readonly prompt: PromptParams;
  readonly settle: (answer: PromptAnswer | null) => void;
}

/** Why a prompt waits no more: what was decided, or that nothing was. */
export type Gone = ActionId | "withdrawn" | "dropped" | "superseded";

const ACTIONS: ReadonlySet<string> = new Set<ActionId>(["approve", "reject", "edit", "answer", "cancel"]);

export class PendingPrompts {
  private readonly waiting = new Map<string, Waiting>();
  private readonly changed = new Set<() => void>();
  private readonly gone = new Set<(prompt: PromptParams, how: Gone) => void>();

  /** The prompts in the order in which they came. */
  list(): readonly PromptParams[] {
    return [...this.waiting.values()].map(({ prompt }) => prompt);
  }

  get(id: string): PromptParams | undefined {
    return this.waiting.get(id)?.prompt;
  }

  /** Adds a prompt; the promise is what the server is told, `null` when nothing was decided here. */
  add(prompt: PromptParams): Promise<PromptAnswer | null> {
    this.remove(prompt.id, null, "superseded");
    return new Promise((settle) => {
      this.waiting.set(prompt.id, { prompt, settle });
      this.notify();
    });
  }

  /** Answers a prompt. False when it waits no more, or when `digest` is another prompt's: then nothing happens. */
  answer(id: string, digest: string, answer: PromptAnswer): boolean {
    if (this.waiting.get(id)?.prompt.digest !== digest) return false;
    return this.remove(id, answer, answer.action);
  }

  /** Takes away a prompt that was decided or withdrawn elsewhere; `action` is what the server says of it. */
  resolved(id: string, action = "withdrawn"): boolean {
    return this.remove(id, null, ACTIONS.has(action) ? (action as ActionId) : "withdrawn");
  }

  /** Takes away every prompt, and says how many there were. */
  drop(): number {
    const ids = [...this.waiting.keys()];
    for (const id of ids) this.remove(id, null, "dropped");
    return ids.length;
  }

  onChanged(listener: () => void): void {
    this.changed.add(listener);
  }

  onGone(listener: (prompt: PromptParams, how: Gone) => void): void {
    this.gone.add(listener);
  }

  private remove(id: string, answer: PromptAnswer | null, how: Gone): boolean {
    const waiting = this.waiting.get(id);
    if (waiting === undefined) return false;
    this.waiting.delete(id);
    waiting.settle(answer);
    for (const listener of this.gone) listener(waiting.prompt, how);
    this.notify();
    return true;
  }

  private notify(): void {
    for (const listener of this.changed) listener();
  }
}
