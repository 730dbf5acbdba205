"""An environment that repositories can be set up in."""

from __future__ import annotations

from evograft_hookspecs.values import Name, Text, Value


class VerificationCommand(Value):
    """A command, and what it is to print."""

    command: Text
    expected_output: Text


class Environment(Value):
    """What one entry of the data says."""

    name: Name
    description: Text
    """As prompts show it."""
    image: Name
    """Of the container."""
    setup: tuple[Text, ...]
    """Commands for a repository that has none of the files that say more."""
    verification: tuple[VerificationCommand, ...]
