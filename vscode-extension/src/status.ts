/** The status item: the server, the model, turns that run, prompts that wait. */
import * as vscode from "vscode";
import { labelText } from "./text";

export interface Status {
  readonly server: "starting" | "running" | "stopped" | "failed";
  readonly version?: string | undefined;
  readonly model?: string | undefined;
  /** What keeps a turn from asking the model. */
  readonly problem?: string | undefined;
  readonly trusted: boolean;
  readonly running: number;
  readonly prompts: number;
}

/** The item's text: what needs a person comes first. */
export function statusText({ server, model, problem, running, prompts }: Status): string {
  if (server === "failed") return "$(error) JP";
  if (server === "stopped") return "$(circle-slash) JP";
  if (server === "starting") return "$(sync~spin) JP";
  if (prompts > 0) return `$(bell-dot) JP: ${prompts} ${prompts === 1 ? "prompt" : "prompts"}`;
  const name = model === undefined ? "JP" : `JP ${labelText(model, 40)}`;
  if (running > 0) return `$(sync~spin) ${name}`;
  return problem === undefined ? `$(comment-discussion) ${name}` : `$(warning) ${name}`;
}

/** The item as a screen reader says it: without the names of icons. */
export function statusLabel(status: Status): string {
  const { server, model, problem, running, prompts } = status;
  const parts = [
    server === "running" ? "" : `server ${server}`,
    model === undefined ? "" : `model ${labelText(model, 80)}`,
    problem === undefined ? "" : labelText(problem),
    running > 0 ? `${running} ${running === 1 ? "turn runs" : "turns run"}` : "",
    prompts > 0 ? `${prompts} ${prompts === 1 ? "prompt waits" : "prompts wait"} for you` : "",
  ];
  return ["JP", ...parts.filter(Boolean)].join(", ");
}

/** The item's tooltip, plain text. */
export function statusTooltip(status: Status): string {
  return [
    `Server: ${status.server}${status.version === undefined ? "" : ` (${labelText(status.version, 40)})`}`,
    `Model: ${status.model === undefined ? "not known" : labelText(status.model)}`,
    ...(status.problem === undefined ? [] : [`Not ready: ${labelText(status.problem, 300)}`]),
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
    this.item.accessibilityInformation = { label: statusLabel(status), role: "button" };
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
