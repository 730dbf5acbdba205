"""The packaged past contests: their form, their sources, and that a contestant finds what is looked for."""

import re

import pytest

from evograft_ahc.contests.past import Contest, load_packaged_contests, tag_of
from evograft_ahc.contests.search import ContestQuery, open_database
from evograft_ahc.contests.tag_vocabulary import get_canonical_tag, load_vocabulary

CONTESTS = load_packaged_contests()
FILLED = 60
SOURCE = re.compile(r"https://[^\s;]+( \([^;]+\))?")
RANK = re.compile(r"(\d+)(st|nd|rd|th)|Top (\d+)|upper ranks")
SENTENCE = re.compile(r"[.!?](?:\s|$)")
MOST_PARTICIPANTS = 2000
UNSOURCED = {"contest_id", "problem_url", "keywords", "format", "sources"}
"""What follows from the id or from other facts, and words of our own."""
SOURCED = {
    "title": ("title",),
    "problem_title": ("problem title",),
    **dict.fromkeys(("date", "start", "end"), ("dates",)),
    "duration_minutes": ("duration",),
    **dict.fromkeys(("editorials", "official_editorial_url"), ("editorials",)),
    **dict.fromkeys(("interactive", "whole_input_possible"), ("interactive",)),
    **dict.fromkeys(("score_direction", "score_kind", "provisional_cases", "system_cases"), ("score",)),
    "time_limit_seconds": ("time limit",),
    "tools_url": ("tools",),
    "ale_bench": ("ale_bench",),
    "problem_summary": ("summary",),
    "tags": ("tags", "summary"),
    "solution_approaches": ("approaches",),
}
"""What the keys of `sources` say of each field."""


def unknown_tags(contest):
    return [tag for tag in contest.tags if tag not in load_vocabulary()]


def facts_without_a_source(contest):
    told = {word for about in contest.sources for word in about.split(", ")}
    facts = contest.model_fields_set - UNSOURCED
    return {fact for fact in facts if told.isdisjoint(SOURCED[fact])}


def sources_of_nothing(contest):
    wanted = set().union(*(SOURCED[fact] for fact in contest.model_fields_set - UNSOURCED))
    return {word for about in contest.sources for word in about.split(", ")} - wanted


def rank_of(text):
    form = RANK.fullmatch(text)
    assert form, text
    return int(form[1] or form[3] or 1)


# -- the form ---------------------------------------------------------------------------------------------------------


def test_most_contests_have_a_title_a_summary_tags_and_approaches_with_ranks():
    for filled in (
        [each for each in CONTESTS if each.problem_summary and each.keywords and each.tags],
        [each for each in CONTESTS if each.title],
        [each for each in CONTESTS if each.problem_title],
        [each for each in CONTESTS if each.solution_approaches],
        [each for each in CONTESTS if any(approach.rank_range for approach in each.solution_approaches)],
    ):
        assert len(filled) >= FILLED


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda contest: contest.contest_id)
def test_a_contest_keeps_to_the_form(contest):
    assert unknown_tags(contest) == []
    assert len(set(contest.tags)) == len(contest.tags)
    assert not contest.problem_summary or len(SENTENCE.findall(contest.problem_summary)) in (1, 2, 3)
    for source in contest.sources.values():
        assert all(SOURCE.fullmatch(part) for part in source.split("; ")), source
    for approach in contest.solution_approaches:
        assert not approach.rank_range or 1 <= rank_of(approach.rank_range) <= MOST_PARTICIPANTS
        assert all(SOURCE.fullmatch(address) for address in approach.reference_urls)
        assert approach.key_ideas or approach.algorithms_used or approach.reference_urls


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda contest: contest.contest_id)
def test_every_fact_has_a_source_and_every_source_a_fact(contest):
    assert facts_without_a_source(contest) == set()
    assert sources_of_nothing(contest) == set()


def test_a_fact_without_a_source_is_noticed():
    known = Contest(
        contest_id="a", title="A", date="2026-01-01", tags=("grid",), sources={"title, duration": "https://a"}
    )
    assert facts_without_a_source(known) == {"date", "tags"}
    assert sources_of_nothing(known) == {"duration"}


def test_a_tag_out_of_the_vocabulary_is_noticed():
    assert unknown_tags(Contest(contest_id="a", tags=("grid", "grids", "焼きなまし"))) == ["grids", "焼きなまし"]


def test_every_tag_is_used_and_no_spelling_means_two_tags():
    assert set(load_vocabulary()) == {tag for contest in CONTESTS for tag in contest.tags}
    for name, tag in load_vocabulary().items():
        assert tag_of(name) == name
        assert tag.ja
        assert tag.meaning.endswith(".")
        for spelling in tag.spellings():
            assert get_canonical_tag(spelling) == name, spelling


def test_a_word_of_ones_own_stays_a_tag():
    assert get_canonical_tag("My Own-Tag") == "my_own_tag"


# -- searching --------------------------------------------------------------------------------------------------------


def found(**query):
    with open_database() as database:
        return {contest.contest_id for contest in database.search(ContestQuery(**query))}


@pytest.mark.parametrize(
    ("query", "some", "none"),
    [
        ({"problem": "Polyomino"}, {"ahc030"}, {"ahc031"}),
        ({"keyword": "grid_optimization", "tag": "geometry"}, {"ahc014"}, {"ahc001", "ahc030"}),
        ({"tag": "tsp"}, {"ahc005", "ahc006", "ahc028"}, {"ahc001"}),
        ({"problem": "oil"}, {"ahc030"}, {"ahc012"}),
        ({"problem": "油田"}, {"ahc030"}, {"ahc018"}),
        ({"keyword": "巡回セールスマン"}, {"ahc006", "ahc027"}, {"ahc032"}),
        ({"tag": "焼きなまし"}, {"ahc001", "ahc039"}, {"ahc069"}),
        ({"tag": "reactive"}, {"ahc003", "ahc030", "ahc054"}, {"ahc001"}),
        ({"tag": "Beam Search"}, {"ahc019", "ahc033"}, {"ahc007"}),
        ({"algorithm": "BEAM"}, {"ahc038"}, {"ahc003"}),
        ({"problem": "たこ焼き"}, {"ahc038"}, {"ahc037"}),
        ({"tag": "3d"}, {"ahc019"}, {"ahc001"}),
        ({"tag": "packing", "keyword": "rectangles"}, {"ahc001", "ahc031", "ahc040"}, {"ahc039"}),
        ({"tag": "lns"}, {"ahc002", "ahc014", "ahc059"}, {"ahc003"}),
        ({"keyword": "information gain"}, {"ahc030"}, {"ahc032"}),
        ({"problem": "crane"}, {"ahc033"}, {"ahc034"}),
        ({"tag": "incremental-game"}, {"ahc043", "ahc058"}, {"ahc033"}),
        ({"keyword": "雪"}, set(), {"ahc046"}),
    ],
)
def test_a_contestant_finds_what_is_looked_for(query, some, none):
    contests = found(**query)
    assert some <= contests
    assert not none & contests
    assert len(contests) < 2 / 3 * len(CONTESTS)


def test_upper_and_lower_case_find_the_same():
    for query in ({"problem": "SODA"}, {"tag": "Simulated-Annealing"}, {"keyword": "DRONE"}):
        assert found(**query) == found(**{name: text.lower() for name, text in query.items()}) != set()
