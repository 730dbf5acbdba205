"""The check of an evaluator: each kind of evaluator that is not worth its name is found, in a real sandbox."""

import json

import pytest

from evograft.api import UserError
from evograft_program.trust.check_report import report_check, to_data
from evograft_program.trust.checking import check_evaluator
from evograft_program.trust.judgement import Severity, judge

HONEST = """
import math


def evaluate(program_path):
    names = {"__file__": program_path}
    exec(compile(open(program_path).read(), program_path, "exec"), names)
    value = names["answer"]()
    if not math.isfinite(value):
        return {"error": "not finite"}
    return {"combined_score": 1 / (1 + abs(value - 5))}
"""
CONSTANT = "def evaluate(program_path):\n    return {'combined_score': 7.0}\n"
WON_BY_NAN = HONEST.replace("if not math.isfinite(value)", "if value is None").replace(
    "1 / (1 + abs(value - 5))", "0.5 if abs(value - 5) > 0.001 else 9.0"
)
SATURATED = HONEST.replace("1 / (1 + abs(value - 5))", "min(1.0, value / 3)")
NOISY = HONEST.replace("import math", "import math, random").replace(
    "1 / (1 + abs(value - 5))", "10 + 0.3 * (random.random() - 0.5)"
)
REWARDING_NOTHING = """
def evaluate(program_path):
    names = {}
    try:
        exec(open(program_path).read(), names)
    except SyntaxError:
        return {"error": "no program"}
    error = abs(names["answer"]() - 5) if "answer" in names else 0
    return {"combined_score": 10 - error}
"""
WITH_ITS_OWN_CLOCK = HONEST.replace("import math", "import math, os").replace(
    "1 / (1 + abs(value - 5))", "10 + int.from_bytes(os.urandom(4)) / 2**40"
)
UNHELPFUL_WITH_EMPTY = """
import sys


def evaluate(program_path):
    sys.path.insert(0, program_path.rpartition("/")[0])
    from program import answer

    return {"combined_score": float(answer())}
"""


@pytest.fixture
def check(make_options, sandbox):
    """Return a function that checks an evaluator."""

    def run(evaluator, program="def answer():\n    return 3.0\n", *, trials=None, **options):
        return check_evaluator(make_options(evaluator, program, **options), sandbox, trials=trials, jobs=2)

    return run


def severe(check):
    return [finding.text for finding in judge(check) if finding.severity is Severity.BROKEN]


def warnings(check):
    return [finding.text for finding in judge(check) if finding.severity is Severity.WARNING]


def statuses(check):
    return {each.program.name: each.evaluation.status for each in check.unwanted}


def test_nothing_is_said_against_an_honest_evaluator(check, capsys):
    found = check(HONEST)
    assert judge(found) == ()
    rejected = {"empty", "syntax error", "endless loop", "emptied", "NaN"}
    assert statuses(found) == {**dict.fromkeys(rejected, "rejected"), "constant": "ok"}
    assert report_check(found, as_json=False) == 0
    assert "yours" in capsys.readouterr().out


def test_a_constant_score_is_found(check):
    assert severe(check(CONSTANT)) == ["Every program scores 7, broken ones too: this evaluator tells nothing apart."]


def test_a_score_that_nan_wins_is_found(check):
    found = check(WON_BY_NAN)
    assert severe(found) == ["A program that returns NaN for every number scores 1800 % of yours."]


def test_a_saturated_score_is_found(check):
    assert warnings(check(SATURATED))[0].startswith("Your program scores 1 already: ")
    bounded = check(SATURATED, "def answer():\n    return 9.0\n", rules={"bounds": (0.0, 1.0)})
    assert "Your program has 1, the best that --bounds allows: it is saturated." in warnings(bounded)


def test_noise_is_found_with_the_repeats_that_it_takes(check):
    (noise,) = [text for text in warnings(check(NOISY)) if "differ" in text]
    assert noise == "Two evaluations of one program differ by 2.4 %: use --repeat 4, and --confirm 3 for new bests."


def test_noise_that_no_seed_governs_is_found(check):
    assert any(text.startswith("The same seed gives different scores") for text in warnings(check(WITH_ITS_OWN_CLOCK)))


