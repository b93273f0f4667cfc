/**
 * Config files that neither name nor place gives away: what `extends` and `config_load_paths` bring in.
 *
 * ```json
 * {"method": "jp/configFiles", "params": {"files": ["file:///w/.jp/config.toml", "file:///w/shared/team.toml"]}}
 * ```
 */
import * as vscode from "vscode";
import type { DocumentFilter, ServerCapabilities, StaticFeature } from "vscode-languageclient";
import type { LanguageClient } from "vscode-languageclient/node";

/** The language of config, and of files that no other extension has a name for. */
export const LANGUAGE = "jp-toml";
const NO_LANGUAGE = "plaintext";

/** What a server can do with a file, by the capability that says so. */
const FEATURES = {
  completionProvider: "textDocument/completion",
  hoverProvider: "textDocument/hover",
  definitionProvider: "textDocument/definition",
  referencesProvider: "textDocument/references",
  documentHighlightProvider: "textDocument/documentHighlight",
  documentSymbolProvider: "textDocument/documentSymbol",
  documentLinkProvider: "textDocument/documentLink",
  codeActionProvider: "textDocument/codeAction",
  codeLensProvider: "textDocument/codeLens",
  renameProvider: "textDocument/rename",
  foldingRangeProvider: "textDocument/foldingRange",
  selectionRangeProvider: "textDocument/selectionRange",
  signatureHelpProvider: "textDocument/signatureHelp",
  inlayHintProvider: "textDocument/inlayHint",
  semanticTokensProvider: "textDocument/semanticTokens",
} as const satisfies Partial<Record<keyof ServerCapabilities, string>>;

/** The server sees the whole of what is typed before it answers about it, so these come first. */
const SYNCHRONIZATION = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"] as const;

type Method = (typeof FEATURES)[keyof typeof FEATURES] | (typeof SYNCHRONIZATION)[number] | "textDocument/formatting";

/** Whether a file is config by its place, whoever loads it. */
const BY_PLACE = /(^|\/)(\.jp\/(.*\/)?[^/]*\.toml|\.jp\.toml)$/u;

export class FilesElsewhere implements StaticFeature {
  /** The URI of each file, and the features that are registered for it. */
  private readonly files = new Map<string, Method[]>();

  constructor(
    private readonly client: () => LanguageClient,
    private readonly formats: () => boolean,
  ) {}

  /** Serves `jp/configFiles`. */
  set(uris: readonly string[]): void {
    const elsewhere = new Set(uris.filter((uri) => !BY_PLACE.test(vscode.Uri.parse(uri).path)));
    for (const uri of [...this.files.keys()]) if (!elsewhere.has(uri)) this.remove(uri);
    for (const uri of elsewhere) if (!this.files.has(uri)) this.add(uri);
    for (const document of vscode.workspace.textDocuments) void this.name(document);
  }

  /** Gives a file the colours of config, unless another extension knows it. */
  async name(document: vscode.TextDocument): Promise<void> {
    if (document.languageId === NO_LANGUAGE && this.has(document.uri)) {
      await vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
    }
  }

  fillClientCapabilities(): void {}

  initialize(): void {}

  getState(): ReturnType<StaticFeature["getState"]> {
    return { kind: "static" };
  }

  /** The connection has ended, and every registration with it. */
  clear(): void {
    this.files.clear();
  }

  private add(uri: string): void {
    const capabilities: ServerCapabilities = this.client().initializeResult?.capabilities ?? {};
    const filter = exactly(uri);
    const methods: Method[] = [];
    const register = (method: Method, options: object, documentSelector: DocumentFilter[]) => {
      const registration = { id: idOf(method, uri), registerOptions: { ...options, documentSelector } };
      featureOf(this.client(), method).register(registration);
      methods.push(method);
    };
    for (const method of SYNCHRONIZATION) register(method, { syncKind: 2 }, [filter]);
    for (const [capability, method] of Object.entries(FEATURES)) {
      const offered = capabilities[capability as keyof typeof FEATURES];
      if (offered === undefined || offered === false) continue;
      register(method, typeof offered === "object" ? offered : {}, [filter]);
    }
    if (this.formats()) register("textDocument/formatting", {}, [{ ...filter, language: LANGUAGE }]);
    this.files.set(uri, methods);
  }

  private remove(uri: string): void {
    for (const method of this.files.get(uri) ?? []) featureOf(this.client(), method).unregister(idOf(method, uri));
    this.files.delete(uri);
  }

  private has(uri: vscode.Uri): boolean {
    const key = uri.toString();
    // The server may spell a URI otherwise.
    return this.files.has(key) || [...this.files.keys()].some((file) => vscode.Uri.parse(file).toString() === key);
  }
}

function exactly(uri: string): DocumentFilter & { scheme: "file" } {
  const cut = uri.lastIndexOf("/");
  const name = decodeURIComponent(uri.slice(cut + 1)).replace(/[*?[{]/gu, "[$&]");
  return { scheme: "file", pattern: { baseUri: uri.slice(0, cut), pattern: name } };
}

function idOf(method: Method, uri: string): string {
  return `${method} ${uri}`;
}

/** All features register alike; the library types each by its own options. */
function featureOf(client: LanguageClient, method: Method) {
  return client.getFeature(method as "textDocument/hover");
}
