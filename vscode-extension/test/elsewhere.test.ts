import { beforeEach, expect, test } from "vitest";
import { FilesElsewhere } from "../src/elsewhere";
import { documents, languages, reset, Uri } from "./mocks/vscode";

const registered = new Map<string, { documentSelector: unknown }>();
const feature = (method: string) => ({
  register: ({ id, registerOptions }: { id: string; registerOptions: { documentSelector: unknown } }) => {
    expect(id.startsWith(method)).toBe(true);
    registered.set(id, registerOptions);
  },
  unregister: (id: string) => registered.delete(id),
});
const client = {
  initializeResult: {
    capabilities: { hoverProvider: true, completionProvider: { triggerCharacters: ["."] }, renameProvider: false },
  },
  getFeature: feature,
};
let formats: boolean;
let elsewhere: FilesElsewhere;

beforeEach(() => {
  reset();
  registered.clear();
  formats = false;
  elsewhere = new FilesElsewhere(
    () => client as never,
    () => formats,
  );
});

const TEAM = "file:///w/shared/team%5B1%5D.toml";

test("files that their place gives away are left to the document selector", () => {
  elsewhere.set(["file:///w/.jp/config.toml", "file:///w/.jp/a/b.toml", "file:///w/.jp.toml", "file:///w/a/.jp.toml"]);
  expect([...registered]).toEqual([]);
});

test("a file elsewhere is synchronized, and gets what the server offers", () => {
  elsewhere.set(["file:///w/.jp/config.toml", TEAM]);
  const filter = { scheme: "file", pattern: { baseUri: "file:///w/shared", pattern: "team[[]1].toml" } };
  expect([...registered.keys()]).toEqual(
    ["didOpen", "didChange", "didClose", "completion", "hover"].map((name) => `textDocument/${name} ${TEAM}`),
  );
  expect(registered.get(`textDocument/completion ${TEAM}`)).toEqual({
    triggerCharacters: ["."],
    documentSelector: [filter],
  });
  formats = true;
  elsewhere.set([]);
  expect([...registered]).toEqual([]);
  elsewhere.set([TEAM]);
  expect(registered.get(`textDocument/formatting ${TEAM}`)).toEqual({
    documentSelector: [{ ...filter, language: "jp-toml" }],
  });
});

test("the same files are not registered twice, but again after the connection has ended", () => {
  elsewhere.set([TEAM]);
  const before = registered.get(`textDocument/hover ${TEAM}`);
  elsewhere.set([TEAM]);
  expect(registered.get(`textDocument/hover ${TEAM}`)).toBe(before);
  elsewhere.clear();
  elsewhere.set([TEAM]);
  expect(registered.get(`textDocument/hover ${TEAM}`)).not.toBe(before);
});

test("a file that no extension knows gets our language, others keep theirs", () => {
  const open = (uri: string, languageId: string) => documents.push({ uri: Uri.parse(uri), languageId });
  open(TEAM, "plaintext");
  open("file:///w/notes.txt", "plaintext");
  elsewhere.set([TEAM]);
  expect(languages.setTextDocumentLanguage.mock.calls).toEqual([[documents[0], "jp-toml"]]);
  documents.length = 0;
  open(TEAM, "toml");
  elsewhere.set([TEAM]);
  expect(languages.setTextDocumentLanguage).toHaveBeenCalledTimes(1);
});
