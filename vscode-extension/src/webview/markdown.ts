/**
 * Markdown as elements, while it is being written.
 *
 * ```md
 * See [the guide](https://example.org) and ![a picture](https://example.org/a.png)
 * ```
 *
 * A picture is shown as its address and never loaded, only addresses of the web can be followed, and HTML is text.
 */
import MarkdownIt from "markdown-it";
import { append, element, safeText } from "./dom";

type Token = ReturnType<typeof parser.parse>[number];

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** What may be followed is decided here, and not by what the parser takes for dangerous. */
parser.validateLink = () => true;

const FOLLOWED = new Set(["http:", "https:", "mailto:"]);

const CONTAINERS: ReadonlySet<string> = new Set([
  ...["p", "blockquote", "ul", "ol", "li", "em", "strong", "s"],
  ...["table", "thead", "tbody", "tr", "th", "td"],
]);

/** What stands in a container already: the source of each of its children. */
const shown = new WeakMap<Element, readonly string[]>();

/** Shows Markdown in a container; what stands there already and is the same is left alone. */
export function showMarkdown(container: Element, source: string): void {
  const lines = source.split("\n");
  const groups = topLevel(parser.parse(source, {}));
  const sources = groups.map(([first]) => {
    const [from, to] = first?.map ?? [0, 0];
    return `${first?.type} ${lines.slice(from, to).join("\n")}`;
  });
  const before = shown.get(container) ?? [];
  let same = 0;
  while (same < sources.length && sources[same] === before[same]) same += 1;
  while (container.childNodes.length > same) container.lastChild?.remove();
  for (const group of groups.slice(same)) container.appendChild(build(group));
  shown.set(container, sources);
}

/** The tokens of each block that stands in no other. */
function topLevel(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = [];
  let open: Token[] = [];
  for (const token of tokens) {
    open.push(token);
    if (token.level === 0 && token.nesting <= 0) {
      groups.push(open);
      open = [];
    }
  }
  return open.length === 0 ? groups : [...groups, open];
}

/** One element for the tokens of a block. */
function build(tokens: readonly Token[]): Node {
  const root = element("div", { class: "block" });
  fill(root, tokens);
  return root;
}

function fill(root: Element, tokens: readonly Token[]): void {
  const stack: Element[] = [root];
  const top = (): Element => stack.at(-1) ?? root;
  const enter = (made: Element): void => {
    top().appendChild(made);
    stack.push(made);
  };
  for (const token of tokens) {
    if (token.hidden) continue;
    if (token.nesting === 1) enter(opened(token));
    else if (token.nesting === -1) closed(stack);
    else leaf(top(), token);
  }
}

function opened(token: Token): Element {
  if (token.type === "link_open") return link(attribute(token, "href"));
  if (token.type === "heading_open") {
    // The page's own headings come first.
    const level = Math.min(6, Number(token.tag.slice(1)) + 2);
    return document.createElement(`h${Number.isNaN(level) ? 6 : level}`);
  }
  const made = document.createElement(CONTAINERS.has(token.tag) ? token.tag : "span");
  const start = attribute(token, "start");
  if (token.tag === "ol" && /^\d{1,9}$/u.test(start)) made.setAttribute("start", start);
  return made;
}

function closed(stack: Element[]): void {
  if (stack.length <= 1) return;
  const done = stack.pop();
  if (done?.hasAttribute("data-target")) nameTarget(done);
}

function leaf(parent: Element, token: Token): void {
  switch (token.type) {
    case "inline":
      fill(parent, token.children ?? []);
      break;
    case "fence":
    case "code_block":
      parent.appendChild(codeBlock(token.content));
      break;
    case "code_inline":
      append(parent, element("code", {}, token.content));
      break;
    case "softbreak":
      append(parent, "\n");
      break;
    case "hardbreak":
      append(parent, element("br"));
      break;
    case "hr":
      append(parent, element("hr"));
      break;
    case "image":
      append(parent, picture(token));
      break;
    default:
      append(parent, safeText(token.content));
  }
}

/** Code in a box that scrolls, also by keyboard. */
export function codeBlock(text: string): HTMLElement {
  return element("pre", { tabindex: "0", role: "group", "aria-label": "code" }, element("code", {}, text));
}

function picture(token: Token): HTMLElement {
  const source = attribute(token, "src");
  const name = token.content === "" ? "picture" : `picture: ${token.content}`;
  return element("span", { class: "picture" }, `[${name}] `, followable(source, source));
}

/** A link whose target is named when its words are known. */
function link(target: string): HTMLElement {
  const url = address(target);
  if (url === undefined) return element("span", { "data-target": target });
  return element("a", { href: url.href, title: url.href, rel: "noreferrer", "data-target": target });
}

/** Words may say another address than the one that is followed. */
function nameTarget(made: Element): void {
  const target = made.getAttribute("data-target") ?? "";
  made.removeAttribute("data-target");
  const url = address(target);
  const words = made.textContent ?? "";
  if (url === undefined) append(made, " ", element("code", {}, target));
  else if (/[\p{L}\d-]\.\p{L}{2,}|:\/\//u.test(words) && words.trim() !== target && words.trim() !== url.href) {
    append(made, ` (${url.host || url.pathname})`);
  }
}

function followable(target: string, words: string): HTMLElement {
  const url = address(target);
  if (url === undefined) return element("code", {}, words);
  return element("a", { href: url.href, title: url.href, rel: "noreferrer" }, words);
}

function address(target: string): URL | undefined {
  try {
    const url = new URL(target);
    return FOLLOWED.has(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}
