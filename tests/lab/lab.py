"""A plugin for tests: it climbs towards a number, and misbehaves on demand.

It is found through its metadata like any installed distribution, in the kernel and in worker processes.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Literal

from evograft_hookspecs import (
    CONTRACT,
    Advice,
    Candidate,
    CandidateRejected,
    Context,
    EnvironmentReport,
    EvalContext,
    Evaluation,
    Manifest,
    NoOptions,
    Operator,
    Problem,
    Proposal,
    Selection,
    TrialCommitted,
    hookimpl,
)


class LabOptions(NoOptions):
    seeds: int = 3
    durations: Literal["none", "adversarial"] = "none"
    """`adversarial`: early trials take longest, so that results come in nearly backwards."""
    flaky: bool = False
    """Every third mutate and evaluate fails at its first attempt."""
    broken_at: int | None = None
    """From this trial on, evaluate raises for good."""
    die_at: tuple[int, ...] = ()
    """Trials whose evaluation kills its process, always."""
    kill_parent_at: tuple[int, ...] = ()
    """Trials whose evaluation kills the process that started its own, then its own, always."""
    gil_at: tuple[int, ...] = ()
    """Trials whose evaluation holds the interpreter's lock for `late_seconds`."""
    die_once_at: tuple[int, ...] = ()
    """Trials whose evaluation kills its process the first time; needs `notes`."""
    rejected_at: tuple[int, ...] = ()
    """Trials whose candidate is rejected."""
    hang_at: tuple[int, ...] = ()
    late_at: tuple[int, ...] = ()
    """Trials whose evaluation takes `late_seconds` and returns."""
    late_seconds: float = 0.0
    held_at: tuple[int, ...] = ()
    """Trials whose evaluation waits until there is a file `held_until`."""
    thinks_at: tuple[int, ...] = ()
    """Trials whose mutation waits for that file."""
    held_until: str = ""
    notes: str = ""
    """A folder that outlives processes: a file per evaluation goes there, with the cores that it may use."""
    padding: int = 0
    """Characters of comment in every candidate."""
    chatty: bool = False
    """Print something at each evaluation."""
    language: str = ""
    """Of the candidates."""
    trading: bool = False
    """Measure two objectives, of which one falls as the other rises."""
    cases: int = 0
    """Measure as many values more, each the best at another number."""
    racing: bool = False
    """Compare with the bar, and prune below it."""


