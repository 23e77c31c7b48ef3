"""A task's socket without the waits of TCP.

Spark's JVM sends a task in several small writes, and TCP holds the next one back until the
last is acknowledged (Nagle's algorithm). Linux puts that off for 40 ms where a connection goes
back and forth, as that of a worker that is used again does: of the 50 ms that a warm task of
100,000 rows took in its worker, 40 ms were this wait for the paths of its files.
"""

from __future__ import annotations

import ctypes
import os
import socket

_ACKNOWLEDGE_NOW = getattr(socket, "TCP_QUICKACK", None)  # Linux alone has it
_OWN_FILES = "/proc/self/fd"


def acknowledge_now() -> None:
    """Acknowledge what has come over TCP, and the next few segments, at once.

    For a task at its start: Linux forgets it when the worker answers. Which of the
    process's files is Spark's connection, Spark does not say; others refuse the option.
    """
    if _ACKNOWLEDGE_NOW is None or not os.path.isdir(_OWN_FILES):
        return
    # Not by Python's sockets: one that is made of an open file may change how that file blocks.
    set_option, on = ctypes.CDLL(None).setsockopt, ctypes.c_int(1)
    for name in os.listdir(_OWN_FILES):
        for option in (_ACKNOWLEDGE_NOW, socket.TCP_NODELAY):
            size = ctypes.sizeof(on)
            set_option(int(name), socket.IPPROTO_TCP, option, ctypes.byref(on), size)
