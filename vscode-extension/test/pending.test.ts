import { expect, test } from "vitest";
import { type Gone, PendingPrompts } from "../src/pending";
import { DELTA, RUN } from "./fixtures";

function prompts() {
  const pending = new PendingPrompts();
  const gone: [string, Gone][] = [];
  pending.onGone(({ id }, how) => gone.push([id, how]));
  return { pending, gone };
}

test("an answer settles the prompt once", async () => {
  const { pending, gone } = prompts();
  const answer = pending.add(RUN);
  expect(pending.answer("1", "d1", { action: "approve" })).toBe(true);
  expect(pending.answer("1", "d1", { action: "reject" })).toBe(false);
  expect(await answer).toEqual({ action: "approve" });
  expect(gone).toEqual([["1", "approve"]]);
});

test("an answer with another prompt's digest changes nothing", () => {
  const { pending, gone } = prompts();
  void pending.add(RUN);
  expect(pending.answer("1", "d2", { action: "approve" })).toBe(false);
  expect(pending.list()).toEqual([RUN]);
  expect(gone).toEqual([]);
});

test("a prompt that was resolved elsewhere is no decision of this surface", async () => {
  const { pending, gone } = prompts();
  const answer = pending.add(RUN);
  expect(pending.resolved("1")).toBe(true);
  expect(pending.resolved("1")).toBe(false);
  expect(await answer).toBeNull();
  expect(gone).toEqual([["1", "withdrawn"]]);
});

test("a prompt of the same id supersedes the earlier one", async () => {
  const { pending } = prompts();
  const first = pending.add(RUN);
  const again = { ...RUN, digest: "other" };
  void pending.add(again);
  expect(await first).toBeNull();
  expect(pending.list()).toEqual([again]);
});

test("dropping refuses nothing and approves nothing", async () => {
  const { pending, gone } = prompts();
  const answers = [pending.add(RUN), pending.add(DELTA)];
  expect(pending.drop()).toBe(2);
  expect(await Promise.all(answers)).toEqual([null, null]);
  expect(gone).toEqual([
    ["1", "dropped"],
    ["2", "dropped"],
  ]);
  expect(pending.list()).toEqual([]);
});
