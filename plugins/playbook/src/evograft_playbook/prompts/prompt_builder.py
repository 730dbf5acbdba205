"""The prompt: a template, the contents of bullets, and the query."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from string import Formatter

from evograft.api import UserError
from evograft.text.i18n import LANGUAGES, Catalog, usual_language
from evograft_playbook.types import Bullet

DEFAULT = "default"
FALLBACKS = {
    "en": "Answer the task with the help of the following knowledge.\n\nKnowledge:\n{context}\n\n"
    "Task:\n{query}\n\nAnswer:\n",
    "ja": "次の知識を参考にして、タスクに答えてください。\n\n知識:\n{context}\n\nタスク:\n{query}\n\n回答:\n",
}
LARGEST_TEMPLATE = 1_000_000
"""Bytes."""
LONGEST_NAME = 200
"""Bytes of a template's name, so that a folder can hold it."""

_PLACEHOLDERS = frozenset({"context", "query"})
_PLACEHOLDER = re.compile(r"\{(context|query)\}")


class PlaybookPrompt(str):
    """A prompt that knows what it was made from."""

    __slots__ = ("template",)
    template: str
    """The template, as a user finds it."""


@dataclass(frozen=True)
class DatasetTemplate:
    """A text with its placeholders, and where it is from."""

    name: str
    text: str

    def filled(self, values: Mapping[str, str]) -> str:
        """Fill the placeholders in one pass, because a bullet or a query may hold braces and placeholders, too."""
        pieces = _format_pieces(self.text)
        if pieces is None:
            return _PLACEHOLDER.sub(lambda found: values[found[1]], self.text)
        return "".join(text + (values[name] if name else "") for text, name in pieces)


class PromptBuilder:
    """Fills templates: those of a folder first, then those that are shipped.

    Args:
        prompts_dir: has `<dataset>.txt` and `default.txt`, or need not be there.
        language: of the shipped templates, `en` or `ja`; `None`: that of the user's locale.
    """

    def __init__(self, prompts_dir: str = "prompts/generator", *, language: str | None = None) -> None:
        self._prompts_dir = Path(prompts_dir)
        self._language = language or usual_language()
        self._words = Catalog(self._language if self._language in LANGUAGES else "en", "evograft_playbook")

    def build(self, query: str, bullets: list[Bullet], dataset: str) -> str:
        """Build the prompt of a query, a `PlaybookPrompt`, with the bullets' contents one per line.

        Raises:
            UserError: the template that is there cannot be used.
        """
        template = self._find_template(dataset)
        values = {"context": "\n".join(bullet.content for bullet in bullets), "query": query}
        prompt = PlaybookPrompt(template.filled(values))
        prompt.template = template.name
        return prompt

    def _load_template(self, dataset: str) -> str:
        """Load the text of the template for a dataset."""
        return self._find_template(dataset).text

    def _find_template(self, dataset: str) -> DatasetTemplate:
        """Find the first that there is.

        The order: the folder's for the dataset, its default, those that are shipped, the one in the code.
        """
        for name in _names(dataset):
            text = _read(self._prompts_dir, name)
            if text is not None:
                path = self._prompts_dir / f"{name}.txt"
                return DatasetTemplate(self._words("template_written", path=path), text)
        for name in _names(dataset):
            text = open_shipped_templates(self._language).get(f"{name}.txt")
            if text is not None:
                return DatasetTemplate(self._words("template_shipped", name=f"{name}.txt"), text)
        return DatasetTemplate(self._words("template_built_in"), FALLBACKS.get(self._language, FALLBACKS["en"]))


def open_shipped_templates(language: str) -> dict[str, str]:
    """Return the texts of the templates that come with the package, by the names of their files."""
    with as_file(files(__package__) / "templates" / language) as folder:
        found = sorted(folder.glob("*.txt")) if folder.is_dir() else []
        return {path.name: path.read_text(encoding="utf-8") for path in found}


def _format_pieces(text: str) -> list[tuple[str, str]] | None:
    """Split a template for `str.format`, whose braces are doubled, into text and placeholders; else return `None`.

    It is one if both placeholders are filled in it and every other brace is doubled: a template that shows JSON as it
    is has single ones.
    """
    try:
        parsed = list(Formatter().parse(text))
    except ValueError:
        return None
    if {name for _, name, _, _ in parsed if name is not None} != _PLACEHOLDERS:
        return None
    if any(spec or conversion for _, _, spec, conversion in parsed):
        return None
    return [(literal, name or "") for literal, name, _, _ in parsed]


def _names(dataset: str) -> Iterator[str]:
    """Yield the names of templates for a dataset.

    A dataset that could lead out of a folder, or is hidden there, has no template of its own.
    """
    if _is_safe(dataset):
        yield dataset
    yield DEFAULT


def _is_safe(name: str) -> bool:
    try:
        length = len(os.fsencode(name))
    except UnicodeEncodeError:
        return False
    return 0 < length <= LONGEST_NAME and not name.startswith(".") and not {*name} & {"/", "\\", "\0"}


def _read(folder: Path, name: str) -> str | None:
    path = folder / f"{name}.txt"
    try:
        if not path.is_file():
            return None
        if not path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"template {str(path)!r} leads out of its folder: put the text itself there")
        with path.open("rb") as file:
            content = file.read(LARGEST_TEMPLATE + 1)
        if len(content) > LARGEST_TEMPLATE:
            raise UserError(f"template {str(path)!r} is larger than {LARGEST_TEMPLATE:,} bytes")
        return content.decode("utf-8-sig")
    except OSError as err:
        raise UserError(f"cannot read template {str(path)!r}: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise UserError(f"template {str(path)!r} is not UTF-8 text: byte {err.start}") from err
