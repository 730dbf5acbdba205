"""The files that make a folder a place to work in: container, scripts, settings, the table of results."""

from __future__ import annotations

import shlex
from importlib.resources import files

from evograft_ahc.task import Task, ToolCommand
from evograft_ahc.workspace import Workspace

NAMES = {"gitignore": ".gitignore"}
"""What a template is called in the workspace, where the package could not hold it under that name."""


def write_workspace_files(workspace: Workspace) -> tuple[str, ...]:
    """Writes those that are not there yet; returns their names."""
    written = []
    for template in sorted(files("evograft_ahc").joinpath("templates").iterdir(), key=lambda entry: entry.name):
        target = workspace.folder / NAMES.get(template.name, template.name)
        if not target.exists():
            target.write_text(_filled(template.read_text(encoding="utf-8"), workspace.task), encoding="utf-8")
            target.chmod(0o755 if target.suffix == ".sh" else 0o644)
            written.append(target.name)
    return tuple(written)


def _filled(text: str, task: Task) -> str:
    for mark, value in (("@CONTEST@", task.contest_id), ("@JUDGE@", _judging(task)), ("@VISUALIZE@", _drawing(task))):
        text = text.replace(mark, value)
    return text


def _judging(task: Task) -> str:
    """A line of shell that prints what the scorer says where the score is."""
    scorer = _in_shell(task.scorer)
    # Only the channel that carries the score is kept; redirections are made from left to right.
    if task.interactive:
        return f'{scorer} 2>&1 >"$output"' if task.scorer.channel == "stderr" else f"{scorer} 2>/dev/null"
    channel = "2>&1 >/dev/null" if task.scorer.channel == "stderr" else "2>/dev/null"
    return f'./build/program <"$input" >"$output" && {scorer} {channel}'


def _drawing(task: Task) -> str:
    if task.visualizer is None:
        return "@echo there is no visualiser"
    words = {"{input}": "../inputs/$(CASE).txt", "{output}": "$(CASE).out"}
    command = shlex.join(
        (f"../{task.visualizer.program}", *(words.get(word, word) for word in task.visualizer.arguments))
    )
    return f"cd build && {command.replace(chr(39), '')}"


def _in_shell(tool: ToolCommand) -> str:
    words = {"{input}": '"$input"', "{output}": '"$output"', "{candidate}": "./build/program"}
    arguments = (words.get(word) or shlex.quote(word) for word in tool.arguments)
    reading = ' <"$input"' if tool.stdin == "input" else ""
    return " ".join((shlex.quote(tool.program), *arguments)) + reading
