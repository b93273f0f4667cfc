/** A client without a server: it records what is sent and lets a test speak as the server. */
export { MessageType, NotificationType, RequestType } from "vscode-languageserver-protocol";

export const State = { Stopped: 1, Running: 2, Starting: 3 };
export const CloseAction = { DoNotRestart: 1, Restart: 2 };

type Handler = (params: unknown, token?: unknown) => unknown;
type Method = string | { method: string };
const nameOf = (method: Method): string => (typeof method === "string" ? method : method.method);

export const clients: LanguageClient[] = [];

export class LanguageClient {
  readonly sent: [string, unknown][] = [];
  readonly answers: Record<string, unknown> = { "jp/workspaces": [{ uri: "file:///w", name: "w" }] };
  readonly clientOptions: Record<string, unknown>;
  readonly features: unknown[] = [];
  readonly initializeResult = { serverInfo: { name: "jp-lsp", version: "1.2.3" } };
  failure: Error | undefined;
  started = false;
  private readonly handlers = new Map<string, Handler>();
  private state: (change: { newState: number }) => void = () => undefined;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly executable: { command: string },
    options: Record<string, unknown>,
  ) {
    this.clientOptions = { ...options };
    clients.push(this);
  }
  createDefaultErrorHandler(): unknown {
    return { error: () => ({ action: 1 }), closed: () => ({ action: 2 }) };
  }
  registerFeature(feature: unknown): void {
    this.features.push(feature);
  }
  onRequest(method: Method, handler: Handler): void {
    this.handlers.set(nameOf(method), handler);
  }
  onNotification(method: Method, handler: Handler): void {
    this.handlers.set(nameOf(method), handler);
  }
  onDidChangeState(listener: (change: { newState: number }) => void): void {
    this.state = listener;
  }
  isRunning(): boolean {
    return this.started;
  }
  async start(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.started = true;
    this.state({ newState: 2 });
  }
  async dispose(): Promise<void> {
    this.started = false;
  }
  async sendRequest(method: Method, params: unknown): Promise<unknown> {
    this.sent.push([nameOf(method), params]);
    const answer = this.answers[nameOf(method)];
    if (answer instanceof Error) throw answer;
    return answer;
  }
  async sendNotification(method: Method, params: unknown): Promise<void> {
    this.sent.push([nameOf(method), params]);
  }
  /** Speaks as the server. */
  receive(method: string, params: unknown, token?: unknown): unknown {
    const handler = this.handlers.get(method);
    if (handler === undefined) throw new Error(`nobody handles ${method}`);
    return handler(params, token);
  }
}
