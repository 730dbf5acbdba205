"""The practice contests: their cases, their judges, their pictures, and that there is something to gain."""

import re
import signal
import stat
import xml.etree.ElementTree as ET
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_ahc.contests.practice import build_tools, get_practice, is_practice, list_practice_ids

SCORE = re.compile(rb"^Score = (\d+)$", re.MULTILINE)
REFERENCE_SECONDS = "0.4"  # a fifth of the limit: the reference is far above the start program even so
fuzzed = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def porters(built):
    return built("practice001")


@pytest.fixture
def bakery(built):
    return built("practice002")


def numbers(path):
    return [[float(word) for word in line.split()] for line in path.read_text().splitlines()]


# -- what is packaged -------------------------------------------------------------------------------------------------


def test_there_are_an_ordinary_and_an_interactive_one():
    assert {name: get_practice(name).facts.interactive for name in list_practice_ids()} == {
        "practice001": False,
        "practice002": True,
    }
    assert is_practice("practice001")
    assert not is_practice("ahc001")
    with pytest.raises(UserError, match="no practice contest 'practise001'; did you mean 'practice001'"):
        get_practice("practise001")


@pytest.mark.parametrize("name", list_practice_ids())
def test_both_statements_hold_the_same_formulas_and_forms(name):
    english, japanese = (get_practice(name).statement(language) for language in ("en", "ja"))
    for kind in (r"\$\$.+?\$\$", r"(?<!\$)\$[^$]+\$(?!\$)", r"```.+?```", r"`[^`\n]+`"):
        pattern = re.compile(kind, re.DOTALL)
        plain = [{re.sub(r"[\s.,]+", "", hit) for hit in pattern.findall(text)} for text in (english, japanese)]
        assert plain[0] == plain[1]
    assert get_practice(name).facts.title in english
    assert get_practice(name).facts.title_ja in japanese
    assert english.count("\n## ") == japanese.count("\n## ")


@pytest.mark.parametrize("name", list_practice_ids())
def test_the_package_holds_no_solution_but_the_start_program(name):
    folder = files("evograft_ahc") / "practice" / name
    assert {entry.name for entry in folder.iterdir()} == {
        *("contest.json", "start.cpp", "statement_en.md", "statement_ja.md", "tools"),
    }
    assert {entry.name for entry in (folder / "tools").iterdir()} == {"seeds.txt", "src"}


@pytest.mark.parametrize("name", list_practice_ids())
def test_numbers_to_tune_are_marked_and_lie_in_their_ranges(name):
    pattern = r"= ([\d.]+);\s*// evo: param ([\d.]+)\.\.([\d.]+)"
    marked = [tuple(map(float, hit)) for hit in re.findall(pattern, get_practice(name).start_program())]
    assert len(marked) >= 6
    assert all(low <= value <= high for value, low, high in marked)


@pytest.mark.parametrize("name", list_practice_ids())
def test_seeds_are_a_hundred_and_all_different(name):
    seeds = (files("evograft_ahc") / "practice" / name / "tools" / "seeds.txt").read_text().split()
    assert len(set(seeds)) == 100
    assert all(0 <= int(seed) < 2**64 for seed in seeds)


def test_a_compiler_that_is_missing_or_fails_is_told(tmp_path):
    tools = get_practice("practice001").unpack_tools(tmp_path)
    with pytest.raises(UserError, match="cannot start the compiler 'g\\+\\+-none'"):
        build_tools(tools, compiler="g++-none")
    with pytest.raises(UserError, match=r"'false' cannot build .*gen\.cpp: exit status 1"):
        build_tools(tools, compiler="false")


# -- cases ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", list_practice_ids())
def test_a_case_depends_on_its_seed_only(built, tmp_path, name):
    contest = built(name)
    seeds = (files("evograft_ahc") / "practice" / name / "tools" / "seeds.txt").read_text().split()
    (tmp_path / "seeds.txt").write_text(f"{seeds[7]}\n0\n{seeds[3]}\n")
    done = contest.run(contest.bin / "gen", tmp_path / "seeds.txt", tmp_path / "in")
    assert done.returncode == 0
    made = {path.name: path.read_bytes() for path in (tmp_path / "in").iterdir()}
    assert sorted(made) == ["0000.txt", "0001.txt", "0002.txt"]
    assert made["0000.txt"] == contest.case(7).read_bytes()
    assert made["0002.txt"] == contest.case(3).read_bytes()
    assert len(set(made.values())) == 3


