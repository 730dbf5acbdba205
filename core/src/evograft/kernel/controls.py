"""What the log holds beside trials: instructions, stops, changed settings, judgements, by the commit at which they happened."""

from __future__ import annotations

from collections import defaultdict

from evograft.log.journal import FinalEvaluation, Journal
from evograft_hookspecs import Advice, Control


class ControlLog:
    """Those of the log, and those that this session adds."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._instructions: list[Control] = []
        self._messages: set[str] = set()
        self._by_commit: dict[int, list[Control | FinalEvaluation]] = defaultdict(list)
        self.judged: FinalEvaluation | None = None
        """The newest judgement."""
        for control in journal.controls():
            self._by_commit[control.commits].append(control)
            self._keep(control)

    def write_control(self, control: Control) -> Control:
        """Logs something that happens now, before the first trial that it affects starts; returns it as logged."""
        written = self._journal.write_control(control)
        self._keep(written)
        return written

    def has_message(self, message: str) -> bool:
        """Whether a message from another process was applied before."""
        return message in self._messages

    def write_judgement(self, judged: FinalEvaluation) -> FinalEvaluation:
        written = self._journal.write_judgement(judged)
        self._keep(written)
        return written

    def logged_at(self, commits: int) -> list[Control | FinalEvaluation]:
        """What the log says happened after so many commits, in order; each is handed out once."""
        return self._by_commit.pop(commits, [])

    def advice_for(self, trial: int) -> tuple[Advice, ...]:
        """The instructions that hold for a trial."""
        return tuple(
            Advice(id=f"tell-{number}", text=control.text, strategies=control.strategies)
            for number, control in enumerate(self._instructions)
            if control.first_trial <= trial
        )

    def _keep(self, control: Control | FinalEvaluation) -> None:
        if isinstance(control, FinalEvaluation):
            self.judged = control
            return
        self._messages.add(control.message)
        if control.kind == "tell":
            self._instructions.append(control)
