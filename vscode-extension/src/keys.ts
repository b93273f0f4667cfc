/**
 * Keys of providers, in the editor's secret storage.
 *
 * No message carries a key: the server gets each as the variable of its environment that the config names, and is started
 * again when one changes. Which variables there are is kept beside them, their values nowhere else.
 */
import * as vscode from "vscode";
import type { SetupStatus } from "./protocol";
import { labelText, notificationText } from "./text";

const NAMES = "jp.keyVariables";

/**
 * What a key may be called. A workspace's config names the variable, and must not get at one that means something to
 * the system, such as `LD_PRELOAD`.
 */
const NAME = /^(?=.*(?:KEY|TOKEN))[A-Z][A-Z0-9_]{1,99}$/u;

export function isKeyName(variable: string): boolean {
  return NAME.test(variable);
}

export class Keys {
  constructor(
    private readonly context: Pick<vscode.ExtensionContext, "secrets" | "globalState">,
    private readonly restart: () => Promise<void>,
  ) {}

  /** The variables for the server's environment. */
  async environment(): Promise<Record<string, string>> {
    const kept = await Promise.all(
      this.names().map(async (name) => [name, await this.context.secrets.get(idOf(name))]),
    );
    return Object.fromEntries(kept.filter(([, key]) => typeof key === "string" && key !== ""));
  }

  /** Asks for a key, or forgets one; `keys` are those that the config names. */
  async change(keys: SetupStatus["keys"]): Promise<void> {
    const variable = await this.pick(keys);
    if (variable === undefined) return;
    if (!isKeyName(variable)) {
      void vscode.window.showErrorMessage(
        notificationText(`JP: \`${variable}\` is no name for a key: call it KEY or TOKEN, in capital letters`),
      );
      return;
    }
    const key = await vscode.window.showInputBox({
      title: `The key for ${variable}`,
      prompt: "It is kept in the secret storage of the editor. Leave it empty to forget the key.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) return;
    await this.keep(variable, key.trim());
  }

  /** Keeps a key, or forgets it when it is empty; the server is started again with what there is. */
  async keep(variable: string, key: string): Promise<void> {
    const others = this.names().filter((name) => name !== variable);
    if (key === "") await this.context.secrets.delete(idOf(variable));
    else await this.context.secrets.store(idOf(variable), key);
    await this.context.globalState.update(NAMES, key === "" ? others : [...others, variable]);
    await this.restart();
  }

  private names(): readonly string[] {
    return this.context.globalState.get<readonly string[]>(NAMES, []).filter(isKeyName);
  }

  private async pick(keys: SetupStatus["keys"]): Promise<string | undefined> {
    const kept = new Set(this.names());
    const variables = new Map(keys.map((key) => [key.variable, key]));
    for (const name of kept) if (!variables.has(name)) variables.set(name, undefined as never);
    if (variables.size === 0) {
      const answer = await vscode.window.showInputBox({
        title: "Set API Key",
        prompt: "The variable that the key goes into, such as ANTHROPIC_API_KEY",
        ignoreFocusOut: true,
      });
      return answer?.trim() || undefined;
    }
    const items = [...variables].map(([variable, key]) => ({
      label: labelText(variable),
      description: labelText(
        [
          key === undefined ? "" : `for ${key.provider}`,
          kept.has(variable) ? "kept here" : key?.isSet ? "set" : "not set",
        ]
          .filter(Boolean)
          .join(", "),
      ),
      variable,
    }));
    return (await vscode.window.showQuickPick(items, { title: "Set API Key", ignoreFocusOut: true }))?.variable;
  }
}

function idOf(variable: string): string {
  return `jp.key.${variable}`;
}
