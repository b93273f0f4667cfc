"""Ignores its grants in every way that it knows, and says which of them came to something."""

import ctypes
import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import threading

home, host, port, abstract, victim, queue = sys.argv[1:7]
bus = f"{home}/bus"
log = f"{home}/log"
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


def memory_of(pid):
    # process_vm_readv, a word at the start of the program.
    start = int(open(f"/proc/{pid}/maps").readline().split("-")[0], 16)
    word = ctypes.create_string_buffer(8)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(word), 8)
    remote = (ctypes.c_void_p * 2)(start, 8)
    call("syscall", 310, pid, local, 1, remote, 1, 0)


def descriptor_of(pid):
    end = os.pidfd_open(pid)
    call("syscall", 438, end, 0, 0)


def signal_by_descriptor(pid):
    signal.pidfd_send_signal(os.pidfd_open(pid), 0)


def rename(flags, source, target):
    at = -100
    call("renameat2", at, source.encode(), at, target.encode(), flags)


def by_exchange_with_the_guard():
    os.makedirs("src/exchanged", exist_ok=True)
    rename(2, "src/exchanged", ".jp")


def by_a_folder_swapped_under_way():
    os.makedirs("src/way", exist_ok=True)
    at = os.open("src/way", os.O_PATH)
    os.rename("src/way", "src/other")
    number = os.open("../../private/a", os.O_RDONLY, dir_fd=at)
    os.close(number)


def by_a_path_descriptor():
    number = os.open(secret, os.O_PATH)
    read(f"/proc/self/fd/{number}")


def by_a_handle():
    handle = ctypes.create_string_buffer(8 + 128)
    ctypes.cast(handle, ctypes.POINTER(ctypes.c_uint))[0] = 128
    mount = ctypes.c_int()
    call("name_to_handle_at", -100, secret.encode(), handle, ctypes.byref(mount), 0)
    at = os.open("src", os.O_RDONLY)
    call("open_by_handle_at", at, handle, os.O_RDONLY)


def by_the_new_mounts():
    # open_tree with OPEN_TREE_CLONE and move_mount, or fsopen.
    number = libc.syscall(428, -100, b"/", 1)
    if number < 0:
        raise OSError(ctypes.get_errno(), "open_tree")
    os.open(secret.lstrip("/"), os.O_RDONLY, dir_fd=number)


def by_another_root():
    os.chroot("src")


def by_a_ring():
    # io_uring_setup, io_uring_register and IORING_OP_OPENAT by the kernel's own thread.
    params = ctypes.create_string_buffer(120)
    ring = libc.syscall(425, 4, params)
    if ring < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")
    fields = ctypes.cast(params, ctypes.POINTER(ctypes.c_uint))
    entries, completions = fields[0], fields[1]
    sq, cq = list(fields[10:20]), list(fields[20:30])
    size = max(sq[6] + entries * 4, cq[5] + completions * 16)
    queue = mmap.mmap(ring, size, offset=0)
    calls = mmap.mmap(ring, entries * 64, offset=0x10000000)
    name = ctypes.create_string_buffer(secret.encode())
    flags = 0x10  # IOSQE_ASYNC: by a worker of the kernel
    calls[0:64] = struct.pack(
        "<BBHiQQIIQHHiQQ", 18, flags, 0, -100, 0, ctypes.addressof(name), 0, os.O_RDONLY, 7, 0, 0, 0, 0, 0
    )[:64]
    struct.pack_into("<I", queue, sq[6], 0)
    tail = struct.unpack_from("<I", queue, sq[1])[0]
    struct.pack_into("<I", queue, sq[1], tail + 1)
    if libc.syscall(426, ring, 1, 1, 1, None, 0) < 0:
        raise OSError(ctypes.get_errno(), "io_uring_enter")
    outcome = struct.unpack_from("<i", queue, cq[5] + 8)[0]
    if outcome < 0:
        raise OSError(-outcome, "openat")


def inherited_descriptors():
    if not inherited:
        raise OSError(0, "none")


def by_another_name_of_the_bus():
    os.symlink(bus, "src/bus")
    connect(socket.AF_UNIX, socket.SOCK_STREAM, "src/bus")


def by_the_descriptor_of_the_bus():
    number = os.open(bus, os.O_PATH)
    connect(socket.AF_UNIX, socket.SOCK_STREAM, f"/proc/self/fd/{number}")


def a_link_out():
    os.link("src/harmless-out", f"{home}/out")


def by_a_link_to_a_file_that_is_read():
    os.link("private/a", "src/private")
    read("src/private")


def in_the_users_keys():
    call("syscall", 250, 11, -4, 0, 0, 0)


def type_into_the_terminal():
    import fcntl

    with open("/dev/tty") as terminal:
        fcntl.ioctl(terminal, 0x5412, b"x")


def as_another_user():
    os.setgroups([])
    os.setresuid(65534, 65534, 65534)
    read(secret)


