"""Serves a model and has `jp-lsp query` ask it, in the protocols that the server speaks.

python run.py BINARY MODEL.gguf
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import xllamacpp

HERE = Path(__file__).resolve().parent

CONFIG = """
[assistant]
tool_choice = "auto"
model.id = "{provider}/small"
model.parameters.max_tokens = 80
model.parameters.temperature = 0.0
request.stream_idle_timeout_secs = 600

[providers.llm.{provider}]
base_url = "{url}"

[conversation.tools.'*']
run = "unattended"

[conversation.tools.ask_user]
enable = {{ state = false }}

[conversation.tools.fs_read_file]
source = "local"
command = {{ program = "cat", args = ["{{{{tool.arguments.path}}}}"] }}
summary = "Read a file."
parameters.path = {{ type = "path", required = true, summary = "The file." }}
"""


def serve(model):
    """Starts a server that lives as long as this process."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_ctx = 4096
    parameters.use_jinja = True
    parameters.chat_template = (HERE / "tools.jinja").read_text(encoding="utf-8")
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_parallel = 1
    parameters.n_predict = 80
    parameters.cpuparams.n_threads = os.cpu_count() or 1
    return xllamacpp.Server(parameters)


def ask(binary, provider, url):
    """The events of a turn, without the words that come one by one."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "w")
        (workspace / ".jp").mkdir(parents=True)
        (workspace / ".jp/config.toml").write_text(CONFIG.format(provider=provider, url=url))
        (workspace / "src").mkdir()
        (workspace / "src/main.rs").write_text("fn main() {}\n")
        environment = os.environ | {
            "HOME": folder,
            "JP_LSP_DATA_DIR": f"{folder}/data",
            "JP_GLOBAL_CONFIG_DIR": f"{folder}/none",
            "ANTHROPIC_API_KEY": "none",
        }
        query = [binary, "query", "--non-interactive", "--format", "json", "Read the file src/main.rs"]
        done = subprocess.run(query, cwd=workspace, env=environment, stdout=subprocess.PIPE, timeout=1800, check=False)
        events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
        return [event for event in events if event["type"] != "delta_text"], done.returncode


def check(events, code):
    """Whether the events of a turn have the shape that a turn with tool calls has."""
    kinds = [event["type"] for event in events]
    assert kinds[:2] == ["turn_start", "chat_request"], kinds
    assert kinds[-1] == "turn_end", kinds
    assert events[-1]["outcome"] == "completed" and code == 0, events[-1]
    allowed = {"turn_start", "chat_request", "chat_response", "tool_call_request", "tool_call_response", "turn_end", "notice"}
    assert set(kinds) <= allowed, kinds
    calls = [event for event in events if event["type"] == "tool_call_request"]
    results = [event for event in events if event["type"] == "tool_call_response"]
    assert calls, "the model called no tool"
    assert [call["id"] for call in calls] == [result["id"] for result in results]
    reads = [
        result
        for call, result in zip(calls, results)
        if call["name"] == "fs_read_file" and call["arguments"] == {"path": "src/main.rs"}
    ]
    assert reads and reads[0]["content"] == "fn main() {}\n" and not reads[0]["is_error"], (calls, results)


def main():
    binary, model = sys.argv[1:]
    server = serve(model)
    url = server.listening_address
    for provider in ("llamacpp", "anthropic"):
        events, code = ask(binary, provider, url)
        for event in events:
            event.pop("timestamp", None)
            print(f"{provider}: {json.dumps(event, ensure_ascii=False)}")
        check(events, code)
        print(f"{provider}: as it should be", flush=True)


if __name__ == "__main__":
    main()
