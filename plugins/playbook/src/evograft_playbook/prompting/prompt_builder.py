"""The prompt: a template, the contents of bullets, and the query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

from evograft.errors import UserError
from evograft_playbook.models import Bullet

DEFAULT = "default"
FALLBACK = (
    "Answer the task with the help of the following knowledge.\n\nKnowledge:\n{context}\n\nTask:\n{query}\n\nAnswer:\n"
)
LARGEST_TEMPLATE = 1_000_000
"""Bytes."""

_PLACEHOLDER = re.compile(r"\{(context|query)\}")
_PLAIN_NAME = re.compile(r"\w[\w.-]{0,99}")


class PromptBuilder:
    """Fills templates: those of a folder first, then those that are shipped.

    Args:
        prompts_dir: has `<dataset>.txt` and `default.txt`, or need not be there.
        language: of the shipped templates, `en` or `ja`.
    """

    def __init__(self, prompts_dir: str = "prompts/generator", *, language: str = "en") -> None:
        self._prompts_dir = Path(prompts_dir)
        self._language = language

    def build(self, query: str, bullets: list[Bullet], dataset: str) -> str:
        """The prompt of a query, with the bullets' contents one per line.

        Raises:
            UserError: the template that is there cannot be used.
        """
        values = {"context": "\n".join(bullet.content for bullet in bullets), "query": query}
        # In one pass: a bullet or a query may hold braces, and placeholders as well.
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self._load_template(dataset))

    def _load_template(self, dataset: str) -> str:
        """The first there is: the folder's for the dataset, its default, those that are shipped, the one in the code."""
        with as_file(files(__package__) / "templates" / self._language) as shipped:
            for folder in (self._prompts_dir, shipped):
                for name in _names(dataset):
                    text = _read(folder, name)
                    if text is not None:
                        return text
        return FALLBACK


def _names(dataset: str) -> Iterator[str]:
    """The names of templates for a dataset; one that could lead out of a folder has none of its own."""
    if _PLAIN_NAME.fullmatch(dataset):
        yield dataset
    yield DEFAULT


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
