"""A plugin for tests that evaluates nothing: it looks up what the log of another run says about a trial's candidate,
and which problem was posed.

Programs that watch a clock have another score each time, so a run of theirs is repeated with the scores it had.
"""

from __future__ import annotations

from pathlib import Path

from evograft.api import FinalEvaluation, Finished, open_journal
from evograft_hookspecs import CONTRACT, Evaluation, Manifest, NoOptions, Problem, hookimpl


class LookedUpOptions(NoOptions):
    run: str
    """The folder of the run that is repeated."""


class LookedUp:
    manifest = Manifest(name="looked_up", contract=CONTRACT, thread_safe=True)
    Options = LookedUpOptions

    def __init__(self, options: LookedUpOptions) -> None:
        with open_journal(Path(options.run)) as journal:
            records = tuple(journal.records())
            self._trials = {each.trial.number: each.trial for each in records if isinstance(each, Finished)}
            self._kept = {number: journal.kept(trial.evaluation) for number, trial in self._trials.items()}
        (self._problem,) = (each for each in records if isinstance(each, Problem))
        (self._final,) = (each.evaluation for each in records if isinstance(each, FinalEvaluation))

    @hookimpl
    def analyze(self):
        return self._problem

    @hookimpl
    def evaluate(self, ctx, candidate):
        if ctx.purpose == "final":
            return self._final
        trial = self._trials[ctx.trial]
        for attempt in trial.attempts:
            if attempt.candidate is not None and attempt.candidate.files == candidate.files:
                return Evaluation.rejected(attempt.reason, feedback=attempt.feedback)
        assert candidate.files == trial.candidate.files, f"trial {ctx.trial} has another candidate"
        return trial.evaluation.model_copy(update={"kept": self._kept[ctx.trial], "kept_digest": ""})