@pytest.mark.parametrize("name", list_practice_ids())
def test_seeds_that_cannot_be_read_are_told(built, tmp_path, name):
    contest = built(name)
    (tmp_path / "seeds.txt").write_text("1\nabc\n")
    for seeds in (tmp_path / "seeds.txt", tmp_path / "none.txt"):
        done = contest.run(contest.bin / "gen", seeds, tmp_path / "in")
        assert done.returncode == 1
        assert done.stderr.startswith(b"cannot read seeds from")


def test_mountains_are_as_the_statement_says(porters):
    for number in range(100):
        (huts, capacity, steepness), base, *rest = numbers(porters.case(number))
        assert 60 <= huts == len(rest) <= 150
        assert 40 <= capacity <= 120
        assert 1 <= steepness <= 6
        for x, y, height in (base, *(row[:3] for row in rest)):
            assert 0 <= x <= 1000
            assert 0 <= y <= 1000
            assert height >= 0
        assert all(1 <= deliver <= 20 and 0 <= collect <= 25 for *_, deliver, collect in rest)


def test_bakeries_are_as_the_statement_says(bakery):
    for number in range(100):
        (kinds, days, capacity, substitution), *rest = numbers(bakery.case(number))
        breads, rates, seed = rest[: int(kinds)], rest[int(kinds) : -1], rest[-1]
        assert 4 <= kinds <= 12
        assert days == len(rates) == 70
        assert 0 <= substitution <= 80
        assert capacity >= 1
        assert all(100 <= price <= 400 and 1 <= cost < price for price, cost in breads)
        assert all(len(day) == kinds and all(1.2 <= rate <= 120 for rate in day) for day in rates)
        assert len(seed) == 1


# -- the ordinary judge -----------------------------------------------------------------------------------------------

VALLEY = "3 10 2\n0 0 0\n3 4 0 4 0\n6 8 5 5 7\n0 10 0 2 3\n"
"""Three huts and a capacity of 10 kg."""


@pytest.fixture
def judged(porters):
    """What `score` says of an answer for the valley."""
    (porters.folder / "valley.txt").write_text(VALLEY)

    def judge(answer):
        path = porters.folder / "answer.txt"
        path.write_bytes(answer if isinstance(answer, bytes) else answer.encode())
        return porters.run(porters.bin / "score", "valley.txt", "answer.txt")

    return judge


def test_the_score_is_that_of_the_statement(judged):
    # Alone: 54*5 + 50*5, 55*(10+2*5) + 57*10, 52*10 + 53*10. Together, huts 1 and 2: 59*5 + 55*(5+2*5) + 57*10.
    alone, pair, third = (54 + 50) * 5 + 55 * 20 + 57 * 10 + 105 * 10, 59 * 5 + 55 * 15 + 57 * 10, 105 * 10
    done = judged("2\n2 1 2\n1 3\n")
    assert done.stderr.decode() == f"Score = {round(1e6 * alone / (pair + third))}\n"
    assert done.stdout == b""
    assert judged("3\n1 1\n1 2\n1 3\n").stderr == b"Score = 1000000\n"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "the output ends before the number of trips"),
        ("0", "the number of trips is not an integer from 1 to 3"),
        ("4 1 1", "the number of trips is not an integer from 1 to 3"),
        ("two", "the number of trips is not an integer from 1 to 3"),
        ("1.5", "the number of trips is not an integer from 1 to 3"),
        ("-", "the number of trips is not an integer from 1 to 3"),
        ("99999999999999999999999", "the number of trips is not an integer from 1 to 3"),
        ("1\n0\n", "trip 1: the number of huts is not an integer from 1 to 3"),
        ("2\n2 1 2\n", "the output ends before trip 2: the number of huts"),
        ("2\n2 1", "the output ends before trip 1: hut 2"),
        ("2\n2 1 4\n1 3\n", "trip 1: hut 2 is not an integer from 1 to 3"),
        ("2\n2 1 0\n1 3\n", "trip 1: hut 2 is not an integer from 1 to 3"),
        ("2\n2 1 2\n1 1\n", "trip 2: hut number 1 was visited before"),
        ("1\n2 1 1\n", "trip 1: hut number 1 was visited before"),
        ("1\n2 1 2\n", "hut number 3 is not visited"),
        ("1\n3 1 2 3\n", "trip 1: 11 kg on leg 1, more than the capacity of 10"),
        ("2\n2 2 1\n1 3\n", "trip 1: 11 kg on leg 2, more than the capacity of 10"),
        ("2\n2 1 2\n1 3\n0\n", "there is more after the last trip"),
    ],
)
def test_an_answer_that_breaks_a_rule_scores_nothing_and_is_told_why(judged, answer, message):
    done = judged(answer)
    assert done.stderr.decode() == f"wrong answer: {message}\nScore = 0\n"
    assert done.returncode == 0


