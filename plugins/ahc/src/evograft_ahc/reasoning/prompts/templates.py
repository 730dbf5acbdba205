"""The templates of prompts: in the package by language, and those of a user that go before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from evograft.api import did_you_mean
from evograft_ahc.files.user_file import read_text
from evograft_ahc.text.messages import ContestUserError, Language
from evograft_ahc.text.placeholders import fill_placeholders, find_placeholders
from evograft_ahc.text.validation_errors import suggest_in_japanese

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    name: frozenset(placeholders.split())
    for name, placeholders in {
        "analysis": "statement",
        "strategies": "statement analysis blocks contests",
        "again": "problem",
        "craft": "time memory",
        "craft_interactive": "",
        "strategy": "title description sources",
        "strategy_alone": "title description",
        "follow": "title",
        "start_over": "title",
        "blocks": "blocks",
        "mutation_part": "code_snippet",
        "mutation_function": "function_code",
        "crossover": "code_A code_B",
        "agent": "",
        "marks": "",
        "speed_up": "",
        "use_time": "",
        "weakness": "",
        "inputs": "inputs",
        "judge": "compiler libraries time stop clock memory cases noise",
        "aspects": "",
        "mutation_part_named": "line number lines where",
        "within_function": "function",
        "mutation_function_named": "line number lines",
        "crossover_named": "functions_A functions_B cases_A cases_B",
    }.items()
}
"""Every template by its name, with what it may hold."""

SUFFIX = ".md"


class PromptTemplates:
    """A whole set of templates."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        self._templates = templates

    def __getitem__(self, name: str) -> str:
        return self._templates[name]

    def fill(self, name: str, **values: str) -> str:
        """Return a template with its placeholders replaced."""
        return fill_placeholders(self._templates[name], values)


def load_prompts(language: Language, folder: Path | None = None) -> PromptTemplates:
    """Load the templates of a language.

    Args:
        language: of those in the package.
        folder: files of the same names (`weakness.md`) that go before them.

    Raises:
        UserError: the folder has a file of another name, or one with a placeholder that its template does not have.
    """
    shipped = files(__package__) / language
    templates = {name: (shipped / f"{name}{SUFFIX}").read_text(encoding="utf-8").strip() for name in PLACEHOLDERS}
    return PromptTemplates(templates | (_read(folder) if folder else {}))


def quote(text: str, language: str = "") -> str:
    """Return the text in a fence that it can't close, whatever backquotes are in it."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"


def _read(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise ContestUserError(
            f"{str(folder)!r} is no folder of prompts", ja=f"{str(folder)!r} はプロンプトのフォルダーではありません"
        )
    return {file.stem: _checked(file) for file in sorted(folder.glob(f"*{SUFFIX}"))}


def _checked(file: Path) -> str:
    if file.stem not in PLACEHOLDERS:
        raise ContestUserError(
            f"{file}: there is no prompt of that name; {did_you_mean(file.stem, PLACEHOLDERS)}",
            ja=f"{file}: この名前のプロンプトはありません; {suggest_in_japanese(file.stem, PLACEHOLDERS)}",
        )
    text = read_text(file)
    known = PLACEHOLDERS[file.stem]
    for name in sorted(find_placeholders(text) - known):
        may_have = ", ".join(f"{{{each}}}" for each in sorted(known)) or "none"
        raise ContestUserError(
            f"{file}: unknown placeholder {{{name}}}; those it may have: {may_have}",
            ja=f"{file}: 未知のプレースホルダー {{{name}}}。使えるもの: {may_have}",
        )
    return text.strip()
