// Runs inside the extension host, against the stand-in server: what needs the editor's API rather than its looks.
const assert = require("node:assert/strict");
const vscode = require("vscode");

async function until(what, condition) {
  const end = Date.now() + 20000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await new Promise((settle) => setTimeout(settle, 20));
  }
}

const file = (path) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, path);
const diagnostics = (path) => vscode.languages.getDiagnostics(file(path)).map(({ code, message, source }) => ({ code, message, source }));
const open = async (path) => vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file(path)));

const checks = {
  "the extension is active soon after its workspace is open": async () => {
    const extension = vscode.extensions.getExtension("dcdpr.jp-lsp");
    await extension.activate();
    assert.equal(extension.isActive, true);
  },
  "config gets our language and its diagnostics": async () => {
    const { document } = await open(".jp/config.toml");
    assert.equal(document.languageId, "jp-toml");
    await until("a diagnostic", () => diagnostics(".jp/config.toml").length > 0);
    assert.deepEqual(diagnostics(".jp/config.toml"), [
      { code: "unknown-key", message: "unknown key `oops`", source: "jp" },
    ]);
  },
  "a file elsewhere is checked once the server names it, other files never": async () => {
    await open("shared/tools.toml");
    await until("a diagnostic", () => diagnostics("shared/tools.toml").length > 0);
    await open("Cargo.toml");
    assert.deepEqual(diagnostics("Cargo.toml"), []);
  },
  "a document without a place is not sent": async () => {
    const document = await vscode.workspace.openTextDocument({ language: "jp-toml", content: "oops = 1\n" });
    await vscode.window.showTextDocument(document);
    assert.deepEqual(vscode.languages.getDiagnostics(document.uri), []);
  },
  "hover and completion answer": async () => {
    const [hover] = await vscode.commands.executeCommand("vscode.executeHoverProvider", file(".jp/config.toml"), new vscode.Position(1, 1));
    const [content] = hover.contents;
    assert.deepEqual([content.value, content.isTrusted ?? false, content.supportHtml ?? false], ["the hover of the fake", false, false]);
    const list = await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", file(".jp/config.toml"), new vscode.Position(3, 0));
    assert.ok(list.items.some(({ label }) => label === "assistant"));
  },
  "our language is formatted, a file that is called toml is not": async () => {
    const format = () => vscode.commands.executeCommand("vscode.executeFormatDocumentProvider", file(".jp/config.toml"), { tabSize: 2, insertSpaces: true });
    assert.deepEqual((await format())?.map(({ newText }) => newText), ["# formatted\n"]);
    const document = await vscode.workspace.openTextDocument(file(".jp/config.toml"));
    await vscode.languages.setTextDocumentLanguage(document, "plaintext");
    assert.equal(await format(), undefined);
    await vscode.languages.setTextDocumentLanguage(document, "jp-toml");
  },
  "diagnostics follow the text": async () => {
    const editor = await open(".jp/config.toml");
    await editor.edit((edit) => edit.delete(editor.document.lineAt(2).rangeIncludingLineBreak));
    await until("no diagnostic", () => diagnostics(".jp/config.toml").length === 0);
    await vscode.commands.executeCommand("undo");
    await until("the diagnostic", () => diagnostics(".jp/config.toml").length === 1);
  },
  "explanations and the effective config open as documents": async () => {
    assert.deepEqual(await vscode.commands.executeCommand("jp.explain", { kind: "policy", tool: "t", input: {} }), { mode: "ask" });
    await vscode.commands.executeCommand("jp.openEffectiveConfig");
    const { document } = vscode.window.activeTextEditor;
    assert.equal(document.getText(), '[assistant]\nname = "one"\n');
    assert.equal(document.languageId, "jp-toml");
  },
  "a prompt is answered by the server's own command": async () => {
    const conversation = await vscode.commands.executeCommand("jp.query", { text: "run" });
    await until("the prompt", async () => {
      try {
        await vscode.commands.executeCommand("jp.prompt.answer", { id: "1", digest: "digest-1", action: "reject" });
        return true;
      } catch {
        return false;
      }
    });
    assert.equal(conversation, "c1");
  },
  "the server is restarted on command": async () => {
    await vscode.commands.executeCommand("jp.restartServer");
    await open(".jp/config.toml");
    await until("a diagnostic", () => diagnostics(".jp/config.toml").length === 1);
  },
};

exports.run = async () => {
  let passed = 0;
  const names = Object.keys(checks);
  for (const name of names) {
    const began = Date.now();
    try {
      await checks[name]();
    } catch (error) {
      console.log(`not ok ${name}: ${error.stack}`);
      console.log(`${passed} passed, ${names.length - passed} failed`);
      throw error;
    }
    passed += 1;
    console.log(`ok ${name} (${Date.now() - began} ms)`);
  }
  console.log(`${passed} passed, 0 failed`);
};
