"""The judge that asks a model for vectors: what it keeps, and how it fails."""

import math

import pytest

from evograft.errors import ServiceError
from evograft.kernel.embedding_judge import EmbeddingJudge
from evograft_hookspecs import Candidate, LlmRetryable, LlmUnavailable


class Letters:
    """A driver whose vectors count the letters a, b and c."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.asked = []
        self.closed = False

    def embed(self, texts):
        self.asked.append(texts)
        if self.failures:
            raise self.failures.pop(0)
        return tuple(tuple(float(text.count(letter)) for letter in "abc") for text in texts)

    def close(self):
        self.closed = True


class Says(Letters):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def embed(self, texts):
        return self.answer


def candidate(source, trial=0):
    return Candidate.of(source, kind="k", operator="a.b", trial=trial)


def judge(driver, **options):
    pauses = []
    return EmbeddingJudge(driver, sleep=pauses.append, **options), pauses


def test_likeness_is_the_cosine_with_each():
    one, _ = judge(Letters())
    told = one.likeness(candidate("aab"), [candidate("aab"), candidate("c"), candidate("aaaabb"), candidate("a")])
    assert told == pytest.approx((1, 0, 1, 2 / math.sqrt(5)))


def test_vectors_are_kept_by_candidate_whoever_made_it():
    driver = Letters()
    one, _ = judge(driver)
    one.likeness(candidate("a"), [candidate("b")])
    one.likeness(candidate("c"), [candidate("a", trial=7), candidate("b")])
    assert driver.asked == [("a", "b"), ("c",)]


def test_only_so_many_are_kept_and_the_longest_unused_go_first():
    driver = Letters()
    one, _ = judge(driver, cached=2)
    one.likeness(candidate("a"), [candidate("b"), candidate("c")])
    one.likeness(candidate("b"), [candidate("c")])
    assert len(driver.asked) == 1
    one.likeness(candidate("a"), [candidate("c")])
    one.likeness(candidate("c"), [candidate("b")])
    assert driver.asked[1:] == [("a",), ("b",)]


def test_with_nobody_to_compare_nothing_is_like_it():
    assert judge(Letters())[0].likeness(candidate("a"), []) == ()


def test_several_files_are_one_text_with_their_paths():
    driver = Letters()
    files = Candidate(kind="k", files={"y.py": "b", "x.py": "a", "z.py": "\n"}, operator="a.b", trial=0)
    judge(driver)[0].likeness(files, [])
    assert driver.asked == [("x.py\na\n\ny.py\nb",)]


def test_candidates_without_text_are_alike_and_never_sent():
    driver = Letters()
    told = judge(driver)[0].likeness(candidate(" \n"), [candidate(""), candidate("a")])
    assert told == (1, 0)
    assert driver.asked == [("a",)]


def test_a_driver_that_asks_to_wait_is_waited_for_within_patience():
    driver = Letters(LlmRetryable("busy", retry_after=2.0), LlmRetryable("busy", retry_after=500.0))
    one, pauses = judge(driver, patience=10.0)
    assert one.likeness(candidate("a"), [candidate("a", trial=1)]) == (1,)
    assert pauses == [2, 10]


def test_pauses_that_nobody_asked_for_grow():
    one, pauses = judge(Letters(*(LlmRetryable("busy") for _ in range(4))), tries=5)
    one.likeness(candidate("a"), [])
    assert len(pauses) == 4
    assert pauses == sorted(pauses)


def test_a_driver_that_stays_down_is_an_error_never_a_verdict():
    driver = Letters(*(LlmRetryable(f"busy {n}") for n in range(9)))
    one, _ = judge(driver, tries=3)
    with pytest.raises(ServiceError, match="no answer after 3 tries, the last said: busy 2"):
        one.likeness(candidate("a"), [candidate("b")])
    assert len(driver.asked) == 3


def test_a_driver_that_cannot_work_is_asked_once():
    driver = Letters(LlmUnavailable("no key: set EXAMPLE_KEY"))
    with pytest.raises(ServiceError, match="set EXAMPLE_KEY"):
        judge(driver)[0].likeness(candidate("a"), [])
    assert len(driver.asked) == 1


def test_a_pause_may_be_ended_from_outside():
    def stop(seconds):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EmbeddingJudge(Letters(LlmRetryable("busy")), sleep=stop).likeness(candidate("a"), [])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (((1.0, 0.0),), "2 texts were sent and 1 vectors came back"),
        (((1.0, 0.0), (1.0,)), r"different lengths came back: \[1, 2\]"),
        (((1.0, 0.0), (0.0, 0.0)), "without a direction"),
        (((1.0, 0.0), (math.nan, 0.0)), "without a direction"),
        (((1.0, 0.0), (math.inf, 0.0)), "without a direction"),
        (((1.0, 0.0), ()), "without a direction"),
    ],
)
def test_nonsense_is_an_error_never_a_verdict(answer, message):
    with pytest.raises(ServiceError, match=message):
        judge(Says(answer))[0].likeness(candidate("a"), [candidate("b")])


def test_nothing_is_kept_of_an_answer_that_was_refused():
    driver = Says(((1.0, 0.0), (0.0, 0.0)))
    one, _ = judge(driver)
    with pytest.raises(ServiceError):
        one.likeness(candidate("a"), [candidate("b")])
    driver.answer = ((1.0, 0.0), (1.0, 0.0))
    assert one.likeness(candidate("a"), [candidate("b")]) == (1,)


def test_closing_the_judge_closes_its_driver():
    driver = Letters()
    judge(driver)[0].close()
    assert driver.closed
