/** The part of the editor that the extension touches, recording what it is asked to show. */
import { vi } from "vitest";

export class EventEmitter<T> {
  private readonly listeners = new Set<(event: T) => void>();
  readonly event = (listener: (event: T) => void) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const listener of this.listeners) listener(event);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  static from({ scheme, path }: { scheme: string; path: string }): Uri {
    return new Uri(scheme, path);
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  static parse(text: string): Uri {
    const { protocol, pathname } = new URL(text);
    return new Uri(protocol.slice(0, -1), pathname);
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    return new Uri(base.scheme, [base.path, ...parts].join("/"));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return this.scheme === "file" ? `file://${this.path}` : `${this.scheme}:${this.path}`;
  }
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}
export class ThemeColor {
  constructor(readonly id: string) {}
}
export class TreeItem {
  [field: string]: unknown;
  constructor(readonly label: string) {}
}
export class TabInputText {
  constructor(readonly uri: Uri) {}
}
export class TabInputTextDiff {
  constructor(
    readonly original: Uri,
    readonly modified: Uri,
  ) {}
}

export class TabInputWebview {
  constructor(readonly viewType: string) {}
}

/** A message that is shown, and how a person reacts to it. */
export interface Toast {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  readonly buttons: readonly string[];
  press(button: string): void;
  dismiss(): void;
}

export const toasts: Toast[] = [];

type Item = string | { title: string };
const titleOf = (item: Item): string => (typeof item === "string" ? item : item.title);

const show =
  (severity: Toast["severity"]) =>
  (message: string, ...items: Item[]) =>
    new Promise<Item | undefined>((settle) => {
      toasts.push({
        severity,
        message,
        buttons: items.map(titleOf),
        press: (button) => {
          const item = items.find((it) => titleOf(it) === button);
          if (item === undefined) throw new Error(`no button ${button} among ${items.map(titleOf).join(", ")}`);
          settle(item);
        },
        dismiss: () => settle(undefined),
      });
    });

/** A box for text or a choice. */
export class Box {
  value = "";
  password = false;
  title = "";
  prompt = "";
  placeholder = "";
  ignoreFocusOut = false;
  items: { label: string; description?: string; value: unknown }[] = [];
  selectedItems: { label: string; value: unknown }[] = [];
  private readonly changed = new EventEmitter<void>();
  private readonly accepted = new EventEmitter<void>();
  private readonly hidden = new EventEmitter<void>();
  onDidChangeValue = this.changed.event;
  onDidAccept = this.accepted.event;
  onDidHide = this.hidden.event;
  show(): void {
    boxes.push(this);
  }
  hide(): void {
    this.hidden.fire();
  }
  dispose(): void {}
  /** Enters text without accepting it. */
  type(text: string): void {
    this.value = text;
    this.changed.fire();
  }
  /** Accepts as the Enter key does. */
  enter(choice?: string): void {
    if (choice !== undefined) {
      this.value = choice;
      this.selectedItems = this.items.filter(({ label }) => label === choice);
    }
    this.accepted.fire();
  }
}

export const boxes: Box[] = [];
export const registered = new Map<string, (...given: unknown[]) => unknown>();
export const executed: unknown[][] = [];
export const settings: Record<string, unknown> = {};
export const tabs: { input: unknown }[] = [];
interface Provider {
  provideTextDocumentContent(uri: Uri): unknown;
}
export const providers = new Map<string, Provider>();
/** The text of a virtual document. */
export const textOf = (uri: unknown): unknown =>
  providers.get((uri as Uri).scheme)?.provideTextDocumentContent(uri as Uri);
const trust = new EventEmitter<void>();
const folders = new EventEmitter<{ readonly added: readonly { readonly uri: Uri }[] }>();

