import { expect, test } from "vitest";
import { modelName } from "../src/setup";
import { type Status, statusText, statusTooltip } from "../src/status";

const READY: Status = { server: "running", trusted: true, running: 0, prompts: 0 };

test("what needs a person comes first", () => {
  expect(statusText(READY)).toBe("$(comment-discussion) JP");
  expect(statusText({ ...READY, model: "a/b" })).toBe("$(comment-discussion) JP a/b");
  expect(statusText({ ...READY, running: 1, model: "$(x)" })).toBe("$(sync~spin) JP $ (x)");
  expect(statusText({ ...READY, running: 1, prompts: 1 })).toBe("$(bell-dot) JP: 1 prompt");
  expect(statusText({ ...READY, prompts: 2 })).toBe("$(bell-dot) JP: 2 prompts");
  expect(statusText({ ...READY, server: "starting" })).toBe("$(sync~spin) JP");
  expect(statusText({ ...READY, server: "stopped" })).toBe("$(circle-slash) JP");
  expect(statusText({ ...READY, server: "failed", prompts: 1 })).toBe("$(error) JP");
});

test("the tooltip says all of it", () => {
  expect(statusTooltip({ ...READY, version: "1.0", model: "a/b", running: 2, prompts: 1 })).toBe(
    "Server: running (1.0)\nModel: a/b\nTurns running: 2\nPrompts waiting: 1",
  );
  expect(statusTooltip({ ...READY, trusted: false })).toBe(
    "Server: running\nModel: not known\nWorkspace not trusted: analysis only, nothing is run\nPrompts waiting: 0",
  );
});

test("a model is an alias, or a provider and a name", () => {
  expect(modelName({ value: "sonnet" })).toBe("sonnet");
  expect(modelName({ value: { provider: "openai", name: "x" } })).toBe("openai/x");
  for (const nothing of [undefined, null, {}, { value: null }, { value: 1 }, { value: { provider: "x" } }]) {
    expect(modelName(nothing)).toBeUndefined();
  }
});
