"""The openai driver against a server that fails: what each fault becomes, and how often it is asked."""

import json
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import fault_server as faults
import pytest
import trustme
from fault_server import FaultServer
from pydantic import ValidationError

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import load_driver
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable, Usage
from evograft_models.http import transport
from evograft_models.openai import OpenAiLlm, OpenAiOptions


@pytest.fixture
def make_driver(server, tmp_path):
    made = []

    def make(**options):
        driver = OpenAiLlm(OpenAiOptions.model_validate({"base_url": server.base_url, **options}))
        made.append(driver)
        driver.open(tmp_path)
        return driver

    yield make
    for driver in made:
        driver.close()


@pytest.fixture
def driver(make_driver):
    return make_driver()


def test_an_answer_is_read_with_its_tokens(server, driver, question):
    server.script(faults.answer("Go north.", usage=(31, 4)))
    answer = driver.complete(question("Where to?"), timeout=30)
    assert (answer.text, answer.model, answer.finish) == ("Go north.", "some-model", "stop")
    assert answer.usage == Usage(prompt_tokens=31, completion_tokens=4)
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.body == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "You are terse."},
            {"role": "user", "content": "Where to?"},
        ],
        "max_tokens": 100,
    }


def test_temperature_stop_and_extra_fields_are_sent(server, make_driver, question):
    driver = make_driver(extra={"reasoning_effort": "low", "temperature": 0.1, "nested": {"a": [1]}})
    driver.complete(question(temperature=0.7, stop=("END",)), timeout=30)
    driver.complete(question(), timeout=30)
    warm, usual = (seen.body for seen in server.seen)
    assert (warm["temperature"], warm["stop"]) == (0.7, ["END"])
    assert (usual["temperature"], usual["reasoning_effort"], usual["nested"]) == (0.1, "low", {"a": [1]})


def test_the_name_of_the_limit_of_tokens_can_be_set_and_is_the_newer_one_at_openai(server, make_driver, question):
    make_driver(max_tokens_field="max_completion_tokens").complete(question(), timeout=30)
    assert server.seen[0].body["max_completion_tokens"] == 100
    assert "max_tokens" not in server.seen[0].body
    assert OpenAiLlm(OpenAiOptions())._limit == "max_completion_tokens"


def refused(field, code="unsupported_value"):
    """The error with which OpenAI's reasoning models refuse a field."""
    error = {"message": f"Unsupported: '{field}'", "type": "invalid_request_error", "param": field, "code": code}
    return faults.raw({"error": error}, status=400)


def test_a_model_that_takes_no_temperature_is_asked_without_one_and_from_then_on(server, driver, question):
    server.script(refused("temperature"), faults.answer("Go north."))
    assert driver.complete(question(temperature=0.3), timeout=30).text == "Go north."
    driver.complete(question(temperature=0.5), timeout=30)
    assert [seen.body.get("temperature") for seen in server.seen] == [0.3, None, None]


def test_a_model_that_knows_another_name_for_the_limit_of_tokens_is_given_that(server, driver, question):
    server.script(refused("max_tokens", code="unsupported_parameter"), refused("temperature"))
    driver.complete(question(temperature=0.3), timeout=30)
    last = server.seen[-1].body
    assert (last["max_completion_tokens"], "max_tokens" in last, "temperature" in last) == (100, False, False)
    assert len(server.seen) == 3


def test_a_field_that_cannot_be_done_without_is_refused_once(server, driver, question):
    server.script(refused("messages"), refused("temperature"), refused("temperature"))
    with pytest.raises(LlmRefused, match="Unsupported: 'messages'"):
        driver.complete(question(), timeout=30)
    with pytest.raises(LlmRefused, match="Unsupported: 'temperature'"):
        driver.complete(question(), timeout=30)
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    "field", ["api_key", "messages", "model", "max_tokens", "max_completion_tokens", "n", "stream"]
)
def test_extra_fields_cannot_replace_those_of_the_run(field):
    with pytest.raises(ValidationError, match=f"'{field}' cannot be given here"):
        OpenAiOptions.model_validate({"extra": {field: 1}})


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000/v1",
        "ftp://host/v1",
        "http://",
        "http://me:secret@host/v1",
        "http://host/v1?key=1",
        "http://a:b/",
    ],
)
def test_an_address_that_is_none_or_holds_a_key_is_refused(address):
    with pytest.raises(ValidationError):
        OpenAiOptions(base_url=address)


