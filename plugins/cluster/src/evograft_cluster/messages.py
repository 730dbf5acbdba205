"""What travels between a run and its workers.

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
"""What became of an order.

`evaluated`: there is a result, or what the plugin raised; `expired`: it ran for too long; `died`: the process that
evaluated it died after it had begun; `unfit`: this worker cannot evaluate; `abandoned`: nobody waits for it."""


class Order(Value):
    """What a run asks of a worker, beside the task and the plugins, which travel as bytes."""

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
    """What a worker answers; a result, or what the plugin raised, travels beside it as bytes."""

    outcome: Outcome
    host: Text
    """Where the worker runs."""
    reason: Text = ""
    """For people, unless it is `evaluated`."""
    remark: Text = ""
    """What the run's people should know about this worker, although it could evaluate."""
