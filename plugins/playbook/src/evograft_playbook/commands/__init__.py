"""`evo playbook`: the commands of this plugin, imported when they are called."""

from __future__ import annotations

import click

from evograft.cli_kit.lazy_group import LazyGroup

COMMANDS = {
    "run": ("evograft_playbook.commands.run:run", "Answer a question with what was learned."),
    "search": ("evograft_playbook.commands.search:search", "Find the bullets that fit a question."),
    "list": ("evograft_playbook.commands.bullets:list_bullets", "List the bullets."),
    "show": ("evograft_playbook.commands.bullets:show", "Show a bullet."),
    "stats": ("evograft_playbook.commands.stats:stats", "Count what there is, section by section."),
    "add": ("evograft_playbook.commands.changes:add", "Add a bullet."),
    "edit": ("evograft_playbook.commands.changes:edit", "Put a bullet in other words."),
    "retire": ("evograft_playbook.commands.changes:retire", "Take a bullet out of use."),
    "feedback": ("evograft_playbook.commands.feedback:feedback", "Say what bullets did to an answer."),
    "undo": ("evograft_playbook.commands.changes:undo", "Take the last changes back."),
    "history": ("evograft_playbook.commands.history:history", "Say what changed, and who did it."),
    "import": ("evograft_playbook.commands.exchange:import_file", "Bring in the bullets of a file."),
    "templates": ("evograft_playbook.commands.templates:templates", "Write the shipped templates out to be changed."),
    "export": ("evograft_playbook.commands.exchange:export", "Write all bullets as JSON or Markdown."),
    "restore": (
        "evograft_playbook.commands.restore:restore",
        "Put the last good state in the place of a damaged playbook.",
    ),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def playbook() -> None:
    """Keep what was learned before, search it, and answer with it."""
