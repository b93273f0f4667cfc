/**
 * What the extension and the page of a conversation tell each other.
 *
 * ```json
 * {"type": "tail", "from": 3, "blocks": [{"kind": "user", "text": "What does main.rs do?"}]}
 * {"type": "choose", "id": "17636666521-3", "digest": "9f2c", "choice": 1}
 * ```
 *
 * Texts go over as they are, and are made safe where they are shown. Nothing that the page says is trusted: it names a
 * prompt by id and digest, and a choice by its place, and can start nothing that a prompt or the person's words do not.
 */

/** A text of which only the beginning is shown at first. */
export interface Folded {
  readonly text: string;
  /** How many lines there are in all, where this is not all. */
  readonly lines?: number;
}

export type PageBlock =
  | { readonly kind: "user" | "data" | "change"; readonly text: Folded }
  | { readonly kind: "assistant"; readonly text: string; readonly isWriting: boolean }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "note"; readonly text: string; readonly isError: boolean }
  | PageCall;

export interface PageCall {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  readonly state: PageCallState;
  readonly arguments: Folded;
  readonly isEdited: boolean;
  readonly asked: readonly { readonly question: string; readonly answer: string | undefined }[];
  readonly result: Folded | undefined;
  readonly decision: string;
}

/** What is said of a call; `waiting` is one that a person is asked about. */
export type PageCallState = "deciding" | "waiting" | "running" | "open" | "done" | "failed" | "refused";

/** A prompt as it is shown below its call. */
export interface PagePrompt {
  readonly id: string;
  readonly digest: string;
  readonly callId: string;
  readonly title: string;
  readonly label: string | undefined;
  readonly context: string | undefined;
  readonly message: string;
  /** Why the person is asked, with the name of the place that decided. */
  readonly reason: { readonly text: string; readonly place: string } | undefined;
  readonly preview: { readonly kind: "diff" | "command" | "arguments" | "text"; readonly text: string } | undefined;
  readonly isCut: boolean;
  readonly changes: string;
  readonly loosens: readonly string[];
  readonly choices: readonly { readonly title: string; readonly effect: "answer" | "reason" | "edit" | "details" }[];
  /** What is typed, where no choice answers. */
  readonly input: "text" | "secret" | undefined;
  readonly initial: string;
}

export interface PageStatus {
  readonly text: string;
  readonly isRunning: boolean;
  /** Whether the last turn ended before its time. */
  readonly mayContinue: boolean;
  readonly usage: string;
}

/** What the extension tells the page. */
export type ToPage =
  | {
      readonly type: "reset";
      /** None before something was said. */
      readonly conversation: string | undefined;
      readonly title: string;
      /** The place of the first block. */
      readonly start: number;
      /** Whether there is something before it. */
      readonly hasEarlier: boolean;
      readonly blocks: readonly PageBlock[];
      readonly history: readonly string[];
    }
  /** All blocks from a place on; places are those of the transcript. */
  | { readonly type: "tail"; readonly from: number; readonly blocks: readonly PageBlock[] }
  /** More words of the block at a place. */
  | { readonly type: "words"; readonly at: number; readonly text: string }
  /** Blocks before those that are shown. */
  | {
      readonly type: "earlier";
      readonly start: number;
      readonly hasEarlier: boolean;
      readonly blocks: readonly PageBlock[];
    }
  | { readonly type: "prompts"; readonly prompts: readonly PagePrompt[] }
  | { readonly type: "status"; readonly status: PageStatus }
  /** All of a text that was folded. */
  | { readonly type: "unfolded"; readonly at: number; readonly part: Part; readonly text: string }
  /** The box takes the focus, or the prompt that waits. */
  | { readonly type: "focus"; readonly on: "box" | "prompt" }
  /** A text goes behind what stands in the box. */
  | { readonly type: "insert"; readonly text: string }
  /** What was said was not taken, and goes back into the box. */
  | { readonly type: "refused"; readonly text: string };

export type Part = "text" | "arguments" | "result";

/** What the page tells the extension. */
export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "stop" | "continue" | "interrupt" }
  | { readonly type: "earlier" }
  | { readonly type: "unfold"; readonly at: number; readonly part: Part }
  | { readonly type: "openText"; readonly at: number; readonly part: Part }
  | {
      readonly type: "choose";
      readonly id: string;
      readonly digest: string;
      readonly choice: number;
      readonly reason?: string;
    }
  | { readonly type: "answer"; readonly id: string; readonly digest: string; readonly value: string }
  | { readonly type: "openRule"; readonly id: string };

/** What the page keeps over a reload of the window. */
export interface PageState {
  readonly conversation: string | undefined;
  readonly draft: string;
}
