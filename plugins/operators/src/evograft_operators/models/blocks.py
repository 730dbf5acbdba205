"""What stands outside of `EVOLVE-BLOCK-START` and `EVOLVE-BLOCK-END` never changes, whatever a model answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evograft.text.evolve_blocks import MarksBroken, files_to_change, find_broken_marks, take_apart
from evograft_hookspecs import CandidateRejected, StartRefused
from evograft_operators.models.text import line_end_of, one_line, same_text


def check_frozen(base: Mapping[str, str], path: str, who: str) -> None:
    """Refuse a change of a file without marks where another one has some.

    Raises:
        CandidateRejected: naming the change by `who`, the file, and the files that may change.
    """
    open_files = files_to_change(base)
    if path in base and path not in open_files:
        raise CandidateRejected(
            f"{who} changes {path}, which is read-only because it has no EVOLVE-BLOCK marks: "
            f"change only what is between the marks of {', '.join(open_files)}"
        )


def check_marks(files: Mapping[str, str], whose: str) -> None:
    """Refuse a program whose own marks are broken, before a model is asked to work on it.

    Raises:
        CandidateRejected: with file and line.
    """
    broken = find_broken_marks(files)
    if broken:
        raise CandidateRejected(f"the EVOLVE-BLOCK marks of {whose} are broken: {broken}")


def check_seeds(seeds: Iterable[Mapping[str, str]]) -> None:
    """Refuse a problem with a seed program whose marks are broken: no candidate could be made from it.

    Raises:
        StartRefused: with file and line.
    """
    for number, files in enumerate(seeds):
        broken = find_broken_marks(files)
        if broken:
            raise StartRefused(f"the EVOLVE-BLOCK marks of seed program {number} are broken: {broken}")


def keep_outside(base: Mapping[str, str], child: Mapping[str, str]) -> dict[str, str]:
    """Return the base with the child's insides, block by block; what else the child changes is dropped.

    Args:
        base: a program with marks.
        child: another version of it.

    Raises:
        CandidateRejected: the child has other files, changes one without marks, or has blocks that do not match one to
            one.
    """
    added = [path for path in child if path not in base]
    if added:
        raise CandidateRejected(f"{one_line(added[0])} is a new file: only text between EVOLVE-BLOCK marks may change")
    for path, text in base.items():
        if not same_text(text, child[path]):
            check_frozen(base, path, "the answer")
    return {path: _insert(path, text, child[path]) for path, text in base.items()}


def check_outside(base: Mapping[str, str], path: str, text: str, who: str) -> None:
    """Refuse an edited file whose outside is not exactly the base's.

    Raises:
        CandidateRejected: naming the edit by `who`, and the file where it has no marks.
    """
    check_frozen(base, path, who)
    try:
        same = path in base and take_apart(text).outside == take_apart(base[path]).outside
    except MarksBroken:
        same = False
    if not same:
        raise CandidateRejected(f"{who} changes text outside of the EVOLVE-BLOCK marks, or the marks: keep it as it is")


def _insert(path: str, base: str, child: str) -> str:
    if base == child:
        return base
    skeleton = take_apart(base)
    try:
        inside = take_apart(child).inside
    except MarksBroken as err:
        raise CandidateRejected(f"{path}: the EVOLVE-BLOCK marks of the answer are broken: {err}") from err
    if len(inside) != len(skeleton.inside):
        raise CandidateRejected(
            f"{path}: the answer has {_split_blocks(len(inside))}, the program has {len(skeleton.inside)}: "
            "give the whole file, with the marks as they are"
        )
    end = line_end_of(base)
    return skeleton.filled(text.replace("\r\n", "\n").replace("\n", end) for text in inside)


def _split_blocks(count: int) -> str:
    return f"{count or 'no'} EVOLVE-BLOCK{'' if count == 1 else 's'}"
