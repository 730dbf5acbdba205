"""How an archive's programs are called and where they print the score: told by its README, the statement, its sources.

Archives differ: some generators read seeds from standard input, some testers take the input as an argument, scores go
to either channel. What is recognised goes into `task.json`, where it can be changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evograft_ahc.contests.task import Scorer, ToolCommand
from evograft_ahc.text.messages import ContestUserError

SCORERS = ("score", "evaluate", "evaluator", "judge", "tester", "vis", "visualizer")
"""Programs that tell the score of an output, the most telling name first; a tester does where it runs no program."""
VISUALIZERS = ("vis", "visualizer")
LONGEST_TEXT = 1 << 20
"""Characters of a manual or source that are looked at."""
NUMBER = r"(-?\d+(?:\.\d+)?)"
ANY_SCORE = rf"(?im)^\s*(?:total )?(?:score|cost)\s*[=:]\s*{NUMBER}"
SCORE_WORD = re.compile(r"score|cost", re.IGNORECASE)
LABELLED = r"(?:[^=:,\n]{0,40}[=:])?[ \t]*-?\d[\d.]*(?:e[+-]?\d+)?[ \t]*"
OBJECTIONS = (
    r"wrong|invalid|illegal|error|(?:un)?expected|out of range|fail\w*|exceed\w*|too \w+|terminated|must|cannot|can't"
    r"|duplicate\w*|already|missing|not"
)
# A word of failure, in a line that is more than numbers with labels. Candidates have a say in what it is matched
# against, so nothing in it may be read in two ways.
COMPLAINT = rf"(?im)^(?!{LABELLED}(?:,{LABELLED})*$).*\b(?:{OBJECTIONS})\b.*$"
WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), meaning)
    for pattern, meaning in (
        (r"seeds?(_file|\.txt)?", "{seeds}"),
        (r"(in|input)(_?file|\.txt)?|in/0+\.txt", "{input}"),
        (r"(out|output)(_?file|\.txt)?|out/0+\.txt", "{output}"),
        (r"cmd|command|your_program|\./a\.out", "{candidate}"),
        (r"folder|dir|directory", "{folder}"),
    )
)
PRINTING = re.compile(
    r"""(?P<channel>eprint(?:ln)?!\s*\(|print(?:ln)?!\s*\(|c(?:err|out)\s*<<)\s*"(?P<text>(?:[^"\\]|\\.)*)"(?P<rest>[^;\n]*)"""
)


@dataclass(frozen=True)
class ToolUsage:
    """How a program is called."""

    arguments: tuple[str, ...]
    stdin: Literal["", "input", "seeds"] = ""


@dataclass(frozen=True)
class DetectedTools:
    """What is known of an archive's programs; `None`: there is no such program, or it was not built."""

    scorer: Scorer
    interactive: bool
    generator: ToolCommand | None
    visualizer: ToolCommand | None


def detect_tools(tools: Path, statements: Iterable[str]) -> DetectedTools:
    """Look at the sources of an archive and at what was built of it, in `tools/bin`.

    Args:
        tools: the archive as it was unpacked.
        statements: texts that may say how the programs are called.

    Raises:
        ContestUserError: there is nothing that tells a score.
    """
    built = {path.name for path in (tools / "bin").glob("*")}  # no folder where nothing could be built
    manuals = [*(_text(path) for path in sorted(tools.glob("*.md"))), *statements]
    usages = {name: usage for name in (*built, "tester") if (usage := _usage(name, manuals))}
    # A tester that was not built is no reason to take the visualiser's word: an interactive output has no other judge.
    tester = _tester(tools, usages.get("tester"))
    scorer = tester or _scorer(tools, next((name for name in SCORERS if name in built), ""), usages)
    if scorer is None or not (tools.parent / scorer.program).exists():
        raise _no_scorer(tools, scorer)
    return DetectedTools(
        scorer=scorer,
        interactive=tester is not None,
        generator=_generator(tools, usages.get("gen")) if "gen" in built else None,
        visualizer=next((_visualizer(name, usages.get(name)) for name in VISUALIZERS if name in built), None),
    )


def _no_scorer(tools: Path, scorer: Scorer | None) -> ContestUserError:
    name = Path(scorer.program).name if scorer else "score or vis"
    return ContestUserError(
        f"the contest's judge, {name}, was not built; put the program into {str(tools / 'bin')!r} and init again",
        ja=f"採点プログラム {name} がありません。{str(tools / 'bin')!r} に置いてもう一度 init してください",
    )


