#!/usr/bin/env python3
"""Measures the language server as an editor feels it, beside taplo and tombi where they are installed.

    cargo build --release --locked --bin jp-lsp
    python3 benches/editor/bench.py [--lines 100,1000,10000,100000] [--servers jp-lsp,tombi,taplo] [--edits 200]
        [--markdown docs/BENCHMARKS.md]

For each size it generates a workspace, starts each server on pipes, and measures: process start to the
`initialize` answer, `didOpen` to the first diagnostics, one keystroke to the diagnostics that follow from it
(an enum value that becomes wrong and right again), completion and hover at keys, headers, values and pointers all
over the file, both idle and right behind the keys of a burst, an unknown request after a rest like those of a burst,
which is what waking up takes, 40 keystrokes 25 ms apart to the diagnostics of the last one, and the peak resident
memory. A server that ends at a measure, or is silent for a minute, gets `ends` or `none` there, and is started anew for
the next one. Nothing here is a test: no figure passes or fails.
"""

import argparse
import json
import os
import resource
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 60
# Address space: a server that takes all memory ends alone.
MEMORY = 8 << 30
TOOL = """[conversation.tools.{name}]
source = "local"
command = "tools {{{{context}}}} {{{{tool}}}}"
summary = "Does the work of {name} on files of the workspace."
enable = true

[conversation.tools.{name}.policy]
result = "unattended"
run = [
  {{ arg = "/path", prefix = "src/generated", mode = "unattended" }},
  {{ arg = "/path", const = "Cargo.toml", mode = "ask" }},
  {{ arg = "/old", pattern = "rm\\\\s+-rf", mode = "ask" }},
  {{ arg = "/line", minimum = 1000, mode = "edit" }},
  {{ mode = "ask" }},
]

[conversation.tools.{name}.parameters.path]
type = "path"
required = true
summary = "The file to change."

[conversation.tools.{name}.parameters.old]
type = "string"

[conversation.tools.{name}.parameters.line]
type = "integer"

[[conversation.tools.{name}.access.fs]]
path = "."
read = true

[[conversation.tools.{name}.access.fs]]
path = "src/generated"
read = true
write = true

[[conversation.tools.{name}.access.env]]
name = "JP_TOOL_*"
read = true

"""

# A mistake that stays. Diagnostics without it are of a stage that has not seen everything yet.
WRONG = 'model.parameters.max_tokens = "many"'


