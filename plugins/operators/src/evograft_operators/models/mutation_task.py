"""The task of one call of `mutate`: which program is changed, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.text.evolve_blocks import empty_blocks, is_marked
from evograft_hookspecs import Attempt, Candidate, CandidateRejected, Context, FrozenDict, Problem, Proposal, Trial
from evograft_hookspecs.types import SINGLE_FILE
from evograft_operators.models.answer import AnswerBase
from evograft_operators.models.attempts import rank_score
from evograft_operators.models.blocks import check_marks
from evograft_operators.models.diff import has_edits
from evograft_operators.models.fences import read_fences
from evograft_operators.models.operations import AGENT, OPERATIONS, REPAIR, Form
from evograft_operators.models.proposal_data import find_operation


@dataclass(frozen=True)
class MutationTask:
    """An operator at work on its parents."""

    name: str
    """The operator's short name."""
    form: Form
    proposal: Proposal
    problem: Problem
    parents: tuple[Trial, ...]
    """Those that are used."""
    ground: AnswerBase
    failures: tuple[Attempt, ...] = ()
    failed: Candidate | None = None
    """The rejected candidate that is repaired, if there was a valid one."""

    @property
    def template(self) -> str:
        """The name of the prompt's template."""
        return "rewrite" if self.name == AGENT else self.name

    @property
    def has_own_program(self) -> bool:
        """Whether what is repaired is a program: a rejected candidate, or an answer with code that edits no other.

        Then the parents would be a second program, and are not shown.
        """
        return self.failed is not None or self.is_answer_shown_as_program

    @property
    def is_answer_shown_as_program(self) -> bool:
        """Whether the newest attempt is an answer with a whole program, which takes the place of what it followed."""
        draft = self.failures[-1].draft if self.failures else ""
        return bool(draft) and not has_edits(draft) and bool(read_fences(draft))

    @property
    def lineage(self) -> tuple[int, ...]:
        """The parents that the child will name."""
        return self.failed.parents if self.failed else tuple(parent.number for parent in self.parents)


def build_task(
    ctx: Context, proposal: Proposal, parents: tuple[Trial, ...], *, best_first: bool = False
) -> MutationTask:
    """Find out what a proposal asks for.

    Args:
        ctx: of the call.
        proposal: what is to be done.
        parents: as they were selected.
        best_first: whether what this plugin offers builds on the best of them, and not on the first. Proposals of
            others say what each one is for.

    Raises:
        CandidateRejected: it cannot be done: no problem, too few parents, a parent whose marks are broken, or nothing
            to repair.
    """
    if ctx.problem is None:
        raise CandidateRejected("there is no problem yet to write a program for")
    if best_first and proposal.id.startswith(proposal.operator):  # as the ids of this plugin's own offers do
        parents = tuple(sorted(parents, key=rank_score, reverse=True))
    name = _shorten(proposal.operator)
    if name == REPAIR:
        return _build_repair(ctx, ctx.problem, proposal, parents)
    operation = OPERATIONS[name]
    used = parents[: operation.parents]
    if len(used) < operation.parents:
        raise CandidateRejected(f"{proposal.operator} needs {operation.parents} parents, not {len(used)}")
    return MutationTask(name, operation.form, proposal, ctx.problem, used, _build_base(used, ctx.problem))


def _build_repair(ctx: Context, problem: Problem, proposal: Proposal, parents: tuple[Trial, ...]) -> MutationTask:
    failures = proposal.failed
    if not failures:
        raise CandidateRejected(f"{proposal.operator} has nothing to mend: it follows a rejected candidate")
    if not ctx.llm.available or not _is_by_model(failures[-1]):
        # A formula is drawn again in the next trial for less than a model's answer costs.
        raise CandidateRejected(failures[-1].reason, draft=failures[-1].draft)
    made = [attempt.candidate for attempt in failures if attempt.candidate]
    origin = OPERATIONS.get(find_operation(proposal), OPERATIONS[REPAIR])
    forms = {origin.form, *(OPERATIONS[_shorten(candidate.operator)].form for candidate in made)}
    used = parents[: origin.parents]
    ground, failed = _build_base(used, problem), made[-1] if made else None
    # What is wrong with a whole program is most often a line of it.
    form: Form = "edits" if failed or "edits" in forms or has_edits(failures[-1].draft) else "whole"
    if failed:
        check_marks(failed.files, "the rejected program")
        ground = AnswerBase(failed.files, known=(*(each.files for each in made), *ground.known))
    return MutationTask(REPAIR, form, proposal, problem, used, ground, failures, failed)


def _is_by_model(attempt: Attempt) -> bool:
    if attempt.candidate is None:
        return bool(attempt.draft)
    return _shorten(attempt.candidate.operator) in OPERATIONS


def _build_base(parents: tuple[Trial, ...], problem: Problem) -> AnswerBase:
    if not parents:
        return _build_fresh_base(problem)
    programs = [_files_of(parent) for parent in parents]
    check_marks(programs[0], f"trial {parents[0].number}")
    return AnswerBase(programs[0], known=programs)


def _build_fresh_base(problem: Problem) -> AnswerBase:
    """Return the seed's skeleton if seeds have marks, else the names of its files."""
    for seed in problem.seeds:
        if is_marked(seed):
            check_marks(seed, "the seed program")
            skeleton = FrozenDict(empty_blocks(seed))
            return AnswerBase(skeleton, known=(skeleton,))
    seed = problem.seeds[0] if problem.seeds else FrozenDict({SINGLE_FILE: ""})
    needed = frozenset(path for path, text in seed.items() if text.strip() or len(seed) == 1)
    return AnswerBase(FrozenDict(dict.fromkeys(seed, "")), missing=needed)


def _files_of(parent: Trial) -> FrozenDict[str, str]:
    if parent.candidate is None:
        raise CandidateRejected(f"trial {parent.number} has no candidate to start from")
    return parent.candidate.files


def _shorten(operator: str) -> str:
    return operator.partition(".")[2]
