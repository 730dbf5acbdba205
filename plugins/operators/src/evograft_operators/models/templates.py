"""The templates of prompts: where they come from, what has to be in them, and how they are filled.

A template is text with placeholders such as `{{statement}}`. Values are put in as they are: their braces mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

SHIPPED = {"en": "prompts", "ja": "prompts/ja"}
"""Where in the package a language's templates are."""

SUFFIX = ".md"

_PLACEHOLDER = re.compile(r"\{\{[ \t]*(\w+)[ \t]*\}\}")


@dataclass(frozen=True)
class TemplateSlots:
    """The placeholders of a template."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()


def _slots(required: str, optional: str = "") -> TemplateSlots:
    return TemplateSlots(frozenset(required.split()), frozenset(optional.split()))


_ASIDE = "objective language best scored rejected attempts lost advice instruction blocks"

SLOTS: Mapping[str, TemplateSlots] = {
    "system": _slots("", "language objective"),
    "rewrite": _slots("statement program format", _ASIDE),
    "diff": _slots("statement program format", _ASIDE),
    "crossover": _slots("statement program format", _ASIDE),
    "fresh": _slots("statement skeleton format", _ASIDE),
    "repair": _slots("statement program failures format", _ASIDE),
    "parts/program": _slots("files", "number score metrics feedback"),
    "parts/metrics": _slots("entries"),
    "parts/feedback": _slots("text"),
    "parts/others": _slots("paths", "count"),
    "parts/skeleton": _slots("files"),
    "parts/failure": _slots("reason", "feedback answer"),
    "parts/answer": _slots("text"),
    "parts/scored": _slots("entries"),
    "parts/rejected": _slots("entries"),
    "parts/attempts": _slots("entries"),
    "parts/best": _slots("entry", "files"),
    "parts/ahead": _slots("", "number"),
    "parts/broken": _slots("files"),
    "parts/lost": _slots("lines"),
    "parts/advice": _slots("entries"),
    "parts/instruction": _slots("text"),
    "parts/blocks": _slots("", "readonly"),
    "parts/readonly": _slots("paths"),
    "parts/whole": _slots("", "language paths"),
    "parts/whole-files": _slots("", "language paths"),
    "parts/edits": _slots("", "language paths"),
    "parts/edits-files": _slots("", "language paths"),
    "parts/tools": _slots(""),
    "parts/refine": _slots(""),
    "parts/combine": _slots(""),
    "parts/novel": _slots(""),
    "parts/strategy": _slots("strategy"),
    "parts/cut": _slots("count"),
}
"""Every template of a set, by its path without `.md`."""


class TemplateError(Exception):
    """Templates that cannot be used."""

    def __init__(self, errors: tuple[str, ...]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


class PromptTemplate:
    """One template, taken apart once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = frozenset(_PLACEHOLDER.findall(text))

    def fill(self, **values: str) -> str:
        """Return the text with its placeholders replaced; a paragraph of nothing but empty ones is left out."""
        return self.fill_with(values.__getitem__)

    def fill_with(self, value_of: Callable[[str], str]) -> str:
        """Fill the text with values that are made when they are needed, each once."""
        values = {name: value_of(name) for name in sorted(self.names)}
        filled = []
        for words, names in self._paragraphs:
            if names and not any(word.strip() for word in words) and not any(values[name].strip() for name in names):
                continue
            pieces = [words[0]]
            for name, following in zip(names, words[1:], strict=True):
                pieces += (values[name], following)
            filled.append("".join(pieces))
        return "\n\n".join(filled)

    @cached_property
    def _paragraphs(self) -> list[tuple[list[str], list[str]]]:
        """For each paragraph the words around its placeholders, and their names."""
        taken = [_PLACEHOLDER.split(paragraph) for paragraph in re.split(r"\n(?:[ \t]*\n)+", self.text.strip())]
        return [(parts[::2], parts[1::2]) for parts in taken]


