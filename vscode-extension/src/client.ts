/** The connection to the server: which files it sees, what it may be asked, and what happens when it dies. */
import * as vscode from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
  type DocumentSelector,
  type ErrorHandler,
  MessageType,
  type ServerCapabilities,
  type ShowMessageParams,
  type ShowMessageRequestParams,
  State,
  type StaticFeature,
} from "vscode-languageclient";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import type { Conversations } from "./conversations";
import type { Prompts } from "./prompts";
import type { ConversationEvent, Notice, PromptParams } from "./protocol";
import type { Server } from "./server";
import { notificationText } from "./text";

export const LANGUAGE = "jp-toml";
const RESTARTS = 4;

/**
 * Files by their place, whatever language the editor gives them; the server registers the further files of the load
 * graph itself. Unsaved documents have no place in it, so the scheme is always `file`.
 */
export function documentSelector(further: readonly string[]): { scheme: "file"; pattern: string }[] {
  return ["**/.jp/**/*.toml", "**/.jp.toml", ...further].map((pattern) => ({ scheme: "file", pattern }));
}

export function initializationOptions(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("jp");
  return {
    trusted: vscode.workspace.isTrusted,
    dialect: settings.get("dialect", "rfd"),
    agent: settings.get("agent", {}),
  };
}

/** What the generic client cannot know: our capability, our commands, and whose files we format. */
export class JpFeature implements StaticFeature {
  private formatting: unknown;

  constructor(private readonly client: () => LanguageClient) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...capabilities.experimental, jp: { prompts: true } };
  }

  preInitialize(capabilities: ServerCapabilities): void {
    // The extension's own commands ask for what the server's commands of the same name need.
    const provider = capabilities.executeCommandProvider;
    if (provider !== undefined) {
      const own = new Set(["jp.query", "jp.explain", "jp.openEffectiveConfig"]);
      capabilities.executeCommandProvider = {
        ...provider,
        commands: provider.commands.filter((command) => !own.has(command)),
      };
    }
    this.formatting = capabilities.documentFormattingProvider;
    delete capabilities.documentFormattingProvider;
    delete capabilities.documentRangeFormattingProvider;
  }

  /** Registers formatting for our language only: a file that somebody calls `toml` has its own formatter. */
  initialize(_: ServerCapabilities, selector: DocumentSelector | undefined): void {
    if (this.formatting === undefined || this.formatting === false || selector === undefined) return;
    const documentSelector = selector.flatMap((filter) =>
      typeof filter === "object" && "pattern" in filter ? [{ ...filter, language: LANGUAGE }] : [],
    );
    this.client()
      .getFeature("textDocument/formatting")
      .register({ id: "jp-formatting", registerOptions: { documentSelector } });
  }

  getState(): ReturnType<StaticFeature["getState"]> {
    return { kind: "static" };
  }

  clear(): void {
    this.formatting = undefined;
  }
}

export interface Parts {
  readonly server: Server;
  readonly prompts: Prompts;
  readonly conversations: Conversations;
  readonly log: vscode.LogOutputChannel;
  /** Told whenever the server runs or has stopped. */
  changed(client: LanguageClient, running: boolean): void;
}

/** Makes the client; nothing runs before it is started. */
export function createClient({ server, prompts, conversations, log, changed }: Parts): LanguageClient {
  const settings = vscode.workspace.getConfiguration("jp");
  const options: LanguageClientOptions = {
    documentSelector: documentSelector(settings.get<string[]>("files.include", [])),
    initializationOptions,
    outputChannel: log,
    markdown: { isTrusted: false, supportHtml: false },
    connectionOptions: { maxRestartCount: RESTARTS },
  };
  const executable = {
    command: server.path,
    args: settings.get<string[]>("server.arguments", []),
    options: { env: { ...process.env, ...settings.get<Record<string, string>>("server.environment", {}) } },
  };
  const client = new LanguageClient("jp", "JP", executable, options);
  client.clientOptions.errorHandler = dropPromptsOnCrash(
    client.createDefaultErrorHandler(RESTARTS),
    prompts,
    conversations,
  );
  client.registerFeature(new JpFeature(() => client));

  client.onDidChangeState(({ newState }) => {
    if (newState !== State.Starting) changed(client, newState === State.Running);
  });
  client.onRequest("jp/prompt", (prompt: PromptParams, token: vscode.CancellationToken) => prompts.ask(prompt, token));
  client.onNotification("jp/promptResolved", ({ id }: { id: string }) => void prompts.pending.resolved(id));
  client.onNotification("jp/conversation/event", (params: { conversation: string; event: ConversationEvent }) => {
    conversations.event(params.conversation, params.event);
  });
  client.onNotification("jp/notice", ({ level, message }: Notice) => {
    void show(
      level === "error" ? MessageType.Error : level === "warning" ? MessageType.Warning : MessageType.Info,
      message,
    );
  });
  // The client's own handlers would turn command links in a message into something to click.
  client.onNotification("window/showMessage", ({ type, message }: ShowMessageParams) => void show(type, message));
  client.onRequest("window/showMessageRequest", async ({ type, message, actions = [] }: ShowMessageRequestParams) => {
    const picked = await show(type, message, ...actions.map(({ title }) => notificationText(title, 60)));
    return actions.find(({ title }) => notificationText(title, 60) === picked) ?? null;
  });
  return client;
}

function show(type: MessageType, message: string, ...buttons: string[]): Thenable<string | undefined> {
  const text = notificationText(`JP: ${message}`, 600);
  switch (type) {
    case MessageType.Error:
      return vscode.window.showErrorMessage(text, ...buttons);
    case MessageType.Warning:
      return vscode.window.showWarningMessage(text, ...buttons);
    default:
      return vscode.window.showInformationMessage(text, ...buttons);
  }
}

/** What the server asked dies with it: no answer may reach its successor. */
export function dropPromptsOnCrash(
  handler: ErrorHandler,
  prompts: Prompts,
  conversations: Conversations,
): ErrorHandler {
  return {
    error: (error, message, count) => handler.error(error, message, count),
    closed: async () => {
      const refused = prompts.drop();
      conversations.stopped();
      const result = await handler.closed();
      const lost =
        refused === 0 ? "" : ` ${refused === 1 ? "1 open prompt was" : `${refused} open prompts were`} refused.`;
      // A notification without buttons is cut off at the end of its line.
      const shown =
        result.action === CloseAction.Restart
          ? show(MessageType.Warning, `the server stopped unexpectedly and was restarted.${lost}`, "Show Log")
          : show(MessageType.Error, `the server stopped too often and stays stopped.${lost}`, "Restart", "Show Log");
      void shown.then((picked) => {
        if (picked === "Restart") return vscode.commands.executeCommand("jp.restartServer");
        return picked === "Show Log" ? vscode.commands.executeCommand("jp.showLog") : undefined;
      });
      return { ...result, handled: true };
    },
  };
}
