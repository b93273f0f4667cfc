/** The box to say something in: Enter sends, Shift+Enter breaks the line, the arrow keys bring back what was said before. */
import type { PageStatus } from "../messages";
import { part } from "./dom";

export class Composer {
  private readonly box = part("box", HTMLTextAreaElement);
  private readonly sendButton = part("send", HTMLButtonElement);
  private history: readonly string[] = [];
  /** Which of the history is in the box; its length stands for what is being written. */
  private place = 0;
  private draft = "";

  constructor(
    private readonly say: (text: string) => void,
    private readonly changed: (draft: string) => void,
  ) {
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => {
      this.place = this.history.length;
      this.edited();
    });
    this.sendButton.addEventListener("click", () => this.send());
  }

  get text(): string {
    return this.box.value;
  }

  set text(text: string) {
    this.box.value = text;
    this.edited();
  }

  /** Puts a text behind what stands there, and the caret before it, where the question is written. */
  add(text: string): void {
    const before = this.text.trimEnd();
    this.text = `${before}\n\n${text}`;
    this.box.setSelectionRange(before.length, before.length);
    this.box.scrollTop = 0;
  }

  focus(): void {
    this.box.focus();
  }

  /** Whether it has the focus, and nothing is being written. */
  isIdle(): boolean {
    return document.activeElement === this.box && this.box.value === "";
  }

  remember(history: readonly string[]): void {
    this.history = history;
    this.place = history.length;
  }

  /** What sending does depends on whether a turn runs. */
  show({ isRunning }: PageStatus): void {
    this.sendButton.textContent = isRunning ? "Stop and Reply" : "Send";
  }

  private edited(): void {
    this.box.style.height = "auto";
    this.box.style.height = `${Math.min(this.box.scrollHeight + 2, 240)}px`;
    this.changed(this.box.value);
  }

  private send(): void {
    const text = this.box.value;
    if (text.trim() === "") {
      this.focus();
      return;
    }
    this.history = [...this.history, text];
    this.place = this.history.length;
    this.text = "";
    this.say(text);
    this.focus();
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "ArrowUp" && this.isOnFirstLine()) this.recall(-1, event);
    else if (event.key === "ArrowDown" && this.isOnLastLine()) this.recall(1, event);
  }

  private isOnFirstLine(): boolean {
    return !this.box.value.slice(0, this.box.selectionStart).includes("\n");
  }

  private isOnLastLine(): boolean {
    return !this.box.value.slice(this.box.selectionEnd).includes("\n");
  }

  private recall(step: -1 | 1, event: KeyboardEvent): void {
    const next = this.place + step;
    if (next < 0 || next > this.history.length) return;
    event.preventDefault();
    if (this.place === this.history.length) this.draft = this.box.value;
    this.place = next;
    this.text = this.history[next] ?? this.draft;
    this.box.setSelectionRange(this.box.value.length, this.box.value.length);
  }
}
