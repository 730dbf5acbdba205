"""What a run without a model finds, beside random search and Optuna at equal case runs.

    uv run --group bench python plugins/ahc/benchmarks/bench_tuning.py

For each seed a real `evo run --plugin ahc` is given some minutes. Then the others get as many case runs, for the marked
numbers of the same start program, on the same training cases; each of their trials runs all of them. What all have
found is scored on cases that nobody has seen. What is in the folder already is not searched again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evograft_ahc.contests.practice import FLAGS, build_tools, get_practice
from evograft_ahc.scoring.interval import compute_interval
from evograft_ahc.search.tuning.tunable import Tunable, read_tunable

TRAINING = 50
UNSEEN = 50
FIRST_UNSEEN = 10_000
SCORE = re.compile(rb"Score = (\d+)")

Search = Callable[["Rig", int, int], tuple[float, ...]]
"""A rig, a seed and a number of trials to values of the numbers."""


@dataclass(frozen=True)
class Rig:
    """Programs and cases of a practice contest, run directly: what is measured is the search, not the judge."""

    folder: Path
    interactive: bool
    workers: int

    @classmethod
    def build(cls, contest_id: str, folder: Path, workers: int) -> Rig:
        contest = get_practice(contest_id)
        rig = cls(folder, contest.facts.interactive, workers)
        if not (folder / "knobs").exists():
            folder.mkdir(parents=True, exist_ok=True)
            tools = contest.unpack_tools(folder)
            programs = build_tools(tools)
            (folder / "unseen.txt").write_text("".join(f"{FIRST_UNSEEN + case}\n" for case in range(UNSEEN)))
            run(programs / "gen", tools / "seeds.txt", folder / "training")
            run(programs / "gen", folder / "unseen.txt", folder / "unseen")
            (folder / "start.cpp").write_text(contest.start_program())
            rig.compile(with_knobs(rig.start), folder / "knobs")
        return rig

    @property
    def start(self) -> Tunable:
        return read_tunable((self.folder / "start.cpp").read_text())

    def compile(self, source: str, target: Path) -> Path:
        text = target.with_suffix(".cpp")
        text.write_text(source)
        run("g++", *FLAGS, "-o", target, text)
        return target

    def train(self, values: Sequence[float]) -> float:
        """The mean score of the start program with other numbers, on the training cases."""
        knobs = {f"EVO_{place}": repr(value) for place, value in enumerate(values)}
        cases = sorted((self.folder / "training").iterdir())[:TRAINING]
        return statistics.fmean(self.scores(self.folder / "knobs", cases, knobs))

    def judge(self, source: str) -> list[int]:
        """The scores of a program on the unseen cases."""
        with tempfile.TemporaryDirectory() as scratch:
            program = self.compile(source, Path(scratch) / "main")
            return self.scores(program, sorted((self.folder / "unseen").iterdir()), {})

    def scores(self, program: Path, cases: Iterable[Path], environment: dict[str, str]) -> list[int]:
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(lambda case: self.score(program, case, environment), cases))

    def score(self, program: Path, case: Path, environment: dict[str, str]) -> int:
        tools, given = self.folder / "tools" / "bin", os.environ | environment
        if self.interactive:
            said = subprocess.run(
                [tools / "tester", program], check=False, stdin=case.open(), capture_output=True, env=given
            ).stderr
        else:
            with tempfile.NamedTemporaryFile() as output:
                subprocess.run([program], stdin=case.open(), stdout=output, env=given, check=True)
                said = subprocess.run([tools / "score", case, output.name], check=True, capture_output=True).stderr
        return int(SCORE.findall(said)[-1])


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True)


def with_knobs(program: Tunable) -> str:
    """The program with numbers that it reads from its environment, so that it is compiled once."""
    text = "#include <cstdlib>\n" + program.pieces[0]
    for place, (parameter, piece) in enumerate(zip(program.parameters, program.pieces[1:], strict=True)):
        kind = "atoi" if parameter.form.is_integer else "atof"
        text += f'std::{kind}(std::getenv("EVO_{place}")){piece}'
    return text.replace("constexpr", "const")


def by_chance(rig: Rig, seed: int, trials: int) -> tuple[float, ...]:
    rng, start = random.Random(seed), rig.start
    drawn = [start.values] + [
        tuple(parameter.range.value(rng.random()) for parameter in start.parameters) for _ in range(trials - 1)
    ]
    return max((tuple(map(rounded, start.parameters, values)) for values in drawn), key=rig.train)


def rounded(parameter, value: float) -> float:
    return round(value) if parameter.form.is_integer else value


def by_optuna(rig: Rig, seed: int, trials: int) -> tuple[float, ...]:
    """As its users begin: its usual sampler, and the start program as the first trial."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    parameters = rig.start.parameters

    def objective(trial: optuna.Trial) -> float:
        return rig.train([suggest(trial, parameter) for parameter in parameters])

    def suggest(trial: optuna.Trial, parameter) -> float:
        low, high, is_log = parameter.range.low, parameter.range.high, parameter.range.is_log
        if parameter.form.is_integer:
            return trial.suggest_int(parameter.name, int(low), int(high), log=is_log)
        return trial.suggest_float(parameter.name, low, high, log=is_log)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial({parameter.name: parameter.value for parameter in parameters})
    study.optimize(objective, n_trials=trials)
    return tuple(study.best_params[parameter.name] for parameter in parameters)


