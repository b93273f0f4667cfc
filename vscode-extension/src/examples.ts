/** The examples beside the rules, in the Test Explorer: the server holds them all against the rules in one request. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { messageOf } from "./log";
import { type Example, type ExampleReport, request } from "./protocol";
import { labelText, oneLine } from "./text";

/** Where the examples of a workspace stand. */
const PATTERN = "**/.jp/policy.tests.toml";

/** What is said of an example of which the server says no more. */
const MISTAKE = "the example has a mistake";

export class Examples implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("jp.examples", "JP examples");
  private readonly watcher = vscode.workspace.createFileSystemWatcher(PATTERN);

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly log: (line: string) => void,
  ) {
    this.controller.resolveHandler = (item) => (item === undefined ? this.find() : undefined);
    this.controller.refreshHandler = () => this.find();
    this.controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, (wanted) => this.run(wanted), true);
    const changed = () => void this.find();
    this.watcher.onDidCreate(changed);
    this.watcher.onDidChange(changed);
    this.watcher.onDidDelete(changed);
  }

  dispose(): void {
    this.watcher.dispose();
    this.controller.dispose();
  }

  /** Lists what there is. */
  private async find(): Promise<void> {
    const reports = await this.reports();
    this.controller.items.replace(reports.map((report) => this.fileItem(report)));
  }

  /** Says of each example that is wanted whether it holds. */
  private async run(wanted: vscode.TestRunRequest): Promise<void> {
    const run = this.controller.createTestRun(wanted);
    const reports = await this.reports();
    this.controller.items.replace(reports.map((report) => this.fileItem(report)));
    const included = wanted.include === undefined ? undefined : new Set(wanted.include.map(({ id }) => id));
    const excluded = new Set((wanted.exclude ?? []).map(({ id }) => id));
    for (const report of reports) {
      const file = this.controller.items.get(report.uri);
      for (const [index, example] of report.cases.entries()) {
        const item = file?.children.get(exampleId(report, index));
        const isWanted = included === undefined || included.has(report.uri) || included.has(item?.id ?? "");
        if (item === undefined || !isWanted || excluded.has(item.id)) continue;
        if (example.holds) run.passed(item);
        else run.failed(item, this.message(report, example));
        run.appendOutput(outputLine(example), undefined, item);
      }
      for (const mistake of report.mistakes) {
        if (file === undefined) continue;
        run.errored(file, at(report, mistake.range, mistake.message));
        run.appendOutput(`${oneLine(mistake.message, 600)}\r\n`, undefined, file);
      }
    }
    run.end();
  }

  private async reports(): Promise<ExampleReport[]> {
    const client = this.client();
    if (client === undefined) return [];
    const reports = new Map<string, ExampleReport>();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      try {
        const report = await request(client, "jp/tests", { workspace: folder.uri.toString() });
        if (report !== null) reports.set(report.uri, report);
      } catch (error) {
        this.log(messageOf(error));
      }
    }
    return [...reports.values()];
  }

  private fileItem(report: ExampleReport): vscode.TestItem {
    const uri = vscode.Uri.parse(report.uri);
    const file = this.controller.createTestItem(report.uri, vscode.workspace.asRelativePath(uri), uri);
    const items = report.cases.map((example, index) => {
      const item = this.controller.createTestItem(exampleId(report, index), labelText(example.title, 120), uri);
      item.description = labelText(example.tool, 60);
      item.range = range(example.range);
      return item;
    });
    file.children.replace(items);
    return file;
  }

  private message(report: ExampleReport, example: Example): vscode.TestMessage {
    return at(report, example.range, example.message ?? MISTAKE);
  }
}

function exampleId(report: ExampleReport, index: number): string {
  return `${report.uri}#${index}`;
}

/** What came of an example, for the test output, which is a terminal. */
function outputLine({ tool, title, holds, message }: Example): string {
  const line = `${holds ? "✓" : "✗"} ${tool}: ${title}`;
  return `${oneLine(holds ? line : `${line}: ${message ?? MISTAKE}`, 600)}\r\n`;
}

function at(report: ExampleReport, where: Example["range"], text: string): vscode.TestMessage {
  const message = new vscode.TestMessage(labelText(text, 600));
  message.location = new vscode.Location(vscode.Uri.parse(report.uri), range(where));
  return message;
}

function range({ start, end }: Example["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