def test_files_that_are_not_there_are_the_callers_fault(porters, tmp_path):
    for command in (
        ("score", porters.case(0), "none"),
        ("score", "none", "none"),
        ("vis", porters.case(0), "none"),
        ("score",),
    ):
        done = porters.run(porters.bin / command[0], *command[1:])
        assert done.returncode == 1
        assert b"Score" not in done.stderr + done.stdout


TOKENS = st.sampled_from(["0", "1", "2", "3", "-1", "4", "x", "Score=999", "\x00", "1e3", "9" * 40, "２", ""])
ANSWERS = st.binary() | st.lists(TOKENS).map(lambda words: " ".join(words).encode())


@fuzzed
@given(answer=ANSWERS)
def test_no_answer_crashes_the_judge_or_speaks_through_it(judged, porters, answer):
    done = judged(answer)
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()  # ASCII of ours, whatever the answer was
    assert len(SCORE.findall(done.stderr)) == 1
    assert lines[-1].startswith("Score = ")
    assert len(lines) == 1 or (len(lines) == 2 and lines[0].startswith("wrong answer: ") and lines[1] == "Score = 0")
    drawn = porters.run(porters.bin / "vis", "valley.txt", "answer.txt")
    assert (drawn.returncode, drawn.stdout) == (0, done.stderr)
    ET.parse(porters.folder / "vis.html")


# -- the interactive judge --------------------------------------------------------------------------------------------


@pytest.fixture
def played(bakery):
    """What `tester` says of a shell script on a case."""

    def play(script, number=0):
        path = bakery.folder / "program.sh"
        path.write_bytes(b"#!/bin/sh\n" + (script if isinstance(script, bytes) else script.encode()))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        with bakery.case(number).open("rb") as case:
            return bakery.run(bakery.bin / "tester", path, stdin=case)

    return play


KINDS = 5  # of case 0, whose capacity is 133
IDLE = "read first\nfor day in $(seq 70); do echo 0 0 0 0 0; done\nwhile read line; do :; done\n"


def test_who_bakes_nothing_earns_nothing(bakery, played):
    assert [int(number) for number in numbers(bakery.case(0))[0]] == [KINDS, 70, 133, 27]
    done = played(IDLE)
    assert done.stderr == b"Score = 0\n"
    assert done.stdout == b"0 0 0 0 0\n" * 70


def test_losses_score_nothing_less_than_nothing(played):
    done = played("read first\nfor day in $(seq 70); do echo 0 133 0 0 0; done\nwhile read line; do :; done\n")
    assert done.stderr == b"Score = 0\n"


def test_a_program_is_told_what_was_sold_and_nothing_hidden(bakery, played):
    said = bakery.folder / "said.txt"
    played(f"for day in $(seq 70); do echo 1 0 0 0 100; done\ncat > {said}\n")
    opening, answers = numbers(said)[: KINDS + 1], numbers(said)[KINDS + 1 :]
    assert opening == numbers(bakery.case(0))[: KINDS + 1]
    assert len(answers) == 140
    for sold, minute in zip(answers[::2], answers[1::2], strict=True):
        assert sold[0] == 1
        assert 0 <= minute[0] < 600
        assert sold[1:4] == minute[1:4] == [0, 0, 0]
        assert (minute[4] == 600) == (sold[4] < 100)


