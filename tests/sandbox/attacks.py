"""Ignores its grants in every way that it knows, and says which of them came to something."""

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading

home, host, port, abstract, victim = sys.argv[1:6]
libc = ctypes.CDLL(None, use_errno=True)
secret = f"{home}/.ssh/id"
parent = os.getppid()


def read(path):
    with open(path, "rb") as file:
        return file.read(100)


def write(path, flags=os.O_WRONLY):
    os.close(os.open(path, flags, 0o644))


def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def connect(family, kind, address):
    with socket.socket(family, kind) as end:
        end.settimeout(2)
        end.connect(address)
        end.send(b"hello")


def in_a_session_of_its_own():
    code = f"import os; os.setsid(); open({secret!r}).read()"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def from_memory():
    number = os.memfd_create("program")
    os.write(number, f"#!/bin/sh\nexec cat {secret}\n".encode())
    subprocess.run([f"/proc/self/fd/{number}"], check=True, capture_output=True, pass_fds=[number])


def through_a_link():
    os.symlink(secret, "src/link")
    read("src/link")


def through_a_swapped_link():
    with open("src/harmless", "w") as file:
        file.write("harmless")
    is_over = threading.Event()

    def swap():
        while not is_over.is_set():
            for target in ("harmless", secret):
                os.symlink(target, "src/next")
                os.rename("src/next", "src/swapped")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(2000):
            try:
                if read("src/swapped") != b"harmless":
                    return
            except OSError:
                pass
    finally:
        is_over.set()
        thread.join()
    raise PermissionError("never")


def by_moving_the_guard():
    os.rename(".jp", "src/jp")


def by_a_name_of_its_own():
    os.link(secret, "src/hard")
    read("src/hard")


def in_a_namespace():
    call("unshare", 0x10000000 | 0x20000)
    call("umount2", f"{os.getcwd()}/.jp".encode(), 2)
    write(".jp/config.toml")


ATTACKS = {
    "read the home": lambda: read(secret),
    "list the home": lambda: os.listdir(home),
    "write the home": lambda: write(f"{home}/.bashrc"),
    "make in the home": lambda: write(f"{home}/new", os.O_CREAT | os.O_WRONLY),
    "cut the home": lambda: os.truncate(secret, 0),
    "remove the home": lambda: os.unlink(secret),
    "run the home": lambda: subprocess.run([f"{home}/program"], check=True),
    "read another folder": lambda: read("private/a"),
    "change the config": lambda: write(".jp/config.toml"),
    "make a config": lambda: write(".jp/evil.toml", os.O_CREAT | os.O_WRONLY),
    "remove the config": lambda: os.unlink(".jp/config.toml"),
    "change a hook": lambda: write(".git/config"),
    "make a hook": lambda: write(".git/hooks/pre-commit", os.O_CREAT | os.O_WRONLY),
    "move the guard": by_moving_the_guard,
    "change the nested guard": lambda: write("src/inner/.envrc"),
    "connect": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(port))),
    "send a datagram": lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", int(port))),
    "an abstract socket": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
    "environment of the host": lambda: read(f"/proc/{host}/environ"),
    "environment of the parent": lambda: read(f"/proc/{parent}/environ"),
    "root of the host": lambda: read(f"/proc/{host}/root{secret}"),
    "own root": lambda: read(f"/proc/self/root{secret}"),
    "directory of the host": lambda: os.listdir(f"/proc/{host}/cwd"),
    "memory of the host": lambda: read(f"/proc/{host}/mem"),
    "files of the host": lambda: read(f"/proc/{host}/fd/0"),
    "trace": lambda: call("ptrace", 16, int(victim), 0, 0),
    "signal": lambda: os.kill(int(victim), 0),
    "signal the host": lambda: os.kill(int(host), 0),
    "signal the parent": lambda: os.kill(parent, 0),
    "in a session of its own": in_a_session_of_its_own,
    "from memory": from_memory,
    "through a link": through_a_link,
    "through a swapped link": through_a_swapped_link,
    "by a hard link": by_a_name_of_its_own,
    "by mounts": lambda: call("mount", b"tmpfs", b".jp", b"tmpfs", 0, None),
    "by unmounting": lambda: call("umount2", f"{os.getcwd()}/.jp".encode(), 2),
    "in a namespace": in_a_namespace,
    "by a device": lambda: os.mknod("src/disk", 0o60644, os.makedev(1, 0)),
    "by the kernel's knobs": lambda: write("/proc/sys/kernel/core_pattern"),
    "a file of the system": lambda: read("/etc/shadow"),
    "write a file of the system": lambda: write("/etc/passwd"),
}


def attempt(attack):
    # What an attack does to its own process is not to hide what the next one can do.
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            attack()
            os.write(theirs, b"done")
        except (OSError, subprocess.SubprocessError):
            os.write(theirs, b"refused")
        finally:
            os._exit(0)
    os.close(theirs)
    told = os.read(ours, 100).decode()
    os.waitpid(pid, 0)
    return told


with open("src/outcome.json", "w") as file:
    json.dump({name: attempt(attack) for name, attack in ATTACKS.items()}, file)
print("done")
