#!/usr/bin/env python3
"""Measures the language server as an editor feels it, beside taplo and tombi where they are installed.

    cargo build --release --locked --bin jp-lsp
    python3 benches/editor/bench.py [--lines 100,1000,10000,100000] [--edits 200] [--markdown docs/BENCHMARKS.md]

For each size it generates a workspace, starts each server on pipes, and measures: process start to the
`initialize` answer, `didOpen` to the first diagnostics, one keystroke to the diagnostics that follow from it
(an enum value that becomes wrong and right again), completion and hover at keys, headers, values and pointers all
over the file, both idle and right behind the keys of a burst, an unknown request after a rest like those of a burst,
which is what waking up takes, 40 keystrokes 25 ms apart to the diagnostics of the last one, and the peak resident
memory. Nothing here is a test: no figure passes or fails.
"""

import argparse
import json
import os
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


def generate(lines):
    head = ["[assistant]", 'model.id = "anthropic/claude-sonnet-5"', "", "[conversation.tools.'*']", 'run = "ask"', ""]
    text = "\n".join(head) + "\n"
    count = max(1, (lines - len(head)) // TOOL.count("\n"))
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

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        rest = memoryview(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        while rest:
            # A server that waits to be read would otherwise wait for ever.
            readable, writable, _ = select.select([self.output], [self.input], [])
            if readable and not self.take():
                raise EOFError("the server ended")
            if writable:
                rest = rest[os.write(self.input, rest) :]

    def request(self, method, params, timeout=120):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params})
        return self.wait(lambda message: message.get("id") == number and "method" not in message, timeout)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def wait(self, wanted, timeout=120):
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
        return float("nan")

    def stop(self):
        try:
            self.request("shutdown", None, 20)
            self.notify("exit", None)
            self.process.wait(10)
        except (OSError, TimeoutError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()


def quantiles(values):
    values = sorted(values)
    pick = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return {"p50": statistics.median(values), "p95": pick(0.95), "p99": pick(0.99), "n": len(values)}


def measure(command, lines, edits, budget, schema):
    with tempfile.TemporaryDirectory() as folder:
        text, count = generate(lines)
        if schema:
            text = f"#:schema {schema}\n" + text
        path = Path(folder, ".jp", "config.toml")
        path.parent.mkdir()
        path.write_text(text)
        server = Server(command, folder)
        uri = path.as_uri()
        capabilities = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}, "synchronization": {}}}
        folders = [{"uri": Path(folder).as_uri(), "name": "bench"}]
        at, answer = server.request(
            "initialize",
            {"processId": os.getpid(), "rootUri": folders[0]["uri"], "workspaceFolders": folders, "capabilities": capabilities},
        )
        result = {"lines": text.count("\n"), "initialize": (at - server.started) * 1000}
        sync = answer["result"]["capabilities"].get("textDocumentSync")
        change = sync.get("change") if isinstance(sync, dict) else sync
        server.notify("initialized", {})
        opened = time.perf_counter()
        document = {"uri": uri, "languageId": "toml", "version": 1, "text": text}
        server.notify("textDocument/didOpen", {"textDocument": document})
        publishes = lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
        at, _ = server.wait(publishes)
        result["first"] = (at - opened) * 1000
        rows = text.split("\n")
        spots = [index for index, row in enumerate(rows) if row == 'result = "unattended"']
        column = len('result = "unattended')
        version = 1

        def edit(row, insert):
            nonlocal version
            version += 1
            old = rows[row]
            rows[row] = old[:column] + "x" + old[column:] if insert else old[:column] + old[column + 1 :]
            if change == 2:
                end = column if insert else column + 1
                change_range = {"start": {"line": row, "character": column}, "end": {"line": row, "character": end}}
                changes = [{"range": change_range, "text": "x" if insert else ""}]
            else:
                changes = [{"text": "\n".join(rows)}]
            sent = time.perf_counter()
            server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})
            return sent

        def settled(row, wrong):
            def right(message):
                if not publishes(message):
                    return False
                reported = {item["range"]["start"]["line"] for item in message["params"]["diagnostics"]}
                return (row in reported) == wrong

            return right

        times = []
        end = time.perf_counter() + budget
        for index in range(edits // 2):
            row = spots[(index * 7919) % len(spots)]
            for wrong in (True, False):
                sent = edit(row, wrong)
                at, _ = server.wait(settled(row, wrong))
                times.append((at - sent) * 1000)
            if time.perf_counter() > end:
                break
        result["keystroke"] = quantiles(times)
        row = spots[len(spots) // 2]
        places = list(asked_places(rows))

        def answer(method, index):
            line, character = places[(index * 7919) % len(places)]
            params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
            asked = time.perf_counter()
            at, _ = server.request(method, params)
            return (at - asked) * 1000

        for method in ("completion", "hover"):
            try:
                idle = [answer(f"textDocument/{method}", index) for index in range(edits)]
                burst = []
                for index in range(edits // 2):
                    edit(row, index % 2 == 0)
                    burst.append(answer(f"textDocument/{method}", index))
                    time.sleep(0.025)
                result[method] = (quantiles(idle), quantiles(burst))
            except (TimeoutError, EOFError):
                pass
        nothing = []
        for index in range(edits // 2):
            time.sleep(0.025)
            nothing.append(answer("bench/nothing", index))
        result["nothing"] = quantiles(nothing)
        if len(rows[row]) > len('result = "unattended"'):
            edit(row, False)
        sent = 0.0
        for index in range(41):
            sent = edit(row, index % 2 == 0)
            if index < 40:
                time.sleep(0.025)
        at, _ = server.wait(lambda message: settled(row, True)(message) and message["params"].get("version", version) == version)
        result["burst"] = (at - sent) * 1000
        result["memory"] = server.peak_memory()
        server.stop()
        return result


def servers():
    found = {}
    binary = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "jp-lsp"
    if binary.exists():
        found["jp-lsp"] = ([str(binary)], None)
    schema = (ROOT / "schemas" / "jp-config.schema.json").as_uri()
    if shutil.which("taplo"):
        found["taplo"] = (["taplo", "lsp", "stdio"], schema)
    if shutil.which("tombi"):
        found["tombi"] = (["tombi", "lsp", "--offline"], schema)
    return found


def table(results):
    out = ["| lines | server | start | first diagnostics | keystroke p50 / p95 / p99 (n) | burst of 40 | peak memory |", "|---|---|---|---|---|---|---|"]
    for name, result in results:
        key = result["keystroke"]
        out.append(
            f"| {result['lines']:,} | {name} | {result['initialize']:.1f} ms | {result['first']:.1f} ms | "
            f"{key['p50']:.2f} / {key['p95']:.2f} / {key['p99']:.2f} ms ({key['n']}) | "
            f"{result['burst']:.1f} ms | {result['memory']:.0f} MiB |"
        )
    return "\n".join(out)


def answers(results):
    out = [
        "| lines | server | completion p50 / p95 | in a burst | hover p50 / p95 | in a burst | an unknown request |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, result in results:
        cells = []
        for method in ("completion", "hover"):
            measured = result.get(method)
            cells += [f"{part['p50']:.2f} / {part['p95']:.2f} ms" for part in measured] if measured else ["none", "none"]
        nothing = result["nothing"]
        cells.append(f"{nothing['p50']:.2f} / {nothing['p95']:.2f} ms")
        out.append(f"| {result['lines']:,} | {name} | {' | '.join(cells)} |")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", default="100,1000,10000,100000")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--budget", type=float, default=60, help="seconds of keystrokes for one server and size")
    parser.add_argument("--markdown", help="write the table into this file, below its last heading")
    arguments = parser.parse_args()
    results = []
    for lines in map(int, arguments.lines.split(",")):
        for name, (command, schema) in servers().items():
            try:
                result = measure(command, lines, arguments.edits, arguments.budget, schema)
            except (TimeoutError, EOFError) as error:
                print(f"{name} at {lines} lines: {error!r}", file=sys.stderr)
                continue
            results.append((name, result))
            print(table([(name, result)]).splitlines()[-1], flush=True)
            print(answers([(name, result)]).splitlines()[-1], flush=True)
    if arguments.markdown:
        path = Path(arguments.markdown)
        head = path.read_text().split("<!-- table -->")[0] if path.exists() else "# Benchmarks\n\n"
        path.write_text(f"{head}<!-- table -->\n\n{table(results)}\n\n{answers(results)}\n")


if __name__ == "__main__":
    main()
