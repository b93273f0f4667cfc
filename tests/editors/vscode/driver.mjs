// Drives the real VS Code: its server with our extension, shown by a headless Chromium.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";

const { VSCODE_SERVER, JP_LSP_VSIX, JP_LSP_OUT } = process.env;

const here = dirname(fileURLToPath(import.meta.url));
const ROOT = join(here, "..", "..", "..");
const MEDIA = join(ROOT, "vscode-extension", "media");
const PICTURES = join(ROOT, "docs", "pictures");
const SETTINGS = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "workbench.enableExperiments": false,
  "workbench.editor.enablePreview": false,
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "chat.commandCenter.enabled": false,
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "editor.minimap.enabled": false,
  "git.enabled": false,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
};
const freePort = () =>
  new Promise((settle) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => settle(port));
    });
  });

/** A folder with the given files, made afresh. */
export function workspace(name, files) {
  const folder = join(JP_LSP_OUT, name, "workspace");
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/**
 * Starts VS Code's server with a fresh profile; `trusted: false` opens workspaces as the editor does for a stranger's.
 *
 * `machine` are the settings that only the machine may have.
 */
export async function start(name, { trusted = true, machine = {}, environment = {}, flags = [] } = {}) {
  const data = join(JP_LSP_OUT, name);
  const write = (scope, settings) => {
    mkdirSync(join(data, "user", scope), { recursive: true });
    writeFileSync(join(data, "user", scope, "settings.json"), JSON.stringify(settings));
  };
  write("User", SETTINGS);
  write("Machine", machine);
  mkdirSync(join(data, "extensions"), { recursive: true });
  const options = [
    join(VSCODE_SERVER, "out", "server-main.js"),
    ...["--user-data-dir", join(data, "user"), "--server-data-dir", join(data, "server")],
    ...["--extensions-dir", join(data, "extensions"), "--accept-server-license-terms", "--telemetry-level", "off"],
    ...(trusted ? ["--disable-workspace-trust"] : []),
  ];
  const log = join(data, "fake.jsonl");
  rmSync(log, { force: true });
  const env = { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}', JP_FAKE_LOG: log, ...environment };
  const installed = spawnSync(process.execPath, [...options, "--install-extension", JP_LSP_VSIX], { env, encoding: "utf8" });
  if (installed.status !== 0) throw new Error(`the extension was not installed: ${installed.stdout}${installed.stderr}`);
  const port = await freePort();
  const output = openSync(join(data, "vscode.log"), "w");
  const server = spawn(
    process.execPath,
    [...options, "--host", "127.0.0.1", "--port", String(port), "--without-connection-token", ...flags],
    { env, stdio: ["ignore", output, output], detached: true },
  );
  const hostPort = `127.0.0.1:${port}`;
  await until("VS Code's server answers", async () => (await fetch(`http://${hostPort}/`).catch(() => undefined))?.ok);
  return {
    hostPort,
    data,
    /** What the stand-in server received, one object a message. */
    received: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : [],
    stop: () => process.kill(-server.pid),
  };
}

/** The machine's settings with which the stand-in server is started. */
export const FAKE = { "jp.server.path": join(here, "..", "fake-server", "jp-lsp") };

/** Waits until `condition` holds, and returns what it returned. */
export async function until(what, condition, limit = 30000) {
  const end = Date.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await new Promise((settle) => setTimeout(settle, 100));
  }
}

/** Waits for something in a page whose frame may give way to another one meanwhile. */
async function throughout(wait) {
  for (;;) {
    try {
      return await wait();
    } catch (error) {
      if (!error.message.includes("Frame was detached")) throw error;
    }
  }
}

/** Whether something comes into view within a second. */
const appears = (locator) =>
  locator.waitFor({ timeout: 1000 }).then(
    () => true,
    () => false,
  );

/**
 * Runs the named checks one after another in one window with a file open; prints each, and a line with the totals.
 *
 * `beside` is the folder of another extension that is there too.
 */
export async function scenario(server, folder, file, checks, { beside } = {}) {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(30000);
  const remote = (path) => `vscode-remote://${server.hostPort}${path}`;
  const payload = [["openFile", remote(join(folder, file))]];
  if (beside !== undefined) payload.push(["extensionDevelopmentPath", remote(beside)]);
  const query = `folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  await page.goto(`http://${server.hostPort}/?${query}`, { waitUntil: "domcontentloaded" });
  const window = new Window(page, server, folder);
  let passed = 0;
  const names = Object.keys(checks);
  try {
    for (const name of names) {
      const began = Date.now();
      await checks[name](window);
      passed += 1;
      console.log(`ok ${name} (${Date.now() - began} ms)`);
    }
  } catch (error) {
    console.log(`not ok ${names[passed]}: ${error.stack}`);
    await window.shot("FAILED");
  } finally {
    await browser.close();
    server.stop();
  }
  console.log(`${passed} passed, ${names.length - passed} failed`);
  process.exitCode = passed === names.length ? 0 : 1;
}

