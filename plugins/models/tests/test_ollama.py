"""The ollama driver against a server that fails."""

import socket
import sys

import fault_server as faults
import pytest
from pydantic import ValidationError

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import load_driver
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable, Usage
from evograft_hookspecs.drivers.llm import Price
from evograft_models.http import transport
from evograft_models.ollama import OllamaLlm, OllamaOptions, add_scheme
from evograft_models.ollama_transport import without_lone_surrogates


@pytest.fixture
def make_driver(server, tmp_path):
    made = []

    def make(**options):
        driver = OllamaLlm(OllamaOptions.model_validate({"host": server.url, **options}))
        made.append(driver)
        driver.open(tmp_path)
        return driver

    yield make
    for driver in made:
        driver.close()


@pytest.fixture
def driver(make_driver, server):
    driver = make_driver()
    server.seen.clear()
    return driver


def test_an_answer_is_read_with_its_tokens(server, driver, question):
    server.script(faults.answer("Go north.", usage=(31, 4)))
    answer = driver.complete(question("Where to?"), timeout=30)
    assert (answer.text, answer.model, answer.finish) == ("Go north.", "some-model", "stop")
    assert answer.usage == Usage(prompt_tokens=31, completion_tokens=4)
    (seen,) = server.seen
    assert seen.path == "/api/chat"
    assert seen.body["stream"] is False
    assert seen.body["messages"][1] == {"role": "user", "content": "Where to?"}
    assert seen.body["options"] == {"num_predict": 100}


def test_options_of_the_model_and_its_time_in_memory_are_sent(server, make_driver, question):
    driver = make_driver(extra={"num_ctx": 16384, "temperature": 0.1}, keep_alive="10m")
    driver.complete(question(temperature=0.7, stop=("END",)), timeout=30)
    driver.complete(question(), timeout=30)
    warm, usual = (seen.body for seen in server.asked("/api/chat"))
    assert warm["options"] == {"num_ctx": 16384, "num_predict": 100, "temperature": 0.7, "stop": ["END"]}
    assert usual["options"]["temperature"] == 0.1
    assert usual["keep_alive"] == "10m"
    with pytest.raises(ValidationError, match="'num_predict' cannot be given here"):
        OllamaOptions.model_validate({"extra": {"num_predict": 1}})


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        *((faults.raw({"error": "no"}, status=code), LlmRetryable) for code in (408, 429, 500, 502, 503)),
        *((faults.raw({"error": "no"}, status=code), LlmUnavailable) for code in (301, 401, 402, 403)),
        (faults.raw({"error": "bad option"}, status=400), LlmRefused),
        (faults.malformed(), LlmRetryable),
        (faults.raw(""), LlmRetryable),
        (faults.raw("null"), LlmRetryable),
        (faults.raw("[]"), LlmRetryable),
        (faults.raw({}), LlmRetryable),
        (faults.raw("[" * 100_000), LlmRetryable),
        (faults.raw({"message": {"role": "assistant", "content": 7}}), LlmRetryable),
        (faults.cut(), LlmRetryable),
        (faults.cut(-1), LlmRetryable),
        (faults.slow(), LlmRetryable),
        (faults.drip(), LlmRetryable),
    ],
)
def test_each_fault_becomes_its_exception_after_one_request(server, driver, question, reply, expected):
    server.script(reply)
    with pytest.raises(expected) as caught:
        driver.complete(question(), timeout=reply.time_limit)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 300
    assert len(server.seen) == 1
    assert driver.complete(question(), timeout=30).text == "hello"


def test_how_long_to_wait_is_read(server, driver, question):
    server.script(faults.raw({"error": "busy"}, status=503, headers={"Retry-After": "3"}))
    with pytest.raises(LlmRetryable, match="busy") as caught:
        driver.complete(question(), timeout=30)
    assert caught.value.retry_after == 3


def test_a_model_that_is_not_there_is_said_with_how_to_get_it(server, driver, question):
    server.script(faults.raw({"error": "model 'some-model' not found"}, status=404))
    with pytest.raises(LlmUnavailable, match="get the model with: ollama pull some-model"):
        driver.complete(question(), timeout=30)


