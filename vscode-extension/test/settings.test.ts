import { expect, test } from "vitest";
import schema from "../../schemas/initialization-options.schema.json";
import manifest from "../package.json";
import { settingsOf, withSettings } from "../scripts/settings.mjs";
import { initializationOptions } from "../src/client";
import { settings } from "./mocks/vscode";

test("the settings are those that the server describes", () => {
  expect(manifest).toEqual(withSettings(manifest, settingsOf(schema)));
  expect(manifest.contributes.configuration.properties["jp.dialect"]).toEqual({
    type: "string",
    enum: ["rfd", "released"],
    enumDescriptions: ["Everything that the design documents specify.", "Warn about what the released jp rejects."],
    default: "rfd",
    scope: "window",
    markdownDescription: "Which `jp` the config is written for.",
  });
  // A workspace must not say how its own tools are held.
  expect(manifest.contributes.configuration.properties["jp.agent"].scope).toBe("machine");
});

test("every option that the server describes is sent, with the setting's value or the server's default", () => {
  const { trusted, ...sent } = initializationOptions();
  expect(trusted).toBe(true);
  const { trusted: _, ...described } = schema.properties;
  expect(sent).toEqual(Object.fromEntries(Object.entries(described).map(([name, it]) => [name, it.default])));
  settings["disabled"] = ["codeLens"];
  expect(initializationOptions()["disabled"]).toEqual(["codeLens"]);
});
