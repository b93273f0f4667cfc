/**
 * A conversation as a list of blocks: what was said, the calls with what came of each, and what is being said.
 *
 * ```json
 * {"type": "tool_call_request", "id": "call_1", "name": "grep", "arguments": {"text": "x"}}
 * {"type": "tool_call_response", "id": "call_1", "content": "2 files", "is_error": false}
 * ```
 *
 * Events come in as they are recorded, and as they happen. Of a long conversation the last turns come first, and what is
 * before them when a reader wants it: a block keeps its place, and what comes before the first place is below 0.
 */
import type { ConversationEvent } from "./protocol";
import { argumentLines, plain } from "./text";

/** What a call is doing; without a word of the server's, a call that has no result is `open`. */
export type CallState = "deciding" | "running" | "open" | "done" | "failed" | "refused";

export type Block =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string; readonly isWriting: boolean }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "data"; readonly text: string }
  | CallBlock
  | { readonly kind: "change"; readonly text: string }
  | { readonly kind: "note"; readonly text: string; readonly isError: boolean };

export interface CallBlock {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  readonly state: CallState;
  readonly arguments: string;
  /** Whether a person changed the arguments before the call ran; they are the ones that are shown. */
  readonly isEdited: boolean;
  /** What the tool asked while it ran, and what it was told. */
  readonly asked: readonly { readonly id: string; readonly question: string; readonly answer: string | undefined }[];
  readonly result: string | undefined;
  /** Who decided that it runs or does not; empty where that is not on record. */
  readonly decision: string;
  /** Whether its result is on record. Providers use an id more than once; a result is that of the last call without one. */
  readonly isClosed: boolean;
}

/** How many characters of questions are kept ready, unless the last alone is longer. */
const MOST_CHARACTERS = 100_000;

export class Transcript {
  private recorded: Block[] = [];
  /** Calls that are known before they are recorded. */
  private early: CallBlock[] = [];
  private words = "";
  private end: Block | undefined;
  /** The first block that is another one than when `changes` was asked last. */
  private firstChange = 0;
  /** The place of the first block. */
  first = 0;
  /** How many recorded events stand before those that are here. */
  unread = 0;
  /** What failed and is tried again; empty where nothing is. */
  retrying = "";
  /** How full the model's context window is, in the server's words; empty where that is not known. */
  fill = "";

  /** Every block that is here, the oldest first; the first one's place is `first`. */
  blocks(): readonly Block[] {
    const live: Block[] = [];
    if (this.words !== "") live.push({ kind: "assistant", text: this.words, isWriting: true });
    live.push(...this.early);
    if (this.end !== undefined) live.push(this.end);
    return live.length === 0 ? this.recorded : [...this.recorded, ...live];
  }

  /** The place of the first block that has changed since this was asked last. */
  changes(): number {
    const first = this.firstChange;
    this.firstChange = Number.POSITIVE_INFINITY;
    return first;
  }

  /** What the user has said last, the oldest first; where it is long, fewer than `most`. */
  questions(most: number): readonly string[] {
    const last: string[] = [];
    let room = MOST_CHARACTERS;
    for (let index = this.recorded.length - 1; index >= 0 && last.length < most; index -= 1) {
      const block = this.recorded[index];
      if (block?.kind !== "user") continue;
      room -= block.text.length;
      if (room < 0 && last.length > 0) break;
      last.unshift(block.text);
    }
    return last;
  }

  /** What the conversation began with; none as long as its beginning is not here. */
  firstQuestion(): string | undefined {
    const first = this.unread > 0 ? undefined : this.recorded.find(({ kind }) => kind === "user");
    return first?.kind === "user" ? first.text : undefined;
  }

  /** Takes what was recorded before that which is here. */
  prepend(events: readonly ConversationEvent[], unread: number): void {
    const before = new Transcript();
    before.load(events, unread);
    this.recorded = [...before.recorded, ...this.recorded];
    this.first -= before.recorded.length;
    this.unread = unread;
  }

  /** Takes what the server has on record, or the end of it; what is being said is kept. */
  load(events: readonly ConversationEvent[], unread = 0): void {
    const calls = new Map(this.early.map((call) => [call.id, call]));
    this.recorded = [];
    for (const event of events) this.record(event);
    // A call that is on record by now is shown once.
    for (const block of this.recorded) if (block.kind === "call") calls.delete(block.id);
    this.early = [...calls.values()];
    this.firstChange = this.first = 0;
    this.unread = unread;
  }

