"""A server that fails on demand, and questions to ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from fault_server import FaultServer

from evograft_hookspecs import LlmCall, LlmRequest, Message

SECRET = "sk-test-0123456789abcdef"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def question() -> Callable[..., LlmCall]:
    def make(text: str = "What now?", *, model: str = "some-model", trial: int | None = 7, **fields) -> LlmCall:
        system = Message(role="system", content="You are terse.")
        fields = {"max_tokens": 100, **fields}
        request = LlmRequest(messages=(system, Message(role="user", content=text)), model=model, **fields)
        return LlmCall(request=request, key=f"trial-7:{request.digest()}:0", trial=trial)

    return make


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key in the environment, and no address or proxy of the machine's own."""
    for name in ("OLLAMA_HOST", "OPENAI_BASE_URL", "OPENAI_API_BASE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    return SECRET
