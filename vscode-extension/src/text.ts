/**
 * Text that tools and models wrote, made safe to show.
 *
 * `a\u202eb` is shown as `a\u{202e}b`, an escape character as its picture `␛`: the same spelling as in the server.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/gu;
const HIDDEN =
  /[\u0080-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text with control, bidirectional and invisible characters spelled out; line feeds and tabs stay. */
export function visible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(CONTROL, (character) =>
      character === "\u007f" ? "\u2421" : String.fromCodePoint(0x2400 + (character.codePointAt(0) ?? 0)),
    )
    .replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The text on one line of at most `limit` characters. */
export function oneLine(text: string, limit = 300): string {
  const line = visible(text).replaceAll("\n", " ⏎ ").replaceAll("\t", " ");
  const characters = [...line];
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join("")}…`;
}

/**
 * The text for a notification.
 *
 * Notifications turn `[label](command:..)` into a link that runs the command, so the brackets must not meet.
 */
export function notificationText(text: string, limit = 400): string {
  return oneLine(text, limit).replaceAll("](", "] (");
}

/** The text for a label in which `$(icon)` would become an icon. */
export function labelText(text: string, limit = 120): string {
  return oneLine(text, limit).replaceAll("$(", "$ (");
}

/** The text in a Markdown fence that it cannot end. */
export function fenced(text: string, language = ""): string {
  const shown = visible(text);
  const longest = Math.max(0, ...(shown.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${shown}${shown.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** A value as a person reads it: strings as they are, everything else as JSON. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

/** Arguments as a person reads them: a name and a value a line, JSON where they are no object. */
export function argumentLines(given: unknown): string {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return plain(given ?? "");
  return Object.entries(given)
    .map(([name, value]) => {
      const text = plain(value);
      return text.includes("\n") ? `${name}:\n  ${text.replaceAll("\n", "\n  ")}` : `${name}: ${text}`;
    })
    .join("\n");
}
