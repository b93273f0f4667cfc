type Settings = Record<string, unknown>;
export function settingsOf(schema: { properties: Record<string, object> }): Settings;
export function withSettings<Manifest>(manifest: Manifest, settings: Settings): Manifest;