def generate(lines):
    head = ["[assistant]", 'model.id = "anthropic/claude-sonnet-5"', WRONG, "[conversation.tools.'*']", 'run = "ask"', ""]
    text = "\n".join(head) + "\n"
    count = max(2, (lines - len(head)) // TOOL.count("\n"))
    return text + "".join(TOOL.format(name=f"tool_{index:05}") for index in range(count)), count


def asked_places(rows):
    """Where completion and hover are asked for: in keys, headers, pointers, values and paths."""
    wanted = {'result = "': 3, "  { arg = ": 12, 'path = "src': 9, "type = ": 9, "[conversation": 16, "enable = ": 10}
    for line, row in enumerate(rows):
        for start, column in wanted.items():
            if row.startswith(start):
                yield line, column


class Server:
    """A server on pipes, written to and read from by one thread, so that no hand-over is measured but the server's."""

    def __init__(self, command, folder):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        resource.prlimit(self.process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self.buffer = bytearray()
        self.messages = deque()
        self.number = 0

    def take(self):
        """Reads what is there; false at the end of the stream."""
        try:
            chunk = os.read(self.output, 1 << 20)
        except BlockingIOError:
            return True
        at = time.perf_counter()
        self.buffer += chunk
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            headers = bytes(self.buffer[:end]).lower().split(b"\r\n")
            length = next(int(line.split(b":")[1]) for line in headers if line.startswith(b"content-length:"))
            if len(self.buffer) < end + 4 + length:
                break
            self.messages.append((at, bytes(self.buffer[end + 4 : end + 4 + length])))
            del self.buffer[: end + 4 + length]
        return bool(chunk)

    def send(self, message, timeout=TIMEOUT):
        deadline = time.perf_counter() + timeout
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        rest = memoryview(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        while rest:
            # A server that waits to be read would otherwise wait for ever.
            readable, writable, _ = select.select([self.output], [self.input], [], max(0.0, deadline - time.perf_counter()))
            if not readable and not writable:
                raise TimeoutError
            if readable and not self.take():
                raise EOFError("the server ended")
            if writable:
                rest = rest[os.write(self.input, rest) :]

    def request(self, method, params, timeout=TIMEOUT):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params}, timeout)
        return self.wait(lambda message: message.get("id") == number and "method" not in message, timeout)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def wait(self, wanted, timeout=TIMEOUT):
        deadline = time.perf_counter() + timeout
        while True:
            while not self.messages:
                readable, _, _ = select.select([self.output], [], [], max(0.0, deadline - time.perf_counter()))
                if not readable:
                    raise TimeoutError
                if not self.take():
                    raise EOFError("the server ended")
            at, body = self.messages.popleft()
            message = json.loads(body)
            if "id" in message and "method" in message:
                items = message.get("params") or {}
                answer = [None] * len(items.get("items", [])) if message["method"] == "workspace/configuration" else None
                self.send({"id": message["id"], "result": answer})
            elif wanted(message):
                return at, message

    def peak_memory(self):
        try:
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) / 1024
        except OSError:
            pass
        return 0

    def stop(self):
        try:
            self.request("shutdown", None, 20)
            self.notify("exit", None)
            self.process.wait(10)
        except (OSError, TimeoutError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def quantiles(values):
    values = sorted(values)
    pick = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return {"p50": statistics.median(values), "p95": pick(0.95), "p99": pick(0.99), "n": len(values)}


class Editor:
    """An editor with one config file open in a server."""

    def __init__(self, command, lines, schema):
        self.folder = tempfile.TemporaryDirectory()
        text, _ = generate(lines)
        if schema:
            text = f"#:schema {schema}\n" + text
        path = Path(self.folder.name, ".jp", "config.toml")
        path.parent.mkdir()
        path.write_text(text)
        self.uri = path.as_uri()
        self.rows = text.split("\n")
        self.spots = [index for index, row in enumerate(self.rows) if row == 'result = "unattended"']
        self.places = list(asked_places(self.rows))
        self.always = self.rows.index(WRONG)
        self.version = 1
        self.server = Server(command, self.folder.name)
        try:
            self.open(text)
        except (OSError, TimeoutError, EOFError):
            self.close()
            raise

    def open(self, text):
        capabilities = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}, "synchronization": {}}}
        root = Path(self.folder.name).as_uri()
        folders = [{"uri": root, "name": "bench"}]
        at, answer = self.server.request(
            "initialize",
            {"processId": os.getpid(), "rootUri": root, "workspaceFolders": folders, "capabilities": capabilities},
        )
        self.initialize = (at - self.server.started) * 1000
        sync = answer["result"]["capabilities"].get("textDocumentSync")
        self.change = sync.get("change") if isinstance(sync, dict) else sync
        self.server.notify("initialized", {})
        opened = time.perf_counter()
        document = {"uri": self.uri, "languageId": "toml", "version": 1, "text": text}
        self.server.notify("textDocument/didOpen", {"textDocument": document})
        self.first = (self.settled({}) - opened) * 1000

    def edit(self, row, insert):
        """Types an `x` before the closing quote of a row, or takes it away again."""
        self.version += 1
        old = self.rows[row]
        column = len(old) - (1 if insert else 2)
        end = column if insert else column + 1
        self.rows[row] = old[:column] + ("x" if insert else "") + old[end:]
        if self.change == 2:
            changed = {"start": {"line": row, "character": column}, "end": {"line": row, "character": end}}
            changes = [{"range": changed, "text": "x" if insert else ""}]
        else:
            changes = [{"text": "\n".join(self.rows)}]
        document = {"uri": self.uri, "version": self.version}
        sent = time.perf_counter()
        self.server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        return sent

    def settled(self, wanted):
        """Waits for the diagnostics that have, or lack, one in each wanted row and still have the one that always is."""
        wanted = {self.always: True, **wanted}

        def right(message):
            if message.get("method") != "textDocument/publishDiagnostics" or message["params"]["uri"] != self.uri:
                return False
            reported = {item["range"]["start"]["line"] for item in message["params"]["diagnostics"]}
            return all((row in reported) == wrong for row, wrong in wanted.items())

        return self.server.wait(right)[0]

    def ask(self, method, index):
        line, character = self.places[(index * 7919) % len(self.places)]
        params = {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}}
        asked = time.perf_counter()
        at, _ = self.server.request(method, params)
        return (at - asked) * 1000

    def close(self):
        self.server.stop()
        self.folder.cleanup()


