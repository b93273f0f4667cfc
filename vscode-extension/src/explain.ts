/** Explanations for people: the tool from a list, the call from its parameters, the answer in the server's words. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { VirtualDocuments } from "./documents";
import { inexactIn } from "./exact";
import { type ExplainParams, execute, request, type SaveExampleParams } from "./protocol";
import { fenced, labelText, plain } from "./text";

/** What was explained last. */
let last: ExplainParams | undefined;

/** The recorded call on the line of the cursor, in a list that `jp.history.show` has made. */
export function recordedCall(editor: vscode.TextEditor | undefined): SaveExampleParams | undefined {
  if (editor === undefined || !/\/calls-[^/]*\.md$/u.test(editor.document.uri.path)) return undefined;
  const line = (number: number) => editor.document.lineAt(number).text;
  const tool = /^# (`+) ?(.+?) ?\1: /u.exec(line(0))?.[2];
  const text = / (`+) ?(\{.*\}) ?\1$/u.exec(line(editor.selection.active.line))?.[2];
  const input = text === undefined ? undefined : parse(text);
  return tool === undefined || input === undefined ? undefined : { tool, input };
}

/** Saves a call or an access as an example of what is decided now: the one that is given, else the recorded one at the cursor, what was explained last, or another. */
export async function saveExample(client: BaseLanguageClient, given?: SaveExampleParams): Promise<void> {
  const chosen = given ?? recordedCall(vscode.window.activeTextEditor) ?? (await chooseExample(client));
  // The server asks for the edit, and for the file to be shown: a person saves it, or not.
  if (chosen !== undefined) await execute(client, "jp.tests.save", chosen);
}

async function chooseExample(client: BaseLanguageClient): Promise<SaveExampleParams | undefined> {
  const explained = last === undefined ? undefined : exampleOf(last);
  if (explained !== undefined) {
    const items: (vscode.QuickPickItem & { isLast: boolean })[] = [
      {
        label: labelText(`${explained.tool} ${plain(explained.input)}`, 120),
        description: "explained last",
        isLast: true,
      },
      { label: "Another call or access…", isLast: false },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      title: "Save which as an example?",
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked.isLast) return explained;
  }
  const kinds: (vscode.QuickPickItem & { explains: "policy" | "access" })[] = [
    { label: "A tool call", description: "what is decided about it", explains: "policy" },
    { label: "An access", description: "whether a tool may read, write or connect", explains: "access" },
  ];
  const kind = await vscode.window.showQuickPick(kinds, { title: "Save what as an example?", ignoreFocusOut: true });
  if (kind === undefined) return undefined;
  const asked = await ask(client, { kind: kind.explains }, true);
  return asked === undefined ? undefined : exampleOf({ kind: kind.explains, ...asked });
}

/** What was explained as an example; nothing where it was no call and no access. */
function exampleOf({ kind, tool, input, result, workspace }: ExplainParams): SaveExampleParams | undefined {
  if (kind === "config" || tool === undefined || input === undefined) return undefined;
  return {
    tool,
    input,
    kind,
    ...(result === undefined ? {} : { result }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** Explains what is asked for, or what the person picks; `given` is what a code lens knows: the tool, but no call. */
export async function explain(
  client: BaseLanguageClient,
  documents: VirtualDocuments,
  given: Partial<ExplainParams>,
): Promise<unknown> {
  const asked = given.input === undefined ? await ask(client, given) : {};
  if (asked === undefined) return undefined;
  // The answer is shown here, so the server need not.
  const params = { kind: "policy", ...given, ...asked, show: false, words: "markdown" } satisfies ExplainParams;
  const result = await request(client, "jp/explain", params);
  last = params;
  const uri = documents.set("/explanation.md", textOf(params, result));
  await vscode.commands.executeCommand("markdown.showPreview", uri);
  return result;
}

/** The answer in words; a server that knows none answers as JSON. */
function textOf({ kind, tool, input }: ExplainParams, result: unknown): string {
  const words = (result as { words?: unknown } | null)?.words;
  if (typeof words === "string") return words;
  const what = `${kind}${tool === undefined ? "" : ` of ${tool}`}`;
  return `# Explanation\n\n${fenced(`${what}\n${plain(input ?? {})}`)}\n${fenced(plain(result), "json")}`;
}

interface Tool {
  readonly parameters?: Readonly<Record<string, { type?: unknown; required?: unknown; enum?: unknown }>>;
}

/** The tools of the config by name. */
async function toolsOf(client: BaseLanguageClient): Promise<Readonly<Record<string, Tool>>> {
  const explained = await request(client, "jp/explain", { kind: "config", input: "conversation.tools" });
  const value = (explained as { value?: unknown } | null)?.value;
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value as Record<string, Tool>).filter(([name]) => name !== "*"));
}

