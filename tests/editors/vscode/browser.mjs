// The browser that shows VS Code: a Chromium that npm carries, with its libraries and fonts, so that neither root nor a
// system's packages are needed.
//
// `node browser.mjs` unpacks it where it is not; when no browser starts, it says what is missing and ends with status 3.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const driver = join(process.env.JP_LSP_EDITORS_CACHE, "vscode-driver");
const { chromium } = createRequire(join(driver, "package.json"))("playwright-core");

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Whatever lies elsewhere is not there, at once and on every machine.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/** Where the unpacked browser stands; its name tells of the version. */
function unpackedAt() {
  const { version } = JSON.parse(readFileSync(join(driver, "node_modules/@sparticuz/chromium/package.json"), "utf8"));
  return join(driver, `chromium-${version}`);
}

/** What fontconfig finds: one font for code, and one for all else, whatever a page asks for. */
const fontsConfig = (fonts, cache) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${fonts}</dir>
<cachedir>${cache}</cachedir>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<selectfont>
<rejectfont><glob>*</glob></rejectfont>
<acceptfont><glob>*/DejaVuSans.ttf</glob><glob>*/DejaVuSans-Bold*</glob><glob>*/DejaVuSansMono*</glob></acceptfont>
</selectfont>
</fontconfig>
`;

/** Unpacks the browser and its libraries, and names its fonts. */
function unpack(folder) {
  if (!existsSync(folder)) {
    const packed = (name) => brotliDecompressSync(readFileSync(join(driver, "node_modules/@sparticuz/chromium/bin", name)));
    const making = `${folder}.${process.pid}`;
    mkdirSync(making, { recursive: true });
    writeFileSync(join(making, "chromium"), packed("chromium.br"), { mode: 0o755 });
    const untar = spawnSync("tar", ["-xf", "-", "-C", making], { input: packed("al2023.tar.br"), encoding: "utf8" });
    if (untar.status !== 0) throw new Error(`the libraries were not unpacked: ${untar.error?.message ?? untar.stderr}`);
    renameSync(making, folder);
  }
  const fonts = join(driver, "node_modules/dejavu-fonts-ttf/ttf");
  const config = fontsConfig(fonts, join(folder, "fonts"));
  const path = join(folder, "fonts.conf");
  if (!existsSync(path) || readFileSync(path, "utf8") !== config) writeFileSync(path, config);
}

/** What to start, and what it needs to know. */
function candidates() {
  const named = process.env.JP_LSP_CHROMIUM;
  if (named !== undefined && named !== "") return [{ path: named }];
  const system = ["chromium", "chromium-browser", "google-chrome"]
    .flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)))
    .filter((path) => existsSync(path))
    .map((path) => ({ path }));
  if (process.platform !== "linux" || process.arch !== "x64") return system;
  const folder = unpackedAt();
  const env = { LD_LIBRARY_PATH: join(folder, "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") };
  return [{ path: join(folder, "chromium"), env, prepare: () => unpack(folder) }, ...system];
}

/** The first browser that starts; throws an `Error` that says why none does. */
function browser() {
  const failures = [];
  for (const { path, env, prepare } of candidates()) {
    try {
      prepare?.();
    } catch (error) {
      failures.push(`${path}: ${error.message}`);
      continue;
    }
    const environment = { ...process.env, ...env };
    const asked = spawnSync(path, ["--version"], { env: environment, encoding: "utf8" });
    if (asked.status === 0) return { path, env: environment, version: asked.stdout.trim() };
    const libraries = spawnSync("ldd", [path], { env: environment, encoding: "utf8" }).stdout ?? "";
    const missing = libraries.split("\n").filter((line) => line.includes("not found"));
    const reason = asked.error?.message ?? (asked.stderr.trim() || `exit status ${asked.status ?? asked.signal}`);
    failures.push([`${path}: ${reason}`, ...missing].join("\n"));
  }
  const tried = failures.length === 0 ? `none for ${process.platform}-${process.arch}` : failures.join("\n");
  throw new Error(`no Chromium starts (${tried}): name one in JP_LSP_CHROMIUM`);
}

/** Starts the browser. */
export function launch() {
  const { path, env } = browser();
  return chromium.launch({ executablePath: path, env, headless: true, args: ARGUMENTS });
}

if (import.meta.url === `file://${process.argv[1]}`) {
  try {
    const { path, version } = browser();
    console.log(`${version} (${path})`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 3;
  }
}
