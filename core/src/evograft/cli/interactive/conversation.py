"""`evo run --interactive`: a run that shows its steps, waits for confirmation at the first ones, and always listens."""

from __future__ import annotations

import re
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evograft.cli.description import describe
from evograft.cli.interactive.ideas import ideas_of
from evograft.cli.interactive.outline import outline
from evograft.cli.interactive.questions import is_question, request_for
from evograft.cli.typed_lines import TypedLines
from evograft.config.generations import Generations
from evograft.errors import EvograftError, HookAborted
from evograft.kernel.kernel import Kernel
from evograft.log.history import operator_of
from evograft.log.population import Best
from evograft.plugin.loading import ActivePlugin
from evograft.runs.mailbox import RunMessage
from evograft.runs.status import read_status
from evograft.text.escapes import escape_controls, sanitize
from evograft.text.i18n import Catalog, usual_language
from evograft_hookspecs import (
    CONTRACT,
    Event,
    LlmRefused,
    Manifest,
    Problem,
    ProblemAnalyzed,
    RunEnded,
    Strategy,
    Trial,
    TrialCommitted,
)
from evograft_hookspecs.hooks import hookimpl

FOLLOW = "Follow these strategies: "
"""How the choice among strategies begins as an instruction."""
MOST_IDEAS = 3
"""Told of a generation."""
LONGEST_LINE = 1000
"""Characters of a line of an analysis."""
MOST_STATEMENT = 20_000
"""Characters of a task that are shown."""


def chosen(strategies: Sequence[Strategy], answer: str) -> list[str]:
    """Return the strategies that an answer asks for: numbers choose, `2: text` rewrites one, other text is added."""
    picked, edited, added = [], {}, []
    for part in filter(None, (part.strip() for part in answer.split(";"))):
        edit = re.fullmatch(r"(\d+)\s*:\s*(.+)", part)
        if edit and 0 < int(edit[1]) <= len(strategies):
            edited[int(edit[1])] = edit[2]
        elif re.fullmatch(r"[\d,\s]+", part):
            picked += [int(number) for number in re.findall(r"\d+", part) if 0 < int(number) <= len(strategies)]
        else:
            added.append(part)
    numbers = picked or list(edited) or range(1, len(strategies) + 1)
    numbers = sorted({*numbers, *edited})
    return [edited.get(number) or str(strategies[number - 1]) for number in numbers] + added