def test_a_program_does_not_find_the_case_at_its_tester(bakery, played):
    seen = bakery.folder / "seen.txt"
    done = played(f"cat /proc/$PPID/fd/0 > {seen}; ls /proc/$PPID/fd >> {seen}; echo none >> {seen}\n{IDLE}")
    assert done.stderr.splitlines()[-1] == b"Score = 0"
    assert bakery.case(0).read_text().splitlines()[0] not in seen.read_text()
    assert "none" in seen.read_text()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 0", "the output ends before day 1: bread 1"),
        ("echo 1 2 3", "the output ends before day 1: bread 4"),
        ("echo 1 2 3 4 -5", "day 1: bread 5 is not an integer from 0 to 133"),
        ("echo 1 2 3 4 134", "day 1: bread 5 is not an integer from 0 to 133"),
        ("echo 1 2 3 4 many", "day 1: bread 5 is not an integer from 0 to 133"),
        ("echo 100 2 3 4 50", "day 1: 159 loaves, more than the capacity of 133"),
        ("echo 0 0 0 0 0; echo 0 0 0 0 x", "day 2: bread 5 is not an integer from 0 to 133"),
        (IDLE + "exit 3", "the program ended with status 3"),
        (IDLE + "kill -ABRT $$", f"the program was ended by signal {int(signal.SIGABRT)}"),
        ("exec ./none", "the output ends before day 1: bread 1"),
    ],
)
def test_a_program_that_breaks_a_rule_scores_nothing_and_is_told_why(played, script, message):
    done = played(script)
    assert done.stderr.decode().splitlines()[-2:] == [f"wrong answer: {message}", "Score = 0"]
    assert done.returncode == 0


def test_a_program_that_goes_on_after_a_wrong_order_is_ended(bakery, played):
    done = played(f"echo $$ > {bakery.folder}/pid\necho x\nwhile :; do :; done")
    assert b"wrong answer" in done.stderr
    pid = (bakery.folder / "pid").read_text().strip()
    assert not (bakery.folder.__class__("/proc") / pid).exists()


def test_endless_output_without_a_space_is_no_number(bakery):
    with bakery.case(0).open("rb") as case:
        done = bakery.run(bakery.bin / "tester", "sh", "-c", "cat /dev/zero | tr '\\0' 7", stdin=case)
    assert done.stderr.splitlines()[-2:] == [
        b"wrong answer: day 1: bread 1 is not an integer from 0 to 133",
        b"Score = 0",
    ]


def test_a_case_that_is_none_is_the_callers_fault(bakery, tmp_path):
    (tmp_path / "case.txt").write_text("5 70\n")
    with (tmp_path / "case.txt").open("rb") as case:
        done = bakery.run(bakery.bin / "tester", "true", stdin=case)
    assert (done.returncode, done.stderr) == (1, b"cannot read the input /dev/stdin\n")


@fuzzed
@given(orders=ANSWERS)
def test_no_orders_crash_the_tester_or_speak_through_it(bakery, orders):
    path = bakery.folder / "orders.txt"
    path.write_bytes(orders)
    with bakery.case(0).open("rb") as case:
        done = bakery.run(bakery.bin / "tester", "cat", path, stdin=case)
    assert done.returncode == 0
    message, score = done.stderr.decode().splitlines()
    assert message.startswith("wrong answer: ")
    assert score == "Score = 0"
    drawn = bakery.run(bakery.bin / "vis", bakery.case(0), path)
    assert (drawn.returncode, drawn.stdout) == (0, done.stderr)
    ET.parse(bakery.folder / "vis.html")


# -- something to gain ------------------------------------------------------------------------------------------------


def answer_of(contest, interactive, program, number, *arguments):
    """Runs a program on a case; returns its score and where its output is."""
    output = contest.folder / f"{program}.out"
    with contest.case(number).open("rb") as case:
        command = [contest.bin / program, *arguments]
        done = contest.run(*([contest.bin / "tester", *command] if interactive else command), stdin=case)
    output.write_bytes(done.stdout)
    assert done.returncode == 0
    judged = done if interactive else contest.run(contest.bin / "score", contest.case(number), output)
    return int(SCORE.fullmatch(judged.stderr.rstrip())[1]), output


@pytest.mark.long
@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("name", list_practice_ids())
def test_the_reference_is_above_the_start_program_and_both_are_drawn(built, name, number):
    contest, interactive = built(name), get_practice(name).facts.interactive
    start, output = answer_of(contest, interactive, "start", number)
    best, best_output = answer_of(contest, interactive, "reference", number, REFERENCE_SECONDS)
    assert 0 < start < best
    for score, path in ((start, output), (best, best_output)):
        drawn = contest.run(contest.bin / "vis", contest.case(number), path)
        assert drawn.stdout == f"Score = {score}\n".encode()
        page = ET.parse(contest.folder / "vis.html")
        assert len(page.findall(".//{http://www.w3.org/2000/svg}title")) >= 60


@pytest.mark.parametrize("name", list_practice_ids())
def test_the_start_program_gives_the_same_answer_every_time(built, name):
    contest, interactive = built(name), get_practice(name).facts.interactive
    first = answer_of(contest, interactive, "start", 1)[1].read_bytes()
    assert answer_of(contest, interactive, "start", 1)[1].read_bytes() == first
