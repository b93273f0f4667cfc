/**
 * The messages between the editor and the server beyond the language server protocol, as `docs/PROTOCOL.md` has them.
 *
 * ```json
 * {"id": "7", "digest": "9f2c", "kind": "delta", "title": "Apply a config change?", "message": "..",
 *  "actions": [{"id": "approve", "title": "Apply"}, {"id": "reject", "title": "Reject"}]}
 * ```
 */
import type { BaseLanguageClient, Range } from "vscode-languageclient";

export type PromptKind = "run" | "edit" | "result" | "question" | "delta";
export type ActionId = "approve" | "reject" | "edit" | "answer" | "cancel" | "details" | "always";

export interface PromptAction {
  readonly id: ActionId;
  readonly title: string;
}

export interface Question {
  readonly text: string;
  readonly answerType: {
    readonly type: "boolean" | "select" | "text" | "secret";
    /** The answers, exactly as they have to come back. */
    readonly options?: readonly string[];
  };
  readonly default?: unknown;
}

export interface Preview {
  readonly kind: "diff" | "command" | "arguments" | "text";
  /** For reading. */
  readonly text?: string;
  /** Whether `text` leaves something out. */
  readonly truncated?: boolean;
  readonly path?: string;
  readonly before?: string;
  readonly after?: string;
  /** For editing, as the call has them; left out when they are too large. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The result, for editing; left out when it is too large. */
  readonly content?: string;
}

export interface Delta {
  readonly changes: readonly {
    readonly path: string;
    readonly op: "set" | "unset";
    readonly old?: unknown;
    readonly new?: unknown;
  }[];
  readonly before: string;
  readonly after: string;
  /** What becomes looser, a sentence each. */
  readonly loosens: readonly string[];
}

export interface PromptParams {
  readonly id: string;
  /** Names exactly what is being approved. */
  readonly digest: string;
  readonly conversation: string;
  readonly kind: PromptKind;
  readonly title: string;
  readonly message: string;
  readonly label?: string;
  readonly context?: string;
  readonly tool: { readonly name: string; readonly callId: string };
  readonly rule?: { readonly index?: number; readonly uri: string; readonly range: unknown };
  readonly preview?: Preview;
  readonly question?: Question;
  readonly delta?: Delta;
  readonly actions: readonly PromptAction[];
  /** Every way to decide, in the server's words. */
  readonly choices?: readonly PromptChoice[];
}

export interface PromptChoice {
  readonly title: string;
  readonly effect: { readonly answer: PromptAnswer } | "reason" | "edit" | "details";
}

export interface PromptAnswer {
  readonly action: ActionId;
  readonly value?: unknown;
  readonly remember?: "turn";
  readonly reason?: string;
  readonly arguments?: unknown;
}

export interface ConversationEvent {
  readonly type: string;
  readonly text?: string;
  readonly outcome?: "completed" | "cancelled" | "failed";
  readonly error?: string;
  readonly [field: string]: unknown;
}

export interface ConversationSummary {
  readonly id: string;
  readonly title?: string | null;
  readonly lastActivatedAt?: string;
  /** Who keeps it: this server, or `jp` itself. */
  readonly keeper?: "jp-lsp" | "jp";
  /** The folder of its workspace. */
  readonly workspace?: string;
  /** What a person calls that. */
  readonly workspaceName?: string;
  /** The line in which a search found its words. */
  readonly excerpt?: string;
}

/** Whether a turn can begin, and what is missing. */
export interface SetupStatus {
  readonly model: { readonly written?: string; readonly id?: string } | null;
  readonly canRun: boolean;
  readonly problem?: string | null;
  readonly keys: readonly {
    readonly provider: string;
    readonly variable: string;
    readonly isSet: boolean;
    readonly origin: string;
  }[];
}

/** A workspace that may be meant. */
export interface NamedWorkspace {
  readonly uri: string;
  /** Its way from the folder of the editor that it lies below, or its own name. */
  readonly name: string;
}

/** Something to tell the person that is no part of the conversation. */
export interface Notice {
  readonly conversation: string;
  readonly text: string;
}