def test_a_server_that_is_not_there_is_said_when_the_run_starts(make_driver):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(LlmUnavailable, match=f"no Ollama server answers at http://127.0.0.1:{port}: start it with"):
        make_driver(host=f"127.0.0.1:{port}")


@pytest.mark.parametrize("reply", [faults.status(404), faults.raw("<html>"), faults.raw("[]"), faults.status(500)])
def test_a_server_that_is_not_ollama_is_said_when_the_run_starts(server, make_driver, reply):
    server.script(reply)
    with pytest.raises(LlmUnavailable, match="no Ollama server answers"):
        make_driver()


def test_the_host_is_that_of_the_environment_unless_one_is_given(server, make_driver, question, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
    make_driver(host="").complete(question(), timeout=30)
    assert len(server.asked("/api/chat")) == 1
    monkeypatch.setenv("OLLAMA_HOST", "gpu:not-a-port")
    with pytest.raises(LlmUnavailable, match="the environment variable OLLAMA_HOST"):
        make_driver(host="")


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("gpu", "http://gpu:11434"),
        ("gpu:8080", "http://gpu:8080"),
        ("gpu/", "http://gpu:11434"),
        ("0.0.0.0", "http://0.0.0.0:11434"),
        ("https://gpu.example.com", "https://gpu.example.com"),
    ],
)
def test_an_address_may_be_short(given, address):
    assert add_scheme(given) == address
    assert OllamaOptions(host=given).host == address


def test_a_missing_package_is_said_with_how_to_install_it(make_driver, monkeypatch):
    monkeypatch.setitem(sys.modules, "ollama", None)
    with pytest.raises(LlmUnavailable, match=r"pip install 'ollama>="):
        make_driver()


def test_local_models_cost_nothing_and_those_of_the_cloud_an_unknown_amount():
    driver = load_driver("llm", DriverSection(driver="ollama"))
    assert driver.price("qwen3:8b") == Price(prompt=0.0, completion=0.0)
    assert driver.price("gpt-oss:120b-cloud") is None
    assert driver.price("kimi-k2:cloud") is None


def test_an_answer_that_was_cut_off_at_its_limit_says_so(server, driver, question):
    server.script(faults.answer("once upon", finish="length", usage=None))
    answer = driver.complete(question(), timeout=30)
    assert (answer.text, answer.finish, answer.usage) == ("once upon", "length", None)


def test_a_large_answer_comes_whole_and_a_huge_one_is_refused(server, driver, question, monkeypatch):
    server.usual = faults.large(2_000_000)
    assert len(driver.complete(question(), timeout=30).text) == 2_000_000
    monkeypatch.setattr(transport, "LARGEST", 1_000_000)
    with pytest.raises(LlmRefused, match="larger than 1 MB"):
        driver.complete(question(), timeout=30)


def test_lone_surrogates_in_an_answer_are_replaced(server, driver, question):
    server.script(faults.raw(r'{"message": {"role": "assistant", "content": "lone \ud800, pair \ud83d\ude00"}}'))
    assert driver.complete(question(), timeout=30).text == "lone \N{REPLACEMENT CHARACTER}, pair \N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("json", "clean"),
    [
        (rb'"\ud800"', rb'"\ufffd"'),
        (rb'"\udC00\uD800x"', rb'"\ufffd\ufffdx"'),
        (rb'"\uD83D\uDE00"', rb'"\uD83D\uDE00"'),
        (rb'"\\ud800"', rb'"\\ud800"'),
        (rb'"\\\ud800\""', rb'"\\\ufffd\""'),
        (b'"\xe6\x97\xa5 \\n"', b'"\xe6\x97\xa5 \\n"'),
        (b'"cut \\', b'"cut \\'),
    ],
)
def test_only_lone_surrogates_are_replaced(json, clean):
    assert without_lone_surrogates(json) == clean


def test_no_message_shows_a_key(server, driver, question, key):
    server.script(faults.raw({"error": f"key {key} is bad"}, status=401))
    with pytest.raises(LlmUnavailable, match=r"key \*\*\* is bad"):
        driver.complete(question(), timeout=30)


def test_after_the_end_no_question_is_asked(server, driver, question):
    driver.close()
    with pytest.raises(LlmUnavailable, match="the run has stopped"):
        driver.complete(question(), timeout=30)
    assert server.seen == []
