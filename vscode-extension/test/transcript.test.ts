import { expect, test } from "vitest";
import { catchUp } from "../src/panels";
import type { ConversationEvent } from "../src/protocol";
import { type Block, Transcript } from "../src/transcript";

const request = (id: string, name = "grep"): ConversationEvent => ({
  type: "tool_call_request",
  id,
  name,
  arguments: { text: "x", lines: [1, 2] },
});
const response = (id: string, content: string, more: object = {}): ConversationEvent => ({
  type: "tool_call_response",
  id,
  content,
  is_error: false,
  ...more,
});
const state = (id: string, its: string, more: object = {}): ConversationEvent => ({
  type: "call_state",
  id,
  name: "grep",
  arguments: { text: "x" },
  state: its,
  ...more,
});
const delta = (text: string): ConversationEvent => ({ type: "delta_text", text });

function after(...events: ConversationEvent[]): Transcript {
  const transcript = new Transcript();
  for (const event of events) transcript.event(event);
  return transcript;
}

/** A line a block. */
const lines = (transcript: Transcript): string[] =>
  transcript.blocks().map((block: Block) => {
    if (block.kind !== "call") return `${block.kind}: ${block.text}`;
    return `${block.tool} ${block.id} ${block.state}${block.result === undefined ? "" : `: ${block.result}`}`;
  });

test("a conversation is what was said, the calls with their results, and what changed", () => {
  const transcript = new Transcript();
  transcript.load([
    { type: "turn_start" },
    { type: "chat_request", content: "hi" },
    { type: "chat_response", reasoning: "hm" },
    { type: "chat_response", message: "I look." },
    request("call_1"),
    request("call_2"),
    response("call_1", "one"),
    response("call_2", "two", { is_error: true }),
    { type: "config_delta", delta: { assistant: { name: "Ada" } }, unsets: ["editor"] },
    { type: "chat_response", data: { a: 1 } },
    { type: "something_new" },
  ]);
  expect(lines(transcript)).toEqual([
    "user: hi",
    "reasoning: hm",
    "assistant: I look.",
    "grep call_1 done: one",
    "grep call_2 failed: two",
    'change: unset editor\nassistant.name = "Ada"',
    'data: {\n  "a": 1\n}',
  ]);
});

test("what a failed call ended with is read a name a line, and other results as they are", () => {
  const error = JSON.stringify({
    message: "Tool 't' execution failed.",
    ended: "status 3",
    stderr: "",
    stdout: "a\nb\n",
  });
  const results = (content: string, is_error: boolean): unknown =>
    after(request("a"), response("a", content, { is_error })).blocks()[0];
  const shown = "message: Tool 't' execution failed.\nended: status 3\nstdout:\n  a\n  b";
  expect(results(error, true)).toMatchObject({ result: shown });
  expect(after(request("a"), state("a", "failed", { content: error })).blocks()[0]).toMatchObject({ result: shown });
  expect(results(error, false)).toMatchObject({ result: error });
  for (const text of ["{", "{}", '{"a":""}', "[1]", "no such file"]) {
    expect(results(text, true)).toMatchObject({ result: text });
  }
});

test("of long questions fewer are kept ready", () => {
  const asked = (text: string): ConversationEvent => ({ type: "chat_request", content: text });
  expect(after(asked("one"), asked("x".repeat(200_000))).questions(50)).toHaveLength(1);
  expect(after(asked("x".repeat(200_000)), asked("one"), asked("two")).questions(50)).toEqual(["one", "two"]);
});

test("arguments are read a name a line, edited ones as they ran", () => {
  const transcript = after(request("a"), response("a", "", { metadata: { arguments: { text: "two\nlines" } } }));
  expect(transcript.blocks()[0]).toMatchObject({ arguments: "text:\n  two\n  lines", isEdited: true });
});

test("a call says who decided about it, with rules counted from 1", () => {
  const decided = (run: object): string => {
    const [call] = after(request("a"), response("a", "", { metadata: { decisions: { run } } })).blocks();
    return call?.kind === "call" ? `${call.state}: ${call.decision}` : "";
  };
  const rule = { index: 1, digest: "9f2c" };
  expect(decided({ outcome: "allowed", by: "policy", rule })).toBe("done: Ran without asking, by rule 2.");
  expect(decided({ outcome: "refused", by: "policy", rule: null })).toBe("refused: Skipped.");
  expect(decided({ outcome: "allowed", by: "person", rule })).toBe("done: You allowed it.");
  expect(decided({ outcome: "refused", by: "person", remembered: true })).toBe(
    "refused: You rejected it, earlier in this turn.",
  );
  expect(decided({ outcome: "refused", by: "nobody" })).toBe("refused: Nobody was there to ask.");
  expect(decided({ outcome: "withdrawn", by: "person" })).toBe("done: ");
});