async function ask(
  client: BaseLanguageClient,
  given: Partial<ExplainParams>,
  /** Whether only a call will do, and not the rules of a tool as a whole. */
  needsCall = false,
): Promise<Partial<ExplainParams> | undefined> {
  const kinds: (vscode.QuickPickItem & { explains: "policy" | "access" | "config" })[] = [
    { label: "A tool call", description: "which rule decides, and why", explains: "policy" },
    { label: "An access", description: "whether a tool may read, write or connect", explains: "access" },
    { label: "A config value", description: "what it is and which files set it", explains: "config" },
  ];
  const kind =
    given.kind ??
    (await vscode.window.showQuickPick(kinds, { title: "Explain what?", ignoreFocusOut: true }))?.explains;
  if (kind === undefined) return undefined;
  if (kind === "config") {
    const input = await vscode.window.showInputBox({ prompt: "Config path", value: "assistant.model.id" });
    return input === undefined ? undefined : { kind, input };
  }
  const tools = await toolsOf(client);
  const tool = given.tool ?? (await pickTool(Object.keys(tools)));
  if (tool === undefined || tool === "") return undefined;
  if (kind === "policy" && given.tool === undefined && !needsCall) {
    const rules: (vscode.QuickPickItem & { whole: boolean })[] = [
      { label: "A call of it…", description: "with its arguments", whole: false },
      { label: "Its rules", description: "each with a call that it decides", whole: true },
    ];
    const picked = await vscode.window.showQuickPick(rules, {
      title: `Explain what of ${labelText(tool)}?`,
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked.whole) return { kind, tool };
  }
  const value = kind === "policy" ? callOf(tools[tool]) : '{"fs": {"capability": "read", "path": ""}}';
  const text = await vscode.window.showInputBox({
    prompt: kind === "policy" ? `The arguments of a call of ${labelText(tool)}, as JSON` : "The access, as JSON",
    value,
    validateInput: (entered) =>
      parse(entered) === undefined
        ? `write a JSON object, such as ${value}, with numbers of at most 15 digits`
        : undefined,
  });
  const input = text === undefined ? undefined : parse(text);
  return input === undefined ? undefined : { kind, tool, input };
}

async function pickTool(names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return vscode.window.showInputBox({ prompt: "Tool" });
  const items = names.map((name) => ({ label: labelText(name), name }));
  return (await vscode.window.showQuickPick(items, { title: "Which tool?", ignoreFocusOut: true }))?.name;
}

/** A call to begin with: each required parameter, or the first one, with a value of its type. */
export function callOf(tool: Tool | undefined): string {
  const parameters = Object.entries(tool?.parameters ?? {});
  const required = parameters.filter(([, { required: its }]) => its === true);
  const shown = required.length > 0 ? required : parameters.slice(0, 1);
  return JSON.stringify(Object.fromEntries(shown.map(([name, parameter]) => [name, sample(parameter)])));
}

function sample({ type, enum: values }: { type?: unknown; enum?: unknown }): unknown {
  if (Array.isArray(values) && values.length > 0) return values[0];
  switch (type) {
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "";
  }
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (inexactIn(text) !== undefined) return undefined;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
