import { expect, test } from "vitest";
import { inexactIn, isInexact } from "../src/exact";

test.each([
  ['{"id": 9007199254740993}', "9007199254740993"],
  ['{"ids": [1, -9007199254740992]}', "-9007199254740992"],
  ['{"x": 1e400}', "1e400"],
  ['{"9007199254740993": "9007199254740993"}', undefined],
  ['{"a": "\\"9007199254740993", "b": 9007199254740991, "c": 0.1, "d": 1e20, "e": -0}', undefined],
])("%s is sent as it is written, but for %s", (json, inexact) => {
  JSON.parse(json);
  expect(inexactIn(json)).toBe(inexact);
});

test("a value tells whether it may have lost digits", () => {
  expect(isInexact({ a: [{ b: 2 ** 53 }] })).toBe(true);
  expect(isInexact({ a: [1, "9007199254740993", null, 1.5, true] })).toBe(false);
});
