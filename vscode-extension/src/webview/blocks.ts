/** The blocks of a conversation: each an article, and each text that is long with its beginning only. */
import type { Folded, PageBlock, PageCall, Part } from "../messages";
import { append, button, element } from "./dom";
import { showMarkdown } from "./markdown";

/** What a block asks of the extension. */
export interface Asking {
  unfold(at: number, part: Part): void;
  openText(at: number, part: Part): void;
}

const STATES: Record<PageCall["state"], string> = {
  deciding: "being decided",
  waiting: "waits for you",
  running: "running",
  open: "not finished",
  done: "finished",
  failed: "failed",
  refused: "not run",
};

/** A state is a sign and a word: neither colour nor sign alone says it. */
const SIGNS: Record<PageCall["state"], string> = {
  deciding: "…",
  waiting: "?",
  running: "▶",
  open: "·",
  done: "✓",
  failed: "✗",
  refused: "⊘",
};

const NAMES = {
  user: "You",
  assistant: "Assistant",
  reasoning: "Reasoning",
  data: "Assistant's data",
  change: "Config changed for this conversation",
} as const;

/** A block that is shown, and can become another state of itself. */
export class ShownBlock {
  readonly element: HTMLElement;
  /** Where the prompt of a call stands. */
  readonly slot: HTMLElement = element("div", { class: "slot" });
  private words: HTMLElement | undefined;
  private written = "";
  private readonly unfolded = new Map<Part, string>();
  private frame = 0;

  constructor(
    private block: PageBlock,
    readonly at: number,
    private readonly asking: Asking,
  ) {
    this.element = element("article", { class: `entry ${block.kind}` });
    this.build();
  }

  get callId(): string | undefined {
    return this.block.kind === "call" ? this.block.id : undefined;
  }

  /** Whether `next` is this block in another state. */
  continues(next: PageBlock): boolean {
    if (this.block.kind === "call") return next.kind === "call" && next.id === this.block.id;
    return next.kind === this.block.kind;
  }

  update(next: PageBlock): void {
    if (JSON.stringify(next) === JSON.stringify(this.block)) return;
    this.block = next;
    if (this.words !== undefined && next.kind === "assistant") this.write(next.text, next.isWriting);
    else this.build();
  }

  /** More words of an answer. */
  add(text: string): void {
    if (this.block.kind !== "assistant") return;
    this.block = { ...this.block, text: this.block.text + text };
    this.write(this.block.text, this.block.isWriting);
  }

  /** Shows all of a text. */
  unfold(part: Part, text: string): void {
    this.unfolded.set(part, text);
    this.build();
    this.element.querySelector<HTMLElement>(`[data-part="${part}"]`)?.focus();
  }

  private build(): void {
    const { block } = this;
    const isOpen = this.element.querySelector("details")?.open === true;
    const focused = this.slot.contains(document.activeElement) ? document.activeElement : null;
    this.element.replaceChildren();
    this.words = undefined;
    switch (block.kind) {
      case "user":
      case "data":
      case "change":
        this.head(NAMES[block.kind]);
        append(this.element, this.text(block.text, "text", block.kind === "user" ? "words" : "code"));
        break;
      case "assistant":
        this.head(NAMES.assistant);
        this.words = element("div", { class: "markdown" });
        this.element.appendChild(this.words);
        this.write(block.text, block.isWriting);
        break;
      case "reasoning": {
        const summary = element("summary", {}, NAMES.reasoning);
        this.element.setAttribute("aria-label", NAMES.reasoning);
        append(
          this.element,
          element("details", { open: isOpen }, summary, element("p", { class: "plain" }, block.text)),
        );
        break;
      }
      case "note":
        this.element.setAttribute("aria-label", block.isError ? "Error" : "Note");
        this.element.classList.toggle("error", block.isError);
        append(this.element, element("p", { class: "plain" }, block.text));
        break;
      case "call":
        this.call(block);
        break;
    }
    // Whoever is about to decide about a call is not disturbed by what becomes of it.
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }

  private head(name: string): void {
    this.element.setAttribute("aria-label", name);
    append(this.element, element("h2", {}, name));
  }

  private call(block: PageCall): void {
    const { tool, state, isEdited, asked, result, decision } = block;
    const words = STATES[state];
    this.element.setAttribute("aria-label", `Call of ${tool}, ${words}`);
    this.element.dataset["state"] = state;
    const sign = element("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state]);
    const name = element("span", { class: "tool" }, tool);
    append(this.element, element("h2", {}, sign, name, element("span", { class: "state" }, words)));
    if (isEdited) append(this.element, element("p", { class: "hint" }, "With arguments that you edited:"));
    if (block.arguments.text !== "") append(this.element, this.text(block.arguments, "arguments", "code"));
    for (const { question, answer } of asked) {
      const answered = answer === undefined ? undefined : element("span", { class: "answer" }, ` ${answer}`);
      append(this.element, element("p", { class: "plain asked" }, question, answered));
    }
    this.element.appendChild(this.slot);
    if (decision !== "") append(this.element, element("p", { class: "hint" }, decision));
    if (result !== undefined) {
      append(
        this.element,
        element("h3", {}, state === "failed" ? "Error" : "Result"),
        result.text.trim() === "" && result.lines === undefined
          ? element("p", { class: "hint" }, "Nothing.")
          : this.text(result, "result", "code"),
      );
    }
  }

  /** A text that is folded when it is long. */
  private text(folded: Folded, part: Part, look: "words" | "code"): HTMLElement {
    const all = this.unfolded.get(part);
    const isWhole = folded.lines === undefined;
    const box = element(
      "div",
      { class: `text ${look}${all === undefined ? "" : " all"}`, "data-part": part, tabindex: "0", role: "group" },
      all ?? folded.text,
    );
    box.setAttribute("aria-label", part === "text" ? "text" : part);
    if (isWhole) return box;
    const lines = `${folded.lines?.toLocaleString("en")} ${folded.lines === 1 ? "line" : "lines"}`;
    const fold = (): void => {
      this.unfolded.delete(part);
      this.build();
    };
    const more =
      all === undefined
        ? button({ class: "link" }, () => this.asking.unfold(this.at, part), `Show all ${lines}`)
        : button({ class: "link" }, fold, "Show less");
    const open = button({ class: "link" }, () => this.asking.openText(this.at, part), "Open in an editor");
    return element("div", {}, box, element("p", { class: "fold" }, more, open));
  }

  /** Words come faster than they can be shown, so they are shown once a frame. */
  private write(text: string, isWriting: boolean): void {
    this.element.classList.toggle("writing", isWriting);
    const show = (): void => {
      this.frame = 0;
      if (this.words === undefined || this.block.kind !== "assistant" || this.written === this.block.text) return;
      this.written = this.block.text;
      showMarkdown(this.words, this.written);
    };
    this.written = this.words?.hasChildNodes() ? this.written : "";
    if (isWriting && text.length > 2000) this.frame ||= requestAnimationFrame(show);
    else show();
  }
}
