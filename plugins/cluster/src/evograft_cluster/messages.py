"""Messages between a run and its workers.

Texts that either side can read whatever the other's version is, and bytes that are read only once the versions are
known to be equal.
"""

from __future__ import annotations

from typing import Literal

from evograft_cluster.requirements import Requirements
from evograft_hookspecs.values import Count, Text, Value

Packed = tuple[str, bytes]
"""A message as it travels."""
Outcome = Literal["evaluated", "expired", "died", "unfit", "abandoned"]
"""The end of an order.

`evaluated`: there is a result, or what the plugin raised; `expired`: it ran for too long; `died`: the process that
evaluated it died after it had begun; `unfit`: this worker cannot evaluate; `abandoned`: nobody waits for it."""


class Order(Value):
    """An evaluation that a run asks for. The task and the plugins travel next to it, as bytes."""

    run: Text
    """Its id."""
    trial: Count
    final: bool = False
    requirements: Requirements

    @property
    def evaluation(self) -> str:
        """Return a name of what is evaluated, the same for every attempt."""
        return f"{self.run}-{'final-' if self.final else ''}{self.trial}"


class Reply(Value):
    """The answer of a worker. A result, or what the plugin raised, travels next to it, as bytes."""

    outcome: Outcome
    reason: Text = ""
    """For people, unless it is `evaluated`."""
    remark: Text = ""
    """For people, about a worker that could evaluate all the same."""
