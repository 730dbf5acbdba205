"""Puts a prompt together from the templates, and cuts its parts until it is short enough."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from evograft.text.evolve_blocks import files_to_change, is_marked
from evograft_hookspecs import Advice, Attempt, History, Trial
from evograft_operators.models.attempts import list_attempts, rank_score
from evograft_operators.models.fences import write_fence
from evograft_operators.models.file_choice import choose_files, list_sizes, rank_files
from evograft_operators.models.language import language_at
from evograft_operators.models.memory import (
    FindOrigin,
    choose_scored,
    find_dropped_lines,
    itself,
    list_metrics,
    list_rejected,
    list_scored,
)
from evograft_operators.models.mutation_task import MutationTask
from evograft_operators.models.operations import REPAIR, STRATEGIES
from evograft_operators.models.templates import OperatorTemplates
from evograft_operators.models.text import cut, list_some, write_score
from evograft_operators.models.tuned_variants import find_origin
from evograft_operators.options import OperatorsOptions

PROGRAM, LARGE, USUAL, SMALL = 8, 4, 2, 1
"""Shares of the room for texts, by how much is lost when they are cut."""
SEVERAL = 4
"""Files that are all shown, each cut if need be; the files of a larger program have the room of so many together."""
KNOWN = 500
"""The newest trials among which the best program is looked for."""


@dataclass(frozen=True)
class ProgramPrompt:
    """The messages that a model is asked with."""

    system: str
    user: str
    used_advice: tuple[str, ...]
    """Ids of the advice that is in it."""


@dataclass(frozen=True)
class SectionSizes:
    """Bounds on what enters a prompt."""

    prompt_chars: int
    history: int
    ancestors: int
    metrics: int
    best_chars: int
    """The length of the best program at most, where its text is shown next to that of the parent."""
    ideas: bool = False
    """Whether other programs are told by their ideas, and scores with all digits that tell them apart."""
    attempts: int = 0
    """How many attempts of late are told."""

    @property
    def tells_best(self) -> bool:
        """Whether the best program is told of wherever it was found."""
        return bool(self.history) and (self.ideas or self.attempts > 0)


def get_sizes(options: OperatorsOptions) -> SectionSizes:
    """Return what the options say about prompts."""
    ideas = options.programs == "ideas"
    best_chars = options.prompt_chars // 8 if ideas else 0
    bounds = (options.prompt_chars, options.history, options.ancestors, options.metrics, best_chars)
    return SectionSizes(*bounds, ideas=ideas, attempts=options.attempts)


def describe_strategy(templates: OperatorTemplates, strategy: str) -> str:
    """Return what a selection's strategy means, in words; empty if it has none."""
    if strategy in STRATEGIES:
        return templates[f"parts/{strategy}"].fill()
    return templates["parts/strategy"].fill(strategy=strategy) if strategy.strip() else ""


def compose_prompt(
    task: MutationTask, templates: OperatorTemplates, history: History, language: str, sizes: SectionSizes
) -> ProgramPrompt:
    """Return the prompt of a task: as much of everything as fits."""
    material = PromptMaterial(task, history, language, sizes)
    prompt = PromptDraft(material, templates, sizes.prompt_chars).written()
    if _size(prompt) <= sizes.prompt_chars:
        return prompt
    if sizes.best_chars:  # no program is cut to show another one
        return compose_prompt(task, templates, history, language, replace(sizes, best_chars=0))
    low, high = 0, sizes.prompt_chars
    while low < high:
        middle = (low + high + 1) // 2
        fits = _size(PromptDraft(material, templates, middle).written()) <= sizes.prompt_chars
        low, high = (middle, high) if fits else (low, middle - 1)
    prompt = PromptDraft(material, templates, low).written()
    room = max(sizes.prompt_chars - len(prompt.system), 0)
    return ProgramPrompt(prompt.system[: sizes.prompt_chars], cut(prompt.user, room, lambda _: "…"), prompt.used_advice)


