"""The inputs of cases: those that came with the tools, and more from the contest's generator as they are asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from evograft.api import write_atomically
from evograft_ahc.contests.task import ToolCommand
from evograft_ahc.files.user_file import read_bytes
from evograft_ahc.text.messages import ContestServiceError, ContestUserError
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.tools.isolation import open_isolated_session
from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxLimits, SandboxSession

FOLDER = "in"
"""Where generators write, as those of official archives do unasked."""
LIMITS = SandboxLimits(cpu_seconds=120, wall_seconds=240, memory_mb=2048, file_mb=64)


def ensure_inputs(workspace: Workspace, count: int) -> tuple[str, ...]:
    """Ensure the inputs of the first cases, and leave existing ones alone.

    Returns:
        The cases, `0000` onwards: `count` of them, or fewer where there is no generator.

    Raises:
        ContestUserError: there is no input at all.
        ContestServiceError: the generator fails, or cannot be confined here.
    """
    numbers = range(count)
    for number in numbers:
        _take_from_tools(workspace, get_case_name(number))
    missing = [number for number in numbers if not workspace.input(get_case_name(number)).exists()]
    if missing and workspace.task.generator:
        _generate(workspace, workspace.task.generator, missing)
    cases = tuple(name for name in map(get_case_name, numbers) if workspace.input(name).exists())
    if not cases:
        raise _nothing(workspace)
    return cases


def get_case_name(number: int) -> str:
    """Return the name of a case: `0000` is the first."""
    return f"{number:04}"


def read_seeds(workspace: Workspace, count: int) -> tuple[str, ...]:
    """Return the seeds of the first cases: the lines of the official list, then the numbers that follow its length."""
    return tuple(itertools.islice(_all_seeds(count_official_seeds(workspace)), count))


def count_official_seeds(workspace: Workspace) -> tuple[str, ...]:
    """Return the number of lines of `tools/seeds.txt`; none if there is no such file."""
    file = workspace.tools / "seeds.txt"
    return tuple(file.read_text(encoding="utf-8", errors="replace").split()) if file.is_file() else ()


def _all_seeds(official: Sequence[str]) -> Iterator[str]:
    used = set(official)
    yield from official
    yield from (str(number) for number in itertools.count(len(official)) if str(number) not in used)


def _take_from_tools(workspace: Workspace, case: str) -> None:
    given, target = workspace.tools / FOLDER / f"{case}.txt", workspace.input(case)
    if given.is_file() and not target.exists():
        write_atomically(target, given.read_bytes())


def _generate(workspace: Workspace, generator: ToolCommand, numbers: Sequence[int]) -> None:
    wanted = read_seeds(workspace, max(numbers) + 1)
    listed = "".join(f"{wanted[number]}\n" for number in numbers).encode()
    with open_isolated_session() as session:
        session.write({"gen": read_bytes(workspace.program(generator)), "seeds.txt": listed})
        _run(session, generator, len(numbers))
        for place, number in enumerate(numbers):
            write_atomically(workspace.input(get_case_name(number)), _made(session, place))


def _run(session: SandboxSession, generator: ToolCommand, count: int) -> None:
    words = {"{seeds}": "seeds.txt", "{folder}": FOLDER}
    command = SandboxCommand(
        arguments=("./gen", *(words.get(word, word) for word in generator.arguments)),
        stdin_file="seeds.txt" if generator.stdin == "seeds" else None,
        inputs=FrozenDict({"gen": "gen", "seeds.txt": "seeds.txt"}),
        outputs=FrozenDict({_path(place): _path(place) for place in range(count)}),
        limits=LIMITS,
    )
    done = session.run(command)
    if done.exit_code != 0:
        said = next(iter(done.stderr.decode(errors="replace").splitlines()), f"exit status {done.exit_code}")
        why = f"{done.limit} limit" if done.limit else said
        raise ContestServiceError(
            f"the contest's generator {generator.program!r} failed: {why}; its call stands in task.json; after a "
            "change, "
            "run evo ahc init once more",
            ja=f"入力生成器 {generator.program!r} が失敗しました: {why}。呼び出し方は task.json で直せます "
            "(変更後は evo ahc init を再実行)",
        )


def _made(session: SandboxSession, place: int) -> bytes:
    try:
        return session.read(_path(place))
    except FileNotFoundError:
        raise ContestServiceError(
            f"the contest's generator made no {_path(place)!r}; its call stands in task.json; after a change, run "
            "evo ahc init "
            "once more",
            ja=f"入力生成器が {_path(place)!r} を作りませんでした。呼び出し方は task.json で直せます (変更後は evo "
            "ahc init を再実行)",
        ) from None


def _path(place: int) -> str:
    return f"{FOLDER}/{get_case_name(place)}.txt"


def _nothing(workspace: Workspace) -> ContestUserError:
    return ContestUserError(
        f"no inputs: {str(workspace.tools)!r} holds neither a generator that was built nor a folder in/; put inputs "
        "into "
        f"{str(workspace.inputs)!r} as 0000.txt and so on",
        ja=f"入力がありません: {str(workspace.tools)!r} にビルド済みの生成器も in/ もありません。"
        f"{str(workspace.inputs)!r} に "
        "0000.txt からの連番で入力を置いてください",
    )
