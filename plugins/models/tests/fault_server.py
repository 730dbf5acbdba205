"""A model's server on loopback that answers and fails as a test tells it to.

    with FaultServer() as server:
        server.script(status(429, headers={"Retry-After": "2"}), answer("fine"))

The next requests get what is scripted, one each; after that all get `server.usual`, an answer or a function of the
request. It speaks OpenAI's protocol below `/v1` and Ollama's below `/api`, and `seen` holds every request.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    """With names in lower case."""
    body: Any
    """From JSON; `None` if there was none."""

    @property
    def authorization(self) -> str | None:
        return self.headers.get("authorization")

    @property
    def prompt(self) -> str:
        """The last message of a chat."""
        return self.body["messages"][-1]["content"]


@dataclass(frozen=True)
class Reply:
    """What a request gets: a model's `text` in the protocol of its path, or the bytes of `body` as they are."""

    text: str = "hello"
    finish: str = "stop"
    usage: tuple[int, int] | None = (11, 7)
    """Tokens of prompt and answer; `None`: the server does not count."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0.0
    """Seconds before the first byte; over early when the server closes."""
    cut: int | None = None
    """After so many bytes of the body the connection breaks; -1: before the first byte of all."""
    drip: float = 0.0
    """Seconds before each byte of the head and the body."""

    @property
    def time_limit(self) -> float:
        """Seconds that a caller should allow: few where no answer comes in time, else enough on a loaded machine."""
        return 3.0 if self.delay or self.drip else 60.0


Answerer = Callable[[Seen], Reply]


def answer(text: str = "hello", **fields: Any) -> Reply:
    return Reply(text=text, **fields)


def raw(body: bytes | str | Any, **fields: Any) -> Reply:
    """Bytes as they are, a text, or JSON."""
    if not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    return Reply(body=body if isinstance(body, bytes) else body.encode(), **fields)


def status(code: int, message: str = "no", *, error: str = "some_error", **fields: Any) -> Reply:
    """An error in OpenAI's shape."""
    return raw({"error": {"message": message, "type": error, "code": error}}, status=code, **fields)


def malformed() -> Reply:
    return raw('{"choices": [{"message": {"content": "he')


def empty_choices() -> Reply:
    return raw({"choices": []})


def cut(after: int = 20) -> Reply:
    return Reply(cut=after)


def drip(seconds: float = 0.05) -> Reply:
    return Reply(drip=seconds)


def slow(seconds: float = 60.0) -> Reply:
    return Reply(delay=seconds)


def large(size: int = 2_000_000) -> Reply:
    return Reply(text="x" * size)


def filtered() -> Reply:
    """Withheld, as OpenAI says it."""
    return raw({"choices": [{"message": {"role": "assistant", "content": None}, "finish_reason": "content_filter"}]})


def azure_filtered() -> Reply:
    """Withheld, as Azure says it."""
    return status(400, "The response was filtered", error="content_filter")


class FaultServer:
    """Serves from its construction to `close`.

    Args:
        certificate: a file with certificate and key, for a server that speaks TLS.
    """

    def __init__(self, *, certificate: Path | None = None) -> None:
        self.usual: Reply | Answerer = Reply()
        self.seen: list[Seen] = []
        self._script: list[Reply | Answerer] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _handler_of(self))
        self._scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="fault server")
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        """For drivers that speak OpenAI's protocol."""
        return f"{self.url}/v1"

    def script(self, *replies: Reply | Answerer) -> None:
        """What the next requests get, one each, after what is scripted already."""
        with self._lock:
            self._script.extend(replies)

    def asked(self, path: str = "") -> list[Seen]:
        """The requests so far whose path ends like this."""
        with self._lock:
            return [seen for seen in self.seen if seen.path.endswith(path)]

    def close(self) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reply_to(self, seen: Seen) -> Reply:
        with self._lock:
            self.seen.append(seen)
            chosen = self._script.pop(0) if self._script else self.usual
        return chosen(seen) if callable(chosen) else chosen

    def _wait(self, seconds: float) -> None:
        if self._closing.wait(seconds):
            raise ConnectionAbortedError


class _Http(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, *arguments: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        # Threads that wait for the next request of a kept connection end with it, and are joined.
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Broken connections are what this is about."""


def _handler_of(server: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, headers, json.loads(content) if content else None)
            reply = server._reply_to(seen)
            server._wait(reply.delay)
            if reply.cut == -1:
                self.close_connection = True
                return
            self._send(reply, rendered(reply, seen) if reply.body is None else reply.body)

        def _send(self, reply: Reply, body: bytes) -> None:
            lines = {"Content-Type": "application/json", "Content-Length": str(len(body)), **reply.headers}
            head = f"HTTP/1.1 {reply.status} -\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
            if reply.cut is not None:
                body = body[: reply.cut]
                self.close_connection = True
            data = head.encode() + b"\r\n" + body
            if not reply.drip:
                self.wfile.write(data)
                self.wfile.flush()
                return
            for byte in data:
                server._wait(reply.drip)
                self.wfile.write(bytes([byte]))
                self.wfile.flush()

    return Handler


def rendered(reply: Reply, seen: Seen) -> bytes:
    """A reply's text in the protocol of the path that was asked."""
    path = seen.path.partition("?")[0]
    render = next((render for end, render in _RENDERERS.items() if path.endswith(end)), None)
    return json.dumps(render(reply, seen) if render else {"error": f"no path {path}"}).encode()


def _chat_completion(reply: Reply, seen: Seen) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text}
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": seen.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
    }
    if reply.usage:
        prompt, completion = reply.usage
        data["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
    return data


def _ollama_chat(reply: Reply, seen: Seen) -> dict[str, Any]:
    data = {
        "model": seen.body["model"],
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": reply.text},
        "done": True,
        "done_reason": reply.finish,
    }
    if reply.usage:
        data["prompt_eval_count"], data["eval_count"] = reply.usage
    return data


def _embeddings(_reply: Reply, seen: Seen) -> dict[str, Any]:
    """The vector of a text is its length and 1."""
    texts = seen.body["input"]
    data = [{"object": "embedding", "index": index, "embedding": [len(text), 1.0]} for index, text in enumerate(texts)]
    return {"object": "list", "data": data, "model": seen.body["model"]}


def _models(_reply: Reply, _seen: Seen) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": "some-model"}]}


def _tags(_reply: Reply, _seen: Seen) -> dict[str, Any]:
    return {"models": [{"model": "some-model"}]}


_RENDERERS: dict[str, Callable[[Reply, Seen], dict[str, Any]]] = {
    "/chat/completions": _chat_completion,
    "/api/chat": _ollama_chat,
    "/embeddings": _embeddings,
    "/models": _models,
    "/api/tags": _tags,
}