  /** Takes an event as it happens. */
  event(event: ConversationEvent): void {
    this.retrying = event.type === "retrying" ? plain(event.text ?? "") : "";
    switch (event.type) {
      case "retrying":
        return;
      case "delta_text":
        this.words += event.text ?? "";
        this.changed(this.recorded.length);
        return;
      case "call_state":
        this.callState(event);
        return;
      case "usage":
        this.fill = plain(event["text"] ?? "");
        return;
      case "turn_end":
        this.finish(event);
        return;
      default:
        this.changed(this.recorded.length);
        this.record(event);
    }
  }

  /** What was being said is on record, and here already. */
  isRecorded(): void {
    this.changed(this.recorded.length);
    this.words = "";
  }

  /** Nothing that was being said will be finished. */
  stopped(reason: string): void {
    this.changed(this.recorded.length);
    this.keepWords();
    this.early = [];
    this.end = { kind: "note", text: reason, isError: true };
  }

  private finish({ outcome, error }: ConversationEvent): void {
    this.changed(this.recorded.length);
    this.keepWords();
    this.early = [];
    if (outcome === "failed") {
      this.end = { kind: "note", text: `The turn failed: ${error ?? "no reason was given"}`, isError: true };
    } else if (outcome === "cancelled") {
      this.end = { kind: "note", text: "The turn was stopped.", isError: false };
    }
  }

  /** Words that no event has recorded are not lost from sight. */
  private keepWords(): void {
    if (this.words !== "") this.recorded.push({ kind: "assistant", text: this.words, isWriting: false });
    this.words = "";
  }

  private record(event: ConversationEvent): void {
    const add = (block: Block): void => {
      this.recorded.push(block);
    };
    switch (event.type) {
      case "turn_start":
        this.end = undefined;
        break;
      case "chat_request":
        add({ kind: "user", text: plain(event["content"] ?? "") });
        break;
      case "chat_response":
        this.respond(event, add);
        break;
      case "tool_call_request":
        this.words = "";
        this.request(event, add);
        break;
      case "tool_call_response":
        this.respondToCall(event, add);
        break;
      case "inquiry_request":
      case "inquiry_response":
        this.inquire(event);
        break;
      case "config_delta":
        add({ kind: "change", text: changeOf(event) });
        break;
      case "compaction":
        add({ kind: "note", text: "What was said before is shortened for the model from here on.", isError: false });
        break;
      default:
        break;
    }
  }

  private respond(event: ConversationEvent, add: (block: Block) => void): void {
    this.words = "";
    if (typeof event["message"] === "string") add({ kind: "assistant", text: event["message"], isWriting: false });
    else if (typeof event["reasoning"] === "string") {
      if (event["reasoning"] !== "") add({ kind: "reasoning", text: event["reasoning"] });
    } else if (event["data"] !== undefined) add({ kind: "data", text: plain(event["data"]) });
  }

  private request(event: ConversationEvent, add: (block: Block) => void): void {
    const id = plain(event["id"] ?? "");
    const known = this.early.find((call) => call.id === id);
    this.early = this.early.filter((call) => call !== known);
    add(known ?? newCall(id, plain(event["name"] ?? ""), event["arguments"], "open"));
  }

  private respondToCall(event: ConversationEvent, add: (block: Block) => void): void {
    const content = plain(event["content"] ?? "");
    const result = event["is_error"] === true ? errorLines(content) : content;
    const decided = decisionOf(event);
    const state = decided?.outcome === "refused" ? "refused" : event["is_error"] === true ? "failed" : "done";
    const decision = decided === undefined ? "" : decisionWords(decided);
    const edited = editedArguments(event);
    const shown = edited === undefined ? {} : { arguments: edited, isEdited: true };
    const end = (call: CallBlock): CallBlock => ({ ...call, ...shown, state, result, decision, isClosed: true });
    const changed = this.update(plain(event["id"] ?? ""), end);
    if (!changed) add({ kind: "note", text: `A result of a call that is not on record:\n${result}`, isError: false });
  }

  private inquire(event: ConversationEvent): void {
    const id = plain(event["id"] ?? "");
    if (event.type === "inquiry_request") {
      const question = plain((event["question"] as { text?: unknown } | undefined)?.text ?? "");
      // An id begins with that of the call.
      const asks = (block: Block): boolean => block.kind === "call" && !block.isClosed && id.startsWith(`${block.id}.`);
      const asking = this.recorded.findLast(asks);
      if (asking?.kind !== "call") return;
      this.update(asking.id, (call) => ({ ...call, asked: [...call.asked, { id, question, answer: undefined }] }));
      return;
    }
    const outcome = plain(event["outcome"] ?? "answered");
    const answer = outcome === "answered" ? plain(event["answer"] ?? "") : `(${outcome})`;
    const asking = this.recorded.findLast(
      (block) => block.kind === "call" && block.asked.some((it) => it.id === id && it.answer === undefined),
    );
    if (asking?.kind !== "call") return;
    const asked = asking.asked.map((it) => (it.id === id && it.answer === undefined ? { ...it, answer } : it));
    this.update(asking.id, (call) => ({ ...call, asked }));
  }

