// Writes the settings that the server describes into package.json: `npm run settings [-- --check]`.
import { readFileSync, writeFileSync } from "node:fs";

const manifestPath = new URL("../package.json", import.meta.url);
const schemaPath = new URL("../../schemas/initialization-options.schema.json", import.meta.url);

/** Trust is given to a workspace in the editor's own way, which is no setting. */
const NO_SETTINGS = ["trusted"];

/** What a workspace must not say: it would open its own door. */
const OF_THE_PERSON = ["agent"];

/** The settings for the options of the server: `dialect` is `jp.dialect`. */
export function settingsOf(schema) {
  const options = Object.entries(schema.properties).filter(([name]) => !NO_SETTINGS.includes(name));
  return Object.fromEntries(
    options.map(([name, { description, ...value }]) => [
      `jp.${name}`,
      { ...value, scope: OF_THE_PERSON.includes(name) ? "machine" : "window", markdownDescription: description },
    ]),
  );
}

/** The manifest with these settings after those of the extension itself. */
export function withSettings(manifest, settings) {
  const { configuration } = manifest.contributes;
  const own = Object.entries(configuration.properties).filter(([name]) => /^jp\.(server|trace)\./u.test(name));
  const properties = { ...Object.fromEntries(own), ...settings };
  return { ...manifest, contributes: { ...manifest.contributes, configuration: { ...configuration, properties } } };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const before = readFileSync(manifestPath, "utf8");
  const schema = JSON.parse(readFileSync(schemaPath, "utf8"));
  const after = `${JSON.stringify(withSettings(JSON.parse(before), settingsOf(schema)), undefined, 2)}\n`;
  if (before !== after && process.argv.includes("--check")) {
    console.error("the settings in package.json are not what the server describes: run `npm run settings`");
    process.exit(1);
  }
  if (before !== after) writeFileSync(manifestPath, after);
}
