"""The same task with the same stub model, by evograft, OpenEvolve and ShinkaEvolve: time, CPU, and what faults do.

Run: python plugins/program/benchmarks/side_by_side.py --engines PYTHON [--trials 200] [--fault hang …]
PYTHON is that of an environment where `openevolve` and `shinka-evolve` are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stub_model import FAULTS, PROGRAM, serve

TIMEOUT = 20
"""Seconds of one evaluation: importing ShinkaEvolve alone takes several on a busy machine."""
EVALUATOR = """
import importlib.util

import numpy as np


def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {"combined_score": float(-np.square(module.run() - 4.0))}
"""
OF_SHINKA = """
import argparse

from shinka.core import run_shinka_eval


def aggregate(results):
    return {"combined_score": -((results[0] - 4.0) ** 2), "public": {}, "private": {}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path")
    parser.add_argument("--results_dir")
    given = parser.parse_args()
    run_shinka_eval(
        program_path=given.program_path,
        results_dir=given.results_dir,
        experiment_fn_name="run",
        num_runs=1,
        aggregate_metrics_fn=aggregate,
    )
"""
RUN_OPENEVOLVE = """
import asyncio, sys
from openevolve import OpenEvolve
from openevolve.config import Config, LLMModelConfig
folder, address, model, trials, seconds = sys.argv[1:]
config = Config()
config.max_iterations = int(trials)
config.checkpoint_interval = 100000
config.log_level = "INFO"
config.llm.models = [LLMModelConfig(name=model, api_base=address, api_key="x", timeout=60, retries=0, retry_delay=1)]
config.llm.evaluator_models = config.llm.models
for each in config.llm.models:
    each.temperature, each.top_p, each.max_tokens, each.system_message = 0.7, 0.95, 4096, "Improve the program."
config.evaluator.timeout = int(seconds)
config.evaluator.parallel_evaluations = 2
config.evaluator.cascade_evaluation = False
async def main():
    engine = OpenEvolve(f"{folder}/program.py", f"{folder}/evaluate.py", config=config, output_dir=f"{folder}/out")
    await engine.run(iterations=int(trials))
    metrics = [program.metrics for program in engine.database.programs.values()]
    scores = [each.get("combined_score", each.get("error")) for each in metrics]
    import json
    print("SCORES " + json.dumps(scores))
asyncio.run(main())
"""
RUN_SHINKA = """
import sys
from shinka.core import EvolutionConfig, ShinkaEvolveRunner
from shinka.database import DatabaseConfig
from shinka.launch import LocalJobConfig
folder, address, model, trials, seconds = sys.argv[1:]
evo = EvolutionConfig(
    task_sys_msg="Improve the program.", patch_types=["diff"], patch_type_probs=[1.0], num_generations=int(trials),
    llm_models=[f"local/{model}@{address}"], llm_dynamic_selection=None, meta_rec_interval=None, embedding_model=None,
    init_program_path=f"{folder}/initial.py", results_dir=f"{folder}/out",
)
job = LocalJobConfig(eval_program_path=f"{folder}/evaluate.py", time=f"00:00:{int(seconds):02d}")
runner = ShinkaEvolveRunner(
    evo_config=evo, job_config=job, db_config=DatabaseConfig(db_path="programs.sqlite", num_islands=2),
    max_evaluation_jobs=2, max_proposal_jobs=2, verbose=False,
)
runner.run()
"""


def run_evograft(folder: Path, address: str, model: str, trials: int, seconds: int, _: str) -> tuple[list[str], Path]:
    settings = [f"--api-base={address}", f"--llm=openai:{model}", f"-n{trials + 1}", f"--timeout={seconds}s", "-j2"]
    command = [str(Path(sys.executable).with_name("evo")), "evolve", "program.py", "evaluate.py", *settings, "-oout"]
    return command, folder


def run_openevolve(
    folder: Path, address: str, model: str, trials: int, seconds: int, python: str
) -> tuple[list[str], Path]:
    arguments = map(str, (folder, address, model, trials, seconds))
    return [python, "-c", RUN_OPENEVOLVE, *arguments], folder


def run_shinka(
    folder: Path, address: str, model: str, trials: int, seconds: int, python: str
) -> tuple[list[str], Path]:
    (folder / "initial.py").write_text(PROGRAM)
    (folder / "evaluate.py").write_text(OF_SHINKA)
    arguments = map(str, (folder, address, model, trials + 1, seconds))
    return [python, "-c", RUN_SHINKA, *arguments], folder


ENGINES: dict[str, Callable[..., tuple[list[str], Path]]] = {
    "evograft": run_evograft,
    "openevolve": run_openevolve,
    "shinka": run_shinka,
}


def get_scores(engine: str, folder: Path, output: str) -> list[float]:
    """Return the scores of all programs that have one."""
    if engine == "openevolve":
        line = next((line for line in output.splitlines() if line.startswith("SCORES ")), "SCORES []")
        return [float(score) for score in json.loads(line[7:]) if score is not None]
    if engine == "shinka":
        found = list(folder.glob("out/**/programs.sqlite"))
        rows = sqlite3.connect(found[0]).execute("select combined_score from programs where correct") if found else ()
        return [float(score) for (score,) in rows]
    command = [str(Path(sys.executable).with_name("evo")), "export", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [row["evaluation"]["score"] for row in rows if row["evaluation"]["score"] is not None]


def count_evaluated(engine: str, scores: list[float], output: str) -> int:
    """Return how many programs were evaluated with a score; OpenEvolve's database keeps the best of each cell only."""
    if engine != "openevolve":
        return len(scores)
    return sum("Evaluated program" in line and "combined_score" in line for line in output.splitlines())


def count_left() -> int:
    """Return how many processes that candidates started are still there, and end them."""
    done = subprocess.run(["pgrep", "-f", "sleep 98765"], capture_output=True, text=True, check=False)
    left = [int(line) for line in done.stdout.split()]
    for process in left:
        os.kill(process, signal.SIGKILL)
    return len(left)


def measure(engine: str, fault: str, trials: int, address: str, python: str, limit: float) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix=f"side-{engine}-"))
    folder.chmod(0o755)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "evaluate.py").write_text(EVALUATOR)
    command, place = ENGINES[engine](folder, address, fault, trials, TIMEOUT, python)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {**os.environ, "LOCAL_OPENAI_API_KEY": "x", "OPENAI_API_KEY": "x"}
    process = subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
        ended = f"exit {process.returncode}"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        ended = f"killed after {limit:g} s"
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    scores = get_scores(engine, folder, output)
    row = {
        "engine": engine,
        "fault": fault,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "ended": ended,
        "scored": count_evaluated(engine, scores, output),
        "best": max(scores, default=None),
        "impossible": sum(score > 0 for score in scores),
        "processes_left": count_left(),
    }
    if not scores:
        row["said"] = output[-400:]
    shutil.rmtree(folder, ignore_errors=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--fault", choices=FAULTS, nargs="+", default=["plain"])
    parser.add_argument("--only", choices=ENGINES, nargs="+", default=list(ENGINES))
    parser.add_argument("--limit", type=float, default=900.0)
    given = parser.parse_args()
    with serve() as address:
        for fault in given.fault:
            for engine in given.only:
                print(json.dumps(measure(engine, fault, given.trials, address, given.engines, given.limit)), flush=True)


if __name__ == "__main__":
    main()
