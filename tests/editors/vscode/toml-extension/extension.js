// Stands for the extensions that know all of TOML: it claims every `*.toml`, formats its language and has findings of its own.
const vscode = require("vscode");

exports.activate = (context) => {
  const findings = vscode.languages.createDiagnosticCollection("other");
  const look = (document) => {
    if (!document.uri.path.endsWith(".toml")) return;
    const finding = new vscode.Diagnostic(document.lineAt(0).range, `seen as ${document.languageId}`, vscode.DiagnosticSeverity.Information);
    finding.source = "other";
    findings.set(document.uri, [finding]);
  };
  vscode.workspace.textDocuments.forEach(look);
  context.subscriptions.push(
    findings,
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.languages.registerDocumentFormattingEditProvider("toml", {
      provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(new vscode.Position(0, 0), "# formatted by the other\n")],
    }),
  );
};
