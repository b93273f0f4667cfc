import { expect, test } from "vitest";
import { changeLines, toast } from "../src/describe";
import { fenced, labelText, notificationText, oneLine, visible } from "../src/text";
import { DELTA } from "./fixtures";

test("control characters become their pictures, line feeds and tabs stay", () => {
  expect(visible("a\u001b[31m\u0000\u007fb\tc\r\nd\re")).toBe("a␛[31m␀␡b\tc\nd␍e");
});

test("bidirectional and invisible characters are spelled out, joiners of emoji stay", () => {
  expect(visible("a\u202eb\u200b\u{e0041}\ufeff\u0085")).toBe("a\\u{202e}b\\u{200b}\\u{e0041}\\u{feff}\\u{85}");
  expect(visible("👩\u200d💻")).toBe("👩\u200d💻");
});

test("one line has no line feeds and ends where it must", () => {
  expect(oneLine("a\nb")).toBe("a ⏎ b");
  expect(oneLine("👍👍👍", 2)).toBe("👍…");
});

test("a notification holds no command link", () => {
  expect(notificationText("[run](command:evil)")).toBe("[run] (command:evil)");
});

test("a label holds no icon", () => {
  expect(labelText("$(check) approved")).toBe("$ (check) approved");
});

test("a fence is longer than every run of backticks in it", () => {
  expect(fenced("a\n````\nb", "x")).toBe("`````x\na\n````\nb\n`````\n");
  expect(fenced("")).toBe("```\n\n```\n");
});

test("a notification about a config change names what changes", () => {
  const delta = {
    changes: [
      { path: "assistant.model.id.provider", op: "set" as const, old: "test", new: "test" },
      { path: "assistant.model.id.name", op: "set" as const, old: "quick", new: "strong" },
      { path: "assistant.name", op: "unset" as const },
    ],
    before: "",
    after: "",
    loosens: [],
  };
  expect(toast({ ...DELTA, delta })).toBe(
    "Apply a config change? — assistant.model.id.name = strong (was quick); unset assistant.name",
  );
  expect(changeLines(delta).split("\n")).toEqual([
    "assistant.model.id.provider = test (as before)",
    "assistant.model.id.name = strong (was quick)",
    "unset assistant.name",
  ]);
});
