// The page of a conversation in a browser of its own: the real script, style and policy, without an editor around them.
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../browser.mjs";
import { extension, faults, ofExtension } from "./axe.mjs";

const { JP_LSP_OUT } = process.env;

/** The colours that the editor gives a page, of its own themes. */
export const THEMES = {
  light: {
    "editor-background": "#ffffff",
    "editor-foreground": "#3b3b3b",
    foreground: "#3b3b3b",
    focusBorder: "#005fb8",
    "textLink-foreground": "#005fb8",
    "button-foreground": "#ffffff",
    "button-background": "#005fb8",
    "button-secondaryForeground": "#3b3b3b",
    "button-secondaryBackground": "#e5e5e5",
    "input-foreground": "#3b3b3b",
    "input-background": "#ffffff",
    "input-border": "#cecece",
    "panel-border": "#e5e5e5",
    "textCodeBlock-background": "#f8f8f8",
    "textBlockQuote-background": "#f8f8f8",
    "editorWarning-foreground": "#bf8803",
    "diffEditor-insertedLineBackground": "#9bb95533",
    "diffEditor-removedLineBackground": "#ff000033",
  },
  dark: {
    "editor-background": "#1f1f1f",
    "editor-foreground": "#cccccc",
    foreground: "#cccccc",
    focusBorder: "#0078d4",
    "textLink-foreground": "#4daafc",
    "button-foreground": "#ffffff",
    "button-background": "#0078d4",
    "button-secondaryForeground": "#cccccc",
    "button-secondaryBackground": "#313131",
    "input-foreground": "#cccccc",
    "input-background": "#313131",
    "input-border": "#3c3c3c",
    "panel-border": "#2b2b2b",
    "textCodeBlock-background": "#2b2b2b",
    "textBlockQuote-background": "#2b2b2b",
    "editorWarning-foreground": "#cca700",
    "diffEditor-insertedLineBackground": "#9bb95533",
    "diffEditor-removedLineBackground": "#ff000033",
  },
  contrast: {
    "editor-background": "#000000",
    "editor-foreground": "#ffffff",
    foreground: "#ffffff",
    focusBorder: "#f38518",
    contrastBorder: "#6fc3df",
    "textLink-foreground": "#21a6ff",
    "button-foreground": "#ffffff",
    "button-background": "#000000",
    "button-secondaryForeground": "#ffffff",
    "button-secondaryBackground": "#000000",
    "button-border": "#6fc3df",
    "input-foreground": "#ffffff",
    "input-background": "#000000",
    "input-border": "#6fc3df",
    "editorWarning-foreground": "#ffd370",
  },
};

/** A part of the extension that needs no editor, as a module. */
export async function source(name) {
  const outfile = join(JP_LSP_OUT, "page", `${name}.mjs`);
  const { build } = await import(pathToFileURL(ofExtension.resolve("esbuild")));
  await build({ entryPoints: [join(extension, "src", `${name}.ts`)], outfile, bundle: true, format: "esm", logLevel: "warning" });
  return import(pathToFileURL(outfile));
}

/** Serves the page as the editor does; everything that is asked for is noted. */
async function serve() {
  const { pageHtml } = await source("document");
  const asked = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    const send = (type, text) => response.writeHead(200, { "content-type": type }).end(text);
    if (url === "/") {
      const { port } = server.address();
      const parts = { script: "/webview.js", style: "/webview.css", source: `http://127.0.0.1:${port}`, nonce: "n0nce" };
      send("text/html", pageHtml(parts));
    } else if (url === "/webview.js") send("text/javascript", readFileSync(join(extension, "dist", "webview.js")));
    else if (url === "/webview.css") send("text/css", readFileSync(join(extension, "dist", "webview.css")));
    else response.writeHead(404).end();
  });
  await new Promise((settle) => server.listen(0, "127.0.0.1", settle));
  return { server, asked, address: `http://127.0.0.1:${server.address().port}/` };
}

/** Opens pages, each with a theme; what a page says to the editor is in `sent`. */
export async function pages() {
  const browser = await launch();
  const { server, asked, address } = await serve();
  mkdirSync(join(JP_LSP_OUT, "page"), { recursive: true });
  const open = async ({ theme = "light", state, stopsClock = false } = {}) => {
    const page = await browser.newPage({ viewport: { width: 720, height: 900 } });
    if (stopsClock) await page.clock.install();
    const sent = [];
    const violations = [];
    const problems = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.exposeFunction("noteSent", (message) => sent.push(message));
    await page.exposeFunction("noteViolation", (what) => violations.push(what));
    await page.addInitScript(
      ([colours, kept]) => {
        let current = kept;
        window.acquireVsCodeApi = () => ({
          postMessage: (message) => void window.noteSent(message),
          getState: () => current,
          setState: (next) => {
            current = next;
            window.keptState = next;
          },
        });
        document.addEventListener("securitypolicyviolation", (event) =>
          window.noteViolation(`${event.effectiveDirective} ${event.blockedURI}`),
        );
        document.addEventListener("readystatechange", () => {
          for (const [name, value] of Object.entries(colours)) {
            document.documentElement.style.setProperty(`--vscode-${name}`, value);
          }
        });
      },
      [THEMES[theme], state],
    );
    await page.goto(address);
    return {
      page,
      sent,
      violations,
      problems,
      /** Tells the page something, and waits until it has heard it. */
      post: (message) =>
        page.evaluate(
          (it) =>
            new Promise((heard) => {
              window.addEventListener("message", () => heard(), { once: true });
              window.postMessage(it, "*");
            }),
          message,
        ),
      /** What axe-core finds fault with. */
      faults: () => faults(page),
      shot: (name) => page.screenshot({ path: join(JP_LSP_OUT, "page", `${name}.png`) }),
    };
  };
  return {
    open,
    asked,
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

/** Runs the named checks one after another; prints each, and a line with the totals. */
export async function run(checks) {
  const all = await pages();
  let passed = 0;
  const names = Object.keys(checks);
  for (const name of names) {
    const began = Date.now();
    try {
      await checks[name](all);
      passed += 1;
      console.log(`ok ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      console.log(`not ok ${name}: ${error.stack}`);
    }
  }
  await all.close();
  console.log(`${passed} passed, ${names.length - passed} failed`);
  process.exitCode = passed === names.length ? 0 : 1;
}
