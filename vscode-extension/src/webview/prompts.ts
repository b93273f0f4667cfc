/** The prompts that wait, each below its call: why it asks, what would happen, and the choices with their keys. */
import type { FromPage, PagePrompt } from "../messages";
import { append, button, element } from "./dom";

/** How long a prompt is there before a key decides it: somebody may be typing. */
const GUARD_MS = 600;

type Send = (message: FromPage) => void;

export class PromptCard {
  readonly element: HTMLElement;
  private readonly since = performance.now();
  private readonly choices: HTMLButtonElement[];

  constructor(
    readonly prompt: PagePrompt,
    private readonly send: Send,
    private readonly leave: () => void,
  ) {
    this.element = element("div", { class: "prompt", role: "group", tabindex: "-1" });
    this.choices = this.build();
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) {
        event.preventDefault();
        this.leave();
      }
    });
  }

  /** The first thing to decide with, which is the safe choice. */
  focus(): void {
    const field = this.element.querySelector<HTMLElement>("input, textarea");
    (field ?? this.choices[0] ?? this.element).focus();
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** Presses the choice of a key from 1 on; false when there is none. */
  press(key: number): boolean {
    if (performance.now() - this.since < GUARD_MS) return false;
    const choice = this.choices[key - 1];
    choice?.click();
    return choice !== undefined;
  }

  private build(): HTMLButtonElement[] {
    const { title, label, context, message, reason, preview, isCut, changes, loosens, id } = this.prompt;
    const heading = element("h3", { id: `prompt-${id}` }, title);
    this.element.setAttribute("aria-labelledby", heading.id);
    append(this.element, heading);
    if (label !== undefined) append(this.element, element("p", { class: "plain" }, label));
    if (reason !== undefined) {
      const place = button({ class: "link place" }, () => this.send({ type: "openRule", id }), reason.place);
      append(this.element, element("p", { class: "reason" }, `${reason.text.replace(/^a/u, "A")} `, place));
    }
    if (context !== undefined) append(this.element, element("p", { class: "plain" }, context));
    if (message !== "") append(this.element, element("p", { class: "plain" }, message));
    if (preview !== undefined) append(this.element, preview.kind === "diff" ? diff(preview.text) : code(preview));
    if (isCut) append(this.element, element("p", { class: "hint" }, "This is not all of it: show the details first."));
    if (changes !== "") append(this.element, code({ kind: "arguments", text: changes }));
    if (loosens.length > 0) {
      const sentences = loosens.map((sentence) => element("li", {}, sentence));
      append(this.element, element("p", { class: "loosens" }, "This loosens what you have allowed:"));
      append(this.element, element("ul", { class: "loosens" }, ...sentences));
    }
    const field = this.prompt.input === undefined ? undefined : this.field(this.prompt.input);
    append(this.element, field);
    const choices = this.prompt.choices.map((choice, index) => this.choice(choice, index));
    append(this.element, element("div", { class: "choices", role: "group", "aria-label": title }, ...choices));
    const keys = Math.min(9, choices.length);
    const hint = keys > 1 ? `Keys 1 to ${keys} choose. Esc leaves it waiting.` : "Esc leaves it waiting.";
    append(this.element, element("p", { class: "hint" }, hint));
    return choices;
  }

  private choice({ title, effect }: PagePrompt["choices"][number], index: number): HTMLButtonElement {
    const { id, digest } = this.prompt;
    const key = index < 9 ? String(index + 1) : undefined;
    const badge = key === undefined ? [] : [element("kbd", { "aria-hidden": "true" }, key)];
    const run = (): void => {
      if (effect === "reason") this.askWhy(index);
      else this.send({ type: "choose", id, digest, choice: index });
    };
    // The first choice is the safe one.
    const look = index === 0 ? "primary" : "secondary";
    return button({ class: look, "aria-keyshortcuts": key }, run, ...badge, title);
  }

  private askWhy(choice: number): void {
    const open = this.element.querySelector<HTMLTextAreaElement>("textarea");
    if (open !== null) {
      open.focus();
      return;
    }
    const { id, digest } = this.prompt;
    const why = element("textarea", {
      rows: "2",
      "aria-label": "Why? The assistant reads this.",
      placeholder: "Why? The assistant reads this.",
    });
    const form = element("div", { class: "reasons" }, why);
    const give = (): void => this.send({ type: "choose", id, digest, choice, reason: why.value });
    append(form, button({ class: "primary" }, give, this.prompt.choices[choice]?.title.replace(/…$/u, "") ?? "Reject"));
    why.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        give();
      } else if (event.key === "Escape") {
        event.preventDefault();
        form.remove();
        this.choices[choice]?.focus();
      }
    });
    this.element.appendChild(form);
    why.focus();
  }

  /** What is typed as the answer; a secret is not shown, and kept nowhere. */
  private field(type: "text" | "secret"): HTMLElement {
    const { id, digest, title, initial } = this.prompt;
    const input = element("input", {
      type: type === "secret" ? "password" : "text",
      "aria-label": title,
      autocomplete: "off",
      spellcheck: "false",
    });
    input.value = initial;
    const answer = (): void => this.send({ type: "answer", id, digest, value: input.value });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      answer();
    });
    return element("div", { class: "field" }, input, button({ class: "primary" }, answer, "Answer"));
  }
}

function code({ kind, text }: { kind: string; text: string }): HTMLElement {
  const label = kind === "command" ? "command" : "what would happen";
  return element("div", { class: `text code ${kind}`, tabindex: "0", role: "group", "aria-label": label }, text);
}

/** A unified diff; the sign at its beginning says what a line is, and the colour says it once more. */
function diff(text: string): HTMLElement {
  const box = element("div", { class: "text code diff", tabindex: "0", role: "group", "aria-label": "changes" });
  for (const line of text.replace(/\n$/u, "").split("\n")) {
    const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
    append(box, element("div", { class: `line ${kind}` }, line === "" ? " " : line));
  }
  return box;
}
