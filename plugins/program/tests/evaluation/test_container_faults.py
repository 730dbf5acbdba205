"""What candidates do to evaluators in containers, in their image and with this machine's programs."""

from __future__ import annotations

import re
import subprocess
from contextlib import closing

import pytest

from evograft_hookspecs import Candidate, FrozenDict, SandboxUnavailable
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.options import (
    CandidateOptions,
    EvaluationLimits,
    EvaluatorOptions,
    EvaluatorStyle,
    ProgramOptions,
    TaskOptions,
)
from evograft_program.requests.container import name_image
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

DOCKERFILE = "FROM evograft-test:bookworm\nWORKDIR /benchmark\nCOPY . .\nRUN chmod +x evaluate.sh\n"
SCRIPT = '#!/bin/sh\nexec python3 /benchmark/evaluator.py "$1"\n'
EVALUATOR = """
import json, sys
names = {}
exec(open(sys.argv[1]).read(), names)
print(json.dumps({"status": "success", "combined_score": names["solve"]()}))
"""
LIMITS = EvaluationLimits(seconds=6, memory_mb=400, processes=24)
HONEST = "def solve(): return 2.0\n"
FAULTS = {
    "hangs": ("while True: pass", "time-out"),
    "takes 8 GB": ("return len(b'x' * (8 << 30))", "more than 400 MB of memory"),
    "exits": ("import os; os._exit(0)", "neither a number nor a JSON object"),
    "exits with a status": ("import os; os._exit(7)", "exit code 7"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "signal 11|exit code 139"),
    "kills all it can": ("import os; os.kill(-1, 9)", "signal 9|neither a number|No such process"),
    "fork bomb": ("import os\n    while True: os.fork()", "Resource temporarily|24 processes"),
    "50 MB of output": ("import os\n    for _ in range(50): os.write(1, bytes(1_000_000))", "too much output"),
    "fills the disk": (
        "import itertools\n    for n in itertools.count(): open(f'/tmp/{n}', 'wb').write(bytes(10_000_000))",
        "No space left|Permission denied|Read-only",
    ),
    "raises": ("raise ValueError('a b')", "ValueError: a b"),
    "is no Python": (")(", "SyntaxError"),
}
DRIVERS = {
    "process": lambda: ProcessSandbox(ProcessOptions(scratch_mb=64)),
    "docker": lambda: DockerSandbox(DockerOptions(scratch_mb=64)),
}


@pytest.fixture(scope="module", params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def evaluate(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "task"
    folder.mkdir()
    for name, text in (("Dockerfile", DOCKERFILE), ("evaluate.sh", SCRIPT), ("evaluator.py", EVALUATOR)):
        (folder / name).write_text(text)
    image = name_image(folder) if request.param == "docker" else ""
    options = ProgramOptions(
        task=TaskOptions(folder=str(folder)),
        candidate=CandidateOptions(),
        evaluator=EvaluatorOptions(path=".", style=EvaluatorStyle.CONTAINER, image=image),
        limits=LIMITS,
    )
    with closing(DRIVERS[request.param]()) as sandbox, closing(ProgramEvaluator(options, sandbox)) as evaluator:
        try:
            evaluator.get_layers()
        except SandboxUnavailable as err:
            pytest.skip(str(err))
        yield lambda source: evaluator.evaluate(
            Candidate(kind="program", files=FrozenDict({"main": source}), operator="operators.rewrite", trial=1), seed=0
        )
    if image:
        subprocess.run(["docker", "rmi", image], capture_output=True, check=False)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_the_candidates_and_the_next_one_has_its_score(evaluate, name):
    body, reason = FAULTS[name]
    assert evaluate(HONEST).score == 2.0
    evaluation = evaluate(f"def solve():\n    {body}\n")
    assert evaluation.status == "rejected"
    assert re.search(reason, f"{evaluation.reason}\n{evaluation.feedback}"), evaluation
    assert evaluate(HONEST).score == 2.0
