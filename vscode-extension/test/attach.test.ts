import { expect, test } from "vitest";
import type * as vscode from "vscode";
import { attachmentOf, LARGEST, linesOf } from "../src/attach";
import { editorOf } from "./fixtures";

const attached = (text: string, isSelected = false, path = "/w/a.rs") => {
  const { document, selection } = editorOf(path, text, isSelected) as unknown as vscode.TextEditor;
  return attachmentOf(document, selection);
};

test("a file is its path and all of its text, in a fence that the text cannot end", () => {
  expect(attached("let a = 1;\n")).toBe("`/w/a.rs`:\n\n```rust\nlet a = 1;\n```\n");
  expect(attached("````\nls")).toBe("`/w/a.rs`:\n\n`````rust\n````\nls\n`````\n");
});

test("a name with a line break in it stays a name", () => {
  expect(attached("", false, "/w/a`\n# b")).toBe("`/w/a??# b`:\n\n```rust\n\n```\n");
});

test("what is too large is refused, to the byte", () => {
  expect(attached("a".repeat(LARGEST)).length).toBeGreaterThan(LARGEST);
  expect(() => attached(`${"ä".repeat(LARGEST / 2)}a`)).toThrow(
    "at most 512 KiB go with a question: select the lines that it is about",
  );
});

test("the lines of a selection are counted from 1, and an empty last line is none", () => {
  const selection = (start: number, end: number, character: number) =>
    ({ start: { line: start, character: 0 }, end: { line: end, character } }) as vscode.Selection;
  expect([selection(3, 3, 5), selection(3, 4, 0), selection(3, 5, 1)].map(linesOf)).toEqual([
    "line 4",
    "line 4",
    "lines 4 to 6",
  ]);
});
