"""The plugin: hooks of a few lines; the work is in the modules they import."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from evograft_hookspecs import (
    CONTRACT,
    Advice,
    Context,
    ControlApplied,
    EnvironmentReport,
    Event,
    Manifest,
    ProblemAnalyzed,
    RunEnded,
    RunStarted,
    Selection,
    TrialCommitted,
    hookimpl,
)
from evograft_playbook.options import PlaybookOptions

if TYPE_CHECKING:
    from evograft_playbook.learning.learner import Learner
    from evograft_playbook.learning.recall import Recall
    from evograft_playbook.learning.run_lessons import RunLessons


class PlaybookPlugin:
    """Advises trials with what was learned before, and keeps what runs teach."""

    manifest: ClassVar = Manifest(
        name="playbook",
        description="The playbook: keeps what was learned, searches it, and answers with it.",
        contract=CONTRACT,
        thread_safe=True,
    )
    Options: ClassVar = PlaybookOptions

    def __init__(self, options: PlaybookOptions) -> None:
        self.options = options
        self._recall: Recall | None = None
        self._learner: Learner | None = None
        self._lessons: RunLessons | None = None

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport | None:
        if ctx.role == "worker" or ctx.llm.available or not self.options.learn:
            return None
        return EnvironmentReport(done=("no model: the run will teach by what it counts and what rules can say",))

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Advice, ...] | None:
        if ctx.problem is None:
            return None
        recall = self._recall_of(ctx)
        fitting = recall.find_fitting(ctx.problem, selection.parents, ctx.history.trial)
        return (*recall.offer(fitting, ctx.rng, left_out=self.options.left_out), *self._offer_lessons(ctx)) or None

    @hookimpl
    def observe(self, ctx: Context, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._begin(ctx, event)
        try:
            if self._learner is not None:
                self._learner.see(ctx, event)
            if self.options.reflect_every and ctx.llm.available:
                self._reflect(ctx, event)
        finally:
            if isinstance(event, RunEnded) and self._recall is not None:
                self._recall.close()

    def _begin(self, ctx: Context, started: RunStarted) -> None:
        from evograft_playbook.learning import snapshot
        from evograft_playbook.learning.learner import Learner

        snapshot.keep_snapshot(started, ctx.scratch, self.options.playbook)
        # A run that is repeated has taught its lessons the first time.
        if self.options.learn and not snapshot.is_repeat(started):
            self._learner = Learner(self.options, started, self._recall_of(ctx))

    def _offer_lessons(self, ctx: Context) -> tuple[Advice, ...]:
        if self._lessons is None:
            return ()
        from evograft_playbook.learning.recall import leave_out

        return leave_out(self._lessons.advice, ctx.rng, share=self.options.left_out)

    def _reflect(self, ctx: Context, event: Event) -> None:
        match event:
            case ProblemAnalyzed():
                from evograft_playbook.learning.run_lessons import RunLessons

                self._lessons = RunLessons(self.options, event.problem)
            case TrialCommitted() if self._lessons is not None:
                self._lessons.add(ctx, event.trial)
            case ControlApplied() if self._lessons is not None and "plugins" in event.control.changed:
                self._lessons.restart(event.control.first_trial)

    def _recall_of(self, ctx: Context) -> Recall:
        if self._recall is None:
            from evograft_playbook.learning.recall import open_recall

            self._recall = open_recall(self.options, ctx.scratch)
        return self._recall
