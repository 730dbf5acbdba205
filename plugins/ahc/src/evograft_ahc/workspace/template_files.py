"""The files that make a folder a place to work in: container, scripts, settings, the table of results."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files
from pathlib import Path

from evograft.api import read_yaml
from evograft_ahc.contests.task import ContestTask, ToolCommand
from evograft_ahc.settings.model import flatten, get_user_config
from evograft_ahc.text.messages import Language
from evograft_ahc.workspace.folder import Workspace

SECTION = re.compile(r"((?:^#.*\n)*)^(\w+):(.*\n(?:^ .*\n)*)", re.MULTILINE)
"""Comments, a name, and the lines below it."""
NAMES = {"gitignore": ".gitignore", "dockerignore": ".dockerignore"}
"""What a template is called in the workspace, where the package could not hold it under that name."""


def write_workspace_files(workspace: Workspace, language: Language) -> None:
    """Write those that are not there yet."""
    for template in sorted(files(__package__).joinpath("templates").iterdir(), key=lambda entry: entry.name):
        target = workspace.folder / NAMES.get(template.name, template.name)
        if target.exists():
            continue
        text = _filled(template.read_text(encoding="utf-8"), workspace.task, language)
        target.write_text(_left_to_user(text) if target == workspace.config else text, encoding="utf-8")
        target.chmod(0o755 if target.suffix == ".sh" else 0o644)
    _link(workspace, "tester", workspace.task.scorer)
    _link(workspace, "visualizer", workspace.task.visualizer)


def _left_to_user(config: str) -> str:
    """Return the settings of a workspace without those that the user has set for all.

    Written out, they would win over the user's.
    """
    user = read_yaml(get_user_config()) if get_user_config().exists() else {}
    chosen = {key for key, _ in flatten(user)} if isinstance(user, dict) else set()
    return "".join(_without(chosen, *section) for section in SECTION.findall(config))


def _without(chosen: set[str], head: str, name: str, body: str) -> str:
    """Return a section with the chosen keys as comments; its own line as well, if nothing is left under it."""
    kept = re.sub(r"(?m)^  (\w+):", lambda key: f"  {'# ' * (f'{name}.{key[1]}' in chosen)}{key[1]}:", body)
    is_empty = body.startswith("\n") and not re.search(r"(?m)^  \w", kept)
    return f"{head}{'# ' * is_empty}{name}:{kept}"


def _link(workspace: Workspace, folder: str, tool: ToolCommand | None) -> None:
    """`tools/tester` and `tools/visualizer` lead to the built programs, whatever those are called."""
    link = workspace.tools / folder / Path(tool.program).name if tool else None
    if tool and link and not link.parent.exists():
        link.parent.mkdir()
        link.symlink_to(Path("..", "..", tool.program))


def _filled(text: str, task: ContestTask, language: Language) -> str:
    marks = {"CONTEST": task.contest_id, "JUDGE": _judging(task), "VISUALIZE": _drawing(task), "LANGUAGE": language}
    for mark, value in marks.items():
        text = text.replace(f"@{mark}@", value)
    return text


def _judging(task: ContestTask) -> str:
    """Return a line of shell that prints what the scorer says where the score is."""
    scorer = _in_shell(task.scorer)
    # Only the channel that carries the score is kept; redirections are made from left to right.
    if task.interactive:
        return f'{scorer} 2>&1 >"$output"' if task.scorer.channel == "stderr" else f"{scorer} 2>/dev/null"
    channel = "2>&1 >/dev/null" if task.scorer.channel == "stderr" else "2>/dev/null"
    return f'./build/program <"$input" >"$output" && {scorer} {channel}'


def _drawing(task: ContestTask) -> str:
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