/** One window of the editor, by what a person sees of it. */
export class Window {
  shots = 0;

  constructor(page, server, folder) {
    this.page = page;
    this.server = server;
    this.folder = folder;
  }

  /** The text of a file of the workspace, as it is saved; empty before there is one. */
  saved(path) {
    const file = join(this.folder, path);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async shot(name) {
    this.shots += 1;
    await this.page.screenshot({ path: join(this.server.data, `${String(this.shots).padStart(2, "0")}-${name}.png`) });
  }

  /** A screenshot that stands in the package, and may stand in the documents; with JP_LSP_PICTURES it is put there. */
  async picture(name) {
    await this.page.mouse.move(300, 700);
    await until("nothing pops up", async () => (await this.page.locator(".monaco-hover:not(.hidden):visible").count()) === 0);
    await this.shot(name);
    if (!process.env.JP_LSP_PICTURES) return;
    const file = `${name}.png`;
    await this.page.screenshot({ path: join(MEDIA, file) });
    if (existsSync(join(PICTURES, file))) cpSync(join(MEDIA, file), join(PICTURES, file));
  }

  squiggles(kind = "error") {
    return this.page.locator(`.monaco-editor .view-overlays .squiggly-${kind}`);
  }

  /** Types into the box at the top, which is there once it has the focus. */
  quickInput() {
    return this.page.locator(".quick-input-widget input.input");
  }

  async command(title) {
    // The palette closes when something else takes the focus while it opens.
    await until(`the command ${title}`, async () => {
      try {
        await this.page.keyboard.press("F1");
        await this.quickInput().fill(`>${title}`, { timeout: 2000 });
        const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
        await row.click({ timeout: 2000 });
        return true;
      } catch {
        // Keys that go to a preview's frame do not reach the workbench.
        await this.page.locator(".part.statusbar").click({ position: { x: 600, y: 10 } });
        return false;
      }
    });
  }

  /** The box at the top that asks this. */
  box(prompt) {
    const all = this.page.locator(".quick-input-widget");
    const asks = all.filter({ has: this.page.locator(`input[placeholder*=${JSON.stringify(prompt)}]`) });
    return all.filter({ hasText: prompt }).or(asks);
  }

  /** Answers the extension's question for text. */
  async enter(prompt, text) {
    const box = this.box(prompt);
    await box.waitFor();
    // A box that opened by itself takes no key before a pause, and forgets what was typed; each try is a pause.
    await until("the box takes the answer", async () => {
      try {
        await this.quickInput().fill(text, { timeout: 1000 });
        await this.quickInput().press("Enter", { timeout: 1000 });
        await box.waitFor({ state: "hidden", timeout: 1000 });
        return true;
      } catch {
        return !(await box.isVisible());
      }
    });
  }

  /** Shows a file, named from the workspace or from the root. */
  async open(path) {
    const tab = this.page.locator(`.tab[data-resource-name="${basename(path)}"]`).first();
    // Files elsewhere may have the name of one that is open.
    if (!isAbsolute(path) && (await tab.count()) > 0) {
      await tab.click();
    } else {
      await this.page.keyboard.press("Control+p");
      await this.quickInput().fill(resolve(this.folder, path));
      await this.page.locator(".quick-input-list .monaco-list-row", { hasText: basename(path) }).first().click();
    }
    // Where the mouse rests, something may pop up.
    await this.page.mouse.move(300, 700);
    await this.page.locator(`.editor-group-container.active .monaco-editor[data-uri$="${path}"]`).waitFor();
    await this.focused();
  }

  async focused() {
    await until("an editor has the focus", () =>
      this.page.evaluate(() => document.activeElement?.matches(".inputarea, .native-edit-context")),
    );
  }

  /** Shows a file, with the cursor before the first place of a text in it. */
  async at(path, text) {
    await this.open(path);
    await this.page.keyboard.press("Control+Home");
    const find = this.page.locator(".editor-group-container.active .find-widget.visible");
    await until("the search", async () => {
      await this.page.keyboard.press("Control+f");
      return appears(find);
    });
    const input = find.locator(".find-part textarea.input");
    // What was searched last is not searched again.
    await input.fill("");
    await input.fill(text);
    await find.locator(".matchesCount", { hasText: /^1 of/ }).waitFor();
    // The Escape key would close a notification first.
    await find.locator(".codicon-widget-close").click();
    await this.focused();
    await this.page.keyboard.press("ArrowLeft");
  }

  /** What the active editor shows; it is short enough to be shown whole. */
  async text() {
    const lines = this.page.locator(".editor-group-container.active .monaco-editor .view-lines").last();
    const shown = await lines.locator(".view-line").evaluateAll((all) =>
      all
        .map((line) => [Number.parseInt(line.style.top, 10), line.textContent])
        .sort(([a], [b]) => a - b)
        .map(([, text]) => text),
    );
    return shown.join("\n").replaceAll("\u00a0", " ");
  }

  /** The frame of the conversation that is shown. */
  async conversation() {
    const frame = this.page.frameLocator("iframe.webview:visible").last().locator("#active-frame");
    // While a page is loaded, its frame gives way to another one.
    const found = async () => {
      const page = await (await frame.elementHandle({ timeout: 5000 })).contentFrame();
      await page.locator("#box").waitFor({ state: "attached", timeout: 5000 });
      return page;
    };
    return until("the conversation's frame", () => found().catch(() => undefined), 90000);
  }

  /** Waits until one can type in the conversation that is shown, whatever was shown before it. */
  async takesFocus() {
    const shown = this.page.frameLocator("iframe.webview:visible").last().frameLocator("#active-frame");
    await throughout(() => shown.locator("#box:focus").waitFor({ timeout: 90000 }));
  }

  /** Changes a setting of the machine; those of the user live in the browser. */
  set(name, value) {
    const file = join(this.server.data, "user", "Machine", "settings.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), [name]: value }));
  }

  /** Waits for a text in the conversation that is shown. */
  async says(text) {
    const preview = this.page.frameLocator("iframe.webview:visible").last().frameLocator("#active-frame");
    // After previews that came and went, the browser holds the next one back for up to 25 seconds.
    await throughout(() => preview.getByText(text).first().waitFor({ timeout: 90000 }));
  }

  async save() {
    await this.page.keyboard.press("Control+s");
  }

  /** Picks an action of the light bulb. */
  async fix(title) {
    const menu = this.page.locator(".action-widget");
    const row = menu.locator(".monaco-list-row", { hasText: title });
    // The editor takes the key for nothing while it asks by itself which actions there are.
    await until(`the action ${title}`, async () => {
      await this.page.keyboard.press("Control+.");
      if (await appears(row.first())) return true;
      if (await menu.isVisible()) await this.page.keyboard.press("Escape");
      return false;
    });
    // The menu takes no clicks, only keys.
    await until(`the action ${title} has the focus`, async () => {
      if ((await menu.locator(".monaco-list-row.focused", { hasText: title }).count()) > 0) return true;
      await this.page.keyboard.press("ArrowDown");
      return false;
    });
    await this.page.keyboard.press("Enter");
    await menu.waitFor({ state: "hidden" });
  }

  async query(text) {
    await this.command("JP: New Query");
    await this.enter("What should the assistant do?", text);
  }

  toast(text) {
    return this.page.locator(".notifications-toasts .notification-toast", { hasText: text });
  }

  async press(text, button) {
    await this.toast(text).locator(".monaco-button", { hasText: button }).first().click();
  }

  async problems() {
    const panel = this.page.locator(".markers-panel");
    if (!(await panel.isVisible())) await this.page.keyboard.press("Control+Shift+M");
    const rows = panel.locator(".monaco-list-row");
    await rows.first().waitFor();
    return rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label") ?? row.textContent));
  }

  /** What the editor calls the language of the active file. */
  language() {
    return this.page.locator("#status\\.editor\\.mode").innerText();
  }

  /** The status item as a screen reader says it. */
  async spoken() {
    return (await this.status().locator("a").first().getAttribute("aria-label")) ?? "";
  }

  status() {
    return this.page.locator(".statusbar-item[id='dcdpr.jp-lsp.jp.status']");
  }
}

/** The files of the extension as the editor loads one that is under development. */
export function development(server) {
  const extension = join(server.data, "development");
  cpSync(join(here, "..", "..", "..", "vscode-extension"), extension, {
    recursive: true,
    filter: (path) => !/[\\/](node_modules|src|test)$/.test(path),
  });
  return extension;
}

/**
 * Runs a suite inside the extension host of a window of its own: `suite` is a folder whose index.js exports run().
 *
 * Resolves to its exit code and to what it logged.
 */
export async function inside(browser, { server, extension, folder, suite }) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const lines = [];
  await page.exposeFunction("codeAutomationLog", (_, given) => lines.push(given.join(" ")));
  const exit = new Promise((settle) => {
    page.exposeFunction("codeAutomationExit", settle);
    setTimeout(() => settle("no end within two minutes"), 120000).unref();
  });
  const remote = (path) => `vscode-remote://${server.hostPort}${path}`;
  const payload = [
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(suite)],
    ["skipWelcome", "true"],
  ];
  const query = `folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  await page.goto(`http://${server.hostPort}/?${query}`);
  const code = await exit;
  if (code !== 0) await page.screenshot({ path: join(server.data, "FAILED.png") });
  await page.close();
  return { code, lines };
}

/** Runs a suite of checks inside the extension host, and says what came of them. */
export async function extensionHost(server, folder, suite) {
  const browser = await launch();
  const { code, lines } = await inside(browser, { server, extension: development(server), folder, suite });
  for (const line of lines) if (/^(ok|not ok|\d+ passed)/.test(line)) console.log(line);
  if (code !== 0) {
    writeFileSync(join(server.data, "console.log"), lines.join("\n"));
    console.log(`exit: ${code}`);
  }
  await browser.close();
  server.stop();
  process.exitCode = code === 0 ? 0 : 1;
}
