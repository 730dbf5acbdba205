"""Commands of `evo` for the commands of plugins, which leave the work to them."""

from __future__ import annotations

from typing import Any

import click


def invoke(context: click.Context, name: str, /, **parameters: Any) -> int:
    """Carry out a command of `evo`.

    Args:
        context: of the plugin's command.
        name: such as `run`.
        parameters: of that command; the others are as if they were not given.

    Returns:
        Its exit code.
    """
    group = context.find_root().command
    command = group.get_command(context, name) if isinstance(group, click.Group) else None
    assert command is not None, "commands of plugins are part of evo"
    code = context.invoke(command, **parameters)
    return code if isinstance(code, int) else 0
