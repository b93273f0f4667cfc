/** Boxes that ask for something, which can be closed from outside and never take keys meant for the editor. */
import * as vscode from "vscode";
import type { PromptParams } from "./protocol";
import { labelText, notificationText, oneLine, plain } from "./text";

/** How long no key may have come before a box that opened by itself takes one: somebody may be typing. */
export const GUARD_MS = 600;

/** What was entered; `undefined` when the box was dismissed or closed. */
export interface Asked<T> {
  readonly answer: Promise<{ value: T } | undefined>;
  close(): void;
}

interface OptionItem extends vscode.QuickPickItem {
  readonly value: string;
}

function heading(prompt: PromptParams): string {
  const { label, title, question, tool } = prompt;
  const asker = label || (title === question?.text ? "" : title);
  return oneLine([asker, tool.name].filter(Boolean).join(" — "), 120);
}

type TextBox = vscode.QuickPick<OptionItem> | vscode.InputBox;

function run<T>(box: TextBox, guarded: boolean, value: () => { value: T } | undefined): Asked<T> {
  const answer = new Promise<{ value: T } | undefined>((settle) => {
    const initial = box.value;
    let entered: { value: T } | undefined;
    let armed = !guarded;
    const arm = () => {
      armed = true;
    };
    let timer = setTimeout(arm, GUARD_MS);
    box.onDidChangeValue(() => {
      if (armed) return;
      // Whoever is typing has not seen the box yet.
      clearTimeout(timer);
      timer = setTimeout(arm, GUARD_MS);
      if (box.value !== initial) box.value = initial;
    });
    box.onDidAccept(() => {
      entered = armed ? value() : undefined;
      if (entered !== undefined) box.hide();
    });
    box.onDidHide(() => {
      clearTimeout(timer);
      settle(entered);
      box.dispose();
    });
    box.ignoreFocusOut = true;
    box.show();
  });
  return { answer, close: () => box.hide() };
}

/** Asks for one of the options of a question. */
export function pickOption(prompt: PromptParams, guarded: boolean): Asked<unknown> {
  const question = prompt.question;
  const box = vscode.window.createQuickPick<OptionItem>();
  box.title = heading(prompt);
  box.placeholder = oneLine(question?.text ?? prompt.message);
  box.items = (question?.answerType.options ?? []).map((option) => ({
    label: labelText(option, 200),
    description: option === question?.default ? "default" : "",
    value: option,
  }));
  const [suggested] = box.items.filter(({ value }) => value === question?.default);
  if (suggested !== undefined) box.activeItems = [suggested];
  return run(box, guarded, () => {
    const [item] = box.selectedItems;
    return item === undefined ? undefined : { value: item.value };
  });
}

/** Asks for a text; a secret is neither shown nor prefilled. */
export function enterText(prompt: PromptParams, guarded: boolean): Asked<string> {
  const question = prompt.question;
  const secret = question?.answerType.type === "secret";
  const box = vscode.window.createInputBox();
  box.title = heading(prompt);
  const whose = secret ? `${prompt.tool.name} gets it; the model does not, and it is not recorded.` : "";
  box.prompt = notificationText(
    [question?.text ?? prompt.message, prompt.context ?? "", whose].filter(Boolean).join(" — "),
  );
  box.password = secret;
  if (!secret && question?.default !== undefined && question.default !== null) box.value = plain(question.default);
  return run(box, guarded, () => ({ value: box.value }));
}
