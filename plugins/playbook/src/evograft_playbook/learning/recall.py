"""The memory of a run: the bullets that fit its problem and the parents of a trial."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from evograft_hookspecs import Advice, Problem, Proposal, Trial
from evograft_playbook.learning import snapshot
from evograft_playbook.options import PlaybookOptions
from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.search.open import open_search
from evograft_playbook.types import Bullet, Playbook, SearchQuery

OURS = "playbook."
"""What ids of our advice begin with."""
K = 10
"""Places count as 1 / (K + place) where the orders of several searches are joined, as in the search itself."""
LONGEST_PROBLEM = 2000
"""Characters of the problem that are looked for."""
LONGEST_PARENT = 600
"""Characters of a parent: `propose` holds up the run."""
MOST_PARENTS = 4096
"""Parents whose bullets are kept in mind."""

Places = tuple[tuple[Bullet, int], ...]
"""Bullets that were found, with their ranks."""


class Recall:
    """Finds bullets for trials: by words and meaning for the problem, by words alone for parents.

    Args:
        playbook: as it was when the run began.
        by_meaning: looks for the problem, once.
        by_words: looks for parents, most of which are new.
        top_k: bullets of a trial at most.
    """

    def __init__(self, playbook: Playbook, by_meaning: HybridSearch, by_words: HybridSearch, *, top_k: int) -> None:
        self._playbook = playbook
        self._by_meaning = by_meaning
        self._by_words = by_words
        self._top_k = top_k
        self._of_problem: Places | None = None
        self._of_parents: dict[int, Places] = {}
        self._advice = {each.id: Advice(id=f"{OURS}{each.id}", text=each.content) for each in playbook.active}
        self._trust = {each.id: (each.helpful + 1) / (each.helpful + each.harmful + 2) for each in playbook.active}
        """How probably a bullet helps: Laplace's rule of succession."""

    def offer(self, bullets: Iterable[Bullet], rng: random.Random, *, left_out: float) -> tuple[Advice, ...]:
        """Return the advice of a trial from the bullets that fit it, as `leave_out` does."""
        return leave_out((self._advice[bullet.id] for bullet in bullets), rng, share=left_out)

    def find_fitting(
        self, problem: Problem, parents: Sequence[int], trial_of: Callable[[int], Trial]
    ) -> tuple[Bullet, ...]:
        """Find the bullets that fit, best first: the same for the same problem and parents.

        Args:
            problem: of the run.
            parents: the numbers of trials.
            trial_of: has them.
        """
        if not self._advice:
            return ()
        scores: dict[str, float] = defaultdict(float)
        found: dict[str, Bullet] = {}
        for bullet, place in self._places(problem, parents, trial_of):
            found[bullet.id] = bullet
            scores[bullet.id] += self._trust[bullet.id] / (K + place)
        best = sorted(scores, key=lambda id_: (-scores[id_], id_))[: self._top_k]
        return tuple(found[id_] for id_ in best)

    def get(self, bullet_ids: Iterable[str]) -> tuple[Bullet, ...]:
        """Return bullets as they were when the run began."""
        found = map(self._playbook.find, bullet_ids)
        return tuple(bullet for bullet in found if bullet is not None)

    def close(self) -> None:
        self._by_meaning.close()
        self._by_words.close()

    def _places(
        self, problem: Problem, parents: Sequence[int], trial_of: Callable[[int], Trial]
    ) -> Iterator[tuple[Bullet, int]]:
        if self._of_problem is None:
            words = f"{problem.name} {problem.language} {problem.statement}"[:LONGEST_PROBLEM]
            self._of_problem = self._search(self._by_meaning, words)
        yield from self._of_problem
        for number in parents:
            if number not in self._of_parents:
                if len(self._of_parents) >= MOST_PARENTS:
                    self._of_parents.clear()
                self._of_parents[number] = self._search(self._by_words, _words_of(trial_of(number)))
            yield from self._of_parents[number]

    def _search(self, search: HybridSearch, words: str) -> Places:
        # More than are shown: what several searches find at middling places is to come before what one finds first.
        query = SearchQuery(query_text=words, top_k=2 * self._top_k)
        return tuple((each.bullet, each.rank) for each in search.search(query, self._playbook))


def open_recall(options: PlaybookOptions, scratch: Path) -> Recall:
    """Open the run's own copy of the playbook, and its searches.

    Args:
        options: of the plugin.
        scratch: of the session.
    """
    playbook = snapshot.load_snapshot(scratch)
    words = options.search.model_copy(update={"dense_weight": 0.0, "lexical_weight": 1.0})
    by_words = HybridSearch(words)
    # Nothing is embedded where there is nothing to find.
    by_meaning = open_search(options.playbook, options.search) if playbook.active else HybridSearch(words)
    return Recall(playbook, by_meaning, by_words, top_k=options.top_k)


def leave_out(advice: Iterable[Advice], rng: random.Random, *, share: float) -> tuple[Advice, ...]:
    """Return the advice of a trial: each except those that chance leaves out.

    Args:
        advice: that fits.
        rng: draws.
        share: how probably one is left out, so that trials with it and without it can be compared.
    """
    return tuple(each for each in advice if rng.random() >= share)


def offered_ids(proposal: Proposal, prefix: str = OURS) -> tuple[str, ...]:
    """Return the bullets among the advice that a trial was offered."""
    return tuple(bullet_ids((advice.id for advice in proposal.advice), prefix))


def bullet_ids(advice_ids: Iterable[str], prefix: str = OURS) -> Iterator[str]:
    """Yield the bullets among ids of advice."""
    return (each.removeprefix(prefix) for each in advice_ids if each.startswith(prefix))


def _words_of(trial: Trial) -> str:
    """Return what a parent is about: what was said of it, then how its program begins."""
    evaluation = trial.evaluation
    said = f"{evaluation.reason} {evaluation.feedback}"[: LONGEST_PARENT // 2]
    texts = " ".join(trial.candidate.files.values()) if trial.candidate else ""
    return f"{said} {texts}"[:LONGEST_PARENT]