class OperatorTemplates:
    """A whole set."""

    def __init__(self, templates: Mapping[str, PromptTemplate], overridden: tuple[str, ...] = ()) -> None:
        self._templates = templates
        self.overridden = overridden
        """The names of those that come from the user's folder."""

    def __getitem__(self, name: str) -> PromptTemplate:
        return self._templates[name]

    @property
    def digest(self) -> str:
        """8 digits that change with any template."""
        texts = "\0".join(f"{name}\0{self._templates[name].text}" for name in sorted(self._templates))
        return sha256(texts.encode()).hexdigest()[:8]


def load_templates(language: str, folder: str = "") -> OperatorTemplates:
    """Read the templates of a language, and those that go before them.

    Args:
        language: `en`, `ja`, or a folder with a whole set.
        folder: templates of the same names that go before; empty: none.

    Raises:
        TemplateError: with everything that is wrong: a folder or file that is missing or has an unknown name, text
            that is not UTF-8, placeholders that are missing or unknown.
    """
    errors: list[str] = []
    texts = _read_set(language, errors)
    given = _read_folder(Path(folder).expanduser(), errors, option="prompts") if folder else {}
    for name, (where, text) in {**texts, **given}.items():
        errors += _find_faults(SLOTS[name], PromptTemplate(text), where)
    if errors:
        raise TemplateError(tuple(errors))
    found = {name: PromptTemplate(text) for name, (_, text) in {**texts, **given}.items()}
    return OperatorTemplates(found, overridden=tuple(sorted(given)))


_Texts = dict[str, tuple[str, str]]
"""By name, where a template was read and its text."""


def _read_set(language: str, errors: list[str]) -> _Texts:
    if language in SHIPPED:
        folder = files("evograft_operators").joinpath(SHIPPED[language])
        return {name: (name, _read(folder.joinpath(f"{name}{SUFFIX}"))) for name in SLOTS}
    known = ", ".join(SHIPPED)
    found = _read_folder(Path(language).expanduser(), errors, option=f"language (one of {known}, or a folder)")
    missing = [name for name in SLOTS if name not in found]
    if missing and not errors:
        errors.append(
            f"{Path(language).absolute()}: {missing[0]}{SUFFIX} is missing: a language's folder has all templates"
        )
    return found


def _read_folder(folder: Path, errors: list[str], *, option: str) -> _Texts:
    if not folder.is_dir():
        errors.append(f"{option}: there is no folder {folder.absolute()}")
        return {}
    found: _Texts = {}
    for path in sorted((*folder.glob(f"*{SUFFIX}"), *folder.glob(f"parts/*{SUFFIX}"))):
        name = path.relative_to(folder).as_posix().removesuffix(SUFFIX)
        if name not in SLOTS:
            near = get_close_matches(name, SLOTS, n=1)
            hint = f"did you mean {near[0]}{SUFFIX}?" if near else f"the templates are {', '.join(SLOTS)}"
            errors.append(f"{path}: there is no template of that name; {hint}")
            continue
        try:
            found[name] = (str(path), _read(path))
        except (OSError, UnicodeDecodeError) as err:
            errors.append(f"{path}: cannot be read as UTF-8 text: {err}")
    return found


def _read(path: Traversable) -> str:
    return path.read_text(encoding="utf-8").removeprefix("\ufeff").replace("\r\n", "\n")


def _find_faults(slots: TemplateSlots, template: PromptTemplate, where: str) -> list[str]:
    missing = [
        f"{where}: the placeholder {{{{{name}}}}} is missing" for name in sorted(slots.required - template.names)
    ]
    known = slots.required | slots.optional
    may_be = ", ".join(f"{{{{{name}}}}}" for name in sorted(known)) or "none"
    unknown = [
        f"{where}: unknown placeholder {{{{{name}}}}}; those it may have: {may_be}"
        for name in sorted(template.names - known)
    ]
    return missing + unknown
