"""The operator `program.tune`: when it is offered, and how it makes a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from evograft_hookspecs import Candidate, CandidateRejected, Context, Operator, Proposal, Selection, Trial
from evograft_program.options import ProgramOptions
from evograft_program.task.candidates import file_name
from evograft_program.task.languages import find_language
from evograft_program.task.problem import KIND
from evograft_program.tuning.family import LiteralFamily, find_family
from evograft_program.tuning.optimiser import suggest_points

TUNE = "program.tune"
OPERATORS = (Operator(name="tune", description="varies the numbers of a program, without a model"),)
"""For the manifest."""

MEMORY = 1000
"""The newest trials that are looked through for what is known of a program."""
TRIES = 200
"""How many points are looked at for one that was not tried."""
PATIENCE = 10
"""Trials without a better one, for each number, after which a program is tuned half as often."""


def offer_tuning(ctx: Context, selection: Selection, options: ProgramOptions) -> tuple[Proposal, ...]:
    """Return the operator if the best parent, or the first seed program, has numbers to tune. Call it in `propose`.

    Its weight falls while it finds nothing better in a program: then others are worth more, or other operators.
    """
    parents = tuple(ctx.history.trial(number) for number in selection.parents)
    files = _find_files(ctx, parents)
    if not options.tuning.enabled or not files:
        return ()
    family = _find_family(ctx, files, parents, options)
    if not family.chosen:
        return ()
    weight = options.tuning.weight / (1 + _stale(family) / (PATIENCE * len(family.chosen)))
    return (Proposal(id=TUNE, operator=TUNE, weight=weight),)


def tune(ctx: Context, proposal: Proposal, parents: tuple[Trial, ...], options: ProgramOptions) -> Candidate:
    """Return the best parent with numbers that were not tried. Call it in `mutate`; it is a function of its arguments.

    Raises:
        CandidateRejected: there is no number to tune, or all that can be reached was tried.
    """
    files = _find_files(ctx, parents)
    family = _find_family(ctx, files, parents, options) if files else None
    if family is None or not family.chosen:
        raise CandidateRejected(f"{TUNE} finds no number to tune: give numbers names, or name a model to ask")
    points = suggest_points(len(family.chosen), family.tried(TUNE), seed=ctx.seed)
    written = (family.write(point) for point in islice(points, TRIES))
    child = next((each for each in written if not family.knows(each)), None)
    if child is None:
        raise CandidateRejected(f"{TUNE} has tried all values of this program's numbers that it can reach")
    best = _find_best(parents)
    return Candidate(
        kind=KIND,
        files=child,
        operator=proposal.operator,
        trial=ctx.trial or 0,
        parents=(best.number,) if best else (),
    )


def count_choices(files: Mapping[str, str], options: ProgramOptions) -> int:
    """Return how many numbers of a program would be tuned."""
    return len(find_family(files, (), language=_language(options), most=options.tuning.most_literals).chosen)


def _find_files(ctx: Context, parents: Sequence[Trial]) -> Mapping[str, str]:
    """Return the best parent's files, else those of the first seed program; none: there is nothing to start from."""
    best = _find_best(parents)
    if best is not None and best.candidate is not None:
        return best.candidate.files
    return ctx.problem.seeds[0] if ctx.problem and ctx.problem.seeds else {}


def _find_best(parents: Sequence[Trial]) -> Trial | None:
    able = [parent for parent in parents if parent.candidate is not None]
    return max(able, key=_worth, default=None)


def _find_family(
    ctx: Context, files: Mapping[str, str], parents: Sequence[Trial], options: ProgramOptions
) -> LiteralFamily:
    trials = {trial.number: trial for trial in (*parents, *ctx.history.latest(MEMORY))}
    return find_family(files, trials.values(), language=_language(options), most=options.tuning.most_literals)


def _language(options: ProgramOptions) -> str:
    return options.candidate.language or find_language(file_name(options.candidate))


def _stale(family: LiteralFamily) -> int:
    """Return how many trials have tuned the family since its best one."""
    trials = [trial for _, trial in family.members]
    best = max(trials, key=_worth, default=None)
    return sum(best is not None and trial.number > best.number for trial in trials)


def _worth(trial: Trial) -> float:
    return float("-inf") if trial.score is None else trial.score