def _tester(tools: Path, usage: ToolUsage | None) -> Scorer | None:
    """Return the scorer of an interactive contest; `None` if there is no `tester` that runs programs."""
    if not _sources(tools, "tester") and not (tools / "bin" / "tester").exists():
        return None
    source = _source(tools, "tester")
    if usage is None:
        if "Command::new" not in source and "exec" not in source:
            return None
        takes_input = "nth(2)" in source
        usage = ToolUsage(("{input}", "{candidate}")) if takes_input else ToolUsage(("{candidate}",), "input")
    if "{candidate}" not in usage.arguments:
        return None
    return _scoring("tester", usage, source, default="stderr")


def _scorer(tools: Path, name: str, usages: dict[str, ToolUsage]) -> Scorer | None:
    if not name:
        return None
    usage = usages.get(name, ToolUsage(("{input}", "{output}")))
    return _scoring(name, usage, _source(tools, name), default="stdout")


def _scoring(name: str, usage: ToolUsage, source: str, *, default: Literal["stdout", "stderr"]) -> Scorer:
    channel, pattern = next(_printed_scores(source), (default, ANY_SCORE))
    return Scorer(
        program=f"tools/bin/{name}",
        arguments=usage.arguments,
        stdin=usage.stdin,
        channel=channel,
        pattern=pattern,
        wrong=COMPLAINT,
    )


def _generator(tools: Path, usage: ToolUsage | None) -> ToolCommand:
    source = _source(tools, "gen")
    from_stdin = "stdin()" in source and "args()" not in source
    usage = usage or (ToolUsage((), "seeds") if from_stdin else ToolUsage(("{seeds}",)))
    return ToolCommand(program="tools/bin/gen", arguments=usage.arguments, stdin=usage.stdin)


def _visualizer(name: str, usage: ToolUsage | None) -> ToolCommand:
    usage = usage or ToolUsage(("{input}", "{output}"))
    return ToolCommand(program=f"tools/bin/{name}", arguments=usage.arguments, stdin=usage.stdin)


def _usage(name: str, manuals: Iterable[str]) -> ToolUsage | None:
    called = re.compile(rf"(?:--bin\s+|`){re.escape(name)}(?: +(?P<words>[^`\n]*))?(?:`|$)", re.MULTILINE)
    found = (_understood((hit["words"] or "").split()) for text in manuals for hit in called.finditer(text))
    return next((usage for usage in found if usage and (usage.arguments or usage.stdin)), None)


def _understood(words: list[str]) -> ToolUsage | None:
    """`None`: there is a word of unknown meaning."""
    usage, reading = ToolUsage(()), iter(words)
    for word in reading:
        if word == ">":
            next(reading, None)
            continue
        meaning = _meaning(next(reading, "") if word == "<" else word)
        if meaning is None:
            return None
        if word != "<":
            usage = replace(usage, arguments=(*usage.arguments, meaning))
        elif meaning in ("{input}", "{seeds}"):
            usage = replace(usage, stdin="input" if meaning == "{input}" else "seeds")
    return usage


def _meaning(word: str) -> str | None:
    bare = word.strip("[]<>{}.") if not word.startswith("./") else word
    return next((meaning for pattern, meaning in WORDS if pattern.fullmatch(bare)), None)


def _printed_scores(source: str) -> Iterator[tuple[Literal["stdout", "stderr"], str]]:
    """Channel and pattern of the lines of code that print a score: those with a label first."""
    hits = list(PRINTING.finditer(source))
    for hit in hits:
        if SCORE_WORD.search(hit["text"]) and _has_number(hit):
            yield _channel(hit), _pattern(hit["text"])
    for hit in hits:
        if hit["text"] in ("{}", "{}\\n") and re.search(r"(?i)\bscore\b", hit["rest"]):
            yield _channel(hit), rf"(?m)^\s*{NUMBER}\s*$"


def _has_number(hit: re.Match[str]) -> bool:
    return "{" in hit["text"] or hit["rest"].lstrip().startswith("<<")


def _channel(hit: re.Match[str]) -> Literal["stdout", "stderr"]:
    return "stderr" if hit["channel"].startswith(("eprint", "cerr")) else "stdout"


def _pattern(text: str) -> str:
    """Return the label that speaks of the score, then the number behind it."""
    parts = re.split(r"\{[^}]*\}", text.replace("\\n", " "))
    place = next(place for place, part in enumerate(parts) if SCORE_WORD.search(part))
    label = r"\s*".join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", parts[place]))
    return rf"(?m)^{'.*?' if place else ''}\s*{label}\s*{NUMBER}"


def _source(tools: Path, name: str) -> str:
    """Return a program's source, and behind it what it shares with others."""
    shared = tools / "src" / "lib.rs"
    return "\n".join(_text(path) for path in (*_sources(tools, name), *([shared] if shared.is_file() else [])))


def _sources(tools: Path, name: str) -> list[Path]:
    places = (f"src/{name}.cpp", f"src/bin/{name}.rs", f"src/bin/{name}/main.rs")
    return [path for place in places if (path := tools / place).is_file()]


def _text(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(LONGEST_TEXT)
