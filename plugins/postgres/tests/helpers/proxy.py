"""A network between a run and its database that can be cut: a proxy on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self


class Proxy:
    """Passes connections on to a port, or does not."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open = threading.Event()
        self._open.set()
        self._answering = threading.Event()
        self._answering.set()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._listener.close()
        self.pass_on()
        self.drop()

    def hold(self) -> None:
        """Nothing passes in either direction; both sides believe that the other is there."""
        self._open.clear()

    def hold_answers(self) -> None:
        """What the server says of a log is kept back; it still hears everything."""
        self._answering.clear()

    def pass_on(self) -> None:
        self._open.set()
        self._answering.set()

    def drop(self) -> None:
        """Both sides of all connections are told that the other has gone."""
        for pair in self._taken():
            for end in pair:
                self._end(end)

    def part(self) -> None:
        """Nothing passes, and the server is told that its clients have gone: what it finds out by itself, in time."""
        self.hold()
        for _, server in list(self._pairs):
            self._end(server)

    def _taken(self) -> list[tuple[socket.socket, socket.socket]]:
        taken, self._pairs = self._pairs, []
        return taken

    @staticmethod
    def _end(end: socket.socket) -> None:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while not self._over:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self._open.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            self._end(client)
            return
        self._pairs.append((client, server))
        # The first packet says what the connection is for.
        first = client.recv(65536)
        server.sendall(first)
        answers = self._answering if b"evograft log" in first else self._open
        for source, sink, gate in ((client, server, self._open), (server, client, answers)):
            threading.Thread(target=self._pass, args=(source, sink, gate), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, gate: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._open.wait()
                gate.wait()
                sink.sendall(data)
        self._open.wait()
        self._end(sink)