def undo_the_limits():
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def watch_the_machine():
    attributes = ctypes.create_string_buffer(struct.pack("<IIQ", 1, 112, 0) + bytes(96))
    call("syscall", 298, attributes, int(victim), -1, -1, 0)




def by_a_nameless_file():
    number = os.open("src", os.O_TMPFILE | os.O_RDWR, 0o644)
    os.link(f"/proc/self/fd/{number}", ".git/hooks/pre-commit", follow_symlinks=True)


def by_moving_the_folder_around():
    os.rename("src/inner", "src/elsewhere")
    write("src/elsewhere/.envrc")


def enter(kind):
    number = os.open(f"/proc/{host}/ns/{kind}", os.O_RDONLY)
    call("setns", number, 0)


def signal_by_a_socket():
    import fcntl

    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, int(victim))
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    theirs.send(b"x")
    # Whether it was signalled the test sees.
    raise PermissionError("nobody says")


def change_by_a_descriptor_for_reading(change):
    number = os.open(".jp/config.toml", os.O_RDONLY)
    change(number)


def a_mount_of_a_new_kind():
    # fsopen
    if libc.syscall(430, b"tmpfs", 0) < 0:
        raise OSError(ctypes.get_errno(), "fsopen")


def undo_the_cover():
    # mount_setattr, which takes "read-only" away
    attributes = ctypes.create_string_buffer(struct.pack("QQQQ", 0, 1, 0, 0))
    call("syscall", 442, -100, f"{os.getcwd()}/.jp".encode(), 0, attributes, 32)


def opened(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""  # what listed them


# Pipes and devices may come from whoever started the test.
inherited = [
    path
    for path in map(opened, (name for name in os.listdir("/proc/self/fd") if int(name) > 2))
    if path and not path.startswith(("pipe:", "/dev/"))
]
open("src/harmless-out", "w").close()

ATTACKS = {
    "a nameless file": by_a_nameless_file,
    "move the folder around the guard": by_moving_the_folder_around,
    "enter the mounts of the host": lambda: enter("mnt"),
    "enter the network of the host": lambda: enter("net"),
    "mode by a descriptor": lambda: change_by_a_descriptor_for_reading(lambda at: os.fchmod(at, 0o777)),
    "time by a descriptor": lambda: change_by_a_descriptor_for_reading(os.utime),
    "cut by a descriptor": lambda: change_by_a_descriptor_for_reading(lambda at: os.ftruncate(at, 0)),
    "a mount of a new kind": a_mount_of_a_new_kind,
    "undo the cover": undo_the_cover,
    "everybody's memory": lambda: write("/dev/shm/jp-lsp-test", os.O_CREAT | os.O_WRONLY),
    "a queue of another": lambda: call("msgctl", int(queue), 2, ctypes.create_string_buffer(512)),
    "memory of the host by a call": lambda: memory_of(int(host)),
    "memory of another by a call": lambda: memory_of(int(victim)),
    "a descriptor of another": lambda: descriptor_of(int(victim)),
    "signal by a descriptor": lambda: signal_by_descriptor(int(victim)),
    "signal a group": lambda: os.killpg(os.getpgid(int(victim)), 0),
    "exchange with the guard": by_exchange_with_the_guard,
    "a folder swapped under way": by_a_folder_swapped_under_way,
    "a path descriptor": by_a_path_descriptor,
    "a handle": by_a_handle,
    "the new mounts": by_the_new_mounts,
    "another root": by_another_root,
    "a ring": by_a_ring,
    "inherited descriptors": inherited_descriptors,
    "a link out": a_link_out,
    "a link to what is not granted": by_a_link_to_a_file_that_is_read,
    "type into the terminal": type_into_the_terminal,
    "as another user": as_another_user,
    "undo the limits": undo_the_limits,
    "watch the machine": watch_the_machine,
    "change times of the config": lambda: os.utime(".jp/config.toml"),
    "change modes of the config": lambda: os.chmod(".jp/config.toml", 0o777),
    "change modes of the home": lambda: os.chmod(secret, 0o777),
    "own the home": lambda: os.chown(secret, os.getuid(), os.getgid()),
    "mark the home": lambda: os.setxattr(secret, "user.marked", b"x"),
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
    "a service of the person": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, bus),
    "a service by a link": by_another_name_of_the_bus,
    "a service by a descriptor": by_the_descriptor_of_the_bus,
    "a service that is told": lambda: connect(socket.AF_UNIX, socket.SOCK_DGRAM, log),
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
    # The last one, since it ends the other process where nothing holds signals.
    "signal by a socket": signal_by_a_socket,
}


def attempt(attack):
    # What an attack does to its own process is not to hide what the next one can do.
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            attack()
            os.write(theirs, b"done")
        except (OSError, ValueError, subprocess.SubprocessError):
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
