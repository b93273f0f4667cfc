#!/usr/bin/env python3
"""Measures what a key costs beside many files: a file for each tool, which the config extends or a load path covers.

    cargo build --release --locked --bin jp-lsp
    python3 benches/editor/files.py [--files 100,1000,5000] [--keys 100] [--markdown docs/BENCHMARKS.md]

A key goes into a comment of the config, into a comment of one tool's own file, into what the assistant is called, or into the
defaults of all tools; each is measured from `didChange` to the diagnostics of that version. Nothing here is a test: no figure
passes or fails. The driver is that of `bench.py`.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from bench import TOOL, Server, quantiles, servers

CONFIG = """{load}
# comment
[assistant]
model.id = "anthropic/claude-sonnet-5"
name = "a"

[conversation.tools.'*']
run = "ask"
# comment
"""
WAYS = {"extends": 'extends = ["tools/*.toml"]', "load path": 'config_load_paths = [".jp/tools"]'}
# The row that is typed in, and what stands before and after each key.
PLACES = {
    "comment in the config": ("config", "# comment", "# commentx"),
    "comment in a tool": ("tool", "# comment", "# commentx"),
    "text of the config": ("config", 'name = "a"', 'name = "ax"'),
    "default of all tools": ("config", 'run = "ask"', 'run = "unattended"'),
}


class Workspace:
    """An editor with the config and one tool's file open."""

    def __init__(self, command, way, count):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        (root / ".jp" / "tools").mkdir(parents=True)
        for index in range(count):
            text = "# comment\n" + TOOL.format(name=f"tool_{index:05}")
            (root / ".jp" / "tools" / f"tool_{index:05}.toml").write_text(text)
        config = root / ".jp" / "config.toml"
        config.write_text(CONFIG.format(load=WAYS[way]))
        tool = root / ".jp" / "tools" / f"tool_{count // 2:05}.toml"
        self.uris = {"config": config.as_uri(), "tool": tool.as_uri()}
        self.texts = {"config": config.read_text(), "tool": tool.read_text()}
        self.version = 0
        self.server = Server(command, self.folder.name)
        folders = [{"uri": root.as_uri(), "name": "bench"}]
        capabilities = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
        parameters = {"processId": os.getpid(), "rootUri": root.as_uri(), "workspaceFolders": folders, "capabilities": capabilities}
        self.server.request("initialize", parameters)
        self.server.notify("initialized", {})
        for file in self.uris:
            self.version += 1
            document = {"uri": self.uris[file], "languageId": "toml", "version": self.version, "text": self.texts[file]}
            self.server.notify("textDocument/didOpen", {"textDocument": document})
            self.judged(file)

    def judged(self, file):
        def right(message):
            parameters = message.get("params") or {}
            is_own = message.get("method") == "textDocument/publishDiagnostics" and parameters["uri"] == self.uris[file]
            return is_own and parameters.get("version") == self.version

        return self.server.wait(right)[0]

    def key(self, file, old, new):
        """Writes one text in place of another and waits for the diagnostics."""
        before, _, after = self.texts[file].partition(old)
        line, character = before.count("\n"), len(before) - before.rfind("\n") - 1
        end = {"line": line, "character": character + len(old)}
        self.texts[file] = before + new + after
        self.version += 1
        changes = [{"range": {"start": {"line": line, "character": character}, "end": end}, "text": new}]
        document = {"uri": self.uris[file], "version": self.version}
        sent = time.perf_counter()
        self.server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        return (self.judged(file) - sent) * 1000

    def measure(self, place, keys):
        file, old, new = PLACES[place]
        times = []
        for _ in range(keys // 2):
            times += [self.key(file, old, new), self.key(file, new, old)]
        return quantiles(times)

    def close(self):
        self.server.stop()
        self.folder.cleanup()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", default="100,1000,5000")
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--markdown", help="write the table behind `<!-- files -->` of this file")
    arguments = parser.parse_args()
    command, _ = servers(["jp-lsp"])["jp-lsp"]
    rows = [f"| files | way | {' | '.join(PLACES)} |", "|---" * (len(PLACES) + 2) + "|"]
    print("\n".join(rows), flush=True)
    for way in WAYS:
        for count in map(int, arguments.files.split(",")):
            workspace = Workspace(command, way, count)
            cells = ["{p50:.2f} / {p95:.2f} ms".format(**workspace.measure(place, arguments.keys)) for place in PLACES]
            workspace.close()
            rows.append(f"| {count:,} | {way} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    if arguments.markdown:
        path = Path(arguments.markdown)
        head, mark, rest = path.read_text().partition("<!-- files -->\n\n")
        path.write_text(head + mark + "\n".join(rows) + "\n\n" + rest.partition("\n\n")[2])


if __name__ == "__main__":
    main()
