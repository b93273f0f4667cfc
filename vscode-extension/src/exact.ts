/**
 * JSON numbers that would not arrive as they were written.
 *
 * `{"id": 9007199254740993}` is read as `9007199254740992`, and `1e400` as no number at all: what holds them is refused,
 * never changed in silence.
 */

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu;

/** The first number in valid JSON that would be sent otherwise, as it is written. */
export function inexactIn(json: string): string | undefined {
  return json.match(STRING_OR_NUMBER)?.find((token) => {
    if (token.startsWith('"')) return false;
    const value = Number(token);
    return /^-?\d+$/u.test(token) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
  });
}

/** Whether a value that arrived as JSON holds an integer whose last digits may be lost already. */
export function isInexact(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(isInexact);
}
