import { beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { isKeyName, Keys } from "../src/keys";
import type { SetupStatus } from "../src/protocol";
import { readSetup, setupOf } from "../src/setup";
import { type Status, statusLabel, statusText } from "../src/status";
import { localTime, relativeTime } from "../src/talks";
import { reset, toasts } from "./mocks/vscode";

beforeEach(() => reset());

const key = (isSet: boolean) => ({
  provider: "anthropic",
  variable: "ANTHROPIC_API_KEY",
  isSet,
  origin: "https://api.anthropic.com",
});
const model = { written: "sonnet", id: "anthropic/claude" };

test("what is missing is told apart", () => {
  const step = (status: Partial<SetupStatus>) => setupOf({ model, canRun: false, keys: [], ...status }).step;
  expect(step({ canRun: true })).toBe("ready");
  expect(step({ model: null, problem: "no model is set" })).toBe("noModel");
  expect(step({ keys: [key(false)], problem: "not set" })).toBe("noKey");
  expect(step({ keys: [key(true)], problem: "the config has an error" })).toBe("notReady");
});

test("a folder without a config is no failure, and an older server is asked otherwise", async () => {
  const client = (answers: Record<string, () => unknown>) =>
    ({ sendRequest: async (method: string) => answers[method]?.() }) as never;
  const fails = (code: number) => () => {
    throw Object.assign(new Error("no"), { code });
  };
  expect((await readSetup(client({ "jp/status": fails(-32803) }), [])).step).toBe("noConfig");
  const older = client({ "jp/status": fails(-32601), "jp/explain": () => ({ value: "sonnet" }) });
  expect(await readSetup(older, undefined)).toMatchObject({ step: "ready", model: "sonnet" });
});

test("the status is that of the workspace that is meant; where several may be, none is missing anything yet", async () => {
  const asked: unknown[] = [];
  const client = (answer: () => unknown) =>
    ({
      sendRequest: async (_: string, params: unknown) => {
        asked.push(params);
        return answer();
      },
    }) as never;
  const named = ["a", "b"].map((name) => ({ uri: `file:///w/${name}`, name }));
  await readSetup(
    client(() => ({ model, canRun: true, keys: [] })),
    named.slice(0, 1),
  );
  const several = client(() => {
    throw Object.assign(new Error("several folders below have a `.jp`"), { code: -32602 });
  });
  expect(await readSetup(several, named)).toEqual({ step: "ready", model: undefined, problem: undefined, keys: [] });
  expect(asked).toEqual([{ workspace: "file:///w/a" }, {}]);
});

test("the status item says what is missing, and a screen reader says no icon", () => {
  const status: Status = { server: "running", trusted: true, running: 0, prompts: 1, model: "a/b", problem: "no key" };
  expect(statusText({ ...status, prompts: 0 })).toBe("$(warning) JP a/b");
  expect(statusLabel(status)).toBe("JP, model a/b, no key, 1 prompt waits for you");
});

function keys() {
  const secrets = new Map<string, string>();
  const state = new Map<string, unknown>();
  const restart = vi.fn(async () => undefined);
  const context = {
    secrets: {
      get: async (id: string) => secrets.get(id),
      store: async (id: string, value: string) => void secrets.set(id, value),
      delete: async (id: string) => void secrets.delete(id),
    },
    globalState: {
      get: (id: string, fallback: unknown) => state.get(id) ?? fallback,
      update: async (id: string, value: unknown) => void state.set(id, value),
    },
  };
  return { kept: new Keys(context as never, restart), secrets, state, restart };
}

test("a key is kept as a secret, given to the server by its variable, and forgotten when it is emptied", async () => {
  const { kept, secrets, state, restart } = keys();
  vi.mocked(vscode.window.showQuickPick).mockImplementation(async (items) => ((await items) as never[])[0]);
  vi.mocked(vscode.window.showInputBox).mockResolvedValueOnce(" sk-1 ");
  await kept.change([key(false)]);
  expect(await kept.environment()).toEqual({ ANTHROPIC_API_KEY: "sk-1" });
  expect(JSON.stringify([...state])).not.toContain("sk-1");
  expect(vi.mocked(vscode.window.showInputBox).mock.calls[0]?.[0]).toMatchObject({ password: true });
  vi.mocked(vscode.window.showInputBox).mockResolvedValueOnce("");
  await kept.change([key(true)]);
  expect(await kept.environment()).toEqual({});
  expect(secrets.size).toBe(0);
  expect(restart).toHaveBeenCalledTimes(2);
  vi.mocked(vscode.window.showQuickPick).mockReset();
});

test("a config cannot name a variable that means something to the system", async () => {
  for (const name of ["LD_PRELOAD", "PATH", "node_key", "A-KEY", "KEY=x", ""]) expect(isKeyName(name)).toBe(false);
  for (const name of ["OPENAI_API_KEY", "HF_TOKEN"]) expect(isKeyName(name)).toBe(true);
  const { kept, restart } = keys();
  vi.mocked(vscode.window.showQuickPick).mockImplementation(async (items) => ((await items) as never[])[0]);
  await kept.change([{ ...key(false), variable: "LD_PRELOAD" }]);
  expect(toasts.at(-1)?.message).toMatch(/^JP: `LD_PRELOAD` is no name for a key/);
  expect(restart).not.toHaveBeenCalled();
  vi.mocked(vscode.window.showQuickPick).mockReset();
});

test("times are told as people say them, from the server's UTC", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const said = (timestamp: string) => relativeTime(timestamp, now);
  expect(said("2026-11-22 11:59:30.5")).toBe("now");
  expect(said("2026-11-22 11:14:00")).toBe("46 min ago");
  expect(said("2026-11-22 07:00:00")).toBe("5 h ago");
  expect(said("2026-11-21 11:00:00")).toBe("yesterday");
  expect(said("2026-11-18 11:00:00")).toBe("4 days ago");
  expect(said("2026-01-02 11:00:00")).toContain("2026");
  expect([said(""), localTime("nonsense")]).toEqual(["", ""]);
});
