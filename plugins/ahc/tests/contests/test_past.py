"""Past contests: what is known, what is not, and how it is found."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_ahc.contests.past import Contest, find_end, load_packaged_contests, tag_of
from evograft_ahc.contests.search import ContestQuery, open_database
from evograft_ahc.contests.tables import read_tables
from evograft_ahc.contests.tag_vocabulary import load_vocabulary

CONTESTS = {contest.contest_id: contest for contest in load_packaged_contests()}

# The form of the specification, in Japanese.
OWN = {
    "contest_id": "own001",
    "title": "巡回セールスマン祭",
    "date": "2021-03-06",
    "problem_url": "https://example.com/own001",
    "problem_summary": "都市を巡る最短の閉路を求める。",
    "tags": ["Simulated Annealing", "packing"],
    "solution_approaches": [
        {
            "rank_range": "Top 10",
            "algorithms_used": ["Simulated Annealing"],
            "key_ideas": ["2-opt の近傍を距離順に絞る"],
            "reference_urls": [],
            "estimated_difficulty": "Hard",
        }
    ],
    "official_editorial_url": "https://example.com/own001/editorial",
}


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN), encoding="utf-8")
    return path


def found(*paths, **query):
    with open_database(paths) as database:
        return [contest.contest_id for contest in database.search(ContestQuery(**query))]


# -- facts ------------------------------------------------------------------------------------------------------------


def test_all_contests_so_far_are_there_once():
    assert len(CONTESTS) == len(load_packaged_contests()) == 77
    assert {f"ahc{number:03}" for number in range(1, 73)} <= set(CONTESTS)


def test_what_is_not_known_is_absent():
    assert set(CONTESTS["ahc070"].model_dump(exclude_defaults=True)) == {
        *("contest_id", "title", "keywords", "date", "problem_url", "problem_summary", "tags"),
        *("solution_approaches", "sources"),
    }


def test_lengths_agree_with_the_ends():
    for contest in CONTESTS.values():
        if contest.start and contest.end and contest.duration_minutes:
            assert (contest.end - contest.start).total_seconds() == 60 * contest.duration_minutes, contest.contest_id


@pytest.mark.parametrize(
    ("contest_id", "end"),
    [
        ("ahc001", datetime(2021, 3, 14, 11, tzinfo=UTC)),
        ("AHC030", datetime(2024, 2, 19, 10, tzinfo=UTC)),
        ("masters-qual", datetime(2024, 3, 3, 10, tzinfo=UTC)),
        ("ahc071", datetime(2026, 9, 13, 14, tzinfo=UTC)),  # from its start and length
        ("ahc070", None),
        ("ahc999", None),
    ],
)
def test_the_end_of_a_contest_is_known_or_none(contest_id, end):
    over = find_end(contest_id)
    assert over == end
    assert over is None or over.tzinfo is UTC


# -- searching --------------------------------------------------------------------------------------------------------


def test_a_contest_is_found_by_the_name_that_others_have_given_it():
    assert found(problem="masters2024-qual") == ["masters-qual"]
    assert CONTESTS["masters-qual"].problem_url == "https://atcoder.jp/contests/masters-qual/tasks"


def test_every_filter_given_must_hold():
    assert "ahc046" in found(algorithm="beam", keyword="grid")
    assert found(algorithm="beam", keyword="rink") == ["ahc046"]
    assert found(tag="Simulated Annealing", problem="walking") == ["ahc002"]
    assert found(problem="ahc03", tag="bayesian-inference") == ["ahc030"]
    assert found(problem="ahc030", tag="markov_chain") == []
    assert len(found()) == 77


def test_the_newest_comes_first():
    dates = [CONTESTS[name].date for name in found(tag="beam_search")]
    assert dates == sorted(dates, reverse=True)
    assert len(dates) > 10


WORDS = sorted({word for contest in CONTESTS.values() for word in contest.model_dump_json().replace('"', " ").split()})
PARTS = st.sampled_from(WORDS).flatmap(lambda word: st.integers(1, len(word)).map(lambda size: word[:size]))


def text_of(contest):
    approaches = contest.solution_approaches
    texts = [contest.contest_id, contest.title, contest.problem_title, contest.problem_summary, *contest.keywords]
    texts += [spelling for tag in contest.tags for spelling in load_vocabulary()[tag].spellings()]
    texts += [text for each in approaches for text in (*each.algorithms_used, *each.key_ideas)]
    return "\n".join(texts).casefold()


@settings(deadline=None)
@given(keyword=PARTS | st.text(st.characters(exclude_categories=("Cs", "Cc"))), algorithm=PARTS | st.just(""))
def test_a_search_finds_what_looking_at_every_contest_finds(keyword, algorithm):
    expected = {
        contest.contest_id
        for contest in CONTESTS.values()
        if all(word in text_of(contest) for word in keyword.casefold().split())
        and (
            not algorithm
            or any(
                algorithm.casefold() in ", ".join(each.algorithms_used).casefold()
                for each in contest.solution_approaches
            )
        )
    }
    assert set(found(keyword=keyword, algorithm=algorithm)) == expected


@pytest.mark.parametrize(
    "keyword", ['"grid"', "NOT grid", "grid*", "grid OR xyz", "text:grid", "%", "'; DROP TABLE contests"]
)
def test_a_keyword_is_text_and_no_query(keyword):
    assert "ahc046" not in found(keyword=keyword)
    assert found(keyword="grid beam")


@settings(deadline=None)
@given(st.text())
def test_a_tag_is_written_in_one_way(text):
    assert tag_of(tag_of(text)) == tag_of(text)


# -- the user's own ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keyword", ["巡回", "セールスマン", "近傍", "閉路を求", "2-OPT", "simulated annealing"])
def test_words_are_found_within_japanese_text(own, keyword):
    assert "own001" in found(own, keyword=keyword)


def test_a_file_and_a_folder_add_contests_that_take_the_place_of_their_namesakes(own, tmp_path):
    assert found(own, problem="セールス", tag="simulated_annealing", algorithm="annealing") == ["own001"]
    (tmp_path / "more.json").write_text(json.dumps([{"contest_id": "AHC001", "title": "Mine"}]))
    with open_database([tmp_path]) as database:
        assert database.get("ahc001") == Contest(contest_id="ahc001", title="Mine")
        assert database.get("own001") == Contest.model_validate(OWN)
    assert find_end("ahc001") == datetime(2021, 3, 14, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON"),
        ('{"title": "x"}', "contest 1: contest_id: field required"),
        ('[{"contest_id": "a"}, {"contest_id": "b", "tag": []}]', "b: tag: extra inputs"),
        ('{"contest_id": "a", "end": "2021-03-06T10:00:00"}', "a: end: input should have timezone info"),
        ("[1]", "contest 1: the whole: "),
    ],
)
def test_broken_data_is_told_with_file_contest_and_field(tmp_path, text, problem):
    path = tmp_path / "own.json"
    path.write_text(text)
    with pytest.raises(UserError) as raised:
        found(path)
    assert str(raised.value).startswith(f"{path}: {problem}")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UserError, match=r"cannot read '.*none\.json': No such file"):
        found(tmp_path / "none.json")


# -- the file in the cache --------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    return Path(platformdirs.user_cache_dir("evograft")) / "ahc"


def test_a_database_is_built_once_for_the_same_data(folder, own):
    found()
    (built,) = folder.iterdir()
    before = built.stat().st_mtime_ns
    found()
    assert [path.stat().st_mtime_ns for path in folder.iterdir()] == [before]
    found(own)
    assert len(list(folder.iterdir())) == 2


def test_it_has_the_tables_of_the_specification(folder):
    found()
    (built,) = folder.iterdir()
    connection = sqlite3.connect(built)
    for table, columns in (
        ("contests", {"contest_id", "title", "date", "problem_url", "problem_summary"}),
        ("contest_tags", {"contest_id", "tag"}),
        (
            "solution_approaches",
            {"solution_id", "contest_id", "rank_range", "algorithms_used", "key_ideas", "reference_url"},
        ),
    ):
        assert columns <= {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    (count,) = connection.execute("SELECT count(*) FROM contest_tags WHERE tag = 'simulated_annealing'").fetchone()
    connection.close()
    assert count == len(found(tag="simulated_annealing"))


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\0" + bytes(5000)])
def test_a_damaged_file_is_built_again(folder, damage):
    found()
    (built,) = folder.iterdir()
    built.write_bytes(damage)
    assert len(found()) == 77


def test_without_a_cache_it_is_held_in_memory(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert found(tag="simulated annealing", problem="walking") == ["ahc002"]


def test_an_unknown_contest_is_told_with_the_nearest():
    with open_database() as database, pytest.raises(UserError, match="no past contest 'ahc73'; did you mean 'ahc0"):
        database.get("ahc73")


SPECIFIED = """
CREATE TABLE contests(contest_id TEXT PRIMARY KEY, title TEXT, date TEXT, problem_url TEXT, problem_summary TEXT);
CREATE TABLE contest_tags(contest_id TEXT, tag TEXT);
CREATE TABLE solution_approaches(
    solution_id INTEGER PRIMARY KEY, contest_id TEXT, rank_range TEXT, algorithms_used TEXT, key_ideas TEXT, reference_url TEXT);
