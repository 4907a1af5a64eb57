"""Runs the program with every socket and every opened file in view, for tests/test_privacy.py.

    python tests/watched.py SEEN.json CODE ARGUMENT...

CODE is Python, run with ARGUMENT... in sys.argv[1:]. Two watchers: Python's own audit events,
written to SEEN.json at the end, and, on Linux, a rule of the kernel that ends the process at once
(SIGSYS) when anything in it, Qt's C++ included, asks for a socket that is not a local one.
"""

import atexit
import ctypes
import json
import os
import platform
import socket
import struct
import sys

SOCKETS = {"socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg"}
LOOK_UPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
FOLDERS = {"os.listdir", "os.scandir", "glob.glob"}
LOCAL = getattr(socket, "AF_UNIX", None)
SOCKET_CALL = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""By machine: the kernel's name of the architecture, and the number of its call `socket`."""

sockets: list[str] = []
files: set[str] = set()
folders: set[str] = set()


def watch(event: str, arguments: tuple) -> None:
    if event == "socket.__new__" and arguments[1] != LOCAL:
        sockets.append(f"socket of family {arguments[1]}")
    elif event in LOOK_UPS or (event in SOCKETS and arguments[0].family != LOCAL):
        sockets.append(f"{event} {arguments[1:]}")
    elif event == "open" and isinstance(arguments[0], str | bytes):
        files.add(os.path.abspath(os.fsdecode(arguments[0])))
    elif event in FOLDERS and isinstance(arguments[0], str | bytes):
        folders.add(os.path.abspath(os.fsdecode(arguments[0])))


def forbid_sockets() -> bool:
    """The kernel's rule; False where it cannot be set."""
    if sys.platform != "linux" or platform.machine() not in SOCKET_CALL:
        return False
    architecture, call = SOCKET_CALL[platform.machine()]
    load, equal, give = 0x20, 0x15, 0x06  # BPF: load a word, jump if equal, return
    allow, kill = 0x7FFF0000, 0x80000000
    rules = (
        (load, 0, 0, 4),  # the architecture
        (equal, 0, 4, architecture),
        (load, 0, 0, 0),  # the number of the call
        (equal, 0, 2, call),
        (load, 0, 0, 16),  # its first argument, the family
        (equal, 0, 1, int(socket.AF_UNIX)),
        (give, 0, 0, allow),
        (give, 0, 0, kill),
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    head = struct.pack("HL" if struct.calcsize("P") == 4 else "HxxxxxxQ", len(rules), 0)
    head = head[:8] + struct.pack("Q", ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, filtered = 38, 22, 2
    return (
        libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
        and libc.prctl(seccomp, filtered, ctypes.create_string_buffer(head), 0, 0) == 0
    )


def tell(path: str, kernel: bool) -> None:
    seen = {"kernel": kernel, "sockets": sockets, "files": sorted(files)}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(seen | {"folders": sorted(folders)}, file)


if __name__ == "__main__":
    result, code = sys.argv[1:3]
    sys.argv = ["ourmodels", *sys.argv[3:]]
    sys.path[0] = os.getcwd()
    atexit.register(tell, result, forbid_sockets())
    sys.addaudithook(watch)
    exec(compile(code, "watched", "exec"), {"__name__": "__main__"})
