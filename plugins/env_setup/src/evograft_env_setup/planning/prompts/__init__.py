"""Prompts about environments, in English; the texts are files next to this one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from evograft.text.masking import mask
from evograft_env_setup.analysis.analysis import RepositoryAnalysis
from evograft_env_setup.environments import Environments
from evograft_env_setup.manifests.formats import find_format
from evograft_env_setup.planning.hand_over import HandOver
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.text.quoting import bound, fence, shorten

LONGEST_FILE = 4_000
"""Characters of a file that are shown, without its middle."""
MOST_OF_FILES = 40_000
MOST_OF_GUIDES = 16_000
LONGEST_ERROR = 8_000
MOST_ERRORS = 10


def planning_system_prompt(environments: Environments) -> str:
    """Return the system prompt of a planner, with the rules of its trade."""
    examples = {each: None for name in environments for each in environments[name].verification}
    return _fill_template(
        "planning_system",
        environments=_list_environments(environments),
        verification_examples="\n".join(f"- `{each.command}` prints `{each.expected_output}`" for each in examples),
    )


def environment_selection_prompt(environment_info: str, environments: Environments) -> str:
    """Return what is added to the question of the planning phase.

    Args:
        environment_info: as `collect_environment_info` tells it.
        environments: those that can be chosen.
    """
    return _fill_template("planning", environments=_list_environments(environments), environment_info=environment_info)


def collect_environment_info(analysis: RepositoryAnalysis) -> str:
    """Return the files of a repository and what they say, shortened where they are long."""
    known = {**analysis.to_dict(), "detected_files": list(analysis.detected_files), "reason": analysis.reason}
    known["findings"] = [f"{each.file} {each.what}" for each in analysis.findings]
    known["versions"] = [f"{each.tool} {each.asked} ({each.file})" for each in analysis.versions]
    parts = [_quote(json.dumps(known, ensure_ascii=False, indent=1), LONGEST_ERROR)]
    room = MOST_OF_FILES
    for path, text in analysis.detected_files.items():
        if (kind := find_format(path)) and kind.lock:
            parts.append(f"File {json.dumps(path)}: a lock file, not shown")
            continue
        shown = _quote(text, LONGEST_FILE)
        room -= len(shown)
        parts.append(f"File {json.dumps(path)}:\n\n{shown}" if room > 0 else f"File {json.dumps(path)}: not shown")
    return "\n\n".join([*parts, *_guides(analysis)])


def _guides(analysis: RepositoryAnalysis) -> Iterator[str]:
    """Yield what people say of how it is built, CI first: it is what works."""
    room = MOST_OF_GUIDES
    for path, text in sorted(analysis.guides.items(), key=lambda item: not item[0].endswith((".yml", ".yaml"))):
        shown = _quote(text, LONGEST_FILE)
        room -= len(shown)
        if room > 0:
            yield f"File {json.dumps(path)}, which tells people or CI how it is built:\n\n{shown}"


def regeneration_prompt(original_commands: SelectedEnvironment, error_info: str, regeneration_count: int) -> str:
    """Return the question for other commands.

    Args:
        original_commands: those that have failed.
        error_info: what went wrong.
        regeneration_count: which correction this is, from 1.
    """
    commands = original_commands.model_dump(mode="json", include={"setup_commands", "verification"})
    return _fill_template(
        "regeneration",
        environment_name=original_commands.name,
        regeneration_count=str(regeneration_count),
        error_info=_quote(error_info, LONGEST_ERROR),
        original_commands=_quote(json.dumps(commands, ensure_ascii=False, indent=1), MOST_OF_FILES),
    )


def execution_prompt(hand_over: HandOver) -> str:
    """Return what is added to the question of the execution phase."""
    head = _fill_template("execution", environment_name=hand_over.environment_name, setup_status=hand_over.setup_status)
    if hand_over.environment_ready:
        return head
    errors = "\n".join(f"- {error}" for error in hand_over.errors[-MOST_ERRORS:])
    return head + _fill_template("execution_failed", errors=_quote(errors, LONGEST_ERROR))


def _list_environments(environments: Environments) -> str:
    return "\n".join(f"- `{name}`: {environments[name].description}" for name in environments)


def _quote(text: str, longest: int) -> str:
    return fence(shorten(mask(bound(text)), longest))


def _fill_template(name: str, **values: str) -> str:
    """Fill each placeholder once: what stands for one may hold braces of its own."""
    pattern = re.compile("|".join(re.escape(f"{{{key}}}") for key in values))
    return pattern.sub(lambda found: values[found[0][1:-1]], _load_template(name))


@cache
def _load_template(name: str) -> str:
    return (files(__package__) / f"{name}.en.md").read_text(encoding="utf-8")
