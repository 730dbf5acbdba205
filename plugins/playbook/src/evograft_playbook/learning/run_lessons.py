"""Lessons that a run draws from itself: a model writes them every so many trials, and only those that help stay."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from evograft_hookspecs import Advice, Context, Problem, Trial
from evograft_hookspecs.services.llm import LlmService
from evograft_hookspecs.values import Count, Text, Value
from evograft_playbook.learning.credit import BulletEstimate
from evograft_playbook.learning.evidence import BulletEvidence
from evograft_playbook.learning.recent_trials import describe_recent
from evograft_playbook.learning.reflector import Reflector
from evograft_playbook.learning.run_summary import LessonSummary
from evograft_playbook.options import PlaybookOptions

OURS = "playbook-run."
"""What ids of this advice begin with: what a run draws from itself is not credited to the playbook."""
ON_TRIAL = 2
"""Reflections after which a lesson has to be known as helpful."""
MOST = 20
"""Lessons in use at a time."""


class RunLesson(Value):
    """A lesson or an instruction of a reflection."""

    id: Text
    text: Text
    written: Count
    """How many trials there were."""
    dropped: Count | None = None
    """How many trials there were when it was given up; `None`: it is in use."""
    estimate: BulletEstimate | None = None
    """Of its effect, when it was last looked at; `None`: there were too few trials."""


class RunLessons:
    """A fold over commits: which lessons are in use, and what trials have gained with and without each.

    The model's answers are in the log with the commit that each followed, so a run that is resumed or repeated has the
    same lessons.

    Args:
        options: of the plugin.
        problem: of the run.
    """

    def __init__(self, options: PlaybookOptions, problem: Problem) -> None:
        self._every = options.reflect_every
        self._options = options
        self._summary = LessonSummary(problem)
        self._evidence = BulletEvidence(prefix=OURS)
        self._lessons: dict[str, RunLesson] = {}
        """All that were ever written, by id."""
        self._changes: list[int] = [0]
        """Commits after which other lessons were in use."""
        self._in_use: list[tuple[str, ...]] = [()]
        """Those that were, from each of these commits on."""

    @property
    def all(self) -> tuple[RunLesson, ...]:
        """All lessons that were written."""
        return tuple(self._lessons.values())

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What is in use now."""
        return tuple(Advice(id=f"{OURS}{each}", text=self._lessons[each].text) for each in self._in_use[-1])

    def add(self, ctx: Context, trial: Trial) -> None:
        """Follow a commit, and have a model reflect when it is time."""
        fitting = self._in_use[bisect_right(self._changes, trial.view) - 1]
        self._evidence.add(trial, fitting, commit=self._summary.trials)
        self._summary.add(trial)
        if self._summary.trials % self._every:
            return
        self._judge()
        if len(self._kept) < MOST:
            self._write(ctx.llm, describe_recent(ctx.history.latest(self._every), ctx.history))
        self._changes.append(self._summary.trials)
        self._in_use.append(self._kept)

    def restart(self, first: int) -> None:
        """Drop what trials before this one said: other settings held for them."""
        self._evidence.restart(first)

    @property
    def _kept(self) -> tuple[str, ...]:
        return tuple(each.id for each in self._lessons.values() if each.dropped is None)

    def _judge(self) -> None:
        """Give up what is known to harm, and what is not known to help when its time is over."""
        estimates = {each.bullet_id: each for each in self._evidence.estimates(since=0)}
        trials = self._summary.trials
        for lesson in tuple(self._lessons.values()):
            if lesson.dropped is not None:
                continue
            estimate = estimates.get(lesson.id)
            verdict = estimate.verdict if estimate else "unknown"
            is_over = trials - lesson.written >= ON_TRIAL * self._every
            is_kept = verdict == "helpful" or (verdict == "unknown" and not is_over)
            changed = {"estimate": estimate, "dropped": None if is_kept else trials}
            self._lessons[lesson.id] = lesson.model_copy(update=changed)

    def _write(self, llm: LlmService, recent: Mapping[str, str]) -> None:
        reflector = Reflector(llm, language=self._options.language, max_tokens=self._options.max_tokens)
        known = {each.text for each in self._lessons.values()}
        texts = reflector.on_trials(self._summary, recent, lessons=map(describe_lesson, self._lessons.values()))
        for text in dict.fromkeys(each for each in texts if each not in known):
            if len(self._kept) < MOST:
                new = RunLesson(id=f"run-{len(self._lessons) + 1:05}", text=text, written=self._summary.trials)
                self._lessons[new.id] = new


def describe_lesson(lesson: RunLesson) -> str:
    """Return a lesson with what is known of it, as the model reads it."""
    verdict = lesson.estimate.verdict if lesson.estimate else "unknown"
    return f"({verdict}{', given up' if lesson.dropped is not None else ''}) {' '.join(lesson.text.split())}"
