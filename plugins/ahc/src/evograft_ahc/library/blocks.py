"""The algorithm library: C++ blocks to paste into a solution, each with a description of how to use it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evograft.api import did_you_mean
from evograft_ahc.files.user_file import read_text
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import make_invalid_data_error, make_invalid_json_error, suggest_in_japanese

META = ".meta.json"


class BlockMeta(BaseModel):
    """What `<name>.meta.json` says about `<name>.cpp`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str
    """The usual name of the algorithm."""
    filename: str
    """The source file next to this one."""
    description: str
    description_ja: str = ""
    usage_example: str
    """Statements that compile within a function below the block; asserts say what comes out."""
    function_signatures: tuple[str, ...]
    template_parameters: tuple[str, ...] = ()
    time_complexity: str
    space_complexity: str
    tags: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    """The headers that the block includes."""
    notes: str = ""


@dataclass(frozen=True)
class LibraryBlock:
    """An entry of the library."""

    stem: str
    """The name that `library show` takes, such as `dijkstra`."""
    meta: BlockMeta
    code: str

    def described(self, language: str) -> str:
        return (self.meta.description_ja if language == "ja" else "") or self.meta.description

    def mentions(self, word: str) -> bool:
        meta = self.meta
        texts = (self.stem, meta.name, meta.description, meta.description_ja, meta.notes, *meta.function_signatures)
        return self.has_name(word) or any(word in text.casefold() for text in texts)

    def has_name(self, word: str) -> bool:
        return any(word in text.casefold() for text in (self.stem, self.meta.name, *self.meta.tags))


def load_library(folders: Iterable[Path] = ()) -> Mapping[str, LibraryBlock]:
    """Return the packaged blocks and those of the user's folders by stem, sorted.

    A later block replaces an earlier one of the same stem.
    """
    found = _blocks_of(files("evograft_ahc") / "library")
    for folder in folders:
        if not folder.is_dir():
            raise ContestUserError(
                f"{str(folder)!r} is no folder of library blocks",
                ja=f"{str(folder)!r} はライブラリのフォルダーではありません",
            )
        found |= _blocks_of(folder)
    return dict(sorted(found.items()))


def get_block(library: Mapping[str, LibraryBlock], stem: str) -> LibraryBlock:
    if stem not in library:
        raise ContestUserError(
            f"no library block {stem!r}; {did_you_mean(stem, library)}",
            ja=f"ライブラリに {stem!r} はありません; {suggest_in_japanese(stem, library)}",
        )
    return library[stem]


def search_blocks(library: Mapping[str, LibraryBlock], keyword: str) -> tuple[LibraryBlock, ...]:
    """Return the blocks that mention every word of the keyword; those that are named or tagged so come first."""
    words = keyword.casefold().split()
    hits = [block for block in library.values() if all(block.mentions(word) for word in words)]
    return tuple(sorted(hits, key=lambda block: not all(block.has_name(word) for word in words)))


def _blocks_of(folder: Traversable) -> dict[str, LibraryBlock]:
    metas = sorted((file for file in folder.iterdir() if file.name.endswith(META)), key=lambda file: file.name)
    return {file.name.removesuffix(META): _read(folder, file) for file in metas}


def _read(folder: Traversable, file: Traversable) -> LibraryBlock:
    try:
        meta = BlockMeta.model_validate(json.loads(read_text(file)))
    except json.JSONDecodeError as err:
        raise make_invalid_json_error(file, err) from err
    except ValidationError as err:
        raise make_invalid_data_error(file, err) from err
    stem = file.name.removesuffix(META)
    # A name with a path in it would read any file of the machine into a prompt.
    if meta.filename != f"{stem}.cpp":
        raise ContestUserError(
            f"{file}: filename: it describes {stem}.cpp, not {meta.filename!r}",
            ja=f"{file}: filename: {meta.filename!r} ではなく {stem}.cpp の説明でなければなりません",
        )
    return LibraryBlock(stem, meta, read_text(folder / meta.filename))
