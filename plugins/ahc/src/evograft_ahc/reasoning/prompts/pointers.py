"""Instructions that name a part of a program, or of two, by its first line: the prompt shows the programs anyway."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from evograft_ahc.reasoning.prompts.case_report import list_better_cases
from evograft_ahc.reasoning.prompts.excerpts import Excerpt, find_excerpts
from evograft_ahc.reasoning.prompts.templates import PromptTemplates, quote
from evograft_hookspecs import Trial
from evograft_novelty import are_ancestor_and_descendant

MOST_FUNCTIONS = 12
NOTHING = "–"


def point_at_parts(rng: random.Random, source: str, prompts: PromptTemplates) -> Iterator[str]:
    """Yield an instruction for a loop and one for a function, drawn again in every trial."""
    everything = find_excerpts(source)
    excerpts = everything.without_input_output()
    if part := excerpts.draw_part(rng):
        where = _describe_place(everything.find_function(part), prompts)
        yield prompts.fill("mutation_part_named", where=where, **_describe(part)).rstrip()
    if function := excerpts.draw_function(rng):
        yield prompts.fill("mutation_function_named", **_describe(function))


def _describe(part: Excerpt) -> dict[str, str]:
    return {"line": quote(_first_line(part), "cpp"), "number": str(part.first + 1), "lines": str(part.lines)}


def _describe_place(function: Excerpt | None, prompts: PromptTemplates) -> str:
    """Name the function that a part stands in: programs are shown without numbers of lines."""
    return prompts.fill("within_function", function=_heading(function)) if function else ""


def can_take_over(one: Trial, other: Trial, sign: int, lookup: Callable[[int], Trial]) -> bool:
    """Return whether a program has something to take over from another one.

    It has not where the other is better on no case, as the start program, or where one has become the other, which
    wins some cases by luck.

    Args:
        one: the program that is built upon.
        other: the other one.
        sign: 1: more is better; -1: less is.
        lookup: finds a trial by number.
    """
    is_beaten = bool(one.evaluation.cases) and not list_better_cases(other, one, sign)
    return not is_beaten and not are_ancestor_and_descendant(one, other, lookup)


def point_at_differences(one: Trial, other: Trial, sign: int, prompts: PromptTemplates) -> str:
    """Return the instruction for a crossover: which functions differ, and where which program is better."""
    sources = [trial.candidate.source if trial.candidate else "" for trial in (one, other)]
    return prompts.fill(
        "crossover_named",
        functions_A=_only_in(*sources),
        functions_B=_only_in(*reversed(sources)),
        cases_A=_listed(list_better_cases(one, other, sign)),
        cases_B=_listed(list_better_cases(other, one, sign)),
    )


def _only_in(source: str, other: str) -> str:
    known = {" ".join(each.text.split()) for each in find_excerpts(other).functions}
    own = [each for each in find_excerpts(source).functions if " ".join(each.text.split()) not in known]
    return _listed(map(_heading, own[:MOST_FUNCTIONS]))


def _heading(function: Excerpt) -> str:
    return f"`{function.heading}`"


def _first_line(part: Excerpt) -> str:
    return part.text.partition("\n")[0].strip()


def _listed(entries: Iterable[str]) -> str:
    return ", ".join(entries) or NOTHING
