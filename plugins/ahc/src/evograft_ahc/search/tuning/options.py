"""The operators that need no model: their names, and what a pipeline can set about them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs import NoOptions, Operator

OPERATORS = (
    Operator(name="tune", description="asks an optimiser for better numbers, from all that is known of the program"),
    Operator(name="nudge", description="moves one number, or a few, a little"),
    Operator(name="scatter", description="draws all numbers anew, from the whole of their ranges"),
    Operator(
        name="splice",
        description="takes functions of equal signature, or numbers of equal name, from the second parent",
    ),
    Operator(name="pace", description="lets a loop of a fixed number of steps run by the clock"),
)
"""For the manifest."""


class TuningOptions(NoOptions):
    """How programs are changed without a model. How often, `operators:` of the pipeline says."""

    unmarked: bool = False
    """Whether numbers without an `// evo: param` mark are tuned next to marked ones. Where none is marked, they are."""
    most: Annotated[int, Field(ge=1, le=100)] = 24
    """How many numbers without a mark are tuned at most; constants go before others."""
    memory: Annotated[int, Field(ge=1, le=5000)] = 500
    """How many of the latest trials are looked through for what is known of a program."""
    step: Annotated[float, Field(gt=0, le=1)] = 0.2
    """How far from its beginning a search for numbers looks at first, as a share of their ranges."""
    pace: Annotated[float, Field(ge=0, lt=1)] = 0.8
    """The share of the time limit for which a counted loop that is made to run by the clock runs; 0: none is."""
