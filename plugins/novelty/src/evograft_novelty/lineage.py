"""The trials that a trial descends from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from evograft_hookspecs import Trial


def find_ancestors(trial: Trial, lookup: Callable[[int], Trial], limit: int) -> Iterator[Trial]:
    """Return the parents, their parents, and so on: the nearest first, each trial once, without the trial itself.

    Within a generation they come in the order in which candidates name their parents.

    Args:
        trial: where to start; one without a candidate has no ancestors.
        lookup: finds a trial by number, as `ctx.history.trial` does; a KeyError ends that branch.
        limit: the largest number of ancestors; nothing is looked up beyond it.
    """
    seen = {trial.number}
    queue = deque(_parents(trial))
    while queue and limit > 0:
        number = queue.popleft()
        if number in seen:
            continue
        seen.add(number)
        try:
            ancestor = lookup(number)
        except KeyError:
            continue
        yield ancestor
        limit -= 1
        queue.extend(_parents(ancestor))


def are_ancestor_and_descendant(one: Trial, other: Trial, lookup: Callable[[int], Trial]) -> bool:
    """Return whether one of two trials descends from the other, over any number of trials.

    Args:
        one: the first.
        other: the second.
        lookup: finds a trial by number; a KeyError ends that branch. None from before both is looked up.
    """
    older, newer = sorted((one, other), key=lambda trial: trial.number)

    def find(number: int) -> Trial:
        if number < older.number:
            raise KeyError(number)
        return lookup(number)

    return any(each.number == older.number for each in find_ancestors(newer, find, newer.number))


def _parents(trial: Trial) -> tuple[int, ...]:
    return trial.candidate.parents if trial.candidate else ()
