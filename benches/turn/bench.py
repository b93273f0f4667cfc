#!/usr/bin/env python3
"""Measures what a turn costs in a conversation that has many turns behind it.

    cargo build --release --locked --bin jp-lsp
    python3 benches/turn/bench.py [--turns 1,1000,10000] [--repeat 20]

For each size it writes a conversation with so many turns, starts the server on pipes and runs turns in it: the
scripted model calls a tool and then says a word. Measured per turn are the time from `jp/query/start` to `turn_end`,
what the process reads and writes, and how much its resident memory grows. The first turn has to read the conversation
and stands apart. Nothing here is a test: no figure passes or fails.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CONFIG = """
[assistant.model]
id = "test/quick"

[conversation.tools.'*']
run = "unattended"

[conversation.tools.look]
source = "local"
command = { program = "true", args = [] }
"""


class Server:
    """A server on pipes."""

    def __init__(self, binary, workspace, environment):
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.number = 0
        self.call(
            "initialize",
            {
                "processId": None,
                "workspaceFolders": [{"uri": workspace.as_uri(), "name": "w"}],
                "initializationOptions": {"trusted": True},
                "capabilities": {},
            },
        )
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        length = None
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b": ")
            if name == b"Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def wait(self, fits):
        while not fits(message := self.read()):
            pass
        return message

    def call(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        answer = self.wait(lambda it: it.get("id") == self.number and "method" not in it)
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']}")
        return answer["result"]

    def turn(self, conversation):
        self.call("jp/query/start", {"text": "Go on.", "conversation": conversation})
        end = self.wait(
            lambda it: it.get("method") == "jp/conversation/event"
            and it["params"]["event"]["type"] == "turn_end"
        )
        if end["params"]["event"]["outcome"] != "completed":
            raise SystemExit(end)

    def status(self, file, name):
        for line in Path(f"/proc/{self.process.pid}/{file}").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise SystemExit(f"no {name} in {file}")

    def end(self):
        self.call("shutdown", None)
        self.send({"method": "exit"})
        self.process.wait()


def events(turns):
    """The log of a conversation: turns of some 3 KB, each with two tool calls."""
    stamp = "2026-03-18 13:19:12.1"
    for turn in range(turns):
        yield {"timestamp": stamp, "type": "turn_start"}
        yield {"timestamp": stamp, "type": "chat_request", "content": f"What about file {turn}?"}
        for call in range(2):
            identity = f"call_{turn}_{call}"
            yield {"timestamp": stamp, "type": "tool_call_request", "id": identity, "name": "look", "arguments": {}}
        for call in range(2):
            identity = f"call_{turn}_{call}"
            # In the log, contents stand in base64: these are words all the same.
            yield {"timestamp": stamp, "type": "tool_call_response", "id": identity, "content": "bGluZSAK" * 120, "is_error": False}
        yield {"timestamp": stamp, "type": "chat_response", "message": "It says **hello**. " * 20}


def measure(binary, turns, repeat):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        workspace = folder / "w"
        (workspace / ".jp").mkdir(parents=True)
        (workspace / ".jp/config.toml").write_text(CONFIG)
        (workspace / ".jp/.id").write_text("bench\n")
        log = folder / "data/conversations/w-bench/17636666521"
        log.mkdir(parents=True)
        text = "".join(json.dumps(event) + "\n" for event in events(turns))
        (log / "events.jsonl").write_text(text)
        cycle = '[[cycles]]\nbatches = [[{{ tool_call = {{ id = "new_{0}", name = "look", arguments = {{}} }} }}]]\n[[cycles]]\nbatches = [[{{ text = "Done." }}]]\n'
        script = folder / "script.toml"
        script.write_text("".join(cycle.format(number) for number in range(repeat + 1)))
        environment = os.environ | {
            "HOME": str(folder),
            "JP_LSP_DATA_DIR": str(folder / "data"),
            "JP_GLOBAL_CONFIG_DIR": str(folder / "none"),
            "JP_LSP_TEST_SCRIPT": str(script),
        }
        server = Server(binary, workspace, environment)
        results = []
        for _ in range(repeat + 1):
            before = [server.status("io", name) for name in ("rchar", "wchar")]
            memory = server.status("status", "VmRSS")
            begun = time.perf_counter()
            server.turn("jp-c17636666521")
            took = (time.perf_counter() - begun) * 1000
            after = [server.status("io", name) for name in ("rchar", "wchar")]
            grown = server.status("status", "VmRSS") - memory
            results.append((took, after[0] - before[0], after[1] - before[1], grown))
        peak = server.status("status", "VmHWM")
        server.end()
    first, rest = results[0], results[1:]
    times = sorted(result[0] for result in rest)
    return {
        "turns": f"{turns:,}",
        "log": f"{len(text) / 1024:,.0f} KiB",
        "first turn": f"{first[0]:.0f} ms",
        "turn p50 / p95": f"{statistics.median(times):.1f} / {times[int(len(times) * 0.95)]:.1f} ms",
        "read": f"{statistics.median(result[1] for result in rest) / 1024:.1f} KiB",
        "written": f"{statistics.median(result[2] for result in rest) / 1024:.1f} KiB",
        "memory of a turn": f"{statistics.median(result[3] for result in rest):.0f} KiB",
        "peak memory": f"{peak / 1024:.0f} MiB",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target/release/jp-lsp"))
    parser.add_argument("--turns", default="1,1000,10000")
    parser.add_argument("--repeat", type=int, default=20)
    arguments = parser.parse_args()
    for number, turns in enumerate(arguments.turns.split(",")):
        row = measure(arguments.binary, int(turns), arguments.repeat)
        if number == 0:
            print("| " + " | ".join(row) + " |")
            print("|" + "---|" * len(row))
        print("| " + " | ".join(row.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