RIVALS: dict[str, Search] = {"random": by_chance, "Optuna": by_optuna}


@dataclass(frozen=True)
class Run:
    """What came of a run of evograft."""

    source: str
    trials: int
    case_runs: int
    operator: str
    """That made the best program."""


def evolve(contest_id: str, seed: int, folder: Path, settings: Sequence[str]) -> Run:
    if not folder.exists():
        with_ = "plugins.ahc.with"
        # The final judgement of a run is not waited for: all programs are judged here.
        own = [f"{with_}.contest={contest_id}", f"{with_}.training_cases={TRAINING}", f"{with_}.held_out_cases=1"]
        chosen = [*own, *settings]
        flags = [part for setting in chosen for part in ("--set", setting)]
        command = ["evo", "run", "--plugin", "ahc", "--run-dir", folder, "--seed", str(seed), *flags]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    lines = subprocess.run(["evo", "export", folder], check=True, capture_output=True, text=True).stdout.splitlines()
    trials = [json.loads(line) for line in lines]
    best = max(
        (trial for trial in trials if trial["evaluation"]["status"] == "ok"), key=lambda t: t["evaluation"]["score"]
    )
    # The start program is run once more, for what scores are compared with.
    runs = TRAINING + sum(case_runs(trial) for trial in trials)
    return Run(best["candidate"]["files"]["main"], len(trials), runs, best["candidate"]["operator"])


def kept(file: Path, find: Callable[[], tuple[float, ...]]) -> tuple[float, ...]:
    """What was found, now or earlier."""
    if not file.exists():
        file.write_text(json.dumps(find()))
    return tuple(json.loads(file.read_text()))


def case_runs(trial: dict) -> int:
    evaluation = trial["evaluation"]
    return 0 if trial["duplicate_of"] is not None else int(evaluation["metrics"].get("cases", 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contest", default="practice001")
    parser.add_argument("--seconds", type=float, default=100, help="of each run of evograft")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--set", dest="settings", action="append", default=[], help="for the pipeline of evograft")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "bench_tuning")
    given = parser.parse_args()
    if shutil.which("evo") is None:
        parser.error("evo is not on PATH: uv run puts it there")

    rig = Rig.build(given.contest, given.folder / given.contest, given.workers)
    start = statistics.fmean(rig.judge((rig.folder / "start.cpp").read_text()))
    print(f"{given.contest}: the start program scores {start:,.0f} on {UNSEEN} unseen cases\n")
    print("| seed | trials | case runs | evograft | by |", " | ".join(RIVALS), "|")
    # What is in flight when the time is over is judged to its end, which takes minutes for each program by the clock.
    settings = [f"budget.seconds={given.seconds:g}", "budget.trials=100000", "window=2", *given.settings]
    gains: dict[str, list[float]] = {name: [] for name in ("evograft", *RIVALS)}
    for seed in range(given.seeds):
        ours = evolve(given.contest, seed, rig.folder / f"run-{seed}", settings)
        gains["evograft"].append(statistics.fmean(rig.judge(ours.source)) / start - 1)
        for name, search in RIVALS.items():
            trials = max(1, ours.case_runs // TRAINING)
            values = kept(rig.folder / f"{name}-{seed}-{trials}.json", partial(search, rig, seed, trials))
            gains[name].append(statistics.fmean(rig.judge(rig.start.write(values))) / start - 1)
        found = [f"{gains[name][-1]:+.2%}" for name in gains]
        cells = [seed, ours.trials, ours.case_runs, found[0], ours.operator, *found[1:]]
        print("|", " | ".join(map(str, cells)), "|", flush=True)
    for name in RIVALS:
        against = compute_interval([ours - theirs for ours, theirs in zip(gains["evograft"], gains[name], strict=True)])
        print(f"evograft - {name}: {against.mean:+.2%}, 95 % interval {against.low:+.2%} to {against.high:+.2%}")


if __name__ == "__main__":
    main()
