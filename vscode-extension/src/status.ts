/** The status item: the server, the model, turns that run, prompts that wait. */
import * as vscode from "vscode";
import { labelText } from "./text";

export interface Status {
  readonly server: "starting" | "running" | "stopped" | "failed";
  readonly version?: string | undefined;
  readonly model?: string | undefined;
  readonly trusted: boolean;
  readonly running: number;
  readonly prompts: number;
}

/** The item's text: what needs a person comes first. */
export function statusText({ server, model, running, prompts }: Status): string {
  if (server === "failed") return "$(error) JP";
  if (server === "stopped") return "$(circle-slash) JP";
  if (server === "starting") return "$(sync~spin) JP";
  if (prompts > 0) return `$(bell-dot) JP: ${prompts} ${prompts === 1 ? "prompt" : "prompts"}`;
  const name = model === undefined ? "JP" : `JP ${labelText(model, 40)}`;
  return running > 0 ? `$(sync~spin) ${name}` : `$(comment-discussion) ${name}`;
}

/** The item's tooltip, plain text. */
export function statusTooltip(status: Status): string {
  return [
    `Server: ${status.server}${status.version === undefined ? "" : ` (${labelText(status.version, 40)})`}`,
    `Model: ${status.model === undefined ? "not known" : labelText(status.model)}`,
    status.trusted ? `Turns running: ${status.running}` : "Workspace not trusted: analysis only, nothing is run",
    `Prompts waiting: ${status.prompts}`,
  ].join("\n");
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("jp.status", vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.item.name = "JP";
  }

  update(status: Status): void {
    this.item.text = statusText(status);
    this.item.tooltip = statusTooltip(status);
    this.item.command = status.prompts > 0 ? "jp.prompts.open" : "jp.menu";
    this.item.backgroundColor =
      status.prompts > 0
        ? new vscode.ThemeColor("statusBarItem.warningBackground")
        : status.server === "failed"
          ? new vscode.ThemeColor("statusBarItem.errorBackground")
          : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
