"""The litellm driver against a server that fails, through several of its providers."""

import asyncio
import logging
import os
import subprocess
import sys

import fault_server as faults
import pytest
from pydantic import ValidationError

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import load_driver
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable, Usage
from evograft_hookspecs.drivers.llm import Price
from evograft_models.litellm import LiteLlm, LiteLlmOptions

PROVIDERS = ("openai", "anthropic", "gemini", "mistral", "openrouter", "ollama_chat", "hosted_vllm")
FEW = ("openai", "anthropic", "mistral")


@pytest.fixture(autouse=True)
def event_loop():
    """Closes the loop that litellm would else make for this thread and never close."""
    with asyncio.Runner() as runner:
        yield runner.get_loop()


@pytest.fixture
def make_driver(server, tmp_path, monkeypatch, key):
    for provider in PROVIDERS:
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", key)

    def make(**options):
        driver = LiteLlm(LiteLlmOptions.model_validate({"api_base": server.base_url, **options}))
        driver.open(tmp_path)
        return driver

    return make


@pytest.fixture
def driver(make_driver):
    return make_driver()


@pytest.fixture
def ask(driver, question):
    def ask(provider="openai", *, timeout=30.0, **fields):
        return driver.complete(question(model=f"{provider}/some-model", **fields), timeout=timeout)

    return ask


def test_an_answer_is_read_with_its_tokens(server, ask, key):
    server.script(faults.answer("Go north.", usage=(31, 4)))
    answer = ask(temperature=0.5, stop=("END",))
    assert (answer.text, answer.model, answer.finish) == ("Go north.", "openai/some-model", "stop")
    assert answer.usage == Usage(prompt_tokens=31, completion_tokens=4)
    (seen,) = server.seen
    assert seen.authorization == f"Bearer {key}"
    assert seen.body["messages"][0] == {"role": "system", "content": "You are terse."}
    assert (seen.body["max_tokens"], seen.body["temperature"], seen.body["stop"]) == (100, 0.5, ["END"])


def test_the_key_may_be_that_of_another_variable(server, make_driver, question, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "another-key")
    make_driver(api_key_env="OTHER_KEY").complete(question(model="openai/some-model"), timeout=30)
    assert server.seen[0].authorization == "Bearer another-key"
    with pytest.raises(LlmUnavailable, match="set the environment variable MISSING_KEY"):
        make_driver(api_key_env="MISSING_KEY")


def test_a_provider_without_its_key_cannot_be_asked(server, ask, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(LlmUnavailable, match="OPENAI_API_KEY"):
        ask()
    assert server.seen == []


def test_extra_arguments_are_passed_on(server, make_driver, question):
    make_driver(extra={"seed": 5}).complete(question(model="openai/some-model"), timeout=30)
    assert server.seen[0].body["seed"] == 5
    with pytest.raises(ValidationError, match="'api_key' cannot be given here"):
        LiteLlmOptions.model_validate({"extra": {"api_key": "sk-live-0123456789"}})


@pytest.mark.long
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        *((faults.status(code), LlmRetryable) for code in (408, 409, 429, 500, 502, 503, 529)),
        *((faults.status(code), LlmUnavailable) for code in (401, 402, 403, 404)),
        *((faults.status(code), LlmRefused) for code in (400, 413, 422)),
        (faults.malformed(), LlmRetryable),
        (faults.raw("null"), LlmRetryable),
        (faults.raw({}), LlmRetryable),
        (faults.cut(), LlmRetryable),
        (faults.cut(-1), LlmRetryable),
        (faults.slow(), LlmRetryable),
    ],
)
@pytest.mark.parametrize("provider", FEW)
def test_each_fault_becomes_its_exception_after_one_request(server, ask, key, provider, reply, expected):
    server.script(reply)
    with pytest.raises(expected) as caught:
        ask(provider, timeout=reply.time_limit)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 300
    assert key not in str(caught.value)
    assert len(server.seen) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_provider_is_asked_twice(server, ask, provider):
    server.usual = faults.status(500)
    with pytest.raises(LlmRetryable):
        ask(provider)
    server.usual = faults.status(429, headers={"Retry-After": "3"})
    with pytest.raises(LlmRetryable) as caught:
        ask(provider)
    assert len(server.seen) == 2
    assert caught.value.retry_after == 3


