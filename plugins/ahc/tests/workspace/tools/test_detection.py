"""Archives differ in how their programs are called and where they print scores."""

import re

import pytest

from evograft_ahc.contests.task import ToolCommand
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.tools.detection import COMPLAINT, detect_tools

README = """## Input Generation
```
cargo run -r --bin gen seeds.txt
```
- `--dir=in2` writes into another folder
```
./gen.exe seeds.txt
```
## Visualization
```
cargo run -r --bin vis in.txt out.txt
```
"""
TESTER = """## Testing
```
cargo run -r --bin tester cmd arg1 arg2 ... < in.txt > out.txt
```
```
cargo run -r --bin tester cmd < in.txt > out.txt
```
"""


@pytest.fixture
def tools(tmp_path):
    """`tools(readme, gen=…, vis=…)`: an archive whose programs have these sources and were built."""

    def make(readme="", *, built=None, lib="", **sources):
        folder = tmp_path / "tools"
        (folder / "src" / "bin").mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / "README.md").write_text(readme)
        (folder / "src" / "lib.rs").write_text(lib)
        for name, source in sources.items():
            (folder / "src" / "bin" / f"{name}.rs").write_text(source)
        for name in sources if built is None else built:
            (folder / "bin" / name).touch()
        return folder

    return make


def scores(scorer, text):
    return re.findall(scorer.pattern, text)


def test_an_ordinary_archive_is_scored_by_its_visualiser(tools):
    found = detect_tools(tools(README, gen="", vis='println!("Score = {}", score);'), ())
    assert not found.interactive
    assert found.generator == ToolCommand(program="tools/bin/gen", arguments=("{seeds}",))
    assert found.visualizer == ToolCommand(program="tools/bin/vis", arguments=("{input}", "{output}"))
    assert (found.scorer.program, found.scorer.arguments) == ("tools/bin/vis", ("{input}", "{output}"))
    assert found.scorer.channel == "stdout"
    assert scores(found.scorer, "Score = 12\nScore = 345\n") == ["12", "345"]


def test_an_interactive_one_is_scored_by_its_tester(tools):
    archive = tools(README + TESTER, gen="", vis='println!("Score = {}", s)', tester='eprintln!("Score = {}", s)')
    found = detect_tools(archive, ())
    assert found.interactive
    assert found.scorer.program == "tools/bin/tester"
    assert (found.scorer.arguments, found.scorer.stdin) == (("{candidate}",), "input")
    assert found.scorer.channel == "stderr"


def test_a_tester_may_take_the_input_as_an_argument(tools):
    found = detect_tools(tools("cargo run --release --bin tester in.txt cmd > out.txt", tester="", vis=""), ())
    assert (found.scorer.arguments, found.scorer.stdin) == (("{input}", "{candidate}"), "")


def test_a_tester_that_runs_no_program_tells_the_score_of_an_output(tools):
    found = detect_tools(tools("cargo run -r --bin tester in.txt out.txt", tester="", vis=""), ())
    assert not found.interactive
    assert (found.scorer.program, found.scorer.arguments) == ("tools/bin/tester", ("{input}", "{output}"))


@pytest.mark.parametrize(
    ("source", "arguments", "stdin"),
    [
        ("Command::new(args().nth(1)) and skip(2)", ("{candidate}",), "input"),
        ("let input = args().nth(1); Command::new(args().nth(2))", ("{input}", "{candidate}"), ""),
    ],
)
def test_without_a_manual_the_source_of_a_tester_tells(tools, source, arguments, stdin):
    found = detect_tools(tools(tester=source), ())
    assert (found.scorer.arguments, found.scorer.stdin) == (arguments, stdin)


@pytest.mark.parametrize(
    ("readme", "source"), [("cargo run --release --bin gen < seeds.txt", ""), ("", "std::io::stdin().read_line()")]
)
def test_a_generator_may_read_seeds_from_standard_input(tools, readme, source):
    found = detect_tools(tools(readme, gen=source, vis=""), ())
    assert found.generator == ToolCommand(program="tools/bin/gen", stdin="seeds")


def test_a_statement_may_tell_how_programs_are_called(tools):
    statement = (
        "- `gen SEEDS_FILE [FOLDER]` writes.\n- `score INPUT OUTPUT` prints.\n- `tester COMMAND... < INPUT > OUTPUT`"
    )
    found = detect_tools(tools(gen="", score="", tester=""), (statement,))
    assert found.generator == ToolCommand(program="tools/bin/gen", arguments=("{seeds}", "{folder}"))
    assert found.interactive


@pytest.mark.parametrize(
    ("printing", "channel", "output", "score"),
    [
        ('eprintln!("Score = {}", score);', "stderr", "Score = 7", "7"),
        ('println!("Total Cost = {}", cost);', "stdout", "Total Cost = 12345", "12345"),
        ('println!("{}", score);', "stdout", "note: 3\n7\n", "7"),
        ('println!("Score = {:.3}", score);', "stdout", "Score = 0.125", "0.125"),
        ('println!("score: {score}");', "stdout", "score: -4", "-4"),
        ('println!("Turn = {}, Score = {}", t, s);', "stdout", "Turn = 3, Score = 9", "9"),
        ("", "stdout", "Score = 5", "5"),
    ],
)
def test_scores_are_looked_for_where_and_as_they_are_printed(tools, printing, channel, output, score):
    scorer = detect_tools(tools(vis=printing), ()).scorer
    assert scorer.channel == channel
    assert scores(scorer, output)[-1] == score


def test_a_program_in_cpp_is_read_as_well(tools):
    archive = tools(built=("score",))
    (archive / "src" / "score.cpp").write_text('std::cerr << "Score = " << score << "\\n";')
    scorer = detect_tools(archive, ()).scorer
    assert (scorer.program, scorer.channel) == ("tools/bin/score", "stderr")


def test_what_the_library_prints_counts_where_the_program_prints_nothing(tools):
    assert detect_tools(tools(vis="", lib='eprintln!("Score = {}", x)'), ()).scorer.channel == "stderr"


def test_a_tester_that_was_not_built_is_not_replaced_by_the_visualiser(tools):
    archive = tools(README + TESTER, vis="", tester="", built=("vis",))
    with pytest.raises(ContestUserError, match="the contest's judge, tester, was not built"):
        detect_tools(archive, ())


def test_an_archive_without_a_judge_is_refused(tools):
    with pytest.raises(ContestUserError, match="the contest's judge, score or vis, was not built"):
        detect_tools(tools(gen=""), ())


@pytest.mark.parametrize(
    "line",
    ["Illegal move", "WA: too long", "Unexpected EOF", "Out of range: x = 300", "Error: 1 2", "robot is not at home"],
)
def test_a_sentence_with_a_word_of_failure_is_a_complaint(line):
    assert re.search(COMPLAINT, f"{line}\nScore = 0\n")


@pytest.mark.parametrize(
    "text", ["Score = 12\n", "12\n", "\nTotal Cost: 1.5e3\n", "Estimation error = 3, turns = 5\n", "Seeds are read.\n"]
)
def test_labelled_numbers_and_other_words_are_none(text):
    assert not re.search(COMPLAINT, text)
