/** The extension's life: parts are made, the server is started, and started again when asked. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { registerCommands } from "./commands";
import { Conversations, VIEW } from "./conversations";
import { VirtualDocuments } from "./documents";
import { Examples } from "./examples";
import { ApprovedChanges } from "./keep";
import { Keys } from "./keys";
import { createLog, messageOf } from "./log";
import { Prompts } from "./prompts";
import { explainFailure, locate } from "./server";
import { readSetup, type Setup } from "./setup";
import { type Status, StatusItem } from "./status";
import { notificationText } from "./text";
import { passOnTrust } from "./trust";
import { ConversationTree, PromptTree } from "./views";
import { Workspaces } from "./workspaces";

/** Settings that the server reads only when it starts. */
const RESTARTING = ["jp.server", "jp.dialect", "jp.disabled", "jp.severity", "jp.agent"];

/** What may be config, by its path. */
const CONFIG = /\/(?:\.jp\/|\.jp\.\w+$)/u;

/** How long config has to stay as it is before it is asked what it comes to. */
const SETTLED_MS = 300;

/** Before the server has said what is missing. */
const UNKNOWN: Setup = { step: "ready", model: undefined, problem: undefined, keys: [] };

class Extension {
  private client: LanguageClient | undefined;
  private server: Status["server"] = "starting";
  private setup: Setup | undefined;
  /** Starts and stops follow one another, however fast they are asked for. */
  private turn: Promise<void> = Promise.resolve();
  private readonly log = createLog();
  private readonly status = new StatusItem();
  private readonly documents = new VirtualDocuments("jp-prompt");
  private readonly texts = new VirtualDocuments("jp-text");
  private readonly prompts: Prompts = new Prompts(
    this.documents,
    (line) => this.log.warn(line),
    (conversation) => this.conversations.isInView(conversation),
  );
  private readonly conversations = new Conversations(
    () => this.running(),
    (line) => this.log.warn(line),
    async (conversations) => {
      const { Panels } = await import("./panels");
      const { prompts, texts } = this;
      const log = (line: string) => this.log.warn(line);
      return new Panels({ extension: this.context.extensionUri, conversations, prompts, texts, log });
    },
  );

  private readonly changes = new ApprovedChanges(
    () => this.running(),
    (line) => this.log.warn(line),
  );

  private readonly keys: Keys;
  private readonly workspaces: Workspaces = new Workspaces(() => void this.otherPlace());

  /** The workspaces that were meant when it was asked what is missing. */
  private meant = "";