@dataclass(frozen=True)
class PromptMaterial:
    """Material of a prompt, gathered once and only as far as templates ask for it."""

    task: MutationTask
    history: History
    language: str
    sizes: SectionSizes

    @property
    def instruction(self) -> str:
        """What the proposal asks for; empty where a candidate was rejected: to be fixed it needs no new idea."""
        return "" if self.task.failed else self.task.proposal.instruction

    @cached_property
    def scored(self) -> tuple[str, ...]:
        return self._list_scored(self._scored)

    @cached_property
    def _scored(self) -> tuple[Trial, ...]:
        known = (*self.task.parents, *([self.best] if self.best else ()))
        return choose_scored(self._latest, known, self._find_origin)

    def _list_scored(self, chosen: Iterable[Trial]) -> tuple[str, ...]:
        parents = self.task.parents
        shown = (self.task.ground.files, *(parent.candidate.files for parent in parents if parent.candidate))
        return list_scored(chosen, shown, ideas=self.sizes.ideas, find_origin=self._find_origin)

    @property
    def _find_origin(self) -> FindOrigin:
        return partial(find_origin, history=self.history) if self.sizes.ideas else itself

    @cached_property
    def rejected(self) -> tuple[str, ...]:
        return () if self.sizes.attempts else list_rejected(self._latest, of_models=self.sizes.ideas)

    @cached_property
    def attempts(self) -> tuple[str, ...]:
        told = [trial.number for trial in (*self.task.parents, *self._scored, *([self.best] if self.best else ()))]
        return list_attempts(self._latest, told, self.history, self.sizes.attempts)

    @cached_property
    def best(self) -> Trial | None:
        """The trial with the highest score; of equals a parent, else the first."""
        if not self.sizes.tells_best:
            return None
        parents, known = self.task.parents, self.history.latest(KNOWN)
        scored = [trial for trial in (*parents, *known) if trial.score is not None]
        return max(scored, key=lambda each: (rank_score(each), each in parents, -each.number), default=None)

    @cached_property
    def best_entry(self) -> str:
        """What is told of the best program next to its text."""
        return next(iter(self._list_scored([self.best] if self.best else ())), "")

    @property
    def best_files(self) -> Mapping[str, str]:
        """The files of the best program, if one program is changed that is another one, and there is room for both."""
        if self.best is None or self.best.candidate is None or len(self.task.parents) != 1:
            return {}
        files = self.best.candidate.files
        is_parent = self._find_origin(self.best) == self._find_origin(self.task.parents[0])
        return {} if is_parent or sum(map(len, files.values())) > self.sizes.best_chars else files

    def rank(self, files: Mapping[str, str]) -> list[str]:
        """Return the paths of the files of one of the task's programs, the most relevant first."""
        if id(files) not in self._ranked:
            seeds = self.task.problem.seeds
            numbers = [trial.number for trial in (*self.task.parents, *self._latest[-1:])]
            turn = " ".join(map(str, numbers))
            self._ranked[id(files)] = rank_files(files, start=seeds[0] if seeds else {}, said=self._said, turn=turn)
        return self._ranked[id(files)]

    @cached_property
    def _ranked(self) -> dict[int, list[str]]:
        """By the identity of a program's files, which the task keeps alive: drafts of many lengths ask for it."""
        return {}

    @cached_property
    def _said(self) -> str:
        """Return what the texts of the prompt say, where they may name files."""
        task = self.task
        heard = [said for each in task.parents for said in (each.evaluation.reason, each.evaluation.feedback)]
        heard += [said for each in task.failures for said in (each.reason, each.feedback)]
        advice = [each.text for each in task.proposal.advice]
        return "\n".join((task.problem.statement, task.proposal.instruction, *advice, *heard))

    @cached_property
    def lost(self) -> tuple[str, ...]:
        return find_dropped_lines(self.task.parents, self.history, self.sizes.ancestors)

    @cached_property
    def _latest(self) -> tuple[Trial, ...]:
        return self.history.latest(self.sizes.history) if self.sizes.history else ()


