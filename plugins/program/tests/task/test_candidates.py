"""The files of candidates, and the problem that a task poses."""

import pytest

from evograft.api import UserError
from evograft_hookspecs import CandidateRejected
from evograft_program.options import EvaluationLimits, ProgramOptions
from evograft_program.task.candidates import matches, read_start, read_text, require_permitted
from evograft_program.task.problem import pose_problem


@pytest.fixture
def options_for(task):
    def build(*, evaluator="evaluate.py", style="openevolve", rules=None, **candidate):
        return ProgramOptions.model_validate(
            {
                "task": {"folder": str(task), "name": "valley"},
                "candidate": candidate,
                "evaluator": {"path": evaluator, "style": style},
                "rules": rules or {},
            }
        )

    return build


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.cpp", ["a.cpp"], ["a.h", "src/a.cpp", "a.cpp.txt"]),
        ("src/**/*.cpp", ["src/a.cpp", "src/x/y/a.cpp"], ["a.cpp", "srcs/a.cpp"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "a"]),
        ("./src/a?.py", ["src/ab.py"], ["src/a.py", "src/a/.py"]),
    ],
)
def test_a_star_stays_within_a_folder_and_two_do_not(pattern, matching, others):
    assert [name for name in (*matching, *others) if matches(name, (pattern,))] == matching


@pytest.mark.parametrize("name", ["../a.py", "/a.py", "x/../a.py", "./a.py", "x//a.py", "b.txt"])
def test_a_candidate_has_no_files_outside_of_its_patterns(name):
    require_permitted(["a.py", "x/a.py"], ("**/*.py",))
    with pytest.raises(CandidateRejected, match="may not be changed"):
        require_permitted(["a.py", name], ("**/*.py",))


def test_a_program_is_one_file_with_its_line_ends(task):
    (task / "program.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    assert read_text(task / "program.py") == "x = 1\r\n"


def test_a_program_that_is_not_text_is_refused(task):
    (task / "program.py").write_bytes(b"\x80abc")
    with pytest.raises(UserError, match=r"is not text in UTF-8 \(byte 0\)"):
        read_text(task / "program.py")


def test_the_seed_is_the_start_program_and_of_a_folder_what_may_change(task, options_for):
    (task / "lib").mkdir()
    (task / "lib" / "a.py").write_text("a = 1")
    problem = pose_problem(options_for(program="program.py"))
    assert [dict(seed) for seed in problem.seeds] == [{"main": (task / "program.py").read_text()}]
    assert (problem.kind, problem.language, problem.name) == ("program", "python", "valley")
    of_folder = pose_problem(options_for(program=".", change=("lib/*.py",)))
    assert [dict(seed) for seed in of_folder.seeds] == [{"lib/a.py": "a = 1"}]


def test_without_a_start_program_there_is_no_seed(options_for):
    problem = pose_problem(options_for(suffix=".rs"))
    assert (problem.seeds, problem.language) == ((), "rust")


def test_more_than_a_model_can_read_is_refused(task, options_for):
    (task / "big.py").write_text("#" * 500_000)
    options = options_for(program=".", change=("*.py",))
    with pytest.raises(UserError, match="more than models can read"):
        read_start(options.task, options.candidate)


def test_the_statement_is_what_the_files_say_of_themselves(task, options_for):
    (task / "README.md").write_text("# Valley\nDescend.")
    statement = pose_problem(options_for(program="program.py")).statement
    for words in ("a higher score is better", "smallest x*x + y*y", "Execute the program and call point()", "# Valley"):
        assert words in statement
    given = options_for(program="program.py")
    given = given.model_copy(update={"task": given.task.model_copy(update={"statement": "Go down."})})
    told = "A few lines that a program prints are shown, with its score, to whoever improves it."
    assert pose_problem(given).statement == f"Go down.\n\n{told}"
    limits = EvaluationLimits(seconds=20, cpu_seconds=22, memory_mb=500)
    most = "An evaluation may take at most 20 seconds a stage, 22 seconds of CPU time, 500 MB of memory."
    assert pose_problem(given.model_copy(update={"limits": limits})).statement == f"Go down.\n\n{most} {told}"
    unlimited = given.model_copy(update={"limits": EvaluationLimits(cpu_seconds=None)})
    assert pose_problem(unlimited).statement == f"Go down.\n\n{told}"


def test_where_standard_output_is_the_answer_models_are_told_to_print_to_standard_error(options_for):
    statement = pose_problem(options_for(program="program.py", evaluator="make bench", style="command")).statement
    assert "A few lines that a program prints to standard error are shown" in statement


@pytest.mark.parametrize(
    ("given", "objective"),
    [
        ({}, "the score of evaluate.py"),
        ({"rules": {"metric": "distance", "minimise": True}}, "minus distance"),
        ({"evaluator": "make bench", "style": "command"}, "the score of make bench"),
    ],
)
def test_the_objective_names_what_is_measured(options_for, given, objective):
    assert pose_problem(options_for(program="program.py", **given)).objective == objective


def test_a_candidate_of_a_folder_is_in_the_language_of_all_its_files(task, options_for):
    (task / "a.cpp").write_text("int a;")
    assert pose_problem(options_for(program=".", change=("*.cpp",))).language == "cpp"
    assert pose_problem(options_for(program=".", change=("*.cpp", "*.py"))).language == ""


def test_a_language_that_is_given_goes_before_the_ending_of_the_name(options_for):
    assert pose_problem(options_for(program="program.py", language="julia")).language == "julia"
