#!/usr/bin/env python3
"""A small tool in Python that obeys its grants.

    [conversation.tools.read_file]
    source = "local"
    command = { program = "python3", args = ["tests/tools/python/tool.py", "{{context}}", "{{tool}}"] }

`read_file` reads one file; it asks before it shows a large one.
`access_check` answers what its grants allow, without touching anything:

    {"checks": [{"fs": {"capability": "read", "path": "src"}}, {"net": "https://example.com"}, {"env": "HOME"}]}

Without arguments, the call is one JSON document `{"tool": .., "context": ..}` on standard input.
"""

import json
import sys

import access

LARGE = 100_000


def error(message, transient):
    return {"type": "error", "message": message, "trace": [], "transient": transient}


def success(content):
    return {"type": "success", "content": content}


def answer(context, check):
    try:
        if "fs" in check:
            decision = access.check_fs(context, check["fs"]["capability"], check["fs"]["path"])
        elif "net" in check:
            decision = access.check_net(context, check["net"])
        elif "env" in check:
            decision = access.check_env(context, check["env"])
        else:
            decision = access.check_config(context, check["config"]["capability"], check["config"]["path"])
    except access.Rejected as rejected:
        return {"error": rejected.kind}
    allowed, rule, target = decision
    return {"allowed": allowed, "rule": rule, "target": target}


def read_file(context, tool):
    path = tool["arguments"]["path"]
    try:
        resolved, (allowed, _, target) = access.resolve_fs(context, "read", path)
    except access.Rejected as rejected:
        return error(str(rejected), transient=False)
    if not allowed:
        rules = context["access"]["fs"]
        grants = ", ".join(access.rule_path(rule) for rule in rules if access.grants_fs(rule, "read"))
        message = (
            f"Access denied: cannot read '{target}'. Paths granting read: [{grants}]. "
            "If required, ask the user for explicit access."
        )
        return error(message, transient=False)
    try:
        with open(resolved, encoding="utf-8") as file:
            content = file.read()
    except (OSError, UnicodeDecodeError) as failure:
        return error(f"cannot read '{target}': {failure}", transient=True)
    if len(content) > LARGE:
        decision = tool.get("answers", {}).get("read_large_file")
        if decision is None:
            question = {
                "id": "read_large_file",
                "text": f"'{target}' has {len(content)} characters. Read it?",
                "answer_type": {"type": "boolean"},
                "default": False,
            }
            return {"type": "needs_input", "question": question}
        if decision is not True:
            return error(f"'{target}' is too large", transient=False)
    return success(content)


def run(context, tool):
    name, arguments = tool.get("name"), tool.get("arguments") or {}
    if context.get("action") == "format_arguments":
        return success(f"{name}({json.dumps(arguments, ensure_ascii=False)})")
    try:
        if name == "access_check":
            return success(json.dumps([answer(context, check) for check in arguments["checks"]]))
        if name == "read_file":
            return read_file(context, tool)
    except KeyError as missing:
        return error(f"`{name}` needs {missing}", transient=True)
    return error(f"there is no tool `{name}` here; it is `read_file` or `access_check`", transient=False)


def main():
    try:
        if len(sys.argv) == 3:
            context, tool = json.loads(sys.argv[1]), json.loads(sys.argv[2])
        else:
            document = json.load(sys.stdin)
            context, tool = document["context"], document["tool"]
        outcome = run(context, tool)
    except (ValueError, KeyError, TypeError) as failure:
        outcome = error(f"cannot read the call: {failure!r}", transient=False)
    json.dump(outcome, sys.stdout)


if __name__ == "__main__":
    main()
