"""A database of one test's own beside the suite's, and a line to it that can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.house.running import free_port


@contextmanager
def database_beside(url: str, *, options: str = "") -> Iterator[str]:
    """A new PostgreSQL database on the server of `url`; its address. It is dropped afterwards, whoever is in it."""
    parts = urlsplit(url)
    name = f"commonplace_faults_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(urlunsplit(parts._replace(path="/postgres")), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} {options}".encode())
        try:
            yield urlunsplit(parts._replace(path=f"/{name}"))
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def throw_out(url: str) -> int:
    """End every connection to this database but our own. Says how many."""
    with psycopg.connect(url, autocommit=True) as server:
        ended: Any = server.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
        return int(ended[0])


class Line:
    """A wire between a product and its database server that a test can cut and join. `url` is the near end."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        parts = urlsplit(behind)
        self.far = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self.port = free_port()
        user = f"{parts.username}{f':{parts.password}' if parts.password else ''}@" if parts.username else ""
        self.url = urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self.port}"))
        self.open: set[socket.socket] = set()
        self.listening: socket.socket | None = None

    def __enter__(self) -> Line:
        self.join()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def join(self) -> None:
        """Take connections again."""
        self.listening = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._take, args=(self.listening,), daemon=True).start()

    def cut(self) -> None:
        """End every connection and take none."""
        if self.listening:
            self.listening.shutdown(socket.SHUT_RDWR)
            self.listening.close()
            self.listening = None
        for end in list(self.open):
            self._close(end)

    def _take(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(self.far)
                self.open |= {near, far}
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while carried := source.recv(1 << 16):
                sink.sendall(carried)
        self._close(source)
        self._close(sink)

    def _close(self, end: socket.socket) -> None:
        self.open.discard(end)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
