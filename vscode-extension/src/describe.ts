/** What is shown of a prompt: lines for notifications, a document for everything that has no place there. */
import type { ActionId, PromptAction, PromptAnswer, PromptParams } from "./protocol";
import { escaped, fenced, notificationText, oneLine, plain, visible } from "./text";

const DEFAULT_ACTIONS: Record<PromptParams["kind"], readonly PromptAction[]> = {
  run: [
    { id: "approve", title: "Approve" },
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

/** Two prompts never share a notification, even when they say the same. */
export function toast(prompt: PromptParams): string {
  const changes = prompt.delta?.changes.filter(changesSomething).map(change).join("; ");
  const what = prompt.question?.text ?? changes ?? prompt.message;
  const parts = [prompt.title, prompt.label ?? "", what]
    .map((part) => notificationText(part))
    .filter((part, index, all) => part !== "" && all.indexOf(part) === index);
  const loosens = prompt.delta?.loosens ?? [];
  if (loosens.length > 0) parts.push(`Loosens: ${notificationText(loosens.join(", "), 200)}`);
  return `${parts.join(" — ")} (${notificationText(prompt.tool.name, 60)} #${notificationText(prompt.id, 20)})`;
}

/** One line for lists. */
export function summary(prompt: PromptParams): string {
  return oneLine(prompt.question?.text || prompt.title || prompt.message, 120);
}

/** The whole prompt as a document in which nothing is a link, an image or HTML. */
export function details(prompt: PromptParams): string {
  const parts = [`# ${escaped(prompt.title)}\n`];
  const section = (heading: string, text: string | undefined, language = "") => {
    if (text !== undefined && text !== "") parts.push(`## ${heading}\n\n${fenced(text, language)}`);
  };
  section("Tool", `${prompt.tool.name}\ncall ${prompt.tool.callId}\ndigest ${prompt.digest}`);
  section("Message", prompt.message);
  section("Context", prompt.context);
  section("Question", prompt.question?.text);
  if (prompt.delta !== undefined) {
    section("Changes", prompt.delta.changes.map(change).join("\n"));
    section("Loosens", prompt.delta.loosens.join("\n"));
  }
  const { preview } = prompt;
  const cut = preview?.truncated === true ? " (not all of it)" : "";
  section(`Preview${cut}`, preview?.text, preview?.kind === "diff" ? "diff" : "");
  return parts.join("\n");
}

function change(it: { path: string; op: string; old?: unknown; new?: unknown }): string {
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

/** The choices that hold for the rest of the turn, as the server offers them. */
export function remembering({ choices = [] }: PromptParams): readonly { title: string; answer: PromptAnswer }[] {
  return choices.flatMap(({ title, effect }) =>
    typeof effect === "object" && effect.answer.remember !== undefined
      ? [{ title: notificationText(title, 80), answer: effect.answer }]
      : [],
  );
}
