from __future__ import annotations

import pytest

from evograft_graph_invariant.evaluation.failure_reason import redact_reason

SOURCE = """def new_invariant(G):
    if n(G) > 90:
        raise ValueError('too hard')
    if n(G) > 80:
        raise ValueError(str(G.edges()))
    assert n(G) > 70, G.edges()
    return missing + {}[tuple(G)]
"""


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("ValueError: too hard (line 3)", "ValueError: too hard (line 3)"),
        ("ValueError: [(0, 1), (0, 2)] (line 5)", "ValueError (line 5)"),
        ("ValueError: abacus badge (line 5)", "ValueError (line 5)"),
        ("AssertionError: [(0, 1), (0, 2)] (line 6)", "AssertionError (line 6)"),
        ("NameError: name 'missing' is not defined (line 7)", "NameError: name 'missing' is not defined (line 7)"),
        ("KeyError: (0, 1, 2) (line 7)", "KeyError: (#, #, #) (line 7)"),
        ("KeyError: 'abacus' (line 7)", "KeyError: '…' (line 7)"),
        (
            "TypeError: 'NoneType' object is not iterable (line 7)",
            "TypeError: 'NoneType' object is not iterable (line 7)",
        ),
        ("ValueError: [(0, 1)] (line 3) (line 5)", "ValueError (line 5)"),
        ("ZeroDivisionError: division by zero (line 7)", "ZeroDivisionError: division by zero (line 7)"),
        ("ValueError (line 5)", "ValueError (line 5)"),
        ("returned None (is a return missing?), not a number", "returned None (is a return missing?), not a number"),
        ("Strange: " + "x" * 300, "Strange: " + "x" * 79 + "…"),
    ],
)
def test_a_reason_is_shown_without_data(reason, shown):
    assert redact_reason(reason, SOURCE) == shown