class TerminalConversation:
    """Observes a run and talks with the person at the terminal.

    Its steps, for any plugin: the analysis; the strategies; the first program, each shown and confirmed; then a line a
    generation; and a prompt that takes questions and instructions at any time.
    """

    def __init__(self, folder: Path) -> None:
        self.kernel: Kernel | None = None
        self._folder = folder
        self._problem: Problem | None = None
        self._best = Best()
        self._fresh: list[Trial] = []
        """Since the generation began."""
        self._commits = 0
        self._listening = False
        self._typed = TypedLines(sys.stdin)
        self._say = Catalog(usual_language(), __package__)

    def as_plugin(self) -> ActivePlugin:
        manifest = Manifest(name="conversation", contract=CONTRACT, thread_safe=True)
        return ActivePlugin("evo run --interactive", self, manifest, "evograft")

    @hookimpl
    def observe(self, ctx: Any, event: Event) -> None:
        if isinstance(event, ProblemAnalyzed):
            self._problem = event.problem
            self._say = Catalog(event.problem.spoken_language or usual_language(), __package__)
            if not event.replayed:
                if not ctx.llm.available:
                    click.echo(self._say("no_model"))
                self._confirm_analysis(event.problem)
                self._choose_strategies(event.problem)
        elif isinstance(event, TrialCommitted):
            self._follow(event.trial, replayed=event.replayed, generation_size=ctx.generation_size)
        elif isinstance(event, RunEnded):
            self._listening = False
            self._typed.end()

    def _confirm_analysis(self, problem: Problem) -> None:
        say, told_lines = self._say, [sanitize(line, LONGEST_LINE) for line in problem.outline]
        title = told_lines[0] if told_lines else problem.name
        click.echo(f"\n1. {say('problem')}: {title}\n{escape_controls(problem.statement[:MOST_STATEMENT])}\n")
        candidates = " ".join(dict.fromkeys(filter(None, (problem.kind, problem.language))))
        click.echo(f"   {say('scored_by')}: {problem.objective}; {say('candidates')}: {candidates}")
        for line in told_lines[1:] or _outline(problem):
            click.echo(f"   {line}")
        self._wait_for_word(say("is_it"))

    def _choose_strategies(self, problem: Problem) -> None:
        strategies = problem.strategies
        if not strategies:
            click.echo(f"\n2. {self._say('no_strategies')}")
            self._wait_for_word(self._say("something"))
            return
        click.echo(f"\n2. {self._say('strategies')}")
        for number, strategy in enumerate(strategies, start=1):
            sources = f" [{', '.join(strategy.sources)}]" if strategy.sources else ""
            click.echo(f"   {number}. {sanitize(f'{strategy}{sources}')}")
        answer = self._ask(self._say("which"))
        if answer:
            following = chosen(strategies, answer)
            self._instruct(FOLLOW + "; ".join(following), strategies=tuple(following))

    def _follow(self, trial: Trial, *, replayed: bool, generation_size: int) -> None:
        first = self._best.trial is None
        self._best.see(trial)
        self._commits += 1
        if replayed:
            return
        if first and self._best.trial is not None:
            self._confirm_program(trial)
        self._listen()
        self._fresh.append(trial)
        generations = Generations(len(self._problem.seeds) if self._problem else 0, generation_size)
        if generations.is_end(self._commits) and (generation := generations.complete(self._commits)):
            self._tell_generation(generation)

    def _confirm_program(self, trial: Trial) -> None:
        click.echo(f"\n3. {self._say('first', trial=trial.number, score=self._score_of(trial))}")
        for path, text in trial.candidate.files.items() if trial.candidate else ():
            click.echo(f"-- {path}\n{escape_controls(text.rstrip())}")
        self._wait_for_word(self._say("go_on_from_it"))
        click.echo(f"\n{self._say('search')}")

    def _score_of(self, trial: Trial) -> str:
        """Return the score in words, and the average of the cases where these have scores of their own."""
        cases, score = trial.evaluation.cases, "-" if trial.score is None else f"{trial.score:.6g}"
        if not cases:
            return score
        return self._say("average", score=score, average=f"{sum(cases.values()) / len(cases):,.10g}", n=len(cases))

    def _tell_generation(self, generation: int) -> None:
        counts = Counter(map(operator_of, self._fresh))
        tried = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        say, leader = self._say, self._best.trial
        best = say("in_trial", score=self._score_of(leader), trial=leader.number) if leader else say("none")
        click.echo("\n" + say("generation", number=generation, best=best, tried=tried))
        for number, idea in self._ideas():
            click.echo(f"  {say('trial', trial=number)}: {idea}")
        self._fresh = []
        self._prompt()

    def _ideas(self) -> list[tuple[int, str]]:
        """Return what the model had in mind with the best trials of the generation."""
        scores = {trial.number: trial.score for trial in self._fresh if trial.score is not None}
        try:
            ideas = ideas_of(self._folder, scores)
        except EvograftError:  # a log that cannot be read is the kernel's to report
            return []
        return sorted(ideas.items(), key=lambda idea: -scores[idea[0]])[:MOST_IDEAS]

    # -- the person's words -------------------------------------------------------------------------------------------

    def _wait_for_word(self, question: str) -> None:
        while is_question(answer := self._ask(f"{question} ({self._say('go_on')})")):
            click.echo(self._answer(answer))
        if answer:
            self._instruct(answer)

    def _ask(self, question: str) -> str:
        click.echo(f"{question}\n> ", nl=False)
        answer = self._typed.read().strip()
        if answer.lower() in ("q", "quit"):
            self._stop()
            return ""
        return "" if answer.lower() in ("y", "yes") else answer

    def _instruct(self, text: str, *, strategies: tuple[str, ...] = ()) -> None:
        assert self.kernel is not None, "set before the run starts"
        # On the kernel's own thread: it holds from the very next trial on.
        self.kernel.requests.apply(RunMessage(uuid.uuid4().hex, "tell", text, strategies))

    def _stop(self) -> None:
        assert self.kernel is not None, "set before the run starts"
        self.kernel.requests.stop("stopped by the person at the terminal", by="terminal")

    def _listen(self) -> None:
        if not self._listening:
            self._listening = True
            threading.Thread(target=self._hear, name="conversation", daemon=True).start()

    def _hear(self) -> None:
        self._prompt()
        while self._listening and (line := self._typed.read()):
            if line.strip():
                self._heard(line.strip())
            self._prompt()

    def _heard(self, text: str) -> None:
        assert self.kernel is not None, "set before the run starts"
        if text.lower() in ("q", "quit", "stop"):
            self._stop()
        elif is_question(text):
            click.echo(self._answer(text))
        else:
            self.kernel.requests.tell(text)
            click.echo(self._say("instructed"))

    def _prompt(self) -> None:
        if self._listening:
            click.echo("> ", nl=False)

    def _answer(self, question: str) -> str:
        assert self.kernel is not None, "set before the run starts"
        standing, best = self._standing(), self._best.trial
        try:
            request = request_for(question, problem=self._problem, standing=standing, best=best)
            return escape_controls(self.kernel.requests.ask(request))
        except (LlmRefused, HookAborted):
            return f"{self._say('nobody')}\n{standing}\n\n{_shown(best, self._say)}"

    def _standing(self) -> str:
        try:
            return describe(read_status(self._folder, inside=True))
        except EvograftError as err:
            return str(err)


def _outline(problem: Problem) -> Iterator[str]:
    """Return the lines of an analysis for which its plugin has none."""
    return outline(problem.analysis if isinstance(problem.analysis, Mapping) else {})


def _shown(best: Trial | None, say: Catalog) -> str:
    """Return the best program and what its evaluation said."""
    source = "\n".join(best.candidate.files.values()) if best and best.candidate else say("no_program")
    said = f"\n\n{say('said')}:\n{best.evaluation.feedback}" if best and best.evaluation.feedback else ""
    return escape_controls(f"{say('best_program')}:\n{source}{said}")