  /** What a call is doing before its events are recorded. */
  private callState(event: ConversationEvent): void {
    const id = plain(event["id"] ?? "");
    const state = event["state"];
    if (state !== "deciding" && state !== "running" && state !== "done" && state !== "failed") return;
    const content = typeof event["content"] === "string" ? event["content"] : undefined;
    const result = content !== undefined && state === "failed" ? errorLines(content) : content;
    // A call that runs again has no result any more.
    const step = (call: CallBlock): CallBlock => ({ ...call, state, result });
    if (state !== "deciding" && this.update(id, step)) return;
    const index = this.early.findIndex((call) => call.id === id);
    this.changed(this.recorded.length);
    const known = this.early[index];
    if (known !== undefined) this.early = this.early.with(index, step(known));
    else if (state === "deciding") {
      this.early = [...this.early, newCall(id, plain(event["name"] ?? ""), event["arguments"], state)];
    }
  }

  /** Changes the last call of an id, unless its result is on record. */
  private update(id: string, step: (call: CallBlock) => CallBlock): boolean {
    const index = this.recorded.findLastIndex((block) => block.kind === "call" && block.id === id && !block.isClosed);
    const block = this.recorded[index];
    if (block?.kind !== "call") return false;
    this.recorded[index] = step(block);
    this.changed(index);
    return true;
  }

  private changed(index: number): void {
    this.firstChange = Math.min(this.firstChange, this.first + index);
  }
}

function newCall(id: string, tool: string, given: unknown, state: CallState): CallBlock {
  return {
    kind: "call",
    id,
    tool,
    state,
    arguments: argumentLines(given),
    isEdited: false,
    asked: [],
    result: undefined,
    decision: "",
    isClosed: false,
  };
}

/** What was decided about running a call, as its end has it on record. */
interface Decision {
  readonly outcome?: unknown;
  readonly by?: unknown;
  readonly rule?: { readonly index?: unknown } | null;
  readonly remembered?: unknown;
}

function decisionOf(event: ConversationEvent): Decision | undefined {
  const metadata = event["metadata"] as { decisions?: { run?: Decision } } | undefined;
  return metadata?.decisions?.run;
}

/** Who decided, in words, with rules counted from 1. */
function decisionWords({ outcome, by, rule, remembered }: Decision): string {
  const index = rule?.index;
  const named = typeof index === "number" ? `, by rule ${index + 1}` : "";
  if (by === "nobody") return "Nobody was there to ask.";
  if (by === "person") {
    const said = { allowed: "allowed it", refused: "rejected it", edited: "changed its arguments" }[String(outcome)];
    if (said === undefined) return "";
    return remembered === true ? `You ${said}, earlier in this turn.` : `You ${said}.`;
  }
  return outcome === "refused" ? `Skipped${named}.` : `Ran without asking${named}.`;
}

/** What a failed call ended with: its fields a name a line, without those that say nothing, where it is a JSON object. */
function errorLines(content: string): string {
  if (!content.startsWith("{")) return content;
  try {
    const fields = Object.entries(JSON.parse(content) as object).filter(([, value]) => value !== "" && value !== null);
    return fields.length === 0 ? content : argumentLines(Object.fromEntries(fields)).trimEnd();
  } catch {
    return content;
  }
}

function editedArguments(event: ConversationEvent): string | undefined {
  const metadata = event["metadata"] as { arguments?: unknown } | undefined;
  return metadata?.arguments === undefined ? undefined : argumentLines(metadata.arguments);
}

/** What a recorded change of the config set and unset, a path a line. */
function changeOf(event: ConversationEvent): string {
  const lines: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) walk(inner, path === "" ? key : `${path}.${key}`);
    } else lines.push(`${path} = ${JSON.stringify(value)}`);
  };
  if (event["takes_back"] === true) lines.push("the last change is taken back");
  for (const path of Array.isArray(event["unsets"]) ? event["unsets"] : []) lines.push(`unset ${plain(path)}`);
  walk(event["delta"] ?? {}, "");
  return lines.join("\n");
}
