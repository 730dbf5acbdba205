"""Which stages of an evaluator are run: the worker itself, in a process of its own."""

import json
import subprocess
import sys

import pytest

from evograft_program.evaluation.messages import read_messages

TOKEN = "0123456789abcdef" * 2
STAGE = "def evaluate_stage{number}(path): return {answer}\n"


def run_stages(folder, answers, thresholds):
    """Evaluate with stages that answer so; return the names of those that were run."""
    lines = [STAGE.format(number=number, answer=answer) for number, answer in enumerate(answers, start=1)]
    messages = run_worker(folder, "".join(lines) + "def evaluate(path): return {}\n", thresholds)
    return [message.stage for message in messages]


def run_worker(folder, source, thresholds):
    """Return the worker's messages with values."""
    evaluator = folder / "evaluate.py"
    evaluator.write_text(source)
    request = {
        "token": TOKEN,
        "style": "openevolve",
        "evaluator": str(evaluator),
        "function": "evaluate",
        "arguments": [],
        "task": "",
        "program": "candidate.py",
        "folder": "",
        "path": [str(folder)],
        "examples": "",
        "thresholds": thresholds,
        "seconds": 30,
        "seed": 1,
        "kept_bytes": 0,
        "is_final": False,
    }
    command = [sys.executable, "-m", "evograft_program.worker", "once", str(folder)]
    done = subprocess.run(command, input=json.dumps(request).encode(), capture_output=True, cwd=folder, check=True)
    return [message for message in read_messages(done.stdout, TOKEN) if message.type == "value"]


@pytest.mark.parametrize(
    ("answers", "thresholds", "stages"),
    [
        (["{'combined_score': 0.5}", "{}"], [0.5, 0.75], 2),
        (["{'combined_score': 0.49, 'other': 9.0}", "{}"], [0.5], 1),
        (["{'a': 0.4, 'b': 0.6}", "{}"], [0.5], 2),
        (["{'a': 0.4, 'error': 9.0}", "{}"], [0.5], 1),
        (["{'combined_score': '0.9', 'a': 0.1}", "{}"], [0.5], 1),
        (["{'combined_score': None, 'a': 0.6}", "{}"], [0.5], 2),
        (["{'valid': True}", "{}"], [0.5], 2),
        (["{'combined_score': float('nan')}", "{}"], [0.5], 1),
        (["{'text': 'only'}", "{}"], [0.5], 1),
        (["None", "{}"], [0.5], 1),
        (["{'combined_score': 0.9}", "{'a': 0.1}", "{}"], [0.5, 0.75], 3),
        (["{'a': 1.0}", "{'b': 0.0}", "{}"], [0.5, 0.75], 2),
        (["{'a': 1.0}", "{'b': 1.0}", "{}"], [0.5], 2),
        (["{'a': 1.0}", "{'b': 1.0}", "{}"], [0.5, 0.75, 0.9], 3),
        (["{'a': 1.0}"], [0.5, 0.75], 1),
    ],
)
def test_a_stage_is_run_if_those_before_it_reach_its_threshold_together(answers, thresholds, stages, tmp_path):
    assert run_stages(tmp_path, answers, thresholds) == [f"stage{number}" for number in range(1, stages + 1)]


def test_without_thresholds_there_are_no_stages(tmp_path):
    assert run_stages(tmp_path, ["{}"], []) == [""]


def test_an_asynchronous_evaluator_is_waited_for(tmp_path):
    [message] = run_worker(tmp_path, "async def evaluate(path): return {'a': 1.0}\n", [])
    assert message.value == {"a": 1.0}
