/**
 * What is missing before the assistant can be asked: a config, a model, a key.
 *
 * ```json
 * {"workspace": "/w", "model": {"written": "sonnet", "id": "anthropic/claude-sonnet-4-5"}, "canRun": false,
 *  "problem": "`ANTHROPIC_API_KEY` is not set: …",
 *  "keys": [{"provider": "anthropic", "variable": "ANTHROPIC_API_KEY", "isSet": false, "origin": "https://api.anthropic.com"}]}
 * ```
 */
import type { BaseLanguageClient } from "vscode-languageclient";
import { type NamedWorkspace, request, type SetupStatus } from "./protocol";

/** How far somebody has come; also the value of the context key that the welcome views go by. */
export type Step = "noConfig" | "noModel" | "notReady" | "noKey" | "ready";

export interface Setup {
  readonly step: Step;
  /** What a turn asks, where that is known. */
  readonly model: string | undefined;
  /** What keeps a turn from asking it, in the server's words. */
  readonly problem: string | undefined;
  readonly keys: SetupStatus["keys"];
}

/** No folder of the editor holds a `.jp`. */
const FAILED = -32803;

/** Several workspaces may be meant. */
const INVALID_PARAMS = -32602;

/** Asks the server about the workspace that is meant, if only one is; a server of the person's own may be too old to know. */
export async function readSetup(
  client: BaseLanguageClient,
  meant: readonly NamedWorkspace[] | undefined,
): Promise<Setup> {
  const [only, ...others] = meant ?? [];
  const place = only === undefined || others.length > 0 ? {} : { workspace: only.uri };
  try {
    return setupOf(await request(client, "jp/status", place));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === FAILED) {
      return { step: "noConfig", model: undefined, problem: "there is no .jp/config.toml", keys: [] };
    }
    // Which one is asked when something is asked in it.
    if (code === INVALID_PARAMS) return { step: "ready", model: undefined, problem: undefined, keys: [] };
  }
  const model = modelName(await request(client, "jp/explain", { kind: "config", input: "assistant.model.id" }));
  return { step: model === undefined ? "noModel" : "ready", model, problem: undefined, keys: [] };
}

/** What the server's answer comes to. */
export function setupOf({ model, canRun, problem, keys }: SetupStatus): Setup {
  const name = model?.id ?? model?.written;
  const missing = keys.some(({ isSet, provider }) => !isSet && name?.startsWith(`${provider}/`));
  const step = canRun ? "ready" : model === null ? "noModel" : missing ? "noKey" : "notReady";
  return { step, model: name, problem: problem ?? undefined, keys };
}

/** The model in an explanation of `assistant.model.id`: an alias, or a provider and a name. */
export function modelName(explained: unknown): string | undefined {
  const value =
    typeof explained === "object" && explained !== null && "value" in explained ? explained.value : undefined;
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { provider, name } = value as { provider?: unknown; name?: unknown };
  return typeof name === "string" ? [provider, name].filter((part) => typeof part === "string").join("/") : undefined;
}
