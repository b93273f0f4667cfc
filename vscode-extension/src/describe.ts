/** What is shown of a prompt: lines for notifications, a document for everything that has no place there. */
import type { ActionId, Delta, PromptAction, PromptChoice, PromptParams } from "./protocol";
import { argumentLines, notificationText, oneLine, plain, visible } from "./text";

const DEFAULT_ACTIONS: Record<PromptParams["kind"], readonly PromptAction[]> = {
  run: [
    { id: "approve", title: "Run" },
    { id: "reject", title: "Reject" },
  ],
  edit: [
    { id: "edit", title: "Edit Arguments…" },
    { id: "reject", title: "Reject" },
  ],
  result: [
    { id: "approve", title: "Deliver" },
    { id: "reject", title: "Withhold" },
  ],
  delta: [
    { id: "approve", title: "Apply" },
    { id: "reject", title: "Reject" },
  ],
  question: [
    { id: "answer", title: "Answer…" },
    { id: "cancel", title: "Cancel" },
  ],
};

const KNOWN: ReadonlySet<ActionId> = new Set(["approve", "reject", "edit", "answer", "cancel", "details"]);

/** The actions that decide something, in the server's order. */
export function decisions(prompt: PromptParams): readonly PromptAction[] {
  const offered = prompt.actions
    .filter(({ id }) => KNOWN.has(id) && id !== "details")
    .map(({ id, title }) => ({ id, title: notificationText(title, 40) || id }));
  return offered.length > 0 ? offered : DEFAULT_ACTIONS[prompt.kind];
}

/** Every way to decide, in the server's words and order. */
export function choicesOf(prompt: PromptParams): readonly PromptChoice[] {
  const { choices = [], question, kind } = prompt;
  if (choices.length > 0) return choices;
  const decided = decisions(prompt).flatMap(({ id, title }): PromptChoice[] => {
    if (id === "edit") return [{ title, effect: "edit" }];
    const plainly: PromptChoice = { title, effect: { answer: { action: id } } };
    if (id === "reject" && kind !== "question")
      return [plainly, { title: `${title} with a Reason…`, effect: "reason" }];
    if (id !== "answer") return [plainly];
    const answer = (words: string, value: unknown): PromptChoice => ({
      title: words,
      effect: { answer: { action: "answer", value } },
    });
    if (question?.answerType.type === "boolean") return [answer("Yes", true), answer("No", false)];
    return (question?.answerType.options ?? []).map((option) => answer(option, option));
  });
  return kind === "question" ? decided : [...decided, { title: "Show Details", effect: "details" }];
}

/** Why a person is asked: the rule and its place, counted from 1; `nameOf` names a file as the person knows it. */
export function reasonOf(
  { rule, kind }: PromptParams,
  nameOf: (uri: string) => string,
): { readonly text: string; readonly place: string } | undefined {
  if (rule === undefined || kind === "question") return undefined;
  const line = (rule.range as { start?: { line?: unknown } } | null)?.start?.line;
  const place = `${nameOf(rule.uri)}${typeof line === "number" ? `:${line + 1}` : ""}`;
  return { text: rule.index === undefined ? "asked by" : `asked by rule ${rule.index + 1},`, place };
}

/** One line for a notification; `reason` says why it is asked. */
export function toast(prompt: PromptParams, reason = ""): string {
  const changes = prompt.delta?.changes.filter(changesSomething).map(change).join("; ");
  const what = prompt.question?.text ?? changes ?? prompt.message;
  const parts = [prompt.title, prompt.label ?? "", what]
    .map((part) => notificationText(part))
    .filter((part, index, all) => part !== "" && all.indexOf(part) === index);
  const loosens = prompt.delta?.loosens ?? [];
  if (loosens.length > 0) parts.push(`Loosens: ${notificationText(loosens.join(", "), 200)}`);
  if (reason !== "") parts.push(notificationText(reason, 200));
  return parts.join(" — ");
}

/** One line for lists. */
export function summary(prompt: PromptParams): string {
  return oneLine(prompt.question?.text || prompt.title || prompt.message, 120);
}

/** What a preview shows, as the heading above it. */
const SHOWN = { diff: "Changes", command: "Command", arguments: "Arguments", text: "Content" } as const;

/** The whole prompt as plain text: what tools and models wrote is indented, so that it cannot pass for a heading. */
export function details(prompt: PromptParams, reason = ""): string {
  const { preview, delta } = prompt;
  const parts = [oneLine(prompt.title)];
  const section = (heading: string, text: string | undefined) => {
    if (text === undefined || text.trim() === "") return;
    const lines = visible(text).trimEnd().split("\n");
    parts.push(`\n${heading}\n${lines.map((line) => (line === "" ? "" : `    ${line}`)).join("\n")}`);
  };
  if (reason !== "") parts.push(oneLine(reason).replace(/^a/u, "A"));
  section("Tool", prompt.tool.name);
  // The preview says all that the message says.
  if (preview?.text === undefined) section("Message", prompt.message);
  section("Context", prompt.context);
  section("Question", prompt.question?.text);
  if (delta !== undefined) {
    section("Changes", changeLines(delta));
    section("This loosens what you have allowed", delta.loosens.join("\n"));
  }
  if (preview?.kind === "command" && preview.arguments !== undefined)
    section("Arguments", argumentLines(preview.arguments));
  if (preview !== undefined)
    section(`${SHOWN[preview.kind]}${preview.truncated ? " (not all of it)" : ""}`, preview.text);
  return `${parts.join("\n")}\n`;
}

/** Every value that a change of the config sets or unsets, one a line. */
export function changeLines({ changes }: Delta): string {
  return changes.map(change).join("\n");
}

function change(it: { path: string; op: string; old?: unknown; new?: unknown }): string {
  if (!changesSomething(it)) return `${it.path} = ${inline(it.new)} (as before)`;
  const old = it.old === undefined ? "" : ` (was ${inline(it.old)})`;
  return it.op === "unset" ? `unset ${it.path}${old}` : `${it.path} = ${inline(it.new)}${old}`;
}

/** Whether a value becomes another one. */
function changesSomething({ op, old, new: value }: { op: string; old?: unknown; new?: unknown }): boolean {
  return op === "unset" || JSON.stringify(old) !== JSON.stringify(value);
}

function inline(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** What is edited: the arguments as JSON, or the result. Nothing when the server left it out for its size. */
export function editable({ kind, preview }: PromptParams): string | undefined {
  if (kind === "result") return preview?.content;
  return preview?.arguments === undefined ? undefined : plain(preview.arguments);
}

/** Both sides of what is to be compared, and the name of the file if it has one. */
export function sides(prompt: PromptParams): { before: string; after: string; name: string } | undefined {
  const { delta, preview } = prompt;
  if (delta !== undefined) {
    return { before: visible(delta.before), after: visible(delta.after), name: "config.toml" };
  }
  if (preview?.kind === "diff" && typeof preview.before === "string" && typeof preview.after === "string") {
    const name =
      oneLine(preview.path ?? "file", 80)
        .split(/[\\/]/u)
        .pop() || "file";
    return { before: visible(preview.before), after: visible(preview.after), name };
  }
  return undefined;
}
