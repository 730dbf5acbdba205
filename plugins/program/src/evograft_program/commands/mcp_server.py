"""A server of the Model Context Protocol: each tool is one command of `evo` with `--json`, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from evograft.api import EvograftError, ServiceError, find_run, load_settings

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

INSTRUCTIONS = (
    "evograft improves a program that an evaluator scores. Call check first, then start, and look with status; best is "
    "the best program so far. `evo skill` prints the rules of a good evaluator."
)
Run = Annotated[
    str,
    Field(description="A run's name, id or folder; `latest` is the live one in ./runs, else the newest there."),
]


def build_server() -> MCPServer:
    """Return the server, with all of its tools.

    Raises:
        ServiceError: the SDK is not installed.
    """
    try:
        from mcp.server.mcpserver import MCPServer
    except ModuleNotFoundError as err:
        raise ServiceError("evo mcp needs the package mcp: pip install 'evograft-program[mcp]'") from err
    server = MCPServer("evograft", instructions=INSTRUCTIONS)
    for tool in (start, check, status, best, trial, tell, stop):
        server.tool(structured_output=False)(tool)
    return server


def start(
    evaluator: Annotated[str, Field(description="A Python file with evaluate(), a script, or a shell line.")],
    program: Annotated[str, Field(description="The start program: a file or a folder; empty: a model writes one.")],
    options: Annotated[tuple[str, ...], Field(description="Options of `evo evolve`, such as --trials and 50.")] = (),
) -> str:
    """Start a run in the background; returns its name, its folder and its process."""
    return _evo("evolve", *filter(None, (program, evaluator)), options=("--background", *options))


def check(evaluator: str, program: str, options: tuple[str, ...] = ()) -> str:
    """Say what an evaluator is worth, before anything is spent: its spread, and what broken programs get."""
    return _evo("evolve", *filter(None, (program, evaluator)), options=("--check", *options))


def status(run: Run = "latest") -> str:
    """Show the state of a run: progress, best score, trials in flight, cost, failures."""
    return _evo("status", _find(run))


def best(run: Run = "latest") -> str:
    """Show the best trial of a run, with its program."""
    return _evo("show", _find(run), options=("--trial", "best"))


def trial(number: int, run: Run = "latest") -> str:
    """Show one trial of a run: its program, its score, or why it was rejected."""
    return _evo("show", _find(run), options=("--trial", str(number)))


def tell(text: str, run: Run = "latest") -> str:
    """Give a run an instruction, which all further trials get as advice."""
    return _evo("tell", _find(run), text)


def stop(run: Run = "latest") -> str:
    """Stop a run; it can be resumed with `evo resume`."""
    return _evo("stop", _find(run))


def _find(run: str) -> str:
    """Return the folder of a run, which is the same one for every tool.

    Left to themselves, commands that only read take `latest` from another folder where this one has no runs.

    Raises:
        ToolError: there is no such run, or it is not certain which is meant.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        return str(find_run(run, runs=Path(load_settings().runs_dir), guessing=False, live_first=True))
    except EvograftError as err:
        raise ToolError(f"exit code {err.exit_code}: {err}") from err


def _evo(command: str, *words: str, options: tuple[str, ...] = ()) -> str:
    """Return what a command prints as JSON.

    Args:
        command: of `evo`.
        words: its arguments, which are no options whatever they begin with.
        options: more than `--json`.

    Raises:
        ToolError: it failed; with what it says. A check that finds something is no failure.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "evograft", command, "--json", *options, "--", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if _is_json(done.stdout):
        return done.stdout
    raise ToolError(f"exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")


def _is_json(output: str) -> bool:
    try:
        json.loads(output)
    except ValueError:
        return False
    return True