  constructor(private readonly context: vscode.ExtensionContext) {
    this.keys = new Keys(context, () => this.restart());
    const promptTree = vscode.window.createTreeView("jp.prompts", {
      treeDataProvider: new PromptTree(this.prompts.pending),
    });
    this.prompts.pending.onGone((prompt, how) => {
      if (prompt.kind === "delta" && how === "approve") this.changes.approve(prompt);
      if (how === "approve" || how === "reject")
        void vscode.commands.executeCommand("setContext", "jp.hasDecided", true);
    });
    this.prompts.pending.onChanged(() => {
      const value = this.prompts.pending.list().length;
      promptTree.badge =
        value === 0
          ? undefined
          : { value, tooltip: `${value} ${value === 1 ? "prompt waits" : "prompts wait"} for you` };
      void vscode.commands.executeCommand("setContext", "jp.promptWaits", value > 0);
      this.conversations.promptsChanged();
      this.refresh();
    });
    const conversationTree = new ConversationTree(this.conversations);
    context.subscriptions.push(
      this.log,
      this.status,
      this.documents,
      this.texts,
      this.conversations,
      promptTree,
      this.workspaces,
      vscode.window.registerWebviewPanelSerializer(VIEW, {
        deserializeWebviewPanel: (panel, state) => this.conversations.restore(panel, state),
      }),
      vscode.window.registerTreeDataProvider("jp.conversations", conversationTree),
      new Examples(
        () => this.running(),
        (line) => this.log.warn(line),
      ),
      this.conversations.onDidChange(() => this.refresh()),
      ...passOnTrust(
        () => this.running(),
        (error) => this.log.error(messageOf(error)),
      ),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refresh()),
      ...this.watchConfig(),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (RESTARTING.some((section) => event.affectsConfiguration(section))) void this.restart();
      }),
      ...registerCommands({
        client: () => this.running(),
        prompts: this.prompts,
        conversations: this.conversations,
        changes: this.changes,
        documents: this.texts,
        log: this.log,
        extension: context.extensionUri,
        keys: this.keys,
        workspaces: this.workspaces,
        setup: () => this.readSetup(),
        restart: () => this.restart(),
        settled: () => this.turn,
      }),
    );
    this.refresh();
  }

  /** Config may be changed by the person here, by another program, or by going back to what is on disk. */
  private watchConfig(): vscode.Disposable[] {
    const files = vscode.workspace.createFileSystemWatcher("**/{.jp/**,.jp.toml}");
    const changed = () => void this.readSetup();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The server goes by what is open, which follows the disk some time after a watcher has told of it.
    const edited = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!CONFIG.test(document.uri.path)) return;
      clearTimeout(timer);
      timer = setTimeout(changed, SETTLED_MS);
    });
    const ended = { dispose: () => clearTimeout(timer) };
    return [files, files.onDidChange(changed), files.onDidCreate(changed), files.onDidDelete(changed), edited, ended];
  }

  start(): Promise<void> {
    return this.queue(() => this.launch());
  }

  restart(): Promise<void> {
    return this.queue(async () => {
      await this.halt();
      await this.launch();
    });
  }

  stop(): Promise<void> {
    return this.queue(() => this.halt());
  }

  private queue(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step);
    return this.turn;
  }

  private async launch(): Promise<void> {
    this.enter("starting");
    try {
      const setting = vscode.workspace.getConfiguration("jp").get("server.path", "");
      const server = await locate(this.context.extensionPath, setting);
      this.log.info(`server: ${server.path} (${server.from})`);
      // The protocol's library takes longer to load than all of the extension, and activation needs none of it.
      const load = performance.now();
      const { createClient } = await import("./client");
      const { prompts, conversations, changes, log } = this;
      const changed = (its: LanguageClient, running: boolean) => this.changed(its, running);
      const keys = await this.keys.environment();
      const configChanged = () => void this.readSetup();
      const client = createClient({ server, keys, prompts, conversations, changes, log, changed, configChanged });
      this.client = client;
      const start = performance.now();
      performance.measure("jp/load", { start: load, end: start });
      try {
        await client.start();
        const { duration } = performance.measure("jp/start", { start, end: performance.now() });
        this.log.info(`the server answered after ${Math.round(duration)} ms`);
      } catch (error) {
        throw new Error(await explainFailure(server, messageOf(error)));
      }
    } catch (error) {
      this.enter("failed");
      this.log.error(messageOf(error));
      void vscode.window
        .showErrorMessage(notificationText(`JP: ${messageOf(error)}`, 600), "Open Settings", "Show Log")
        .then((picked) => {
          if (picked === "Open Settings") {
            return vscode.commands.executeCommand("workbench.action.openSettings", "jp.server.path");
          }
          return picked === "Show Log" ? this.log.show() : undefined;
        });
    }
  }

  private async halt(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.prompts.drop();
    this.conversations.stopped();
    this.changes.stopped();
    if (client !== undefined) {
      try {
        await client.dispose();
      } catch (error) {
        this.log.warn(`the server did not stop: ${messageOf(error)}`);
      }
    }
  }

  private running(): LanguageClient | undefined {
    return this.client?.isRunning() ? this.client : undefined;
  }

  private changed(client: LanguageClient, running: boolean): void {
    if (client !== this.client) return;
    if (running) {
      this.enter("running");
      void this.conversations.restarted();
      void this.readSetup();
    } else if (this.server !== "failed") {
      this.prompts.drop();
      this.enter("stopped");
    }
  }

  private enter(server: Status["server"]): void {
    this.server = server;
    this.refresh();
  }

  /** Model and keys are config, so they are asked for again whenever config may be another. */
  private async readSetup(): Promise<Setup> {
    try {
      const client = this.running();
      if (client !== undefined) {
        const meant = await this.workspaces.meant(client);
        this.meant = JSON.stringify(meant);
        this.setup = await readSetup(client, meant);
      }
    } catch (error) {
      this.log.warn(`what is missing is not known: ${messageOf(error)}`);
      this.setup = UNKNOWN;
    }
    const step = this.setup?.step;
    const keys = {
      "jp.setup": step,
      "jp.hasConfig": step !== undefined && step !== "noConfig",
      "jp.canRun": step === "ready",
    };
    for (const [key, value] of Object.entries(keys)) void vscode.commands.executeCommand("setContext", key, value);
    this.refresh();
    return this.setup ?? UNKNOWN;
  }

  /** The person is at another file: it may lie in another workspace, with another model. */
  private async otherPlace(): Promise<void> {
    const client = this.running();
    if (client === undefined) return;
    try {
      const meant = await this.workspaces.meant(client);
      if (JSON.stringify(meant) !== this.meant) await this.readSetup();
    } catch (error) {
      this.log.warn(`which workspace is meant is not known: ${messageOf(error)}`);
    }
  }

  private refresh(): void {
    this.status.update({
      server: this.server,
      version: this.client?.initializeResult?.serverInfo?.version,
      model: this.setup?.model,
      problem: this.setup?.problem,
      trusted: vscode.workspace.isTrusted,
      running: this.conversations.running.size,
      prompts: this.prompts.pending.list().length,
    });
  }
}

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): void {
  extension = new Extension(context);
  // Activation ends before the server answers: nothing in the editor waits for it.
  void extension.start();
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
}
