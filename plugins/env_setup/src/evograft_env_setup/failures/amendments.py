"""Amendments of commands: words without which a tool hides its failure, or repeats it from memory."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from evograft_env_setup.failures.invocations import Invocation, find_invocations


class Amendment(BaseModel):
    """Words that are added to a call of a program."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    programs: tuple[str, ...]
    subcommand: str = ""
    """Must be among the arguments; empty: whatever they are."""
    words: str
    at_end: bool = False
    """Whether they follow the arguments rather than the program's name."""
    retries_only: bool = False
    why: str

    def fits(self, call: Invocation, *, retry: bool) -> bool:
        """Return whether the call lacks the words."""
        name, *arguments = call.words
        wanted = name in self.programs and (not self.subcommand or self.subcommand in arguments)
        return wanted and (retry or not self.retries_only) and self.words.split()[-1] not in arguments


class Amendments(BaseModel):
    """The table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: dict[str, str]
    """Variables under which every command runs: messages in English, and no questions."""
    amendments: tuple[Amendment, ...]


@cache
def load_amendments() -> Amendments:
    """Load the table that comes with the package."""
    text = files("evograft_env_setup.failures").joinpath("amendments.yaml").read_text(encoding="utf-8")
    return Amendments.model_validate(yaml.safe_load(text))


def amend(command: str, *, retry: bool = False) -> str:
    """Return the command as it is to be run; what the table has no entry for stays as it is.

    Args:
        command: a line for the shell.
        retry: it is the same command once more, after a failure that may be over.
    """
    line = command.encode(errors="replace")
    added = [
        (call.end if each.at_end else call.name_end, f" {each.words}".encode())
        for call in find_invocations(command)
        for each in load_amendments().amendments
        if each.fits(call, retry=retry)
    ]
    for place, words in sorted(added, reverse=True):
        line = line[:place] + words + line[place:]
    return line.decode()
