"""Which model an experiment uses that names none: asked of a real server that plays Ollama, and of nobody."""

from __future__ import annotations

import socket

import pytest
from fault_server import FaultServer, raw, status

from evograft.config.pipeline import LlmSection
from evograft_graph_invariant.experiments.default_model import find_default_llm

MODELS = {"models": [{"name": "llama3:8b"}, {"name": "gpt-oss:20b"}]}


@pytest.fixture
def ollama(monkeypatch):
    with FaultServer() as server:
        server.usual = raw(MODELS)
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_ollama_with_the_model_is_used(ollama):
    section, note = find_default_llm()
    assert section == {"driver": "ollama", "model": "gpt-oss:20b"}
    assert LlmSection.model_validate(section).models[0].name == "gpt-oss:20b"
    assert note == f"model: gpt-oss:20b of Ollama at {ollama.url}"
    assert [(seen.method, seen.path) for seen in ollama.seen] == [("GET", "/api/tags")]


def test_any_other_of_its_models_can_be_asked_for(ollama):
    assert find_default_llm("llama3:8b")[0]["model"] == "llama3:8b"


def test_ollama_without_the_model_says_how_to_get_it(ollama):
    section, note = find_default_llm("qwen3:32b")
    assert section == {"driver": "none"}
    assert "has no qwen3:32b (ollama pull qwen3:32b)" in note


def test_an_address_without_a_scheme_is_taken_as_ollama_takes_it(ollama, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", ollama.url.removeprefix("http://"))
    assert find_default_llm()[0]["driver"] == "ollama"


@pytest.mark.parametrize(
    "reply", [raw("hello"), raw([]), raw({"models": 3}), raw("[" * 100_000), raw(b"x" * 5_000_000), status(500)]
)
def test_something_else_at_its_address_is_no_ollama(ollama, reply):
    ollama.usual = reply
    section, note = find_default_llm()
    assert section == {"driver": "none"}
    assert "is no Ollama" in note


def test_where_nobody_listens_formulas_are_edited_without_a_model_and_a_line_says_so(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{port}")
    section, note = find_default_llm()
    assert section == {"driver": "none"}
    assert note == (
        f"no model: no Ollama answers at http://127.0.0.1:{port}, so formulas are edited by operators without one"
    )


@pytest.mark.parametrize("host", ["http://", "::::", "gpu:port", "http://[", "\x00"])
def test_an_address_that_is_none_is_no_ollama_either(monkeypatch, host):
    monkeypatch.setattr("os.environ", {"OLLAMA_HOST": host})
    section, note = find_default_llm()
    assert section == {"driver": "none"}
    assert note.startswith("no model: ")
