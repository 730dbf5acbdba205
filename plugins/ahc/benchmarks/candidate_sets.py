"""Sets of candidates from real runs, for races to be measured on: python candidate_sets.py RUN SET.json.gz.

The run has to have been made with `racing: null`, so that every candidate has a score on every case. A set holds those
that
were run: per case the contest's own score, and the trial that was the bar then.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evograft.log.records import Finished
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_ahc.scoring.evaluation import find_failures
from evograft_hookspecs import Trial


@dataclass(frozen=True)
class Candidate:
    """One that was run on all cases."""

    trial: int
    operator: str
    bar: int | None
    """The trial to beat; `None`: there was none."""
    scores: tuple[float | None, ...]
    """In the order of the set's cases; `None`: the case failed."""


@dataclass(frozen=True)
class CandidateSet:
    """Those of one run."""

    contest: str
    made: str
    """How."""
    cases: tuple[str, ...]
    candidates: tuple[Candidate, ...]

    @classmethod
    def read(cls, path: Path) -> CandidateSet:
        data = json.loads(gzip.decompress(path.read_bytes()))
        candidates = [{**each, "scores": tuple(each["scores"])} for each in data.pop("candidates")]
        return cls(
            **{**data, "cases": tuple(data["cases"])}, candidates=tuple(Candidate(**each) for each in candidates)
        )

    def of_first(self, cases: int) -> CandidateSet:
        """As if there had been only so many cases."""
        cut = tuple(replace(each, scores=each.scores[:cases]) for each in self.candidates)
        return replace(self, cases=self.cases[:cases], candidates=cut)

    def write(self, path: Path) -> None:
        text = json.dumps(asdict(self), separators=(",", ":"))
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


def set_of(folder: Path) -> CandidateSet:
    """The candidates of a run."""
    run = open_run(folder)
    options = next(plugin.with_ for plugin in run.pipeline.plugins if plugin.name == "ahc")
    if options.get("racing", ...) is not None:
        sys.exit(f"{folder}: a run with races has no full scores; run it with --set plugins.ahc.with.racing=null")
    trials = sorted(_evaluated(folder), key=lambda trial: trial.number)
    cases = tuple(sorted({case for trial in trials for case in trial.evaluation.cases}))
    bars = {trial.number for trial in trials if trial.evaluation.status == "ok"}
    return CandidateSet(
        contest=_contest(options),
        made=f"evo run --plugin ahc, seed {run.pipeline.seed}, bar {_bar(run.pipeline.plugins)}",
        cases=cases,
        candidates=tuple(_candidate(trial, cases, bars) for trial in trials),
    )


def _evaluated(folder: Path) -> Iterator[Trial]:
    with open_journal(folder) as journal:
        for record in journal.records():
            if isinstance(record, Finished) and record.trial.duplicate_of is None:
                evaluation = record.trial.evaluation
                if evaluation.cases or find_failures(evaluation):
                    yield record.trial


def _candidate(trial: Trial, cases: tuple[str, ...], bars: set[int]) -> Candidate:
    assert trial.candidate is not None
    bar = trial.selection.incumbent if trial.selection else None
    assert bar is None or bar in bars, f"trial {trial.number}: its bar {bar} was not run itself"
    scores = tuple(trial.evaluation.cases.get(case) for case in cases)
    return Candidate(trial.number, trial.candidate.operator, bar, scores)


def _contest(options: Any) -> str:
    return Path(options["workspace"]).name if options.get("workspace") else str(options.get("contest", "practice001"))


def _bar(plugins: Any) -> str:
    return next(
        (
            str(plugin.with_.get("incumbent", plugin.with_.get("bar", "worst")))
            for plugin in plugins
            if plugin.name == "islands"
        ),
        "none",
    )


if __name__ == "__main__":
    found = set_of(Path(sys.argv[1]))
    found.write(Path(sys.argv[2]))
    print(f"{len(found.candidates)} candidates, {len(found.cases)} cases: {sys.argv[2]}")
