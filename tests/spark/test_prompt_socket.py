"""What a worker does to its sockets at the start of a task."""

from __future__ import annotations

import os
import socket

import pytest

from adaptive.spark.prompt_socket import acknowledge_now

pytestmark = pytest.mark.skipif(
    not hasattr(socket, "TCP_QUICKACK"), reason="only Linux acknowledges on demand"
)


def test_tcp_acknowledges_at_once_and_sends_small_writes():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as near, server.accept()[0] as far:
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
            acknowledge_now()
            for option in (socket.TCP_QUICKACK, socket.TCP_NODELAY):
                assert near.getsockopt(socket.IPPROTO_TCP, option) == 1
            near.sendall(b"still open")
            assert far.recv(100) == b"still open"


def test_other_sockets_and_files_are_left_as_they_are():
    near, far = socket.socketpair()
    read, write = os.pipe()
    with near, far, os.fdopen(read, "rb"), os.fdopen(write, "wb"):
        acknowledge_now()
        near.sendall(b"still open")
        assert far.recv(100) == b"still open"
        os.write(write, b"so is this")
        assert os.read(read, 100) == b"so is this"