# -- keys -------------------------------------------------------------------------------------------------------------


def test_the_key_of_the_environment_is_sent(server, driver, question, key):
    driver.complete(question(), timeout=30)
    assert server.seen[0].authorization == f"Bearer {key}"


def test_a_local_server_needs_no_key(server, make_driver, question, monkeypatch):
    make_driver(api_key_env="").complete(question(), timeout=30)
    monkeypatch.delenv("OPENAI_API_KEY")
    make_driver().complete(question(), timeout=30)
    assert [seen.authorization for seen in server.seen] == [None, None]


def test_a_key_that_is_missing_is_said_by_the_name_of_its_variable(make_driver, monkeypatch):
    with pytest.raises(LlmUnavailable, match="set the environment variable MY_KEY"):
        make_driver(api_key_env="MY_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(LlmUnavailable, match="set the environment variable OPENAI_API_KEY"):
        make_driver(base_url="https://api.openai.com/v1")


def test_a_key_that_no_header_can_carry_is_said_without_showing_it(make_driver, monkeypatch):
    monkeypatch.setenv("MY_KEY", "geheim\nschlüssel")
    with pytest.raises(LlmUnavailable, match="MY_KEY holds something that is no key") as caught:
        make_driver(api_key_env="MY_KEY")
    assert "geheim" not in str(caught.value)


def test_a_key_in_the_options_is_refused_and_not_repeated():
    with pytest.raises(ValidationError) as caught:
        OpenAiOptions(api_key_env="sk-live-0123456789")
    assert "0123456789" not in str(caught.value)


def test_no_message_shows_a_key(server, driver, question, key):
    echo = f"Incorrect API key provided: {key}. Authorization: Bearer {key[:20]}"
    for code in (400, 401, 429, 500):
        server.script(faults.status(code, echo))
        with pytest.raises((LlmRefused, LlmRetryable, LlmUnavailable)) as caught:
            driver.complete(question(), timeout=30)
        assert "***" in str(caught.value)
        assert key[:20] not in str(caught.value)
        assert caught.value.__cause__ is None


# -- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        *((faults.status(code), LlmRetryable) for code in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        *((faults.status(code), LlmUnavailable) for code in (301, 302, 307, 401, 402, 403, 404)),
        *((faults.status(code), LlmRefused) for code in (400, 405, 413, 422)),
        (faults.status(429, error="insufficient_quota"), LlmUnavailable),
        (faults.status(400, error="invalid_api_key"), LlmUnavailable),
        (faults.raw("<html>Bad gateway</html>", status=502), LlmRetryable),
        (faults.raw("[[[[", status=500), LlmRetryable),
        (faults.malformed(), LlmRetryable),
        (faults.raw(b"\xff\xfe{"), LlmRetryable),
        (faults.raw("[" * 100_000), LlmRetryable),
        (faults.raw(""), LlmRetryable),
        (faults.raw("null"), LlmRetryable),
        (faults.raw([]), LlmRetryable),
        (faults.raw({}), LlmRetryable),
        (faults.empty_choices(), LlmRetryable),
        (faults.raw({"choices": [{}]}), LlmRetryable),
        (faults.raw({"choices": [None]}), LlmRetryable),
        (faults.raw({"choices": {"a": 1}}), LlmRetryable),
        (faults.raw({"error": {"code": 429, "message": "slower"}}), LlmRetryable),
        (faults.raw({"error": {"code": 402, "message": "no credit"}}), LlmUnavailable),
        (faults.raw({"error": {"code": 400, "message": "too long"}}), LlmRefused),
        (faults.cut(), LlmRetryable),
        (faults.cut(0), LlmRetryable),
        (faults.cut(-1), LlmRetryable),
    ],
)
def test_each_fault_becomes_its_exception_after_one_request(server, driver, question, reply, expected):
    server.script(reply)
    with pytest.raises(expected) as caught:
        driver.complete(question(), timeout=30)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 300
    assert len(server.seen) == 1
    assert driver.complete(question(), timeout=30).text == "hello"


def test_a_message_names_the_address_the_status_and_what_the_provider_said(server, driver, question):
    server.script(faults.status(404, "The model `gpt-9` does not exist"))
    with pytest.raises(LlmUnavailable, match=r"/v1/chat/completions: HTTP 404: The model `gpt-9` does not exist"):
        driver.complete(question(), timeout=30)


