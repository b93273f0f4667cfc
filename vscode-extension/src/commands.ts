/** The commands of the palette. */
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { attachmentOf } from "./attach";
import type { Conversations } from "./conversations";
import type { VirtualDocuments } from "./documents";
import { explain, saveExample } from "./explain";
import type { ApprovedChanges } from "./keep";
import type { Keys } from "./keys";
import { messageOf } from "./log";
import type { Prompts } from "./prompts";
import {
  type ConversationSummary,
  type ExplainParams,
  execute,
  type InterruptChoice,
  type PromptParams,
  type QueryParams,
  request,
  type SaveExampleParams,
} from "./protocol";
import type { Setup } from "./setup";
import { fork, remove, rename, search } from "./talks";
import { labelText, notificationText } from "./text";
import { METHOD_NOT_FOUND, type Workspaces } from "./workspaces";

export interface Session {
  readonly client: () => BaseLanguageClient | undefined;
  readonly prompts: Prompts;
  readonly conversations: Conversations;
  readonly changes: ApprovedChanges;
  readonly documents: VirtualDocuments;
  readonly log: vscode.LogOutputChannel;
  readonly extension: vscode.Uri;
  readonly keys: Keys;
  readonly workspaces: Workspaces;
  /** Asks anew what is missing before the assistant can be asked. */
  setup(): Promise<Setup>;
  restart(): Promise<void>;
  /** Waits for a server that is about to run: a command may be what starts the extension. */
  settled(): Promise<void>;
}

/** What has to do with no server, or with one that does not come. */
const WITHOUT_SERVER: ReadonlySet<string> = new Set(["jp.restartServer", "jp.showLog", "jp.menu", "jp.copySchemaPath"]);

/** Something a command cannot do, in words for the user. */
class Refused extends Error {}