def test_an_evaluator_that_rewards_an_empty_program_is_found(check, capsys):
    found = check(REWARDING_NOTHING)
    assert severe(found) == ["An empty program scores 125 % of yours."]
    assert report_check(found, as_json=True) == 2
    data = json.loads(capsys.readouterr().out)
    assert data["unwanted"][0] == {"name": "empty", "status": "ok", "score": 10.0, "reason": ""} | {
        "seconds": data["unwanted"][0]["seconds"]
    }
    assert data["findings"][0] == {"severity": "broken", "text": "An empty program scores 125 % of yours."}


def test_much_for_nothing_is_a_warning(check):
    found = check(REWARDING_NOTHING.replace("else 0\n", "else 2.5\n"))
    assert severe(found) == []
    assert "An empty program scores 94 % of yours." in warnings(found)


def test_less_is_better_where_it_is_said(check):
    evaluator = REWARDING_NOTHING.replace("10 - error", "error")
    assert severe(check(evaluator, rules={"minimise": True})) == ["An empty program scores 0, and yours -2."]


def test_a_start_program_that_fails_is_the_first_thing_to_know(check):
    found = check(HONEST, "def answer():\n    return 1 / 0\n")
    assert severe(found) == ["Your program has no score: ZeroDivisionError: division by zero (program.py, line 2)."]
    assert found.unwanted == ()


def test_an_evaluator_that_is_at_fault_is_an_error_of_its_user(check):
    with pytest.raises(UserError, match=r"the evaluator is at fault: NameError: .* \(evaluate.py, line 2\)"):
        check("def evaluate(program_path):\n    return undefined\n")


def test_an_evaluator_that_is_at_fault_with_an_empty_program_only_is_checked_to_the_end(check):
    found = check(UNHELPFUL_WITH_EMPTY)
    assert found.start.failure is None
    assert statuses(found)["empty"] == "rejected"
    assert len(found.unwanted) == 6


def test_the_start_program_in_disguise_is_not_held_against_the_evaluator(check):
    program = (
        "def answer():\n    return Answer()\n\n\nclass Answer(float):\n    def __new__(cls):\n        return 3.0\n"
    )
    text = "def helper():\n    return None\n\n\nclass Solver:\n    def solve(self):\n        return 3.0\n"
    evaluator = HONEST.replace('names["answer"]()', 'names["Solver"]().solve()')
    found = check(evaluator, text)
    assert severe(found) == []
    assert {row["name"]: row["status"] for row in to_data(found, ())["unwanted"]}["NaN"] == "not tried"
    assert severe(check(HONEST, program)) == []


def test_what_a_run_will_take_is_said(check):
    (note,) = [finding.text for finding in judge(check(HONEST, trials=1000)) if "trials" in finding.text]
    assert note.startswith("1000 trials take about ")


def test_a_program_in_another_language_is_compared_with_an_empty_one_and_with_garbage(check, make_options, sandbox):
    options = make_options("", candidate={"program": "program.py", "suffix": ".txt"})
    line = {"path": "wc -c <", "style": "command"}
    options = options.model_copy(update={"evaluator": options.evaluator.model_validate({**line})})
    found = check_evaluator(options, sandbox)
    assert statuses(found) == {"empty": "ok", "syntax error": "ok"}
    assert found.unwanted[0].score == 0.0


def test_numbers_are_replaced_wherever_they_stand_in_an_answer(check):
    program = "def answer():\n    return {'points': [(1, 2.5), (3, 4)], 'name': 'x', 'done': True}\n"
    evaluator = """
def evaluate(program_path):
    names = {}
    exec(open(program_path).read(), names)
    found = names["answer"]()
    (a, b), (c, d) = found["points"]
    assert found["name"] == "x" and found["done"] is True
    return {"combined_score": 10.0 if a == b == c == d == 1 else 1.5}
"""
    found = check(evaluator, program)
    scores = {each.program.name: each.score for each in found.unwanted}
    assert (scores["constant"], scores["NaN"]) == (10.0, 1.5)