@pytest.mark.parametrize(
    "body", [{"error": "slow down"}, {"detail": "slow down"}, [{"error": {"message": "slow down"}}]]
)
def test_what_a_provider_says_is_found_in_several_shapes(server, driver, question, body):
    server.script(faults.raw(body, status=503))
    with pytest.raises(LlmRetryable, match=r"HTTP 503: slow down$"):
        driver.complete(question(), timeout=30)


def test_a_redirect_is_not_followed_but_told(server, driver, question):
    server.script(faults.status(308, headers={"Location": f"{server.url}/v2/chat/completions"}))
    with pytest.raises(LlmUnavailable, match="redirects are not followed"):
        driver.complete(question(), timeout=30)
    assert [seen.path for seen in server.seen] == ["/v1/chat/completions"]


def test_a_server_that_is_not_there_may_come_back(make_driver, question):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(LlmRetryable, match="refused"):
        make_driver(base_url=f"http://127.0.0.1:{port}/v1").complete(question(), timeout=30)


def test_a_kept_connection_that_the_server_has_closed_is_replaced(server, driver, question):
    server.script(faults.answer(headers={"Connection": "close"}))
    for _ in range(3):
        assert driver.complete(question(), timeout=30).text == "hello"


@pytest.mark.parametrize("reply", [faults.slow(), faults.drip()], ids=["silent", "dripping"])
def test_a_call_is_over_when_its_time_is_even_if_bytes_keep_coming(server, driver, question, reply):
    server.script(reply)
    with pytest.raises(LlmRetryable, match=r"no answer in 3 s"):
        driver.complete(question(), timeout=reply.time_limit)
    assert driver.complete(question(), timeout=30).text == "hello"


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "3"}, 3, 3),
        ({"Retry-After": "0.5"}, 0.5, 0.5),
        ({"Retry-After": "-4"}, 0, 0),
        ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5, 1.5),
        ({"Retry-After": format_datetime(datetime.now(UTC) + timedelta(hours=10), usegmt=True)}, 30000, 36000),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
    ],
)
@pytest.mark.parametrize("code", [429, 503])
def test_how_long_to_wait_is_read_in_all_its_forms(server, driver, question, code, headers, least, most):
    server.script(faults.status(code, headers=headers))
    with pytest.raises(LlmRetryable) as caught:
        driver.complete(question(), timeout=30)
    assert least <= caught.value.retry_after <= most


@pytest.mark.parametrize("value", ["soon", "nan", "inf", "1e999", ""])
def test_a_wait_that_is_none_is_no_wait(server, driver, question, value):
    server.script(faults.status(429, headers={"Retry-After": value}))
    with pytest.raises(LlmRetryable) as caught:
        driver.complete(question(), timeout=30)
    assert caught.value.retry_after is None


# -- answers out of the ordinary --------------------------------------------------------------------------------------


def test_a_large_answer_comes_whole_and_a_huge_one_is_refused(server, driver, question, monkeypatch):
    server.usual = faults.large(2_000_000)
    assert len(driver.complete(question(), timeout=30).text) == 2_000_000
    monkeypatch.setattr(transport, "LARGEST", 1_000_000)
    with pytest.raises(LlmRefused, match="larger than 1 MB"):
        driver.complete(question(), timeout=30)


def test_an_error_of_any_size_is_told_in_one_line(server, driver, question):
    server.script(faults.raw("x" * 2_000_000, status=500), faults.status(500, "y" * 2_000))
    for _ in range(2):
        with pytest.raises(LlmRetryable) as caught:
            driver.complete(question(), timeout=30)
        assert len(str(caught.value)) <= 300


@pytest.mark.parametrize(
    "reply",
    [faults.filtered(), faults.azure_filtered(), faults.raw({"choices": [{"finish_reason": "content_filter"}]})],
)
def test_what_a_filter_withholds_is_an_empty_answer(server, driver, question, reply):
    server.script(reply)
    answer = driver.complete(question(), timeout=30)
    assert (answer.text, answer.finish, answer.usage) == ("", "filter", None)


