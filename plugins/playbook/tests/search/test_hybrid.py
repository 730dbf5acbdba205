"""What a search finds, and what it does when half of it is missing."""

from __future__ import annotations

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft.errors import ServiceError
from evograft_hookspecs import LlmRetryable, LlmUnavailable
from evograft_playbook.search.hybrid import LONGEST, HybridSearch
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.types import Playbook, SearchQuery


def ids(results):
    return [each.bullet.id for each in results]


def ask(text, top_k=10):
    return SearchQuery(query_text=text, top_k=top_k)


def test_a_bullet_is_found_by_its_words(words_alone, playbook_of):
    playbook = playbook_of("Use a deque for queues.", "Pin the base image.", "Flush after each line.")
    (found,) = words_alone.search(ask("which base image"), playbook)
    assert (found.bullet.id, found.rank, found.score) == ("shr-00002", 1, 1.0)


def test_a_bullet_is_found_by_its_meaning_in_another_language(hybrid, playbook_of):
    playbook = playbook_of("An engine needs oil.", "A kitten needs milk.", "A leaf needs light.")
    assert ids(hybrid.search(ask("猫"), playbook))[0] == "shr-00002"


def test_both_halves_together_put_first_what_both_have_found(hybrid, playbook_of):
    playbook = playbook_of("Feed every kitten.", "Oil protects an engine.", "A kitten likes rare tunafish.")
    best = hybrid.find(ask("tunafish cat"), playbook)[0]
    assert (best.bullet.id, best.lexical_rank, best.score) == ("shr-00003", 1, pytest.approx(0.94, abs=0.06))


def test_common_words_do_not_count_as_found_beside_embeddings(hybrid, words_alone, playbook_of):
    playbook = playbook_of(*(f"The {word} of the day is the best there is." for word in ("engine", "leaf", "kitten")))
    question = ask("the unheard-of zeppelin hovers motionless above kitten meadows")
    assert all(
        each.lexical_rank is None for each in hybrid.find(question, playbook) if "kitten" not in each.bullet.content
    )
    assert len(words_alone.search(question, playbook)) == 3


def test_retired_bullets_are_never_found(hybrid, words_alone, playbook_of):
    playbook = playbook_of("kitten one", "kitten two", "kitten three", retired=(1, 3))
    assert ids(hybrid.search(ask("kitten"), playbook)) == ["shr-00002"]
    assert ids(words_alone.search(ask("kitten"), playbook)) == ["shr-00002"]


def test_no_more_than_top_k_are_found(hybrid, playbook_of):
    playbook = playbook_of(*(f"kitten {number}" for number in range(20)))
    assert [each.rank for each in hybrid.search(ask("kitten", top_k=4), playbook)] == [1, 2, 3, 4]


def test_ties_are_broken_by_id_whatever_the_order_in_the_playbook(hybrid, words_alone, playbook_of):
    playbook = playbook_of(*["the same kitten"] * 7)
    reversed_ = Playbook(bullets=playbook.bullets[::-1])
    expected = [f"shr-{number:05}" for number in range(1, 8)]
    for search in (hybrid, words_alone):
        assert ids(search.search(ask("kitten"), playbook)) == expected
        assert ids(search.search(ask("kitten"), reversed_)) == expected


def test_the_same_question_has_the_same_answer_in_another_search(hybrid, driver, playbook_of):
    from evograft_playbook.search.dense import DenseIndex

    playbook = playbook_of("a cat", "a car", "a tree", "a cat in a car", "a car at a tree")
    again = HybridSearch(dense=DenseIndex(driver, None, print))
    assert hybrid.search(ask("cat tree"), playbook) == again.search(ask("cat tree"), playbook)


@pytest.mark.parametrize("question", ["", "   ", "\n\t", "\0", "\0\x1b\x7f"])
def test_a_question_without_a_word_finds_nothing(hybrid, words_alone, playbook_of, question):
    playbook = playbook_of("a cat", "a car")
    assert hybrid.search(ask(question), playbook) == words_alone.search(ask(question), playbook) == []


