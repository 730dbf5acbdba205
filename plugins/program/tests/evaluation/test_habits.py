"""What evaluators of others do, in real sessions: each gets the score that it would give anywhere."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

import pytest

from evograft.api import UserError
from evograft_hookspecs import Candidate, SandboxUnavailable
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.evaluation.interpreter import EvaluationPython
from evograft_program.options import ProgramOptions
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

PROGRAM = "def answer(seed=0):\n    return 42\n"
LOAD = """
import importlib.util

def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
"""


@pytest.fixture(scope="module")
def sandbox():
    with closing(ProcessSandbox(ProcessOptions(scratch_mb=64))) as sandbox:
        try:
            layers = sandbox.layers()
        except SandboxUnavailable as err:
            pytest.skip(str(err))
        if not any(layer.active for layer in layers if layer.name == "namespaces"):
            pytest.skip("evaluations have no /dev/shm where there are no namespaces")
        yield sandbox


@pytest.fixture
def task(tmp_path):
    """A folder that all users may read."""
    folder = tmp_path / "task"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def evaluate(sandbox, task):
    """Evaluates programs by an evaluator that is written first; returns their evaluations."""

    def run(source, *programs, style="openevolve", name="evaluate.py", suffix=".py", **options):
        path = task / name
        path.write_text(source)
        settings = {
            "task": {"folder": str(task)},
            "evaluator": {"path": name, "style": style, **options},
            "candidate": {"suffix": suffix},
        }
        with closing(ProgramEvaluator(ProgramOptions.model_validate(settings), sandbox)) as evaluator:
            found = [
                evaluator.evaluate(Candidate.of(each, kind="program", operator="kernel.seed", trial=0), seed=1)
                for each in programs or (PROGRAM,)
            ]
        return found[0] if len(found) == 1 else found

    return run


def score(evaluation):
    assert evaluation.status == "ok", (evaluation.reason, evaluation.feedback)
    return evaluation.score


def test_data_next_to_an_evaluator_is_found_by_a_relative_path_and_by_its_file(evaluate, task):
    (task / "data").mkdir()
    (task / "data" / "numbers.txt").write_text("3")
    (task / "helper.py").write_text("VALUE = 4\n")
    source = """
from pathlib import Path
from helper import VALUE
def evaluate(program_path):
    a = int(open("data/numbers.txt").read())
    b = int((Path(__file__).parent / "data" / "numbers.txt").read_text())
    return {"combined_score": a + b + VALUE}
"""
    assert score(evaluate(source)) == 10.0


def test_what_is_for_a_start_by_hand_does_not_run(evaluate):
    source = (
        'def evaluate(program_path): return {"combined_score": 1.0}\nif __name__ == "__main__":\n    raise SystemExit'
    )
    assert score(evaluate(source)) == 1.0


def test_objects_of_candidates_are_pickled_between_processes(evaluate):
    source = """
import pickle, subprocess, sys, tempfile
CHILD = '''
import pickle, sys, importlib.util
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
pickle.dump(module.answer(), open(sys.argv[2], "wb"))
'''
def evaluate(program_path):
    with tempfile.NamedTemporaryFile(suffix=".py", mode="w") as script, tempfile.NamedTemporaryFile() as results:
        script.write(CHILD)
        script.flush()
        subprocess.run([sys.executable, script.name, program_path, results.name], check=True, timeout=60)
        return {"combined_score": pickle.load(open(results.name, "rb"))}
"""
    assert score(evaluate(source)) == 42.0


def test_python_by_its_name_is_the_one_that_evaluates(evaluate):
    source = """
import os, shutil, sys
def evaluate(program_path):
    return {"combined_score": float(os.path.samefile(shutil.which("python3"), sys.executable))}
"""
    assert score(evaluate(source)) == 1.0


@pytest.mark.parametrize(
    "work",
    [
        "with multiprocessing.Pool(2) as pool: return sum(pool.map(double, range(4)))",
        "with ProcessPoolExecutor(2) as pool: return sum(pool.map(double, range(4)))",
        "with ThreadPoolExecutor(2) as pool: return sum(pool.map(double, range(4)))",
        """queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=put, args=(queue,))
    process.start()
    value = queue.get(timeout=60)
    process.join()
    return value""",
    ],
    ids=["pool", "executor", "threads", "queue"],
)
def test_processes_of_an_evaluator_work_together(evaluate, work):
    source = f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def double(n): return 2 * n
def put(queue): queue.put(12)
def work():
    {work}
def evaluate(program_path): return {{"combined_score": work()}}
"""
    assert score(evaluate(source)) == 12.0


def test_a_script_starts_fresh_processes_of_itself(evaluate):
    source = """
import argparse, json, multiprocessing, os
def double(n): return 2 * n
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path")
    parser.add_argument("--results_dir")
    arguments = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        value = sum(pool.map(double, range(4)))
    for name, content in (("metrics", {"combined_score": value}), ("correct", {"correct": True})):
        with open(os.path.join(arguments.results_dir, name + ".json"), "w") as file:
            json.dump(content, file)
    raise SystemExit(3)
"""
    assert score(evaluate(source, style="shinka")) == 12.0