def test_an_answer_that_was_cut_off_at_its_limit_says_so(server, driver, question):
    server.script(faults.answer("once upon", finish="length"))
    answer = driver.complete(question(), timeout=30)
    assert (answer.text, answer.finish) == ("once upon", "length")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("null", ""),
        ('[{"type": "text", "text": "a"}, {"type": "image"}, "b", 7]', "ab"),
        (r'"lone \ud800 and \udc00"', "lone � and �"),
        (r'"pair \ud83d\ude00"', "pair \N{GRINNING FACE}"),
        ('"日本語\\u0000"', "日本語\0"),
        ("7", ""),
    ],
)
def test_content_is_read_in_every_form(server, driver, question, content, text):
    server.script(faults.raw(f'{{"choices": [{{"message": {{"content": {content}}}}}]}}'))
    assert driver.complete(question(), timeout=30).text == text


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 3},
        {"prompt_tokens": "3", "completion_tokens": 4},
        {"prompt_tokens": -1, "completion_tokens": 1},
        [],
    ],
)
def test_tokens_that_were_not_counted_are_not_made_up(server, driver, question, usage):
    server.script(faults.raw({"choices": [{"message": {"content": "a"}}], "usage": usage}))
    assert driver.complete(question(), timeout=30).usage is None


# -- many threads, and the end ----------------------------------------------------------------------------------------


def test_answers_reach_the_threads_that_asked(server, driver, question):
    server.usual = lambda seen: faults.answer(f"answer to {seen.prompt}")
    answers = {}

    def ask(number):
        for turn in range(10):
            text = f"{number}.{turn}"
            answers[text] = driver.complete(question(text), timeout=30).text

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 80
    assert all(answer == f"answer to {text}" for text, answer in answers.items())


def test_closing_ends_the_calls_that_wait(server, driver, question):
    everyone_asked = threading.Barrier(5)

    def never(seen):
        everyone_asked.wait(30)
        return faults.slow()

    server.usual = never
    raised = []

    def ask():
        try:
            driver.complete(question(), timeout=300)
        except LlmUnavailable as err:
            raised.append(str(err))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    everyone_asked.wait(30)
    driver.close()
    for thread in threads:
        thread.join(60)
    assert raised == ["the run has stopped"] * 4
    with pytest.raises(LlmUnavailable, match="the run has stopped"):
        driver.complete(question(), timeout=30)


def test_the_driver_is_found_by_its_name_and_needs_no_opening_for_prices(server):
    section = DriverSection.model_validate({"driver": "openai", "base_url": server.base_url})
    driver = load_driver("llm", section)
    assert driver.price("some-model") is None
    assert (driver.available, driver.patient) == (True, False)
    driver.close()


def test_a_proxy_of_the_environment_is_used_with_its_password_but_not_for_loopback(
    server, make_driver, question, monkeypatch
):
    monkeypatch.setenv("http_proxy", server.url.replace("://", "://me:pass%20word@"))
    make_driver().complete(question(), timeout=30)
    make_driver(base_url="http://models.invalid/v1").complete(question(), timeout=30)
    direct, proxied = server.seen
    assert direct.path == "/v1/chat/completions"
    assert "proxy-authorization" not in direct.headers
    assert proxied.path == "http://models.invalid/v1/chat/completions"
    assert proxied.headers["proxy-authorization"].startswith("Basic ")
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    with pytest.raises(LlmUnavailable, match="'socks5': only http and https"):
        make_driver(base_url="http://models.invalid/v1")


@pytest.fixture
def certificate(tmp_path):
    file, authority = tmp_path / "server.pem", trustme.CA()
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(file)
    authority.cert_pem.write_to_path(file, append=True)
    return file


def test_over_tls_the_same_holds_and_an_untrusted_server_is_not_asked_again(
    certificate, make_driver, question, monkeypatch
):
    with FaultServer(certificate=certificate) as server:
        with pytest.raises(LlmUnavailable, match=r"certificate verify failed.*SSL_CERT_FILE"):
            make_driver(base_url=server.base_url).complete(question(), timeout=30)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        driver = make_driver(base_url=server.base_url)
        assert driver.complete(question("x" * 300_000), timeout=30).text == "hello"
        replies = (faults.drip(), faults.cut())
        server.script(*replies, faults.large())
        for reply in replies:
            with pytest.raises(LlmRetryable):
                driver.complete(question(), timeout=reply.time_limit)
        assert len(driver.complete(question(), timeout=30).text) == 2_000_000
        driver.close()


def test_what_is_sent_is_json_of_ascii_and_survives_any_text(server, driver, question):
    driver.complete(question('“Größe” \N{GRINNING FACE} \0 \\ "'), timeout=30)
    assert server.seen[0].prompt == '“Größe” \N{GRINNING FACE} \0 \\ "'
    assert json.dumps(server.seen[0].body).isascii()
