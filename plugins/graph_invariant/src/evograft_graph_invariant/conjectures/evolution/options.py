"""The `with:` section of the plugin `graph_conjecture`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES
from evograft_hookspecs import NoOptions

Sense = Literal["<=", ">="]


class InequalityOptions(NoOptions):
    """What is bounded, by what, on which graphs, and how candidates are scored."""

    target: str = "independence_number"
    """The invariant on the left of every candidate."""
    senses: tuple[Sense, ...] = ("<=", ">=")
    """Whether bounds lie above it, below it, or either."""
    invariants: tuple[str, ...] = INVARIANT_NAMES
    """Those that candidates may use on the right."""
    properties: tuple[str, ...] = PROPERTY_NAMES
    """Those that candidates may suppose; empty: candidates are about all connected graphs."""
    order: Annotated[int, Field(ge=4, le=8)] = 8
    """All connected graphs of up to this number of nodes are in the table."""
    trees: Annotated[int, Field(ge=0, le=14)] = 14
    """All trees up to this number of nodes are too, and the families; 0: neither."""
    search: Annotated[int, Field(ge=0)] = 48
    """Graphs of ten and of twelve nodes that are drawn against a candidate that holds on the table; 0: none."""
    final_search: Annotated[int, Field(ge=0)] = 300
    """The same for the candidates that the run ends with, for each of several orders of up to 30 nodes."""
    least_graphs: Annotated[int, Field(ge=1)] = 20
    """Of all connected graphs of the table, how many have to have the properties that a candidate supposes."""
    parsimony: Annotated[float, Field(ge=0, lt=1)] = 0.002
    """The cost of a symbol, of a digit of a coefficient, and a third of that of a property."""
    max_complexity: Annotated[int, Field(ge=5)] = 30
    """The most of these that a candidate may have."""
    weight: Annotated[float, Field(ge=0)] = 1.0
    """Weight of each operator without a model, in a run without one."""
    weight_with_model: Annotated[float, Field(ge=0)] = 0.1
    """Likewise in a run with a model; 0: the model makes all candidates."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The seed of the searches for counterexamples."""
    cache: bool = True
    """Whether the table is kept in the user's cache folder."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for name in (self.target, *self.invariants):
            if name not in INVARIANT_NAMES:
                raise ValueError(f"{name!r} is not an invariant; there are {', '.join(INVARIANT_NAMES)}")
        for name in self.properties:
            if name not in PROPERTY_NAMES:
                raise ValueError(f"{name!r} is not a property; there are {', '.join(PROPERTY_NAMES)}")
        if not self.senses:
            raise ValueError("senses is empty: name <=, >= or both")
        return self

    @property
    def regressors(self) -> tuple[str, ...]:
        return tuple(name for name in self.invariants if name != self.target)