class PromptDraft:
    """One attempt at a prompt.

    Args:
        material: its content.
        templates: how.
        unit: characters that a text of share 1 may have; those of other shares in proportion.
    """

    def __init__(self, material: PromptMaterial, templates: OperatorTemplates, unit: int) -> None:
        self._material = material
        self._task = material.task
        self._templates = templates
        self._unit = unit
        self._used: list[str] = []

    def written(self) -> ProgramPrompt:
        system = self._templates["system"].fill_with(self._value_of)
        user = self._templates[self._task.template].fill_with(self._value_of)
        return ProgramPrompt(system, user, tuple(self._used))

    def _value_of(self, name: str) -> str:
        values: Mapping[str, Callable[[], str]] = {
            "statement": lambda: self._trim(self._task.problem.statement, LARGE),
            "objective": lambda: self._task.problem.objective,
            "language": lambda: self._material.language or self._task.problem.kind,
            "program": self._program,
            "skeleton": self._skeleton,
            "failures": self._failures,
            "best": self._best,
            "scored": lambda: self._list("scored", self._material.scored),
            "rejected": lambda: self._list("rejected", self._material.rejected),
            "attempts": lambda: self._list("attempts", self._material.attempts),
            "lost": self._lost,
            "advice": self._advice,
            "instruction": lambda: self._section("instruction", self._trim(self._material.instruction, USUAL)),
            "blocks": self._blocks,
            "format": self._format,
        }
        return values[name]()

    # -- programs -----------------------------------------------------------------------------------------------------

    def _program(self) -> str:
        if self._task.is_answer_shown_as_program:
            return self._answer(self._task.failures[-1])
        if self._task.failed:
            return self._templates["parts/broken"].fill(files=self._files(self._task.ground.files))
        if not self._task.parents:
            return "" if self._task.ground.missing else self._files(self._task.ground.files)
        shown = self._task.parents if self._task.name != REPAIR else self._task.parents[:1]
        return "\n\n".join(map(self._parent, shown))

    def _parent(self, parent: Trial) -> str:
        return self._templates["parts/program"].fill(
            number=str(parent.number),
            score=write_score(parent.score, exact=self._material.sizes.ideas),
            files=self._files(parent.candidate.files if parent.candidate else {}),
            metrics=self._list("metrics", list_metrics(parent.evaluation, self._material.sizes.metrics)),
            feedback=self._feedback(parent.evaluation.feedback or parent.evaluation.reason),
        )

    def _skeleton(self) -> str:
        if self._task.ground.missing:
            return ""
        return self._templates["parts/skeleton"].fill(files=self._files(self._task.ground.files))

    def _files(self, files: Mapping[str, str]) -> str:
        language = self._material.language
        if len(files) == 1:
            ((path, text),) = files.items()
            return write_fence(self._trim(text, PROGRAM), language_at(path, language, alone=True))
        if len(files) > SEVERAL:
            return self._large_program(files)
        return _join_files({path: self._trim(text, PROGRAM) for path, text in files.items()}, language)

    def _large_program(self, files: Mapping[str, str]) -> str:
        """Return the files that matter and fit, as a whole, and a list of the others."""
        share = PROGRAM * SEVERAL
        chosen = choose_files(files, self._material.rank(files), self._unit * share)
        shown = _join_files({path: self._trim(files[path], share) for path in chosen}, self._material.language)
        others = list_sizes(files, but=chosen)
        if not others:
            return shown
        paths = self._trim("\n".join(f"- {each}" for each in others), LARGE)
        return f"{shown}\n\n{self._templates['parts/others'].fill(count=str(len(others)), paths=paths)}"

    # -- what is known ------------------------------------------------------------------------------------------------

    def _failures(self) -> str:
        *earlier, last = self._task.failures
        answer = "" if self._task.is_answer_shown_as_program else self._answer(last)
        return "\n\n".join((*(self._failure(each) for each in earlier), self._failure(last, answer)))

    def _failure(self, attempt: Attempt, answer: str = "") -> str:
        return self._templates["parts/failure"].fill(
            reason=self._trim(attempt.reason, USUAL), feedback=self._feedback(attempt.feedback), answer=answer
        )

    def _answer(self, attempt: Attempt) -> str:
        """Return an answer without a valid candidate; it may be a program, of which a model has to see all."""
        shown = write_fence(self._trim(attempt.draft, PROGRAM)) if attempt.draft else ""
        return self._templates["parts/answer"].fill(text=shown) if shown else ""

    def _feedback(self, text: str) -> str:
        return self._section("feedback", self._trim(text, USUAL))

    def _advice(self) -> str:
        advice = self._task.proposal.advice
        fitting = [each for each in advice if not (each.of_parent and self._task.has_own_program)]
        shown = [(each, self._trim(each.text, USUAL if each.title else SMALL)) for each in fitting]
        told: list[tuple[Advice, str]] = [(each, text) for each, text in shown if text.strip()]
        self._used = [each.id for each, _ in told]
        titled = [f"# {each.title}\n\n{text}" for each, text in told if each.title]
        listed = self._list("advice", [text for each, text in told if not each.title])
        return "\n\n".join((*titled, *([listed] if listed else ())))

    def _lost(self) -> str:
        lines = self._material.lost
        shown = self._trim("\n".join(lines), SMALL)
        return self._templates["parts/lost"].fill(lines=write_fence(shown)) if shown.strip() else ""

    def _best(self) -> str:
        best = self._material.best
        if best is None:
            return ""
        if best.number in [parent.number for parent in self._task.parents]:
            return self._templates["parts/ahead"].fill(number=str(best.number))
        files = self._material.best_files
        entry = self._trim(self._material.best_entry, USUAL)
        return self._templates["parts/best"].fill(entry=entry, files=self._files(files) if files else "")

    # -- how to answer ------------------------------------------------------------------------------------------------

    def _blocks(self) -> str:
        files = self._task.ground.files
        if not is_marked(files):
            return ""
        frozen = _format_list(path for path in files if path not in files_to_change(files))
        readonly = self._templates["parts/readonly"].fill(paths=frozen) if frozen else ""
        return self._templates["parts/blocks"].fill(readonly=readonly)

    def _format(self) -> str:
        files = self._task.ground.files
        if self._task.form == "tools":
            return self._templates["parts/tools"].fill()
        name = f"parts/{self._task.form}{'-files' if len(files) > 1 else ''}"
        listed = _format_list(files_to_change(files))
        return self._templates[name].fill(language=self._material.language, paths=listed)

    # -- pieces -------------------------------------------------------------------------------------------------------

    def _list(self, part: str, entries: Collection[str]) -> str:
        shown = [text for text in (self._trim(entry, SMALL) for entry in entries) if text.strip()]
        if not shown:
            return ""
        return self._templates[f"parts/{part}"].fill(entries="\n".join(f"- {text}" for text in shown))

    def _section(self, part: str, text: str) -> str:
        return self._templates[f"parts/{part}"].fill(text=text) if text.strip() else ""

    def _trim(self, text: str, share: int) -> str:
        note = self._templates["parts/cut"]
        return cut(text, self._unit * share, lambda count: note.fill(count=str(count)))


def _join_files(files: Mapping[str, str], language: str) -> str:
    fences = {path: write_fence(text, language_at(path, language, alone=False)) for path, text in files.items()}
    return "\n\n".join(f"### {path}\n\n{fence}" for path, fence in fences.items())


def _format_list(paths: Iterable[str]) -> str:
    return list_some([f"`{path}`" for path in paths])


def _size(prompt: ProgramPrompt) -> int:
    return len(prompt.system) + len(prompt.user)