def test_an_empty_playbook_finds_nothing(hybrid, words_alone, playbook_of):
    for playbook in (Playbook(), playbook_of("a cat", retired=(1,))):
        assert hybrid.search(ask("cat"), playbook) == words_alone.search(ask("cat"), playbook) == []


def test_a_playbook_without_a_single_word_is_searched(hybrid, words_alone, playbook_of):
    playbook = playbook_of("!?", "⇒")
    assert words_alone.search(ask("cat"), playbook) == []
    assert len(hybrid.search(ask("cat"), playbook)) == 2


def test_control_characters_in_a_question_are_blanks(words_alone, playbook_of):
    playbook = playbook_of("a cat", "a car")
    assert ids(words_alone.search(ask("\0cat\0\x1b[31m"), playbook)) == ["shr-00001"]


def test_of_a_question_of_megabytes_the_beginning_counts(hybrid, driver, playbook_of):
    playbook = playbook_of("a cat", "a car")
    assert ids(hybrid.search(ask("cat " * 1_000_000 + "car"), playbook))[0] == "shr-00001"
    assert max(map(len, driver.asked)) <= LONGEST


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=50).filter(str.strip), max_size=6))
def test_any_question_to_any_playbook_has_an_answer(words_alone, hybrid, playbook_of, question, contents):
    playbook = playbook_of(*contents)
    for search in (words_alone, hybrid):
        found = search.search(ask(question), playbook)
        assert [each.rank for each in found] == list(range(1, len(found) + 1))
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
        assert len(set(ids(found))) == len(found) <= len(contents)


def test_swapped_arguments_are_a_type_error_that_says_so(words_alone, playbook_of):
    with pytest.raises(TypeError, match=r"query first and the playbook second.*got Playbook and SearchQuery"):
        words_alone.search(playbook_of("a cat"), ask("cat"))


# -- the index follows the playbook -----------------------------------------------------------------------------------


def test_only_what_changed_is_embedded_again(hybrid, driver, playbook_of):
    hybrid.search(ask("cat"), playbook_of("a cat", "a car", "a tree"))
    driver.asked.clear()
    changed = playbook_of("a cat", "a fast car", "a tree", "a leaf")
    assert ids(hybrid.search(ask("leaf", top_k=2), changed)) == ["shr-00004", "shr-00003"]
    assert driver.asked == ["a fast car", "a leaf", "leaf"]


def test_a_bullet_that_is_edited_is_found_by_its_new_words_alone(words_alone, playbook_of):
    words_alone.search(ask("x"), playbook_of("old words", "others"))
    edited = playbook_of("new content", "others")
    assert words_alone.search(ask("old words"), edited) == []
    assert ids(words_alone.search(ask("content"), edited)) == ["shr-00001"]


def test_results_hold_the_bullets_as_they_are_now(hybrid, playbook_of):
    playbook = playbook_of("a cat")
    hybrid.search(ask("cat"), playbook)
    counted = Playbook(bullets=(playbook.bullets[0].model_copy(update={"helpful": 5}),))
    assert hybrid.search(ask("cat"), counted)[0].bullet.helpful == 5


def test_an_index_that_has_followed_many_changes_answers_as_a_new_one(hybrid, words_alone, playbook_of):
    for contents in (("a cat", "a car"), ("a car",), ("a tree", "a car", "a cat"), ("a cat", "a tree", "a tree")):
        playbook = playbook_of(*contents)
        follower = words_alone.search(ask("cat tree"), playbook)
        assert follower == HybridSearch().search(ask("cat tree"), playbook)


# -- without embeddings -----------------------------------------------------------------------------------------------


def test_without_a_driver_that_works_words_are_searched_and_it_is_said_once(hybrid, driver, said, playbook_of):
    driver.failure = LlmUnavailable("no encoder here: pip install it")
    playbook = playbook_of("a cat", "a car")
    for _ in range(3):
        (found,) = hybrid.find(ask("cat"), playbook)
        assert (found.lexical_rank, found.dense_rank) == (1, None)
    assert said == ["search: by words alone: no encoder here: pip install it"]


