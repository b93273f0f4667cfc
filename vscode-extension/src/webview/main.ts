/** The page of one conversation: shows what the extension says, and says what the person does. */
import type { FromPage, PagePrompt, PageState, PageStatus, ToPage } from "../messages";
import { type Asking, ShownBlock } from "./blocks";
import { Composer } from "./composer";
import { append, button, element, part } from "./dom";
import { PromptCard } from "./prompts";

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): PageState | undefined;
  setState(state: PageState): void;
};

const editor = acquireVsCodeApi();
const send = (message: FromPage): void => editor.postMessage(message);

/** How near the end a reader is who wants to follow. */
const NEAR_END = 48;

/** How near the beginning a reader is who wants to see what came before. */
const NEAR_START = 200;

class Page {
  private readonly log = part("log", HTMLElement);
  private readonly waiting = part("waiting", HTMLElement);
  private readonly scroller = part("scroller", HTMLElement);
  private readonly announcer = part("announcer", HTMLElement);
  private readonly jump = part("jump", HTMLButtonElement);
  private readonly earlierButton = button(
    { class: "link", id: "earlier" },
    () => this.askForEarlier(),
    "Show earlier entries",
  );
  private conversation = editor.getState()?.conversation;
  private readonly composer = new Composer(
    (text) => send({ type: "say", text }),
    (draft) => this.keep(draft),
  );
  private blocks: ShownBlock[] = [];
  private cards: PromptCard[] = [];
  /** The place of the first block that is shown. */
  private start = 0;
  private hasEarlier = false;
  private asksForEarlier = false;
  private follows = true;
  /** Whether the person has just decided a prompt by keyboard. */
  private goesOn = false;
  /** Where the page itself has scrolled to. */
  private target = -1;
  private readonly asking: Asking = {
    unfold: (at, of) => send({ type: "unfold", at, part: of }),
    openText: (at, of) => send({ type: "openText", at, part: of }),
  };

