import { beforeEach, expect, test, vi } from "vitest";
import { ApprovedChanges } from "../src/keep";
import { DELTA, settled } from "./fixtures";
import { reset, toasts, window } from "./mocks/vscode";

const sent: unknown[] = [];
let answer: () => unknown;
let changes: ApprovedChanges;
const logged: string[] = [];

beforeEach(() => {
  reset();
  sent.length = logged.length = 0;
  answer = () => ({ file: "file:///w/.jp/config.toml", applied: true, leftOut: [] });
  const client = {
    sendRequest: async (method: string, params: unknown) => {
      sent.push([method, params]);
      return answer();
    },
  };
  changes = new ApprovedChanges(
    () => client as never,
    (line) => logged.push(line),
  );
  changes.setConfigFiles(["file:///w/shared/a.toml", "file:///w/.jp/config.toml", "file:///w/.jp/b.json"]);
});

const ended = { type: "tool_call_response", id: DELTA.tool.callId };
const offered = () => toasts.map(({ message }) => message);

/** Approves a change, lets its call end, and takes the offer. */
async function accept() {
  changes.approve(DELTA);
  changes.event(DELTA.conversation, ended);
  toasts.at(-1)?.press("Keep in Config…");
  await settled();
}

test("an approved change is offered once its call has ended, and one that nobody approved never", () => {
  changes.event(DELTA.conversation, ended);
  changes.approve(DELTA);
  changes.event(DELTA.conversation, { type: "tool_call_response", id: "another" });
  changes.event("another", ended);
  expect(offered()).toEqual([]);
  changes.event(DELTA.conversation, ended);
  changes.event(DELTA.conversation, ended);
  expect(offered()).toEqual(["JP: the change of assistant.name by fs_modify_file holds for its conversation."]);
  expect(sent).toEqual([]);
});

test("a change is kept in the file that is picked, the workspace's own one first", async () => {
  window.showQuickPick.mockImplementationOnce(async (items) => items[0]);
  await accept();
  expect(window.showQuickPick.mock.calls[0]?.[0].map(({ label }: { label: string }) => label)).toEqual([
    "/w/.jp/config.toml",
    "/w/shared/a.toml",
  ]);
  const argument = { conversation: "c1", callId: "call_1", file: "file:///w/.jp/config.toml" };
  expect(sent).toEqual([["workspace/executeCommand", { command: "jp.delta.persist", arguments: [argument] }]]);
  expect(`${window.showTextDocument.mock.calls[0]?.[0]}`).toBe("file:///w/.jp/config.toml");
  await changes.choose();
  expect(offered().at(-1)).toBe("JP: no approved config change is left to keep.");
});

test("without a pick nothing is kept, and the change can be kept later", async () => {
  await accept();
  expect(sent).toEqual([]);
  changes.setConfigFiles(["file:///w/.jp/config.toml"]);
  window.showQuickPick.mockImplementationOnce(async (items) => items[0]);
  await changes.choose();
  expect(sent).toHaveLength(1);
});

test("what the file cannot say, and an edit that was not made, are told", async () => {
  changes.setConfigFiles(["file:///w/.jp/config.toml"]);
  answer = () => ({
    file: "file:///w/.jp/config.toml",
    applied: false,
    leftOut: [{ path: "assistant.name", reason: "another file sets it" }],
  });
  await accept();
  expect(offered().at(-1)).toBe("JP: not all of it is kept: assistant.name (another file sets it)");
  answer = () => ({ file: "file:///w/.jp/config.toml", applied: false, leftOut: [] });
  await accept();
  expect(offered().at(-1)).toBe("JP: the change was not kept: the editor did not make the edit.");
  answer = () => {
    throw new Error("no [change](command:x)");
  };
  await accept();
  expect(offered().at(-1)).toBe("JP: the change was not kept: no [change] (command:x)");
  expect(logged).toEqual([]);
});

test("nothing is left of a server that has stopped", async () => {
  changes.approve(DELTA);
  changes.stopped();
  changes.event(DELTA.conversation, ended);
  await changes.choose();
  expect(offered()).toEqual(["JP: no approved config change is left to keep."]);
  expect(vi.mocked(window.showQuickPick)).not.toHaveBeenCalled();
});
