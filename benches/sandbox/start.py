#!/usr/bin/env python3
"""What holding a tool adds to its start: `benches/sandbox/start.py [--server PATH] [--starts N]`.

Compares a program that is started as it is, by way of a supervisor's kind of start, and held to a profile.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import tempfile
import time


def profile(root, mounts, sockets=()):
    system = [{"path": path, "rights": 17, "isDirectory": True} for path in ("/usr", "/opt") if os.path.isdir(path)]
    rules = system + [{"path": root, "rights": 31, "isDirectory": True}]
    covers = [{"path": f"{root}/.jp", "isDirectory": True, "readOnly": True}] if mounts else []
    covers += [{"path": path, "isDirectory": False, "hidden": True, "mayBeGone": True} for path in sockets]
    return {
        "directory": root,
        "restrictsFiles": True,
        "rules": sorted(rules, key=lambda rule: rule["path"]),
        "covers": sorted(covers, key=lambda cover: cover["path"]),
        "network": "nothing" if mounts else "open",
        "isScoped": True,
    }


def started(argv):
    begin = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


def held(server, described):
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(described).encode())
        file.flush()
        ours, theirs = os.pipe()
        argv = [server, "confine-tool", str(os.getpid()), str(file.fileno()), str(theirs), "/bin/true"]
        try:
            return started(argv)
        finally:
            os.close(theirs)
            told = os.read(ours, 100)
            os.close(ours)
            assert told == b"confined\n", told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="target/release/jp-lsp")
    parser.add_argument("--starts", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.realpath(folder)
        os.mkdir(f"{root}/.jp")
        services = [socket.socket(socket.AF_UNIX) for _ in range(30)]
        paths = [f"{root}/service{number:02}" for number in range(len(services))]
        for service, path in zip(services, paths):
            service.bind(path)
        ways = {
            "as it is": lambda: started(["/bin/true"]),
            "held by Landlock": lambda: held(options.server, profile(root, False)),
            "held by Landlock and namespaces": lambda: held(options.server, profile(root, True)),
            "the same, with 30 socket files closed": lambda: held(options.server, profile(root, True, paths)),
        }
        for name, way in ways.items():
            times = sorted(way() for _ in range(options.starts))
            p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
            print(f"{name}: p50 {p50:.2f} ms, p95 {p95:.2f} ms")


main()