export interface QueryParams {
  readonly text: string;
  /** `new`, or the id of the conversation to continue. */
  readonly conversation: string;
  readonly workspace?: string;
}

export type InterruptAction = "continue" | "stop_and_reply" | "restart" | "stop" | "abort";

/** A way to interrupt a turn, in the server's words. */
export interface InterruptChoice {
  readonly action: InterruptAction;
  readonly title: string;
}

export interface ExplainParams {
  readonly kind: "policy" | "access" | "config";
  readonly tool?: string;
  /** Left out, the rules of the tool are explained. */
  readonly input?: unknown;
  /** How the answer is told in words, beside its JSON. */
  readonly words?: "text" | "markdown";
  /** Whether the policy for the result is meant. */
  readonly result?: boolean;
  /** A file or folder of the workspace that is meant. */
  readonly workspace?: string;
  /** Whether the server shows the answer. */
  readonly show?: boolean;
}

/** What came of `jp.delta.persist`. */
export interface KeepResult {
  readonly file: string;
  /** Whether the file says what was approved. */
  readonly applied: boolean;
  /** What the file cannot say. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
}

/** A call or an access that is to be an example. */
export interface SaveExampleParams {
  readonly tool: string;
  readonly input: unknown;
  readonly kind?: "policy" | "access";
  /** Whether the result of the call is meant. */
  readonly result?: boolean;
  readonly workspace?: string;
}

/** The examples beside the rules of a workspace. */
export interface ExampleReport {
  /** Their file. */
  readonly uri: string;
  readonly cases: readonly Example[];
  /** What is wrong with the file. */
  readonly mistakes: readonly { readonly range: Range; readonly message: string }[];
}

export interface Example {
  readonly title: string;
  readonly tool: string;
  readonly range: Range;
  readonly holds: boolean;
  /** What does not hold, a line each. */
  readonly message: string | null;
}

/** What the client asks the server: the method, its parameters and its result. */
interface Requests {
  "jp/query/start": [QueryParams, { conversation: string }];
  "jp/query/cancel": [{ conversation: string }, unknown];
  /** Without an action the server does what the config says, or asks by itself. */
  "jp/query/interrupt": [{ conversation: string; action?: InterruptAction; text?: string }, unknown];
  "jp/query/interruptChoices": [{ conversation: string }, readonly InterruptChoice[]];
  "jp/conversation/list": [Record<string, never>, ConversationSummary[] | null];
  "jp/conversation/read": [
    { conversation: string; last: number; before?: number; markdown: false },
    { events: unknown[]; earlier: number },
  ];
  "jp/conversation/rename": [{ conversation: string; title: string }, { title: string }];
  "jp/conversation/delete": [{ conversation: string }, unknown];
  "jp/conversation/fork": [{ conversation: string; withoutLast: number }, { conversation: string }];
  "jp/conversation/search": [{ text: string }, ConversationSummary[]];
  "jp/explain": [ExplainParams, unknown];
  "jp/workspaces": [{ file?: string }, readonly NamedWorkspace[]];
  "jp/status": [{ workspace?: string }, SetupStatus];
  "jp/tests": [{ workspace?: string }, ExampleReport | null];
}

/** The commands of the server that the extension gives itself. */
interface Commands {
  "jp.delta.persist": [{ conversation: string; callId: string; file: string }, KeepResult];
  "jp.tests.save": [SaveExampleParams, { file: string; applied: boolean; cases: number }];
  "jp.diff.show": [{ tool?: string; workspace?: string }, { uri: string; verdict: string }];
  "jp.config.create": [{ workspace?: string; model?: string }, { file: string; created: boolean }];
  "jp.openEffectiveConfig": [{ workspace?: string }, { text: string }];
}

/** Runs a command of the server. */
export function execute<C extends keyof Commands>(
  client: BaseLanguageClient,
  command: C,
  argument: Commands[C][0],
): Promise<Commands[C][1]> {
  return client.sendRequest("workspace/executeCommand", { command, arguments: [argument] });
}

/** Sends a request of ours. */
export function request<M extends keyof Requests>(
  client: BaseLanguageClient,
  method: M,
  params: Requests[M][0],
): Promise<Requests[M][1]> {
  return client.sendRequest(method, params);
}
