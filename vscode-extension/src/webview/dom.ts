/** Elements without markup: text is only ever text, so that nothing of what tools and models say is read as HTML. */
import { visible } from "../text";

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Makes an element; a string among the children is shown with its hidden characters spelled out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : visible(value));
  }
  append(made, ...children);
  return made;
}

export function append(parent: Node, ...children: readonly (Node | string | undefined)[]): void {
  for (const child of children) {
    if (child !== undefined) parent.appendChild(typeof child === "string" ? safeText(child) : child);
  }
}

export function safeText(text: string): Text {
  return document.createTextNode(visible(text));
}

/** A button that does something. */
export function button(attributes: Attributes, run: () => void, ...children: readonly (Node | string)[]) {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", run);
  return made;
}

/** The element of the page with an id. */
export function part<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}
