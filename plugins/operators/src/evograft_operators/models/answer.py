"""From a model's answer to the files of a candidate, or to the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evograft.text.evolve_blocks import empty_blocks, is_marked
from evograft_hookspecs import CandidateRejected, LlmAnswer
from evograft_operators.models.answer_text import extract_text
from evograft_operators.models.blocks import check_outside, keep_outside
from evograft_operators.models.diff import SearchReplace, apply_edits, find_mark, has_edits, read_edits
from evograft_operators.models.fences import Fence, read_fences
from evograft_operators.models.language import check_language, language_at, looks_like, tag_fits
from evograft_operators.models.paths import check_new_path, check_path
from evograft_operators.models.text import line_end_of, list_some, quote, same_text

SUBSTANTIAL = 0.5
"""A code block shorter than this share of the longest one is a snippet, not the program."""


@dataclass(frozen=True)
class AnswerBase:
    """The program that an answer changes, and those that it must not come out as."""

    files: Mapping[str, str]
    """The program that is changed. What an answer does not mention stays as it is here."""
    known: Sequence[Mapping[str, str]] = ()
    """Programs that are there already."""
    missing: frozenset[str] = frozenset()
    """Files of which there is only the name: an answer has to write all of them."""


@dataclass(frozen=True)
class AnswerRules:
    """Requirements of an answer."""

    language: str = ""
    new_files: bool = False
    syntax: bool = True
    """Whether Python is parsed."""

    def language_at(self, path: str, ground: AnswerBase) -> str:
        """Return the language that a file is to be in."""
        return language_at(path, self.language, alone=len(ground.files) == 1)


def read_answer(answer: LlmAnswer, ground: AnswerBase, rules: AnswerRules) -> dict[str, str]:
    """Return the child's files.

    An answer with SEARCH/REPLACE blocks is a change of the base, any other one is whole files, whichever was asked for.

    Raises:
        CandidateRejected: the reason says what is wrong with the answer, and mostly what to do instead.
    """
    text = extract_text(answer)
    child = _read_edited(text, ground, rules) if has_edits(text) else _read_written(text, ground, rules)
    return check_child(child, ground, rules)


def check_child(files: Mapping[str, str], ground: AnswerBase, rules: AnswerRules) -> dict[str, str]:
    """Return a program as it may be evaluated: what is outside of its marks as it was.

    Raises:
        CandidateRejected: it breaks its marks, is in another language, cannot be parsed, or is there already.
    """
    child = dict(files)
    if is_marked(ground.files):
        child = _keep_within_marks(child, ground)
    for path in child.keys() - ground.files.keys():
        check_new_path(path, child)
    for path, content in child.items():
        if content != ground.files.get(path):
            check_language(path, content, rules.language_at(path, ground), parse=rules.syntax)
    if any(_are_same(child, program) for program in ground.known):
        raise CandidateRejected("the answer is a program that is there already, unchanged: change what it does")
    return child


def _keep_within_marks(child: Mapping[str, str], ground: AnswerBase) -> dict[str, str]:
    kept = keep_outside(ground.files, child)
    if _are_same(kept, ground.files) and not _are_same(child, ground.files):
        raise CandidateRejected(
            "all that the answer changes is outside of the EVOLVE-BLOCK marks: change what is inside"
        )
    if _are_same(kept, empty_blocks(kept)):
        raise CandidateRejected("nothing stands between the EVOLVE-BLOCK marks: write the program there")
    return kept


def _read_edited(text: str, ground: AnswerBase, rules: AnswerRules) -> dict[str, str]:
    if ground.missing:
        raise CandidateRejected("there is no program to search in: give whole files, not SEARCH/REPLACE blocks")
    edits = read_edits(text, ground.files)

    def keeps_outside(edit: SearchReplace, path: str, changed: str) -> None:
        named = edit if len(ground.files) == 1 else replace(edit, path=path)
        check_outside(ground.files, path, changed, str(named))

    check = keeps_outside if is_marked(ground.files) else None
    changed = apply_edits(ground.files, edits, new_files=rules.new_files, check=check)
    for path, content in ground.files.items():
        if content.strip() and not changed[path].strip():
            raise CandidateRejected(f"the SEARCH/REPLACE blocks leave nothing of {path}: write what takes its place")
    return changed


def _read_written(text: str, ground: AnswerBase, rules: AnswerRules) -> dict[str, str]:
    fences = read_fences(text, ground.files)
    if any(not fence.closed for fence in fences):
        raise CandidateRejected(
            "a fenced code block has no end: the answer was cut off, or the closing fence is missing"
        )
    if not fences:
        fences = [Fence(_read_unfenced(text, ground, rules))]
    read = _read_one_file if len(ground.files) == 1 else _read_several
    given = read(fences, ground, rules)
    _check_contents(given, ground)
    ends = {path: line_end_of(ground.files.get(path, "")) for path in given}
    return {**ground.files, **{path: content.replace("\n", ends[path]) for path, content in given.items()}}


def _check_contents(given: Mapping[str, str], ground: AnswerBase) -> None:
    """Refuse to empty a file, and to leave out one that does not exist yet."""
    for path, content in given.items():
        needed = path in ground.missing or ground.files.get(path, "").strip()
        if needed and not content.strip():
            raise CandidateRejected(f"the code block of {path} is empty: give the whole file")
        mark = find_mark(content)
        if mark and mark not in ground.files.get(path, ""):
            raise CandidateRejected(
                f"{path} holds the mark of an edit, {quote(mark)}: give the whole file, or blocks that begin with "
                "<<<<<<< SEARCH and end with >>>>>>> REPLACE"
            )
    absent = [path for path in ground.files if path in ground.missing - given.keys()]
    if absent:
        raise CandidateRejected(f"the file {absent[0]} is missing in the answer: give all of {list_some(ground.files)}")


def _read_unfenced(text: str, ground: AnswerBase, rules: AnswerRules) -> str:
    language = rules.language_at(next(iter(ground.files)), ground)
    if len(ground.files) > 1 or not looks_like(text, language):
        raise CandidateRejected(
            f"the answer has no code block (it begins {quote(text)}): put the program between ```{language} and ```"
        )
    return text.strip("\n") + "\n"


def _read_one_file(fences: Sequence[Fence], ground: AnswerBase, rules: AnswerRules) -> dict[str, str]:
    """Return the file, whatever the answer calls it, and new files if it names the file too."""
    only = next(iter(ground.files))
    named = {fence.path for fence in fences if fence.path and fence.path != only}
    for path in sorted(named):
        check_path(path)
    own = [fence for fence in fences if fence.path in (None, only)]
    if not own and len(named) == 1:
        own, named = [Fence(fence.text, fence.tag, only) for fence in fences], set()
    chosen = [_choose(own, only, ground, rules)] if own else []
    return _read_several([*(fence for fence in fences if fence.path in named), *chosen], ground, rules)


def _choose(fences: Sequence[Fence], path: str, ground: AnswerBase, rules: AnswerRules) -> Fence:
    """Return the block that is the program.

    It is in the right language, has marks if there are any, is not a snippet, and is the last of those.

    Raises:
        CandidateRejected: all are in another language, or two claim to be the file.
    """
    if len([fence for fence in fences if fence.path == path]) > 1:
        raise CandidateRejected(f"the answer gives {path} more than once: give each file once")
    language = rules.language_at(path, ground)
    _check_tags(fences, path, language)
    best = _find_likeliest(fences, path, language)
    if is_marked(ground.files):
        best = [fence for fence in best if is_marked({path: fence.text})] or best
    enough = SUBSTANTIAL * max(len(fence.text) for fence in best)
    chosen = [fence for fence in best if len(fence.text) >= enough][-1]
    return Fence(chosen.text, chosen.tag, path)


def _find_likeliest(fences: Sequence[Fence], path: str, language: str) -> list[Fence]:
    """Return the blocks that name the file, else those that are tagged with its language, else those without a tag."""
    named = [fence for fence in fences if fence.path == path]
    tagged = [fence for fence in fences if tag_fits(fence.tag, language)]
    return named or tagged or [fence for fence in fences if tag_fits(fence.tag, language) is None]


def _read_several(fences: Sequence[Fence], ground: AnswerBase, rules: AnswerRules) -> dict[str, str]:
    """Return the files that the answer names; code blocks without a path are examples."""
    named = [(fence.path, fence) for fence in fences if fence.path]
    if not named:
        files = list_some(ground.files)
        raise CandidateRejected(f"no code block says which file it is: put a heading `### path` before each ({files})")
    given: dict[str, str] = {}
    for path, fence in named:
        check_path(path)
        if path in given:
            raise CandidateRejected(f"the answer gives {path} more than once: give each file once")
        if path not in ground.files and not rules.new_files:
            files = list_some(ground.files)
            raise CandidateRejected(f"{quote(path)} is not a file of the program: its files are {files}")
        _check_tags([fence], path, rules.language_at(path, ground))
        given[path] = fence.text
    return given


def _check_tags(fences: Sequence[Fence], path: str, language: str) -> None:
    if all(tag_fits(fence.tag, language) is False for fence in fences):
        tags = ", ".join(dict.fromkeys(fence.tag for fence in fences))
        raise CandidateRejected(f"{path} is in {tags}, {language} was asked for: write the program in {language}")


def _are_same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return one.keys() == other.keys() and all(same_text(text, other[path]) for path, text in one.items())