class Lab:
    manifest = Manifest(
        name="lab",
        contract=CONTRACT,
        description="Climbs towards a number.",
        operators=(Operator(name="step"), Operator(name="jump"), Operator(name="reevaluate", reevaluates=True)),
        thread_safe=True,
    )
    Options = LabOptions

    def __init__(self, options: LabOptions) -> None:
        self.options = options
        self.told: dict[int, float] = {}
        self.failed: set[tuple[str, int]] = set()
        self.lock = threading.Lock()

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        return EnvironmentReport(done=(f"lab ready as {ctx.role}",))

    @hookimpl
    def analyze(self) -> Problem:
        seeds = tuple({"main": f"{number}.0"} for number in range(self.options.seeds))
        return Problem(
            name="lab",
            statement="Get to 30.",
            kind="number",
            language=self.options.language,
            objective="minus the distance",
            seeds=seeds,
        )

    @hookimpl
    def select(self, ctx, committed) -> Selection:
        for trial in committed:
            if trial.score is not None:
                self.told[trial.number] = trial.score
        best = sorted(self.told, key=lambda number: (-self.told[number], number))[:4]
        if not best:
            return Selection()
        return Selection(parents=(ctx.rng.choice(best),), incumbent=best[-1] if self.options.racing else None)

    @hookimpl
    def propose(self, ctx, selection) -> tuple[Proposal | Advice, ...]:
        return (
            Proposal(id="s", operator="lab.step", weight=3.0),
            Proposal(id="j", operator="lab.jump", instruction="further"),
            Advice(id=f"seen-{len(self.told)}", text="how much was told when this was proposed"),
        )

    @hookimpl
    def mutate(self, ctx, proposal, parents) -> Candidate:
        self.fail_first("mutate", ctx.trial)
        self.wait_at(self.options.thinks_at, ctx.trial)
        if ctx.trial % 17 == 16:
            raise CandidateRejected("every seventeenth is rejected")
        # Rounded, so that the same candidate comes up twice now and then.
        start = float(parents[0].candidate.source.split("#")[0]) if parents else 0.0
        number = round(start + ctx.rng.gauss(0, 4 if proposal.operator == "lab.jump" else 1), 1)
        source = f"{number}" + ("#" * self.options.padding)
        numbers = tuple(parent.number for parent in parents)
        return Candidate.of(source, kind="number", operator=proposal.operator, trial=ctx.trial, parents=numbers)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate, incumbent: Evaluation | None) -> Evaluation:
        self.note(ctx.trial)
        if self.options.chatty:
            print("evaluating", ctx.trial)  # noqa: T201 - what a plugin should not do
        self.misbehave(ctx.trial)
        if ctx.trial in self.options.rejected_at:
            raise CandidateRejected("rejected on demand")
        if self.options.durations == "adversarial":
            time.sleep(int(hashlib.sha256(b"%d" % ctx.trial).hexdigest(), 16) % 7 * 0.002)
        self.fail_first("evaluate", ctx.trial)
        score = -abs(float(candidate.source.split("#")[0]) - 30.0) + ctx.rng.random() * 1e-3
        if incumbent is not None and incumbent.score is not None and score < incumbent.score - 5:
            return Evaluation(status="pruned", score=score, reason="far below the bar")
        measured = {"seconds": time.process_time() % 1, "durations": {"measuring": time.perf_counter()}}
        if self.options.trading:
            measured["objectives"] = {"near": score, "low": -float(candidate.source.split("#")[0])}
            measured["descriptors"] = {"low": measured["objectives"]["low"]}
        number = float(candidate.source.split("#")[0])
        cases = {f"near {place}": -abs(number - place) for place in range(self.options.cases)}
        return Evaluation(status="ok", score=score, cases=cases or {"distance": score}, **measured)

    def note(self, trial: int) -> None:
        if self.options.notes:
            note = Path(self.options.notes) / f"{trial}-{os.getpid()}-{time.monotonic_ns()}-{socket.gethostname()}"
            note.write_text(" ".join(map(str, sorted(os.sched_getaffinity(0)))))

    def misbehave(self, trial: int) -> None:
        once = trial in self.options.die_once_at
        if once and len(list(Path(self.options.notes).glob(f"{trial}-*"))) > 1:
            once = False
        if trial in self.options.die_at or once:
            os.kill(os.getpid(), signal.SIGKILL)
        if trial in self.options.kill_parent_at:
            os.kill(os.getppid(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        if trial in self.options.gil_at:
            ctypes.PyDLL(None).usleep(int(self.options.late_seconds * 1e6))
        if trial in self.options.hang_at:
            threading.Event().wait()
        if trial in self.options.late_at:
            time.sleep(self.options.late_seconds)
        self.wait_at(self.options.held_at, trial)
        if self.options.broken_at is not None and trial >= self.options.broken_at:
            raise RuntimeError("broken on demand")

    def wait_at(self, held: tuple[int, ...], trial: int) -> None:
        while trial in held and not Path(self.options.held_until).exists():
            time.sleep(0.01)

    def fail_first(self, hook: str, trial: int) -> None:
        with self.lock:
            fails = self.options.flaky and trial % 3 == 0 and (hook, trial) not in self.failed
            self.failed.add((hook, trial))
        if fails:
            raise OSError("flaky on demand")


class Serial:
    """Evaluates in the lab's place, one candidate at a time: it declares no thread safety."""

    manifest = Manifest(name="serial", contract=CONTRACT)
    Options = LabOptions

    def __init__(self, options: LabOptions) -> None:
        self.lab = Lab(options)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate, incumbent: Evaluation | None) -> Evaluation:
        return self.lab.evaluate(ctx, candidate, incumbent)


class AdviserOptions(NoOptions):
    text: str = "be bold"


class Adviser:
    """Gives advice, and knows how many trials it was told of."""

    manifest = Manifest(name="adviser", contract=CONTRACT, thread_safe=True)
    Options = AdviserOptions

    def __init__(self, options: AdviserOptions) -> None:
        self.options = options
        self.commits = 0

    @hookimpl
    def observe(self, event) -> None:
        self.commits += isinstance(event, TrialCommitted)

    @hookimpl
    def propose(self, selection) -> tuple[Advice, ...]:
        return (Advice(id="advice", text=f"{self.options.text} after {self.commits}"),)


class WatcherOptions(NoOptions):
    file: str
    fail_at: int | None = None


class Watcher:
    """Writes a line for every committed trial it is told, with its place and whether it was told again."""

    manifest = Manifest(name="watcher", contract=CONTRACT, thread_safe=True)
    Options = WatcherOptions

    def __init__(self, options: WatcherOptions) -> None:
        self.options = options

    @hookimpl
    def observe(self, event) -> None:
        if isinstance(event, TrialCommitted):
            if event.trial.number == self.options.fail_at:
                raise ValueError("watcher broken on demand")
            with Path(self.options.file).open("a") as file:
                file.write(f"{event.seq} {event.trial.number} {event.replayed}\n")
