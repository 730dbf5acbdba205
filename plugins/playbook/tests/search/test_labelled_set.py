"""The labelled set is whole: what is measured on it means something."""

from __future__ import annotations

from collections import Counter

from labelled_set import KINDS, labelled_playbook, labelled_queries


def test_every_answer_is_a_bullet():
    known = {bullet.id for bullet in labelled_playbook().bullets}
    assert all(query.answers and query.answers <= known for query in labelled_queries())


def test_no_question_is_asked_twice():
    queries = labelled_queries()
    assert len({query.id for query in queries}) == len({query.text for query in queries}) == len(queries)


def test_both_halves_hold_every_kind():
    counts = Counter((query.kind, query.put_away) for query in labelled_queries())
    assert {kind for kind, _ in counts} == set(KINDS)
    assert min(counts.values()) >= 15