  constructor() {
    this.composer.text = editor.getState()?.draft ?? "";
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.jump.addEventListener("click", () => this.toEnd());
    part("stop", HTMLButtonElement).addEventListener("click", () => send({ type: "stop" }));
    part("interrupt", HTMLButtonElement).addEventListener("click", () => send({ type: "interrupt" }));
    part("continue", HTMLButtonElement).addEventListener("click", () => send({ type: "continue" }));
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.settle()).observe(this.log);
    window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => this.receive(data));
    send({ type: "ready" });
  }

  private receive(message: ToPage): void {
    switch (message.type) {
      case "reset":
        this.conversation = message.conversation;
        this.keep(this.composer.text);
        document.title = message.title;
        part("title", HTMLElement).textContent = message.title;
        this.start = message.start;
        this.hasEarlier = message.hasEarlier;
        this.asksForEarlier = false;
        for (const block of this.blocks) block.element.remove();
        this.blocks = [];
        this.composer.remember(message.history);
        this.tail(message.start, message.blocks);
        this.follows = true;
        break;
      case "tail":
        this.tail(message.from, message.blocks);
        break;
      case "words":
        this.blocks[message.at - this.start]?.add(message.text);
        break;
      case "earlier":
        this.earlier(message);
        break;
      case "prompts":
        this.prompts(message.prompts);
        break;
      case "status":
        this.status(message.status);
        break;
      case "unfolded":
        this.follows = false;
        this.blocks[message.at - this.start]?.unfold(message.part, message.text);
        break;
      case "focus":
        this.focus(message.on);
        break;
      case "insert":
        this.composer.add(message.text);
        break;
      case "refused":
        if (this.composer.text === "") this.composer.text = message.text;
        break;
    }
    this.settle();
  }

  private tail(from: number, blocks: Extract<ToPage, { type: "tail" }>["blocks"]): void {
    const first = from - this.start;
    if (first < 0) return;
    for (const gone of this.blocks.splice(first + blocks.length)) gone.element.remove();
    blocks.forEach((block, index) => {
      const known = this.blocks[first + index];
      if (known?.continues(block)) {
        known.update(block);
        return;
      }
      const made = new ShownBlock(block, from + index, this.asking);
      if (known === undefined) this.log.appendChild(made.element);
      else known.element.replaceWith(made.element);
      this.blocks[first + index] = made;
    });
    this.showEarlierButton();
    this.place();
  }

  private earlier({ start, hasEarlier, blocks }: Extract<ToPage, { type: "earlier" }>): void {
    this.asksForEarlier = false;
    this.hasEarlier = hasEarlier;
    const made = blocks.map((block, index) => new ShownBlock(block, start + index, this.asking));
    const height = this.scroller.scrollHeight;
    const first = this.blocks[0]?.element ?? null;
    for (const { element: entry } of made) this.log.insertBefore(entry, first);
    this.blocks = [...made, ...this.blocks];
    this.start = start;
    this.showEarlierButton();
    // What the reader looks at stays where it is.
    this.scroller.scrollTop += this.scroller.scrollHeight - height;
  }

  private showEarlierButton(): void {
    this.earlierButton.remove();
    if (!this.hasEarlier) return;
    this.log.prepend(this.earlierButton);
  }

  private askForEarlier(): void {
    if (this.asksForEarlier || !this.hasEarlier) return;
    this.asksForEarlier = true;
    send({ type: "earlier" });
  }

  private prompts(prompts: readonly PagePrompt[]): void {
    const hadFocus = this.cards.some(({ element: card }) => card.contains(document.activeElement));
    const stays = (card: PromptCard): boolean =>
      prompts.some(({ id, digest }) => id === card.prompt.id && digest === card.prompt.digest);
    for (const card of this.cards) if (!stays(card)) card.element.remove();
    const known = this.cards.filter(stays);
    this.cards = prompts.map(
      (prompt) =>
        known.find(({ prompt: it }) => it.id === prompt.id && it.digest === prompt.digest) ??
        new PromptCard(prompt, send, () => this.composer.focus()),
    );
    this.place();
    const added = this.cards.filter((card) => !known.includes(card));
    if (added.length > 0) {
      this.announcer.replaceChildren();
      append(
        this.announcer,
        ...added.map(({ prompt: { title, reason } }) =>
          element("p", {}, `${title} ${reason === undefined ? "" : `${reason.text} ${reason.place}`}`),
        ),
      );
    }
    if (hadFocus && !this.cards.some(({ element: card }) => card.contains(document.activeElement))) {
      this.composer.focus();
      this.goesOn = true;
    }
    // Whoever decides one prompt by keyboard goes on with the next, unless they have begun to write.
    if (this.goesOn && this.cards[0] !== undefined) {
      this.goesOn = false;
      if (this.composer.isIdle()) this.cards[0].focus();
    }
  }

  /** Puts each prompt below its call; one without a call stands at the end. */
  private place(): void {
    for (const card of this.cards) {
      const call = this.blocks.findLast(({ callId }) => callId === card.prompt.callId);
      const home = call?.slot ?? this.waiting;
      if (card.element.parentElement === home) continue;
      const focused = card.element.contains(document.activeElement) ? document.activeElement : null;
      home.appendChild(card.element);
      if (focused instanceof HTMLElement) focused.focus();
    }
  }

  private status(status: PageStatus): void {
    part("status", HTMLElement).textContent = status.text;
    part("usage", HTMLElement).textContent = status.usage;
    part("stop", HTMLButtonElement).hidden = !status.isRunning;
    part("interrupt", HTMLButtonElement).hidden = !status.isRunning;
    part("continue", HTMLButtonElement).hidden = !status.mayContinue;
    this.log.setAttribute("aria-busy", String(status.isRunning));
    this.composer.show(status);
  }

  /** What is left of the page when the window is reloaded. */
  private keep(draft: string): void {
    editor.setState({ conversation: this.conversation, draft });
  }

  private focus(on: "box" | "prompt"): void {
    if (on === "prompt" && this.cards[0] !== undefined) this.cards[0].focus();
    else this.composer.focus();
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!/^[1-9]$/u.test(event.key)) return;
    const here = this.cards.find(({ element: card }) => card.contains(document.activeElement)) ?? this.cards[0];
    if (here?.press(Number(event.key))) event.preventDefault();
  }

  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    if (scrollTop !== this.target) this.follows = scrollHeight - scrollTop - clientHeight < NEAR_END;
    this.jump.hidden = this.follows;
    if (scrollTop < NEAR_START && !this.follows) this.askForEarlier();
  }

  private toEnd(): void {
    this.follows = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.composer.focus();
  }

  /** Follows what is written, or shows what waits, unless the reader has scrolled away from the end. */
  private settle(): void {
    if (this.follows) {
      const [card] = this.cards;
      if (card === undefined) this.scroller.scrollTop = this.scroller.scrollHeight;
      else card.element.scrollIntoView({ block: "nearest" });
      this.target = this.scroller.scrollTop;
    }
    this.jump.hidden = this.follows;
  }
}

new Page();
