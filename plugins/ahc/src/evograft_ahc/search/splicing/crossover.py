"""Crossover without a model: a program with functions, and numbers, of another one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from evograft_ahc.search.splicing.functions import CppFunction, FunctionTable, read_functions
from evograft_ahc.search.tuning.tunable import Tunable

Replacement = tuple[CppFunction, CppFunction]
"""What goes, and what takes its place."""

TRIES = 10
"""How often a child that is known already is drawn again."""


def splice(rng: random.Random, mother: str, father: str, is_known: Callable[[str], bool]) -> str | None:
    """Return the mother with some of the father's functions of equal signature.

    `None`: there are no others that fit.

    A function fits if all that it needs of the father's program is in the mother's, too.
    """
    ours, theirs = read_functions(mother), read_functions(father)
    choices = list(_replacements(ours, theirs))
    for _ in range(TRIES if choices else 0):
        chosen = rng.sample(choices, rng.randint(1, max(1, len(choices) - 1)))
        child = _replaced(mother, chosen)
        if not is_known(child) and (ours.is_broken or not read_functions(child).is_broken):
            return child
    return None


def exchange_numbers(
    rng: random.Random, mother: Tunable, father: Tunable, is_known: Callable[[str], bool]
) -> str | None:
    """Return the mother with some of the father's values of numbers that both have by name.

    `None`: there are no others.
    """
    values = {parameter.name: parameter.value for parameter in father.parameters if parameter.name}
    differing = [
        place
        for place, parameter in enumerate(mother.parameters)
        if values.get(parameter.name, parameter.value) != parameter.value
    ]
    for _ in range(TRIES if differing else 0):
        chosen = set(rng.sample(differing, rng.randint(1, len(differing))))
        child = mother.write(
            [
                values[parameter.name] if place in chosen else parameter.value
                for place, parameter in enumerate(mother.parameters)
            ]
        )
        if not is_known(child):
            return child
    return None


def _replacements(ours: FunctionTable, theirs: FunctionTable) -> Iterator[Replacement]:
    missing = theirs.elsewhere - ours.elsewhere
    for signature, function in ours.by_signature.items():
        other = theirs.by_signature.get(signature)
        if other and other.text.split() != function.text.split() and missing.isdisjoint(other.words):
            yield function, other


def _replaced(source: str, replacements: list[Replacement]) -> str:
    text = source.encode()
    for old, new in sorted(replacements, key=lambda pair: pair[0].start, reverse=True):
        text = text[: old.start] + new.text.encode() + text[old.end :]
    return text.decode()