def test_a_lock_that_a_killed_candidate_held_is_nobody_elses(evaluate, task):
    (task / "shared.py").write_text(
        "import multiprocessing\ntry:\n    LOCK = multiprocessing.Lock()\nexcept OSError:\n    LOCK = None\n"
    )
    source = """
import multiprocessing, shared
def evaluate(program_path):
    lock = shared.LOCK or multiprocessing.Lock()
    taken = lock.acquire(timeout=5)
    exec(open(program_path).read())
    return {"combined_score": float(taken)}
"""
    killed, other = evaluate(source, "import os\nos._exit(1)", "")
    assert killed.status == "rejected"
    assert score(other) == 1.0


def test_the_alarm_signal_is_the_evaluators(evaluate):
    source = f"""{LOAD}
import signal
class Late(Exception): pass
def ring(*_): raise Late
def evaluate(program_path):
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        load(program_path).answer()
    except Late:
        return {{"combined_score": 0.5}}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
"""
    assert score(evaluate(source, "def answer():\n    while True: pass\n")) == 0.5


def test_what_is_printed_is_feedback_and_no_answer(evaluate):
    source = f"""{LOAD}
def evaluate(program_path):
    print('{{"combined_score": 100}}')
    return {{"combined_score": load(program_path).answer()}}
"""
    evaluation = evaluate(source, "print('from the candidate')\ndef answer(): return 1")
    assert score(evaluation) == 1.0
    assert "from the candidate" in evaluation.feedback


def test_files_may_be_written_to_the_programs_folder_the_temporary_one_and_the_current_one(evaluate):
    source = """
import os, tempfile
def evaluate(program_path):
    folders = [os.path.dirname(program_path), tempfile.mkdtemp(), os.getcwd()]
    for folder in folders:
        with open(os.path.join(folder, "written"), "w") as file:
            file.write("1")
    return {"combined_score": sum(int(open(os.path.join(folder, "written")).read()) for folder in folders)}
"""
    assert score(evaluate(source)) == 3.0


def test_an_evaluators_own_folder_cannot_be_changed(evaluate, task):
    source = """
import os
def evaluate(program_path):
    try:
        open(os.path.join(os.path.dirname(__file__), "evaluate.py"), "a")
    except OSError:
        return {"combined_score": 1.0}
    return {"combined_score": 0.0}
"""
    assert score(evaluate(source)) == 1.0


def test_classes_of_other_engines_are_there_without_them(evaluate):
    source = """
from openevolve.evaluation_result import EvaluationResult
def evaluate(program_path):
    return EvaluationResult(metrics={"combined_score": 2.0}, artifacts={"note": "from an artifact"})
"""
    evaluation = evaluate(source)
    assert score(evaluation) == 2.0
    assert "from an artifact" in evaluation.feedback


def test_a_run_of_shinkas_is_there_without_it(evaluate):
    source = """
import argparse
from shinka.core import run_shinka_eval
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path")
    parser.add_argument("--results_dir")
    arguments = parser.parse_args()
    run_shinka_eval(arguments.program_path, arguments.results_dir, "answer", 4, run_workers=2,
        validate_fn=lambda value: (value == 42, None),
        aggregate_metrics_fn=lambda values: {"combined_score": float(sum(values)), "public": {"runs": len(values)}})
"""
    evaluation = evaluate(source, style="shinka")
    assert score(evaluation) == 168.0
    assert evaluation.metrics["runs"] == 4.0


def test_a_program_that_is_not_python_is_run_by_its_evaluator(evaluate):
    source = """
import subprocess
def evaluate(program_path):
    return {"combined_score": float(subprocess.run(["sh", program_path], capture_output=True, check=True).stdout)}
"""
    assert score(evaluate(source, "echo 7", suffix=".sh")) == 7.0


def test_a_containers_script_works_outside_of_its_image(evaluate, task):
    (task / "Dockerfile").write_text("FROM python:3.12-slim\nWORKDIR /benchmark\nCOPY . .\n")
    (task / "check.py").write_text(
        "import json, sys\nprint('noise', file=sys.stderr)\n"
        "print(json.dumps({'status': 'success', 'combined_score': len(open(sys.argv[1]).read()), 'metrics': {'m': 1}}))\n"
    )
    script = '#!/usr/bin/env bash\nset -euo pipefail\n[ "$2" = train ]\npython3 /benchmark/check.py "$1"\n'
    evaluation = evaluate(script, "12345", style="container", name="evaluate.sh")
    assert score(evaluation) == 5.0
    assert evaluation.metrics["m"] == 1.0


@pytest.fixture
def environment(tmp_path_factory):
    """Another Python, with a module of its own."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (next(folder.glob("lib/python*/site-packages")) / "only_here.py").write_text("VALUE = 9\n")
    folder.chmod(0o755)
    return folder


def test_another_python_evaluates_with_its_own_libraries(evaluate, environment):
    source = "from only_here import VALUE\ndef evaluate(program_path): return {'combined_score': VALUE}\n"
    assert score(evaluate(source, python=str(environment / "bin" / "python"))) == 9.0


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo '[[3, 8], \"/old\", []]'", "Python 3.8, and evaluations need 3.9"),
        ("exit 1", "does not answer as a Python does"),
    ],
)
def test_a_python_that_cannot_evaluate_is_refused(tmp_path, script, words):
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    with pytest.raises(UserError, match=words) as caught:
        EvaluationPython(str(path)).require()
    assert len(str(caught.value).splitlines()) == 1


def test_a_python_that_is_not_there_is_refused():
    with pytest.raises(UserError, match="no such program"):
        EvaluationPython("/nowhere/python").require()
