"""A command's failure, for the manager, the model and the user."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs.values import Name, Text, Value

ErrorClass = Literal["retryable", "fixable", "fatal"]
"""What is done about a failure: wait and try again, ask for other commands, or say so and continue."""


class CommandFailure(Value):
    """The failure of a command, as far as its exit code and its output tell."""

    error_class: ErrorClass
    kind: Name
    """What went wrong in one word, such as `network`, `lock`, `name` or `disk`; a kind belongs to one class."""
    rule: Name
    """The rule that knew it; `unknown` when none did."""
    tell: Text
    """What it means and what can be done, in a sentence for the user."""
    excerpt: Text
    """The line that gave it away with the lines around it; the end of the output when no rule knew it."""
    waited_in_vain: bool = False
    """Whether it is fixable only because its retries are used up."""
    probe: Text = ""
    """Which question would settle it, when the output leaves open what happened; empty when there is none."""