/** A tab with a page in it, and what the page was told. */
export class WebviewPanel {
  readonly posted: { type: string; [field: string]: unknown }[] = [];
  private readonly said = new EventEmitter<unknown>();
  private readonly closed = new EventEmitter<void>();
  private readonly state = new EventEmitter<void>();
  title = "";
  visible = true;
  active = false;
  viewColumn = 2;
  readonly webview = {
    html: "",
    options: {},
    cspSource: "https://editor.example",
    asWebviewUri: (uri: Uri) => uri,
    onDidReceiveMessage: this.said.event,
    postMessage: async (message: { type: string }) => this.posted.push(message),
  };
  readonly onDidDispose = this.closed.event;
  readonly onDidChangeViewState = this.state.event;
  readonly reveal = vi.fn();
  constructor(
    readonly viewType: string,
    readonly column: unknown,
  ) {
    panels.push(this);
  }
  /** Says something as the page does. */
  say(message: unknown): void {
    this.said.fire(message);
  }
  /** What the page was told of a type. */
  of(type: string) {
    return this.posted.filter((message) => message.type === type);
  }
  /** Goes behind another tab, or comes back. */
  show(visible: boolean): void {
    this.visible = visible;
    this.state.fire();
  }
  close(): void {
    this.closed.fire();
  }
}

export const panels: WebviewPanel[] = [];
export const serializers = new Map<
  string,
  { deserializeWebviewPanel(panel: unknown, state: unknown): Promise<void> }
>();

const editors = new EventEmitter<unknown>();

/** The person goes to another editor. */
export const goTo = (editor: unknown): void => {
  window.activeTextEditor = editor;
  editors.fire(editor);
};

export const window = {
  createWebviewPanel: vi.fn((viewType: string, _: string, column: unknown) => new WebviewPanel(viewType, column)),
  registerWebviewPanelSerializer: (type: string, serializer: never) => {
    serializers.set(type, serializer);
    return { dispose() {} };
  },
  showInformationMessage: vi.fn(show("info")),
  showWarningMessage: vi.fn(show("warning")),
  showErrorMessage: vi.fn(show("error")),
  showInputBox: vi.fn(),
  showQuickPick: vi.fn(),
  showTextDocument: vi.fn(),
  createQuickPick: () => new Box(),
  createInputBox: () => new Box(),
  createStatusBarItem: () => ({ text: "", tooltip: "", show() {}, dispose() {} }),
  createOutputChannel: () => ({ info() {}, warn() {}, error() {}, show() {}, dispose() {} }),
  createTreeView: () => ({ badge: undefined, dispose() {} }),
  registerTreeDataProvider: () => ({ dispose() {} }),
  activeTextEditor: undefined as unknown,
  onDidChangeActiveTextEditor: editors.event,
  tabGroups: {
    all: [{ tabs, viewColumn: 2 }],
    activeTabGroup: { activeTab: undefined as { input: unknown } | undefined },
    close: vi.fn(async (closing: unknown[]) => {
      for (const tab of closing) tabs.splice(tabs.indexOf(tab as { input: unknown }), 1);
    }),
  },
};

export const commands = {
  registerCommand: (id: string, run: (...given: unknown[]) => unknown) => {
    registered.set(id, run);
    return { dispose() {} };
  },
  executeCommand: vi.fn(async (...given: unknown[]) => {
    executed.push(given);
    if (registered.has(String(given[0]))) return registered.get(String(given[0]))?.(...given.slice(1));
    if (given[0] === "vscode.diff") tabs.push({ input: new TabInputTextDiff(given[1] as Uri, given[2] as Uri) });
    return undefined;
  }),
};

/** The documents that are open. */
export const documents: { uri: unknown; languageId: string }[] = [];
export const languages = { setTextDocumentLanguage: vi.fn(async () => undefined) };

const edits = new EventEmitter<{ document: { uri: Uri } }>();

/** A document that is open has another text. */
export const edited = (path: string): void => edits.fire({ document: { uri: Uri.file(path) } });

