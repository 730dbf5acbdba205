"""The learner: follows a run, and writes to the playbook what the run has taught."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from evograft.api import EvograftError, read_lock_file, write_atomically
from evograft_hookspecs import (
    Context,
    ControlApplied,
    Event,
    FinalEvaluated,
    ProblemAnalyzed,
    RunEnded,
    RunStarted,
    Trial,
    TrialCommitted,
)
from evograft_hookspecs.services.llm import LlmService
from evograft_playbook.learning.curator import Curator
from evograft_playbook.learning.evidence import BulletEvidence
from evograft_playbook.learning.lesson_writer import LessonWriter
from evograft_playbook.learning.lessons import write_lessons
from evograft_playbook.learning.recall import Recall, offered_ids
from evograft_playbook.learning.reflector import Reflector
from evograft_playbook.learning.run_summary import LessonSummary
from evograft_playbook.options import PlaybookOptions
from evograft_playbook.store import PlaybookStore

FILE = "playbook-learned.json"
"""In the run's folder: what was learned, what was not, and why."""
MOST_BULLETS = 20
"""That were offered most are shown to the model."""


class NotLearned(Exception):  # noqa: N818 - it names what became of the lessons
    """The playbook cannot be written to.

    The run itself is not affected, and teaches when it is resumed.
    """


class Learner:
    """Follows the events of one session.

    Args:
        options: of the plugin.
        started: the session.
        recall: what trials are shown.
    """

    def __init__(self, options: PlaybookOptions, started: RunStarted, recall: Recall) -> None:
        self._options = options
        self._folder = Path(started.folder)
        self._name = started.run
        self._run_id = read_lock_file(self._folder).id
        self._recall = recall
        self._evidence = BulletEvidence()
        self._offered: Counter[str] = Counter()
        self._summary: LessonSummary | None = None
        self._taught = -1
        """How many trials there were when this session last taught."""

    def see(self, ctx: Context, event: Event) -> None:
        """Follow an event.

        Raises:
            NotLearned: the playbook cannot be written to.
        """
        match event:
            case ProblemAnalyzed():
                self._summary = LessonSummary(event.problem)
            case TrialCommitted() if self._summary is not None:
                self._follow(ctx, event.trial, self._summary)
            case ControlApplied() if _changes_plugins(event):
                self._evidence.restart(event.control.first_trial)
            case FinalEvaluated() if self._summary is not None:
                self._teach(self._summary, ctx.llm if ctx.llm.available else None)
            case RunEnded(outcome="complete") if self._summary is not None:
                # The only sign of the end where no program was worth a judgement. Models are closed by now.
                self._teach(self._summary, None)

    def _follow(self, ctx: Context, trial: Trial, summary: LessonSummary) -> None:
        fitting: tuple[str, ...] = ()
        if trial.selection is not None:
            found = self._recall.find_fitting(summary.problem, trial.selection.parents, ctx.history.trial)
            fitting = tuple(bullet.id for bullet in found)
        self._evidence.add(trial, fitting, commit=summary.trials)
        if trial.proposal is not None:
            self._offered.update(offered_ids(trial.proposal))
        summary.add(trial)

    def _teach(self, summary: LessonSummary, llm: LlmService | None) -> None:
        if summary.trials == self._taught:
            return
        self._taught = summary.trials
        reflector = Reflector(llm, language=self._options.language, max_tokens=self._options.max_tokens)
        try:
            with PlaybookStore(self._options.playbook) as store:
                curator = Curator(store, self._options.bounds)
                writer = LessonWriter(store, curator, run_id=self._run_id, name=self._name)
                learned = write_lessons(
                    writer, self._evidence, summary, bullets=self._recall.get(self._most_offered), reflector=reflector
                )
            if learned.credit is not None or learned.lessons is not None:
                write_atomically(self._folder / FILE, f"{learned.model_dump_json(indent=2)}\n".encode())
        except (EvograftError, OSError) as err:
            raise NotLearned(f"what this run has taught is not kept: {err}; mend it, then evo resume") from err

    @property
    def _most_offered(self) -> list[str]:
        ordered = sorted(self._offered, key=lambda id_: (-self._offered[id_], id_))
        return ordered[:MOST_BULLETS]


def _changes_plugins(event: ControlApplied) -> bool:
    """Return whether changed settings may change which bullets fit a trial, or how many it is offered."""
    return "plugins" in event.control.changed