INSERT INTO contests VALUES ('own001', '巡回セールスマン祭', '2021-03-06', NULL, 'Visit all towns.');
INSERT INTO contests VALUES ('own002', 'Packing', NULL, NULL, NULL);
INSERT INTO contest_tags VALUES ('own001', 'Simulated Annealing');
INSERT INTO solution_approaches VALUES (1, 'own001', 'Top 10', 'Simulated Annealing, 2-opt', '["sort neighbours"]', 'https://a.example');
"""


@pytest.fixture
def tables(tmp_path):
    """An SQLite file of the specified tables."""
    file = tmp_path / "own.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SPECIFIED)
    return file


@pytest.mark.parametrize("as_folder", [False, True])
def test_contests_of_an_sqlite_file_are_found_like_any(tables, as_folder):
    with open_database([tables.parent if as_folder else tables]) as opened:
        (found,) = opened.search(ContestQuery(tag="simulated_annealing", keyword="towns", algorithm="2-opt"))
        assert opened.get("own002").title == "Packing"
    (approach,) = found.solution_approaches
    assert (approach.rank_range, approach.algorithms_used) == ("Top 10", ("Simulated Annealing", "2-opt"))
    assert (approach.key_ideas, approach.reference_urls) == (("sort neighbours",), ("https://a.example",))


def test_the_file_that_evograft_builds_is_read_again_whole(folder, own):
    with open_database([own]):
        (built,) = folder.glob("contests-*.sqlite")
    read = {contest.contest_id: contest for contest in read_tables(built)}
    assert read == {**CONTESTS, "own001": Contest.model_validate(OWN)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DROP TABLE contests", "no such table: contests"),
        ("INSERT INTO contests VALUES (7, x'ff', NULL, NULL, NULL)", "title"),
        *(
            (
                f"ALTER TABLE contests ADD COLUMN {column}; UPDATE contests SET {column} = {cell}",
                f"column '{column}' of 'own001'{why}",
            )
            for column, cell, why in (
                ("sources", "'my notes'", ": not JSON"),
                ("sources", "7", ": JSON is needed, and this is int"),
                ("document", "x'ff'", ": JSON is needed, and this is bytes"),
                ("document", "NULL", ": JSON is needed, and this is NoneType"),
            )
        ),
        ("ALTER TABLE contests ADD COLUMN sources; UPDATE contests SET sources = '[1]'", "own001: sources: "),
        (
            "ALTER TABLE contests ADD COLUMN document; UPDATE contests SET document = 'my notes'",
            "own001: the whole: invalid json",
        ),
    ],
)
def test_an_sqlite_file_that_does_not_fit_is_named(tables, change, said):
    with closing(sqlite3.connect(tables)) as connection:
        connection.executescript(change)
    with pytest.raises(UserError, match=f"{tables}.*{said}"):
        read_tables(tables)
    tables.write_bytes(tables.read_bytes()[:3000])
    with pytest.raises(UserError, match=str(tables)):
        read_tables(tables)
