/** The connection to the server: which files it sees, what it may be asked, and what happens when it dies. */
import * as vscode from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
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
import { FilesElsewhere, LANGUAGE } from "./elsewhere";
import type { ApprovedChanges } from "./keep";
import type { Prompts } from "./prompts";
import type { ConversationEvent, Notice, PromptParams } from "./protocol";
import type { Server } from "./server";
import { notificationText } from "./text";

const RESTARTS = 4;

/**
 * Files by their place, whatever language the editor gives them; the server names those that lie elsewhere.
 * Unsaved documents have no place in it, so the scheme is always `file`.
 */
export const DOCUMENT_SELECTOR = ["**/.jp/**/*.toml", "**/.jp.toml"].map((pattern) => ({
  scheme: "file" as const,
  pattern,
}));

/** The settings of the same names, and whether the workspace is trusted. */
export function initializationOptions(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("jp");
  return {
    trusted: vscode.workspace.isTrusted,
    dialect: settings.get("dialect", "rfd"),
    disabled: settings.get("disabled", []),
    severity: settings.get("severity", {}),
    agent: settings.get("agent", {}),
  };
}

/** What the generic client cannot know: our capabilities, our commands, and whose files we format. */
export class JpFeature implements StaticFeature {
  formats = false;

  constructor(private readonly client: () => LanguageClient) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = {
      ...capabilities.experimental,
      jp: { prompts: true, configFiles: true, turnDetails: true },
    };
    // Pushed, the diagnostics of all files come as soon as they are known; to ask for them takes a timer.
    delete capabilities.textDocument?.diagnostic;
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
    this.formats = Boolean(capabilities.documentFormattingProvider);
    delete capabilities.documentFormattingProvider;
    delete capabilities.documentRangeFormattingProvider;
  }

  /** Registers formatting for our language only: a file that somebody calls `toml` has its own formatter. */
  initialize(): void {
    if (!this.formats) return;
    const documentSelector = DOCUMENT_SELECTOR.map((filter) => ({ ...filter, language: LANGUAGE }));
    this.client()
      .getFeature("textDocument/formatting")
      .register({ id: "jp-formatting", registerOptions: { documentSelector } });
  }

  getState(): ReturnType<StaticFeature["getState"]> {
    return { kind: "static" };
  }

  clear(): void {
    this.formats = false;
  }
}

export interface Parts {
  readonly server: Server;
  readonly prompts: Prompts;
  readonly conversations: Conversations;
  readonly changes: ApprovedChanges;
  readonly log: vscode.LogOutputChannel;
  /** The keys that are kept here, by variable. */
  readonly keys: Readonly<Record<string, string>>;
  /** Told when config may be another. */
  configChanged(): void;
  /** Told whenever the server runs or has stopped. */
  changed(client: LanguageClient, running: boolean): void;
}

/**
 * Fits completions to how this editor goes on with them.
 *
 * What is only a beginning, such as a directory or a provider, asks for what follows it once it is accepted.
 * What brings a blank along still fits when the person types it first: behind `=`, the editor would leave only what has a
 * blank in it.
 */
export function fitted<T extends vscode.CompletionItem[] | vscode.CompletionList | null | undefined>(found: T): T {
  const items = Array.isArray(found) ? found : (found?.items ?? []);
  for (const item of items) {
    const label = typeof item.label === "string" ? item.label : item.label.label;
    if (label.endsWith("/")) item.command = { command: "editor.action.triggerSuggest", title: "" };
    const inserted = typeof item.insertText === "string" ? item.insertText : (item.insertText?.value ?? "");
    if (inserted.startsWith(" ")) item.filterText = ` ${item.filterText ?? label}`;
  }
  return found;
}

/** Makes the client; nothing runs before it is started. */
export function createClient(parts: Parts): LanguageClient {
  const { server, prompts, conversations, changes, log, keys, changed, configChanged } = parts;
  const settings = vscode.workspace.getConfiguration("jp");
  const feature = new JpFeature(() => client);
  const elsewhere = new FilesElsewhere(
    () => client,
    () => feature.formats,
  );
  const options: LanguageClientOptions = {
    documentSelector: DOCUMENT_SELECTOR,
    initializationOptions,
    outputChannel: log,
    markdown: { isTrusted: false, supportHtml: false },
    connectionOptions: { maxRestartCount: RESTARTS },
    middleware: {
      didOpen: async (document, next) => {
        await next(document);
        await elsewhere.name(document);
      },
      provideCompletionItem: async (document, position, context, token, next) =>
        fitted(await next(document, position, context, token)),
    },
  };
  const executable = {
    command: server.path,
    args: settings.get<string[]>("server.arguments", []),
    options: { env: { ...process.env, ...keys, ...settings.get<Record<string, string>>("server.environment", {}) } },
  };
  const client: LanguageClient = new LanguageClient("jp", "JP", executable, options);
  client.clientOptions.errorHandler = dropPromptsOnCrash(client.createDefaultErrorHandler(RESTARTS), () => {
    conversations.stopped();
    changes.stopped();
    return prompts.drop();
  });
  client.registerFeature(feature);
  client.registerFeature(elsewhere);

  client.onDidChangeState(({ newState }) => {
    if (newState !== State.Starting) changed(client, newState === State.Running);
  });
  client.onRequest("jp/prompt", (prompt: PromptParams, token: vscode.CancellationToken) => prompts.ask(prompt, token));
  client.onNotification("jp/promptResolved", ({ id, action }: { id: string; action: string }) => {
    prompts.pending.resolved(id, action);
  });
  client.onNotification(
    "jp/conversation/event",
    ({ conversation, event }: { conversation: string; event: ConversationEvent }) => {
      conversations.event(conversation, event);
      changes.event(conversation, event);
    },
  );
  client.onNotification("jp/notice", ({ text }: Notice) => void show(MessageType.Info, text));
  client.onNotification("jp/configFiles", ({ files }: { files: readonly string[] }) => {
    elsewhere.set(files);
    changes.setConfigFiles(files);
    configChanged();
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
export function dropPromptsOnCrash(handler: ErrorHandler, drop: () => number): ErrorHandler {
  return {
    error: (error, message, count) => handler.error(error, message, count),
    closed: async () => {
      const refused = drop();
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