export const workspace = {
  isTrusted: true,
  textDocuments: documents,
  workspaceFolders: [{ uri: Uri.file("/w") }],
  getConfiguration: () => ({ get: (key: string, fallback: unknown) => settings[key] ?? fallback }),
  getWorkspaceFolder: (uri: Uri) => (uri.path.startsWith("/w/") ? workspace.workspaceFolders[0] : undefined),
  asRelativePath: (uri: Uri) => uri.path,
  registerTextDocumentContentProvider: (scheme: string, provider: Provider) => {
    providers.set(scheme, provider);
    return { dispose() {} };
  },
  openTextDocument: vi.fn(async ({ content }: { content: string }) => ({
    uri: Uri.from({ scheme: "untitled", path: "Untitled-1" }),
    isClosed: false,
    getText: () => content,
  })),
  onDidGrantWorkspaceTrust: trust.event,
  onDidChangeWorkspaceFolders: folders.event,
  findFiles: vi.fn(async () => [] as Uri[]),
  createFileSystemWatcher: () => ({
    onDidChange: () => ({ dispose() {} }),
    onDidCreate: () => ({ dispose() {} }),
    onDidDelete: () => ({ dispose() {} }),
    dispose() {},
  }),
  onDidChangeConfiguration: () => ({ dispose() {} }),
  onDidChangeTextDocument: edits.event,
};
export const grantTrust = (): void => trust.fire();
export const addFolder = (uri: Uri): void => folders.fire({ added: [{ uri }] });
export const env = { clipboard: { writeText: vi.fn() } };
export const StatusBarAlignment = { Left: 1 };
export const ViewColumn = { Beside: -2, One: 1 };
export class Range {
  constructor(...given: number[]) {
    this.given = given;
  }
  readonly given: number[];
}

/** An entry of the Test Explorer. */
class TestItem {
  readonly children = new TestItems();
  description: string | undefined;
  range: unknown;
  constructor(
    readonly id: string,
    readonly label: string,
  ) {}
}

class TestItems {
  private items: TestItem[] = [];
  replace(items: TestItem[]): void {
    this.items = items;
  }
  get(id: string): TestItem | undefined {
    return this.items.find((item) => item.id === id);
  }
  [Symbol.iterator](): Iterator<TestItem> {
    return this.items[Symbol.iterator]();
  }
}

/** The Test Explorer, and what its last run said. */
export class TestController {
  readonly items = new TestItems();
  readonly said: string[] = [];
  readonly output: string[] = [];
  refreshHandler: (() => Promise<void>) | undefined;
  runHandler: ((wanted: object) => Promise<void>) | undefined;
  createRunProfile(_: string, __: unknown, handler: (wanted: object) => Promise<void>): void {
    this.runHandler = handler;
  }
  createTestItem = (id: string, label: string): TestItem => new TestItem(id, label);
  createTestRun = (): object => ({
    passed: (item: TestItem) => this.said.push(`passed: ${item.label}`),
    failed: (item: TestItem, { text }: { text: string }) => this.said.push(`failed: ${item.label}: ${text}`),
    errored: (item: TestItem, { text }: { text: string }) => this.said.push(`errored: ${item.label}: ${text}`),
    appendOutput: (text: string) => this.output.push(text),
    end: () => this.said.push("end"),
  });
  dispose(): void {}
}
export const testControllers: TestController[] = [];
export const tests = {
  createTestController: () => {
    const controller = new TestController();
    testControllers.push(controller);
    return controller;
  },
};
export const TestRunProfileKind = { Run: 1 };
export class TestMessage {
  location: unknown;
  constructor(readonly text: string) {}
}
export class Location {
  constructor(
    readonly uri: Uri,
    readonly range: Range,
  ) {}
}

/** Forgets everything that was shown and done. */
export function reset(): void {
  window.activeTextEditor = undefined;
  toasts.length =
    boxes.length =
    executed.length =
    tabs.length =
    documents.length =
    panels.length =
    testControllers.length =
      0;
  registered.clear();
  for (const key of Object.keys(settings)) delete settings[key];
  workspace.isTrusted = true;
  window.tabGroups.activeTabGroup.activeTab = undefined;
  vi.clearAllMocks();
}
