"""A local HTTPS server that plays the contest site."""

from __future__ import annotations

from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HTML = "text/html; charset=utf-8"


@dataclass
class Reply:
    """What the server answers once."""

    body: bytes = b""
    status: int = 200
    type: str = HTML
    headers: dict[str, str] = field(default_factory=dict)
    declared: int | None = None
    """The length it claims, where that differs."""


@dataclass
class PlayedSite:
    """The site's state: what lies at which path, and who asked for what."""

    url: str
    replies: dict[str, list[Reply]] = field(default_factory=dict)
    visits: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)

    def lays(self, path: str, *replies: Reply | str) -> None:
        """Answers to successive visits of a path; the last one stays."""
        self.replies[path] = [each if isinstance(each, Reply) else Reply(each.encode()) for each in replies]

    def answer(self, path: str) -> Reply:
        replies = self.replies.get(path, [Reply(b"not found", 404)])
        return replies.pop(0) if len(replies) > 1 else replies[0]


class Handler(BaseHTTPRequestHandler):
    played: PlayedSite

    def do_GET(self) -> None:
        self.played.visits.append(self.path)
        self.played.agents.add(self.headers["User-Agent"])
        reply = self.played.answer(self.path)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.type)
        self.send_header("Content-Length", str(len(reply.body) if reply.declared is None else reply.declared))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *arguments: Any) -> None:
        """A test shows what it asserts."""


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, *arguments: Any) -> None:
        """A client that goes away, or does not trust the certificate, is part of a test."""
