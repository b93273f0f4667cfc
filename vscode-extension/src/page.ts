/** Blocks and prompts as the page of a conversation shows them: shortened, with the words that people read. */
import { changeLines, choicesOf, reasonOf } from "./describe";
import type { Folded, PageBlock, PageCallState, PagePrompt, Part } from "./messages";
import type { PromptParams } from "./protocol";
import { plain } from "./text";
import type { Block } from "./transcript";

/** What of a long text is shown at first. */
const LINES = 12;
const CHARACTERS = 2000;

/** A text, or its beginning when it is long. */
export function folded(text: string): Folded {
  let end = 0;
  let lines = 0;
  while (lines < LINES && end < text.length) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
    lines += 1;
  }
  end = Math.min(end, CHARACTERS);
  if (end >= text.length) return { text };
  return { text: text.slice(0, wholeCharacter(text, end)), lines: lineCount(text) };
}

function wholeCharacter(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}

function lineCount(text: string): number {
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** A block for the page. `waiting` are the ids of the calls that a person is asked about. */
export function pageBlock(block: Block, waiting: ReadonlySet<string>): PageBlock {
  switch (block.kind) {
    case "user":
    case "data":
    case "change":
      return { kind: block.kind, text: folded(block.text) };
    case "call": {
      const { id, tool, isEdited, decision } = block;
      const state: PageCallState = block.result === undefined && waiting.has(id) ? "waiting" : block.state;
      const asked = block.asked.map(({ question, answer }) => ({ question, answer }));
      const result = block.result === undefined ? undefined : folded(block.result);
      return { kind: "call", id, tool, state, arguments: folded(block.arguments), isEdited, asked, result, decision };
    }
    default:
      return block;
  }
}

/** All of a text of a block. */
export function partOf(block: Block | undefined, part: Part): string | undefined {
  if (block === undefined) return undefined;
  if (block.kind === "call") return part === "text" ? undefined : block[part];
  return part === "text" ? block.text : undefined;
}

/** A prompt for the page; `nameOf` names a file as the person knows it. */
export function pagePrompt(prompt: PromptParams, nameOf: (uri: string) => string): PagePrompt {
  const { id, digest, title, label, context, message, preview, delta, question, kind } = prompt;
  const type = question?.answerType.type;
  const text = preview?.text ?? "";
  return {
    id,
    digest,
    callId: prompt.tool.callId,
    title,
    label,
    context,
    // The message repeats the preview, or the question.
    message: preview !== undefined || kind === "question" || delta !== undefined ? "" : message,
    reason: reasonOf(prompt, nameOf),
    preview: preview === undefined || text === "" ? undefined : { kind: preview.kind, text },
    isCut: preview?.truncated === true,
    changes: delta === undefined ? "" : changeLines(delta),
    loosens: delta?.loosens ?? [],
    choices: choicesOf(prompt).map(({ title: words, effect }) => ({
      title: words,
      effect: typeof effect === "object" ? "answer" : effect,
    })),
    input: type === "text" || type === "secret" ? type : undefined,
    initial: type === "text" && question?.default != null ? plain(question.default) : "",
  };
}