export function registerCommands(session: Session): vscode.Disposable[] {
  const { prompts, conversations, changes, log } = session;
  const commands: Record<string, (...given: never[]) => unknown> = {
    "jp.query": (params?: Partial<QueryParams>) => query(session, params),
    "jp.newConversation": () => newConversation(session),
    "jp.queryAboutSelection": () => queryAboutSelection(session),
    "jp.addToQuestion": (file?: unknown) => addToQuestion(session, file),
    "jp.continue": (conversation?: ConversationSummary) => continueConversation(session, conversation),
    "jp.stop": (conversation?: ConversationSummary) => stop(session, conversation),
    "jp.interrupt": (conversation?: ConversationSummary) => interrupt(session, conversation),
    "jp.keepChange": () => changes.choose(),
    "jp.showConversation": (conversation?: ConversationSummary) => showConversation(session, conversation),
    "jp.refreshConversations": () => conversations.reload(),
    "jp.explain": (params: Partial<ExplainParams> = {}) => explain(connected(session), session.documents, params),
    "jp.saveExample": (given?: SaveExampleParams) => saveExample(connected(session), given),
    "jp.showChanges": () => showChanges(session),
    "jp.createConfig": () => createConfig(session),
    "jp.openConfig": () => openConfig(session),
    "jp.setApiKey": async () => session.keys.change((await session.setup()).keys),
    "jp.renameConversation": ofOne(session, "Rename which?", rename),
    "jp.deleteConversation": ofOne(session, "Delete which?", remove),
    "jp.forkConversation": ofOne(session, "Copy which?", (...given) => fork(...given, 0)),
    "jp.undoLastTurn": ofOne(session, "Undo the last turn of which?", (...given) => fork(...given, 1)),
    "jp.searchConversations": () => search(connected(session), conversations),
    "jp.openEffectiveConfig": () => openEffectiveConfig(session),
    "jp.copySchemaPath": () => copySchemaPath(session),
    "jp.restartServer": () => session.restart(),
    "jp.showLog": () => log.show(),
    "jp.menu": () => vscode.commands.executeCommand("workbench.action.quickOpen", ">JP: "),
    "jp.prompts.open": () => prompts.open(),
    "jp.prompts.focus": () => focusPrompt(session),
    "jp.prompts.show": (prompt: PromptParams) => prompts.show(prompt),
    "jp.prompts.menu": (prompt: PromptParams) => prompts.menu(prompt),
    "jp.prompts.details": (prompt: PromptParams) => prompts.details(prompt),
    "jp.prompts.approve": (uri?: vscode.Uri) => prompts.decide(uri, "approve"),
    "jp.prompts.reject": (uri?: vscode.Uri) => prompts.decide(uri, "reject"),
    "jp.prompts.approveEdited": (uri?: vscode.Uri) => prompts.approveEdited(uri),
  };
  return Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (...given: unknown[]) => {
      try {
        if (!WITHOUT_SERVER.has(id)) await session.settled();
        return await (run as (...given: unknown[]) => unknown)(...given);
      } catch (error) {
        if (!(error instanceof Refused)) log.error(`${id}: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(notificationText(`JP: ${messageOf(error)}`));
        return undefined;
      }
    }),
  );
}

function connected({ client }: Session): BaseLanguageClient {
  const running = client();
  if (running === undefined)
    throw new Refused("the server is not running: run `JP: Restart Server`, or see `JP: Show Log`");
  return running;
}

function trusted(session: Session): BaseLanguageClient {
  if (!vscode.workspace.isTrusted) {
    throw new Refused(
      "this workspace is not trusted, so nothing is run: run `Workspaces: Manage Workspace Trust` first",
    );
  }
  return connected(session);
}

/** Goes to the prompt that waits, in its conversation, to be decided by key. */
async function focusPrompt({ prompts, conversations }: Session): Promise<void> {
  const [first] = prompts.pending.list();
  if (first === undefined) await prompts.open();
  else await conversations.show(first.conversation, "prompt");
}

/** Starts a turn and returns the id of its conversation. */
async function query(session: Session, given: Partial<QueryParams> = {}): Promise<string | undefined> {
  const client = trusted(session);
  const conversationOrNew = given.conversation ?? "new";
  const place = given.workspace === undefined ? await placeFor(session, client, conversationOrNew) : given;
  if (place === undefined) return undefined;
  if (place === "nowhere") {
    await offerConfig(session);
    return undefined;
  }
  const text = given.text ?? (await askForQuery("What should the assistant do?"));
  if (text === undefined || text.trim() === "") return undefined;
  const workspace = place.workspace === undefined ? {} : { workspace: place.workspace };
  const params: QueryParams = { text, conversation: conversationOrNew, ...workspace };
  const { conversation } = await request(client, "jp/query/start", params);
  session.conversations.started(conversation);
  await session.conversations.show(conversation);
  return conversation;
}

/** Where a turn begins: one that goes on does so where it is, and where several workspaces hold it, the person says in which. */
async function placeFor(
  session: Session,
  client: BaseLanguageClient,
  conversation: string,
): ReturnType<typeof placeOf> {
  if (conversation === "new") return placeOf(session, client);
  const places = session.conversations.places(conversation);
  if (places.length < 2) return {};
  const chosen = await session.workspaces.choose(places);
  return chosen && { workspace: chosen.uri };
}

/** Opens a tab with a box for as many lines as it takes. */
async function newConversation(session: Session): Promise<void> {
  trusted(session);
  if ((await session.setup()).step === "noConfig") return offerConfig(session);
  const client = connected(session);
  const meant = await session.workspaces.meant(client);
  const chosen = await session.workspaces.choose(meant ?? []);
  // Whoever chooses none of several begins nothing.
  if (chosen !== undefined || !meant?.length) await session.conversations.compose(chosen);
}

async function offerConfig(session: Session): Promise<void> {
  const button = "Create .jp/config.toml";
  const picked = await vscode.window.showWarningMessage("JP: no folder here has a config yet.", button);
  if (picked === button) await createConfig(session);
}

async function queryAboutSelection(session: Session): Promise<string | undefined> {
  trusted(session);
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) throw new Refused("select the text that the query is about");
  const attachment = attachmentOf(editor.document, editor.selection);
  const question = await askForQuery("What do you want to know about the selection?");
  if (question === undefined || question.trim() === "") return undefined;
  return query(session, { text: `${question}\n\n${attachment}` });
}

/** Puts the selection, or a whole file, into the box of the conversation in view; it is sent with what is said there. */
async function addToQuestion(session: Session, file: unknown): Promise<void> {
  trusted(session);
  const editor = vscode.window.activeTextEditor;
  const isOther = file instanceof vscode.Uri && file.toString() !== editor?.document.uri.toString();
  const document = isOther ? await vscode.workspace.openTextDocument(file) : editor?.document;
  if (document === undefined) throw new Refused("open the file that is to go with your question");
  await session.conversations.insert(attachmentOf(document, isOther ? undefined : editor?.selection));
}

async function continueConversation(session: Session, given?: ConversationSummary): Promise<string | undefined> {
  trusted(session);
  const conversation = given?.id ?? (await pickConversation(session, session.conversations.list(), "Continue which?"));
  if (conversation === undefined) return undefined;
  const text = await askForQuery("What next?");
  return text === undefined || text.trim() === "" ? undefined : query(session, { text, conversation });
}

async function stop(session: Session, given?: ConversationSummary): Promise<void> {
  const client = connected(session);
  const conversation = given?.id ?? (await pickRunning(session));
  if (conversation !== undefined) await request(client, "jp/query/cancel", { conversation });
}

async function interrupt(session: Session, given?: ConversationSummary): Promise<void> {
  const client = connected(session);
  const conversation = given?.id ?? (await pickRunning(session));
  if (conversation === undefined) return;
  const choices = await interruptChoices(client, conversation);
  if (choices === undefined) {
    await request(client, "jp/query/interrupt", { conversation });
    return;
  }
  const items = choices.map(({ action, title }) => ({ label: labelText(title), action }));
  const picked = await vscode.window.showQuickPick(items, { title: "The turn is running", ignoreFocusOut: true });
  if (picked === undefined) return;
  const { action } = picked;
  const text = action === "stop_and_reply" ? await askForQuery("What should the assistant know?") : undefined;
  // Without a word there is nothing to stop for.
  if (action === "stop_and_reply" && !text?.trim()) return;
  try {
    await request(client, "jp/query/interrupt", { conversation, action, ...(text === undefined ? {} : { text }) });
  } catch (error) {
    // The turn may end while the person reads: there is nothing to continue or to stop any more.
    const isOver = !session.conversations.running.has(conversation);
    if (!isOver || action === "stop_and_reply" || action === "restart") throw error;
  }
}

/** What can be done to a turn that runs, in the server's words; none of a server that asks by itself. */
async function interruptChoices(
  client: BaseLanguageClient,
  conversation: string,
): Promise<readonly InterruptChoice[] | undefined> {
  try {
    return await request(client, "jp/query/interruptChoices", { conversation });
  } catch (error) {
    if ((error as { code?: unknown }).code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

async function showConversation(session: Session, given?: ConversationSummary): Promise<void> {
  connected(session);
  if (given === undefined) await session.conversations.reload();
  const conversation = given?.id ?? (await pickConversation(session, session.conversations.list(), "Show which?"));
  if (conversation !== undefined) await session.conversations.show(conversation, "box");
}

/** A command about one conversation, which is asked for where none is given. */
function ofOne(
  session: Session,
  title: string,
  run: (client: BaseLanguageClient, conversations: Conversations, one: ConversationSummary) => Promise<void>,
) {
  return async (given?: ConversationSummary): Promise<void> => {
    const client = connected(session);
    if (given === undefined) await session.conversations.reload();
    const all = session.conversations.list();
    const id = given?.id ?? (await pickConversation(session, all, title));
    const one = all.find((conversation) => conversation.id === id) ?? given;
    if (one !== undefined) await run(client, session.conversations, one);
  };
}

/** Writes a first config into a folder, and shows it. */
async function createConfig(session: Session): Promise<void> {
  const client = connected(session);
  const [only, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (only === undefined) throw new Refused("open the folder that is to get a `.jp` first");
  const folder = others.length === 0 ? only : await vscode.window.showWorkspaceFolderPick();
  if (folder === undefined) return;
  const { file, created } = await execute(client, "jp.config.create", { workspace: folder.uri.toString() });
  await vscode.window.showTextDocument(vscode.Uri.parse(file));
  if (!created) void vscode.window.showInformationMessage("JP: this folder has a .jp/config.toml already.");
  await session.setup();
}

/** Shows the config of the workspace that is meant; where there is none, it can be made. */
async function openConfig(session: Session): Promise<void> {
  const client = session.client();
  const meant = client === undefined ? undefined : await session.workspaces.meant(client);
  const chosen = await session.workspaces.choose(meant ?? []);
  if (chosen === undefined && meant?.length) return;
  const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  for (const folder of chosen === undefined ? folders : [vscode.Uri.parse(chosen.uri)]) {
    const config = vscode.Uri.joinPath(folder, ".jp", "config.toml");
    const isThere = await vscode.workspace.fs.stat(config).then(
      () => true,
      () => false,
    );
    if (isThere) {
      await vscode.window.showTextDocument(config);
      return;
    }
  }
  throw new Refused("there is no .jp/config.toml: run `JP: Create .jp/config.toml`");
}

async function openEffectiveConfig(session: Session): Promise<void> {
  const client = connected(session);
  const place = await placeOf(session, client);
  if (place === undefined) return;
  const { text } = await execute(client, "jp.openEffectiveConfig", place === "nowhere" ? {} : place);
  await vscode.window.showTextDocument(session.documents.set("/.jp/effective.toml", text), { preview: true });
}

/** What is decided otherwise than at the last commit, in a document that the server writes and has shown. */
async function showChanges(session: Session): Promise<void> {
  await execute(connected(session), "jp.diff.show", aboutActiveFile());
}

async function copySchemaPath({ extension }: Session): Promise<void> {
  const { fsPath } = vscode.Uri.joinPath(extension, "schemas", "jp-config.schema.json");
  await vscode.env.clipboard.writeText(fsPath);
  void vscode.window.showInformationMessage("JP: the path of the config schema was copied.");
}

function askForQuery(prompt: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title: "JP", prompt, ignoreFocusOut: true });
}

async function pickRunning(session: Session): Promise<string | undefined> {
  const running = [...session.conversations.running];
  if (running.length === 0) throw new Refused("no turn is running");
  const known = new Map(session.conversations.list().map((conversation) => [conversation.id, conversation]));
  return pickConversation(
    session,
    running.map((id) => known.get(id) ?? { id }),
    "Which turn?",
  );
}

async function pickConversation(
  _: Session,
  conversations: readonly ConversationSummary[],
  title: string,
): Promise<string | undefined> {
  const [only] = conversations;
  if (only === undefined) throw new Refused("there is no conversation: run `JP: New Query`");
  if (conversations.length === 1) return only.id;
  const items = conversations.map(({ id, title: name }) => ({
    label: labelText(name || id),
    description: id,
    id,
  }));
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.id;
}

/** The active file, whose workspace may lie below the folder that is open; elsewhere the server takes the first one. */
function aboutActiveFile(): { workspace?: string } {
  const active = vscode.window.activeTextEditor?.document.uri;
  const isOurs = active !== undefined && vscode.workspace.getWorkspaceFolder(active) !== undefined;
  return isOurs ? { workspace: active.toString() } : {};
}

/** The workspace that is meant, which the person chooses where several may be; undefined when they choose none. */
async function placeOf(
  { workspaces }: Session,
  client: BaseLanguageClient,
): Promise<{ workspace?: string } | "nowhere" | undefined> {
  const meant = await workspaces.meant(client);
  if (meant === undefined) return inActiveFolder();
  if (meant.length === 0) return "nowhere";
  const chosen = await workspaces.choose(meant);
  return chosen === undefined ? undefined : { workspace: chosen.uri };
}

/** The folder of the active file; elsewhere the server takes the first one that is a workspace of ours. */
function inActiveFolder(): { workspace?: string } {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
  return folder === undefined ? {} : { workspace: folder.uri.toString() };
}