def keystroke(editor, edits, budget):
    times = []
    end = time.perf_counter() + budget
    for index in range(edits // 2):
        row = editor.spots[(index * 7919) % len(editor.spots)]
        for wrong in (True, False):
            sent = editor.edit(row, wrong)
            times.append((editor.settled({row: wrong}) - sent) * 1000)
        if time.perf_counter() > end:
            break
    return quantiles(times)


def idle(method):
    return lambda editor, edits, budget: quantiles(within(budget, (editor.ask(method, index) for index in range(edits))))


def behind_keys(method):
    def each(editor, edits):
        row = editor.spots[len(editor.spots) // 2]
        for index in range(edits // 2):
            editor.edit(row, index % 2 == 0)
            yield editor.ask(method, index)
            time.sleep(0.025)

    return lambda editor, edits, budget: quantiles(within(budget, each(editor, edits)))


def nothing(editor, edits, budget):
    def each():
        for index in range(edits // 2):
            time.sleep(0.025)
            yield editor.ask("bench/nothing", index)

    return quantiles(within(budget, each()))


def burst(editor, _edits, _budget):
    """The last key makes another row wrong, so that diagnostics of the keys before it are not taken for its own."""
    last, row = editor.spots[0], editor.spots[len(editor.spots) // 2]
    for index in range(39):
        editor.edit(row, index % 2 == 0)
        time.sleep(0.025)
    sent = editor.edit(last, True)
    return (editor.settled({row: True, last: True}) - sent) * 1000


MEASURES = {
    "keystroke": keystroke,
    "completion": idle("textDocument/completion"),
    "completion in a burst": behind_keys("textDocument/completion"),
    "hover": idle("textDocument/hover"),
    "hover in a burst": behind_keys("textDocument/hover"),
    "nothing": nothing,
    "burst": burst,
}


def within(budget, times):
    """The times that were taken before the budget ran out, and at least one."""
    end = time.perf_counter() + budget
    found = []
    for measured in times:
        found.append(measured)
        if time.perf_counter() > end:
            break
    return found


def quantiles(values):
    values = sorted(values)
    pick = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return {"p50": statistics.median(values), "p95": pick(0.95), "p99": pick(0.99), "n": len(values)}


def measure(command, lines, edits, budget, schema):
    """Takes each measure; for one at which the server ends or does not answer, it says so and starts another server."""
    result = {"lines": generate(lines)[0].count("\n") + bool(schema)}
    memory = 0
    editor = None
    for name, take in MEASURES.items():
        try:
            editor = editor or Editor(command, lines, schema)
            result.setdefault("initialize", editor.initialize)
            result.setdefault("first", editor.first)
            result[name] = take(editor, edits, budget)
        except (OSError, EOFError) as error:
            result[name] = "none" if isinstance(error, TimeoutError) else "ends"
        if editor:
            memory = max(memory, editor.server.peak_memory())
        if isinstance(result[name], str):
            if not editor:
                return dict.fromkeys(("initialize", "first", "memory", *MEASURES), result[name]) | result
            editor.close()
            editor = None
    if editor:
        editor.close()
    return result | {"memory": memory}


def servers(names):
    schema = (ROOT / "schemas" / "jp-config.schema.json").as_uri()
    binary = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "jp-lsp"
    known = {
        "jp-lsp": ([os.environ.get("JP_LSP_BIN", str(binary))], None),
        "tombi": (["tombi", "lsp", "--offline"], schema),
        "taplo": (["taplo", "lsp", "stdio"], schema),
    }
    return {name: known[name] for name in names if shutil.which(known[name][0][0])}


def cell(value, form):
    return value if isinstance(value, str) else form.format(value) if not isinstance(value, dict) else form.format(**value)


def speeds(result):
    keystroke = cell(result["keystroke"], "{p50:.2f} / {p95:.2f} / {p99:.2f} ms ({n})")
    initialize, first, burst = (cell(result[name], "{:.1f} ms") for name in ("initialize", "first", "burst"))
    return [initialize, first, keystroke, burst, cell(result["memory"], "{:.0f} MiB")]


def answers(result):
    names = ("completion", "completion in a burst", "hover", "hover in a burst", "nothing")
    return [cell(result[name], "{p50:.2f} / {p95:.2f} ms") for name in names]


TABLES = {
    "| lines | server | start | first diagnostics | keystroke p50 / p95 / p99 (n) | burst of 40 | peak memory |": speeds,
    "| lines | server | completion p50 / p95 | in a burst | hover p50 / p95 | in a burst | an unknown request |": answers,
}


def tables(results, old=""):
    """Both tables, with the rows of the old text for what was not measured."""
    out = []
    for part, (head, cells) in enumerate(TABLES.items()):
        rows = {}
        for line in (old.split("\n\n") + [""] * len(TABLES))[part].splitlines()[2:]:
            lines, server = (text.strip() for text in line.split("|")[1:3])
            rows[int(lines.replace(",", "")), server] = line
        for name, result in results:
            rows[result["lines"], name] = f"| {result['lines']:,} | {name} | {' | '.join(cells(result))} |"
        out.append("\n".join([head, "|---" * (head.count("|") - 1) + "|", *(rows[key] for key in sorted(rows))]))
    return "\n\n".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", default="100,1000,10000,100000")
    parser.add_argument("--servers", default="jp-lsp,tombi,taplo")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--budget", type=float, default=60, help="seconds of one measure, for one server and size")
    parser.add_argument("--markdown", help="write the rows into the tables below the last heading of this file")
    arguments = parser.parse_args()
    results = []
    for lines in map(int, arguments.lines.split(",")):
        for name, (command, schema) in servers(arguments.servers.split(",")).items():
            result = measure(command, lines, arguments.edits, arguments.budget, schema)
            results.append((name, result))
            for cells in TABLES.values():
                print(f"| {result['lines']:,} | {name} | {' | '.join(cells(result))} |", flush=True)
    if arguments.markdown:
        path = Path(arguments.markdown)
        head, _, old = path.read_text().partition("<!-- table -->\n\n") if path.exists() else ("# Benchmarks\n\n", "", "")
        path.write_text(f"{head}<!-- table -->\n\n{tables(results, old)}\n")


if __name__ == "__main__":
    main()
