"""Does what it is told to standard input, whatever it may do, and says what came of it.

    [["read", "/w/a"], ["move", "/w/a", "/w/b"]]   ->   {"done": [true, false], "readable": ["/w/b"], "writable": []}
"""

import json
import os
import sys


def read(path):
    if os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            file.read()


def update(path):
    os.close(os.open(path, os.O_WRONLY))


def truncate(path):
    os.truncate(path, 1)


def create(path):
    # Opening what it makes would take another right.
    os.mknod(path, 0o100644)


def execute(path):
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(path, [path])
        except OSError:
            os._exit(77)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 77:
        raise PermissionError(path)


def delete(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    else:
        os.unlink(path)


def move(source, target):
    # Between two names of one file nothing is moved, and the kernel says that it is done.
    if os.path.lexists(target) and os.path.samestat(os.lstat(source), os.lstat(target)):
        raise FileExistsError(target)
    os.rename(source, target)


WAYS = {
    "read": read,
    "update": update,
    "truncate": truncate,
    "create": create,
    "mkdir": os.mkdir,
    "execute": execute,
    "delete": delete,
    "move": move,
    "link": os.link,
    "symlink": os.symlink,
    "chmod": lambda path: os.chmod(path, 0o777),
}


def attempt(way, *paths):
    try:
        WAYS[way](*paths)
        return True
    except OSError:
        return False


def sweep(root, way):
    found = []
    for folder, folders, files in os.walk(root):
        for name in files:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and attempt(way, path):
                found.append(path)
    return found


def main():
    task = json.load(sys.stdin)
    done = [attempt(*each) for each in task["operations"]]
    json.dump(
        {
            "done": done,
            "readable": sweep(task["root"], "read"),
            "writable": sweep(task["root"], "update"),
        },
        sys.stdout,
    )


main()