test("an id that is used again is another call", () => {
  const transcript = after(request("a"), response("a", "one"), request("a"), state("a", "running"));
  expect(lines(transcript)).toEqual(["grep a done: one", "grep a running"]);
});

test("a question of a tool stands in its call, a secret only as such", () => {
  const asks = (id: string, text: string) => ({ type: "inquiry_request", id, question: { text } });
  const transcript = after(
    request("a"),
    asks("a.branch.1", "Which branch?"),
    { type: "inquiry_response", id: "a.branch.1", outcome: "answered" as never, answer: "main" },
    asks("a.token.1", "Which token?"),
    { type: "inquiry_response", id: "a.token.1", outcome: "redacted" as never },
  );
  expect(transcript.blocks()).toHaveLength(1);
  expect(transcript.blocks()[0]).toMatchObject({
    asked: [
      { question: "Which branch?", answer: "main" },
      { question: "Which token?", answer: "(redacted)" },
    ],
  });
});

test("words are shown while they come, and once when they are recorded", () => {
  const transcript = after(delta("Let "), delta("me see."));
  expect(lines(transcript)).toEqual(["assistant: Let me see."]);
  transcript.event({ type: "chat_response", message: "Let me see." });
  expect(lines(transcript)).toEqual(["assistant: Let me see."]);
});

test("each call has its state before any of them is recorded, and its result before the first has one", () => {
  const transcript = after(delta("I look."), state("a", "deciding"), state("b", "deciding"));
  expect(lines(transcript)).toEqual(["assistant: I look.", "grep a deciding", "grep b deciding"]);
  for (const event of [{ type: "chat_response", message: "I look." }, request("a"), request("b")]) {
    transcript.event(event);
  }
  transcript.event(state("a", "running"));
  transcript.event(state("b", "running"));
  transcript.event(state("b", "done", { content: "two" }));
  expect(lines(transcript)).toEqual(["assistant: I look.", "grep a running", "grep b done: two"]);
  transcript.event(response("a", "one"));
  transcript.event(response("b", "two"));
  expect(lines(transcript)).toEqual(["assistant: I look.", "grep a done: one", "grep b done: two"]);
});

test("a turn that failed says why, and loses no word", () => {
  const transcript = after(delta("I lo"), { type: "turn_end", outcome: "failed", error: "no key" });
  expect(lines(transcript)).toEqual(["assistant: I lo", "note: The turn failed: no key"]);
  transcript.event({ type: "turn_start" });
  transcript.event({ type: "chat_request", content: "again" });
  expect(lines(transcript)).toEqual(["assistant: I lo", "user: again"]);
});

test("only what changed is told", () => {
  const transcript = after(request("a"), request("b"), response("b", "two"));
  transcript.changes();
  expect(transcript.changes()).toBe(Number.POSITIVE_INFINITY);
  transcript.event(response("a", "one"));
  expect(transcript.changes()).toBe(0);
  transcript.event(delta("x"));
  expect(transcript.changes()).toBe(2);
});

test("how full the window is stays in sight, in the words of the server", () => {
  const usage = { type: "usage", inputTokens: 10, outputTokens: 2, text: "12 of 1,000 tokens" };
  expect(after(usage, { type: "turn_start" }).fill).toBe("12 of 1,000 tokens");
  expect(after(usage, { type: "usage", outputTokens: 2 }).fill).toBe("");
});

test("whoever opens a running turn sees what came before, each thing once", () => {
  const recorded = [
    { type: "turn_start", timestamp: "1" },
    { type: "chat_request", content: "hi", timestamp: "2" },
    { type: "chat_response", message: "I look.", timestamp: "3" },
    { ...request("a"), timestamp: "4" },
    { ...request("b"), timestamp: "5" },
  ];
  const happened = [
    recorded[0],
    recorded[1],
    delta("I look."),
    state("a", "deciding"),
    recorded[2],
    recorded[3],
    recorded[4],
    state("b", "running"),
    { ...response("a", "one"), timestamp: "6" },
    delta("Now "),
    delta("I know"),
  ] as ConversationEvent[];
  const transcript = new Transcript();
  transcript.load(recorded);
  catchUp(transcript, recorded, happened);
  expect(lines(transcript)).toEqual([
    "user: hi",
    "assistant: I look.",
    "grep a done: one",
    "grep b running",
    "assistant: Now I know",
  ]);
});
