"""What a trial costs with the plugins that a user would take: python core/benchmarks/bench_operators.py [TRIALS ...].

Islands and operators, a model in the same process that answers at once (its own time is taken off), programs of 0.5 to
8 kB, and an evaluation that costs nothing. CPU is user and system time of a process of its own; of several runs the
least, because a busy machine only adds to it. The tenths of a run leave out what is loaded once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TRIALS = (1000, 3000, 10_000)
REPEATS = 3


def main(sizes: list[int]) -> None:
    for trials in sizes or TRIALS:
        with tempfile.TemporaryDirectory() as folder:
            runs = [measured(trials, Path(folder) / str(number)) for number in range(REPEATS)]
        report(trials, min(runs, key=lambda run: run["cpu"]))


def report(trials: int, run: dict[str, Any]) -> None:
    per_trial = 1000 * (run["cpu"] - run["model"]) / trials
    first, last = (1000 * run[tenth] / (trials / 10) for tenth in ("second", "last"))
    print(
        f"{trials:,} trials: {per_trial:.2f} ms CPU a trial beside {1000 * run['model'] / trials:.2f} of the model, "
        f"second tenth {first:.2f}, last tenth {last:.2f}; disk {run['disk'] / run['texts']:.2f} x (sources + answers)",
        flush=True,
    )


def measured(trials: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--work", str(trials), str(folder)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def work(trials: int, folder: Path) -> dict[str, Any]:
    sys.path[:0] = [str(HERE / "site"), str(HERE.parent.parent / "tests" / "lab")]
    from clock import timed
    from stub_model import StubModel

    from evograft.config.loading import pipeline_from
    from evograft.session.start import start_run

    data = {
        "plugins": ["trivial", "islands", "operators"],
        "llm": {"driver": "stub", "model": "stub"},
        "budget": {"trials": trials},
        "order": "trial",
    }
    run = start_run(pipeline_from(data, source="benchmark"), runs=folder.parent, folder=folder)
    return {**timed(run, trials), "model": StubModel.seconds, **sizes_of(folder)}


def sizes_of(folder: Path) -> dict[str, int]:
    """Bytes of the run's folder, and of the programs and answers that are in its log."""
    from evograft.log.records import CompletedCall, Finished
    from evograft.runs.reader import open_journal

    texts = 0
    with open_journal(folder) as journal:
        for place, record in journal.placed_records():
            if isinstance(record, Finished) and record.trial.candidate:
                texts += sum(len(text.encode()) for text in record.trial.candidate.files.values())
            elif isinstance(record, CompletedCall):
                _, answer, _ = journal.exchange(place)
                texts += len(answer.text.encode()) if answer else 0
    return {"disk": sum(path.stat().st_size for path in folder.iterdir()), "texts": texts}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        print(json.dumps(work(int(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main([int(each) for each in sys.argv[1:]])