def test_a_driver_that_cannot_work_is_not_asked_again(hybrid, driver, playbook_of):
    driver.failure = LlmUnavailable("never")
    hybrid.search(ask("cat"), playbook_of("a cat"))
    driver.failure = None
    hybrid.search(ask("cat"), playbook_of("a cat"))
    assert driver.asked == []


def test_a_driver_that_was_busy_is_asked_again_with_the_next_question(hybrid, driver, playbook_of):
    driver.failure = LlmRetryable("busy")
    playbook = playbook_of("a kitten")
    assert hybrid.search(ask("猫"), playbook) == []
    driver.failure = None
    assert ids(hybrid.search(ask("猫"), playbook)) == ["shr-00001"]


def test_by_default_the_log_says_it(driver, caplog, playbook_of):
    from evograft_playbook.search.dense import DenseIndex

    driver.failure = LlmUnavailable("no encoder here")
    with caplog.at_level(logging.WARNING):
        HybridSearch(dense=DenseIndex(driver, None, print)).search(ask("cat"), playbook_of("a cat"))
    assert caplog.messages == ["search: by words alone: no encoder here"]


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ((), "2 texts were sent and 0"),
        (((1.0, 2.0), (1.0,)), "came back"),
        (((0.0, 0.0), (1.0, 0.0)), "without a direction"),
        (((float("nan"), 0.0), (1.0, 0.0)), "without a direction"),
    ],
)
def test_nonsense_of_a_driver_is_an_error_and_no_result(hybrid, driver, playbook_of, answer, what):
    driver.embed = lambda texts: answer
    with pytest.raises(ServiceError, match=what):
        hybrid.search(ask("cat"), playbook_of("a cat", "a car"))


# -- options ----------------------------------------------------------------------------------------------------------


def test_weights_decide_between_the_halves(driver, playbook_of):
    from evograft_playbook.search.dense import DenseIndex

    playbook = playbook_of("rare tunafish", "a kitten")

    def first(**options):
        search = HybridSearch(SearchOptions(k=1.0, **options), dense=DenseIndex(driver, None, print))
        return ids(search.search(ask("tunafish 猫"), playbook))[0]

    assert first(dense_weight=0.1, lexical_weight=0.9) == "shr-00001"
    assert first(dense_weight=0.9, lexical_weight=0.1) == "shr-00002"


def test_without_a_weight_nothing_is_embedded(driver, playbook_of):
    from evograft_playbook.search.dense import DenseIndex

    search = HybridSearch(SearchOptions(dense_weight=0.0), dense=DenseIndex(driver, None, print))
    assert ids(search.search(ask("cat"), playbook_of("a cat"))) == ["shr-00001"]
    assert driver.asked == []


def test_a_search_by_meaning_alone_still_answers_by_words_when_the_driver_is_lost(driver, playbook_of):
    from evograft_playbook.search.dense import DenseIndex

    driver.failure = LlmUnavailable("lost")
    search = HybridSearch(SearchOptions(lexical_weight=0.0), dense=DenseIndex(driver, None, print), say=lambda _: None)
    assert ids(search.search(ask("cat"), playbook_of("a cat"))) == ["shr-00001"]


@pytest.mark.parametrize(
    "options",
    [
        {"dense_weight": 0.0, "lexical_weight": 0.0},
        {"dense_weight": -1.0},
        {"k": 0.0},
        {"japanese": "mecab"},
        {"kk": 1},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        SearchOptions(**options)


def test_the_library_for_words_fills_no_log(words_alone, playbook_of, caplog):
    caplog.set_level("DEBUG")
    assert words_alone.search(SearchQuery(query_text="milk"), playbook_of("A kitten drinks milk."))
    assert caplog.records == []


def test_a_search_without_its_half_for_meaning_says_so_once(words_alone, said, playbook_of):
    for _ in range(2):
        words_alone.search(ask("cat"), playbook_of("a cat"))
    assert len(said) == 1
    assert "by words alone" in said[0]
    assert "open_search" in said[0]


def test_a_search_that_is_to_look_at_words_alone_says_nothing(said, playbook_of):
    for options in (SearchOptions(dense_weight=0.0), SearchOptions(embedding=None)):
        HybridSearch(options, say=said.append).search(ask("cat"), playbook_of("a cat"))
    assert said == []
