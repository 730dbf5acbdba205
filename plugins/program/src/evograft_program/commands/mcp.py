"""`evo mcp`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

import click


@click.command()
def mcp() -> None:
    """Serve runs over the Model Context Protocol, on standard input and output.

    A client starts it in the folder whose runs it serves: tools start, check, status, best, trial, tell, stop.
    """
    from evograft_program.commands.mcp_server import build_server

    build_server().run("stdio")
