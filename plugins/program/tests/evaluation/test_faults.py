"""Candidates that break, under evaluators of every style: each is rejected with the reason, and the next is unharmed."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from evograft_program.options import EvaluatorStyle

BETTER = "def solve():\n    return 2.0\n"


class Fault(NamedTuple):
    """The body of a candidate's function, and words of the reason."""

    body: str
    shared: str
    """Where it shares a process with its evaluator."""
    apart: str
    """Where its evaluator started it as a program of its own; that one ends with exit code 3 if a candidate fails."""


FAULTS = {
    "takes 8 GB": Fault("return len(b'x' * (8 << 30))", "more than 400 MB of memory", "more than 400 MB of memory"),
    "exits": Fault("import os; os._exit(0)", "without an answer, with exit code 0", "exit code 1"),
    "exits with a status": Fault("import os; os._exit(7)", "without an answer, with exit code 7", "exit code 3"),
    "exits as scripts do": Fault("import sys; sys.exit(0)", "SystemExit: 0|no correct.json", "exit code 1"),
    "segfault": Fault("import ctypes; ctypes.string_at(0)", "signal 11", "exit code 3"),
    "kills itself": Fault("import os; os.kill(os.getpid(), 9)", "signal 9", "exit code 3"),
    "fork bomb": Fault("import os\n    while True: os.fork()", "Resource temporarily|24 processes", "24 processes"),
    "threads": Fault(
        "import threading, time\n    while True: threading.Thread(target=time.sleep, args=(1e6,)).start()",
        "can't start new thread|24 processes",
        "24 processes",
    ),
    "50 MB of output": Fault(
        "import os\n    for _ in range(50): os.write(1, bytes(1_000_000))", "too much output", "too much output|400 MB"
    ),
    "50 MB of errors": Fault(
        "import os\n    for _ in range(50): os.write(2, bytes(1_000_000))", "too much output", "too much output"
    ),
    "fills the disk": Fault(
        "import itertools\n    for n in itertools.count(): open(f'{n}', 'wb').write(bytes(10_000_000))",
        "No space left",
        "exit code 3: .*No space left",
    ),
    "closes all": Fault("import os; os.closerange(0, 1024); return 99.0", "without an answer", "exit code"),
    "raises": Fault("raise ValueError('a\\nb')", "a b", "exit code 3"),
    "raises what has no text": Fault(
        "class Odd(BaseException):\n        def __str__(self): raise self\n    raise Odd", "Odd|correct", "exit code"
    ),
    "interrupts": Fault("raise KeyboardInterrupt", "KeyboardInterrupt", "exit code 3: KeyboardInterrupt"),
    "recursion": Fault("return solve()", "recursion depth", "exit code 3: RecursionError"),
    "is no Python": Fault(")(", r"unmatched '\)'", "exit code 3: SyntaxError"),
    "deletes itself": Fault(
        "import glob, os\n    for path in glob.glob('../candidate/*'): os.unlink(path)\n    raise OSError('gone')",
        "gone",
        "gone",
    ),
    "nan": Fault("return float('nan')", "is nan|NaN|nan or inf|not correct", "is nan"),
    "infinity": Fault("return float('inf')", "is inf|not correct", "is inf"),
    "nothing": Fault("return None", "no(t a)? number|no score|returned nothing|not correct", "exit code 1"),
    "an object": Fault("return object()", "no(t a)? number|no score|not correct|wrote no", "exit code 1"),
    "a text of 100 MB": Fault(
        "return 'x' * 10**8", "no(t a)? number|no score|not correct|400 MB", "too much output|400 MB"
    ),
    "an endless integer": Fault(
        "return 10 ** 10**5", "no(t a)? number|no score|not correct|correct.json", "exit code 3"
    ),
    "a deep list": Fault(
        "x = []\n    for _ in range(10**5): x = [x]\n    return x", "no(t a)? number|no score|correct", "exit code"
    ),
}

ENDLESS = {
    "computes": "while True: pass",
    "waits": "import time; time.sleep(1e6)",
}
LETS_GO_OF_NOTHING = "import sys, time\n    sys.stdout.flush = lambda: time.sleep(1e6)\n    return 99.0"
LIST_WITHOUT_END = "x = []\n    x.extend([x] * 100)\n    return x"
SHARED = (EvaluatorStyle.OPENEVOLVE, EvaluatorStyle.SHINKA, EvaluatorStyle.GEPA, EvaluatorStyle.FUNCTION)
"""Styles whose candidates share a process with their evaluator: its output is theirs, and so is its end."""
ENCODED = (EvaluatorStyle.OPENEVOLVE, EvaluatorStyle.GEPA, EvaluatorStyle.FUNCTION)
"""Styles whose evaluators hand over whatever a candidate returns; those of the others make a text of it."""
pytestmark = pytest.mark.parametrize("driver", ["process"], indirect=True, scope="module")


def of_styles(styles):
    return pytest.mark.parametrize("style", styles, indirect=True, ids=lambda style: style.value)


@pytest.mark.long
@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_ended(evaluate_in_2_seconds, evaluate, name):
    assert_is_ended(ENDLESS[name], evaluate_in_2_seconds, evaluate)


def test_a_program_that_computes_for_too_long_is_told_how_long_it_may(evaluate_for_1_cpu_second):
    evaluation = evaluate_for_1_cpu_second("def solve():\n    while True:\n        pass\n")
    assert evaluation.reason == "time-out: more than the 1 s of CPU time that an evaluation may use"


@of_styles(SHARED)
def test_a_process_that_does_not_let_go_of_its_output_is_ended(evaluate_in_2_seconds, evaluate):
    assert_is_ended(LETS_GO_OF_NOTHING, evaluate_in_2_seconds, evaluate)


@of_styles(ENCODED)
def test_an_answer_without_end_is_ended(evaluate_in_2_seconds, evaluate):
    assert_is_ended(LIST_WITHOUT_END, evaluate_in_2_seconds, evaluate)


def assert_is_ended(body, evaluate_in_2_seconds, evaluate):
    evaluation = evaluate_in_2_seconds(f"def solve():\n    {body}\n")
    assert evaluation.status == "rejected"
    assert evaluation.reason.startswith(("time-out: no answer after 2 seconds", "more than 400 MB"))
    assert evaluate(BETTER).score == 2.0


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_rejected_with_its_reason_and_the_next_candidate_is_unharmed(evaluate, style, name):
    fault = FAULTS[name]
    evaluation = evaluate(fault.body if name == "is no Python" else f"def solve():\n    {fault.body}\n")
    assert evaluation.status == "rejected"
    assert evaluation.reason.count("\n") == 0
    assert re.search(fault.apart if style is EvaluatorStyle.COMMAND else fault.shared, evaluation.reason)
    assert evaluate(BETTER).score == 2.0


def test_print_is_feedback_and_no_answer(evaluate, style):
    evaluation = evaluate("def solve():\n    print('{\"combined_score\": 99.0}')\n    raise ValueError('x')\n")
    assert evaluation.status == "rejected"
    if style is not EvaluatorStyle.COMMAND:  # which reads what it prints
        assert '{"combined_score": 99.0}' in evaluation.feedback


@of_styles(SHARED)
def test_a_long_print_is_shown_in_part(evaluate):
    evaluation = evaluate("def solve():\n    print('a' * 100_000)\n    return 2.0\n")
    assert evaluation.score == 2.0
    assert len(evaluation.feedback) <= 20_000