def test_answers_without_choices_may_come_back(server, ask):
    server.script(faults.empty_choices())
    with pytest.raises(LlmRetryable, match="holds no text"):
        ask()


def test_no_credit_ends_the_run(server, ask):
    server.script(faults.status(429, "You exceeded your current quota", error="insufficient_quota"))
    with pytest.raises(LlmUnavailable):
        ask()


def test_a_model_without_a_provider_ends_the_run(server, driver, question):
    with pytest.raises(LlmUnavailable, match="LLM Provider NOT provided"):
        driver.complete(question(model="some-model"), timeout=30)
    assert server.seen == []


AZURE = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."


@pytest.mark.parametrize(
    "reply", [faults.filtered(), faults.azure_filtered(), faults.status(400, AZURE, error="content_filter")]
)
def test_what_a_filter_withholds_is_an_empty_answer(server, ask, reply):
    server.script(reply)
    answer = ask()
    assert (answer.text, answer.finish, answer.usage) == ("", "filter", None)


def test_an_answer_that_was_cut_off_at_its_limit_says_so(server, ask):
    server.script(faults.answer("once upon", finish="length", usage=None))
    answer = ask()
    assert (answer.text, answer.finish, answer.usage) == ("once upon", "length", None)


def test_a_large_answer_comes_whole(server, ask):
    server.script(faults.large(2_000_000))
    assert len(ask().text) == 2_000_000


def test_lone_surrogates_in_an_answer_are_replaced(server, ask):
    server.script(faults.raw(r'{"choices": [{"message": {"content": "lone \ud800"}}]}'))
    assert ask().text == "lone \N{REPLACEMENT CHARACTER}"


def test_no_message_shows_a_key(server, ask, key):
    for code in (400, 401, 500):
        server.script(faults.status(code, f"Incorrect API key provided: {key}"))
        with pytest.raises((LlmRefused, LlmRetryable, LlmUnavailable), match=r"provided: \*\*\*"):
            ask()


def test_prices_come_from_the_list_that_is_installed():
    driver = load_driver("llm", DriverSection(driver="litellm"))
    assert driver.price("gpt-4o") == driver.price("openai/gpt-4o") == Price(prompt=2.5, completion=10.0)
    assert driver.price("openai/nobody-knows-me") is None
    assert driver.price("my-own-provider/gpt-4o") is None
    assert driver.price("") is None


def test_a_missing_package_is_said_with_how_to_install_it(make_driver, monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(LlmUnavailable, match=r"pip install 'litellm>="):
        make_driver()
    assert LiteLlm(LiteLlmOptions()).price("gpt-4o") is None


def test_nothing_is_printed_and_nothing_logged_when_a_call_fails(server, ask, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    server.script(faults.status(500))
    with pytest.raises(LlmRetryable):
        ask()
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.name.startswith("LiteLLM")] == []


@pytest.mark.long
def test_its_import_fetches_nothing_and_reads_no_dotenv_of_the_folder(tmp_path):
    (tmp_path / ".env").write_text("FROM_DOTENV=yes\n")
    code = """
import os, socket
def refuse(*_):
    raise AssertionError("asked the network")
socket.getaddrinfo = socket.create_connection = refuse
from pathlib import Path
from evograft_models.litellm import LiteLlm, LiteLlmOptions
driver = LiteLlm(LiteLlmOptions())
driver.open(Path())
assert driver.price("gpt-4o")
assert "FROM_DOTENV" not in os.environ
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM_")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_after_the_end_no_question_is_asked(server, driver, question):
    driver.close()
    with pytest.raises(LlmUnavailable, match="the run has stopped"):
        driver.complete(question(model="openai/some-model"), timeout=30)
    assert server.seen == []
