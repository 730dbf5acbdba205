"""The sandbox's command for one evaluation."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evograft_hookspecs import Candidate, ForkServer, FrozenDict, SandboxCommand, SandboxLimits
from evograft_program.options import IN_PYTHON, EvaluatorStyle, ProgramOptions
from evograft_program.styles.imports import find_preloads
from evograft_program.task.candidates import require_permitted
from evograft_program.worker.request import CANDIDATE, CHANGES

ARCHIVE = "worker.pyz"
KEPT_BY_PARENT = "kept_by_parent"
SPARE_SECONDS = 10.0
"""What the process may take beside an evaluator in Python, whose stages the worker ends if they take too long."""
MOST_STAGES = 3
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
"""Evaluations run next to one another: more threads than one each would only wait for cores."""


@dataclass(frozen=True)
class EvaluationFiles:
    """Files for a session, and where the command finds those that it is given."""

    session: dict[str, bytes]
    inputs: dict[str, str]
    """Path in the command's folder to path in the session's."""


def lay_out_files(candidate: Candidate, options: ProgramOptions, parents_kept: Sequence[bytes]) -> EvaluationFiles:
    """Return the candidate's files and what its parents kept, where the worker looks for them.

    Raises:
        CandidateRejected: it has a file that it may not have.
    """
    if options.candidate.change:
        require_permitted(candidate.files, options.candidate.change)
        inputs = {f"{CHANGES}/{path}": text.encode() for path, text in candidate.files.items()}
    else:
        inputs = {f"{CANDIDATE}/program{options.candidate.suffix}": candidate.source.encode()}
    for number, kept in enumerate(parents_kept):
        inputs[f"{CANDIDATE}/{KEPT_BY_PARENT}{f'_{number + 1}' if number else ''}"] = kept
    return EvaluationFiles(
        {f"evaluation/{path}": data for path, data in inputs.items()}, {path: f"evaluation/{path}" for path in inputs}
    )


def build_request(options: ProgramOptions, *, token: str, seed: int, kept_bytes: int, is_final: bool) -> bytes:
    """Return what the worker reads from its standard input.

    Args:
        options: of the plugin.
        token: what its answers begin with.
        seed: of the global random generators.
        kept_bytes: the most that the candidate may keep.
        is_final: whether this is the evaluation at the end, which may have an evaluator of its own.
    """
    evaluator = choose_evaluator(options, is_final=is_final)
    task, candidate = options.task.folder, options.candidate
    in_python = options.evaluator.style in IN_PYTHON
    path = Path(task, evaluator)
    return json.dumps(
        {
            "token": token,
            "style": options.evaluator.style.value,
            "evaluator": str(path) if in_python else evaluator,
            "function": options.evaluator.function,
            "arguments": list(options.evaluator.arguments),
            "task": task,
            "program": CANDIDATE if candidate.change else f"{CANDIDATE}/program{candidate.suffix}",
            "folder": str(Path(task, candidate.program)) if candidate.change else "",
            "path": find_import_folders(options, path) if in_python else [],
            "examples": str(Path(task, options.evaluator.examples)) if options.evaluator.examples else "",
            "thresholds": list(options.cascade.thresholds) if options.cascade.enabled else [],
            "seconds": options.limits.seconds,
            "seed": seed,
            "kept_bytes": kept_bytes,
            "is_final": is_final,
        }
    ).encode()


def choose_evaluator(options: ProgramOptions, *, is_final: bool) -> str:
    """Return which evaluator evaluates: a file or folder of the task, or a shell line."""
    return (options.trust.final if is_final else "") or options.evaluator.path


def build_command(
    options: ProgramOptions, files: EvaluationFiles, request: bytes, server: ForkServer, *, clean: bool
) -> SandboxCommand:
    """Return one evaluation; where no fork server begins it, it imports what the server would have imported."""
    python, archive, _, *imports = server.arguments
    return SandboxCommand(
        arguments=(python, archive, "once", *imports),
        stdin=request,
        environment=find_environment(options),
        inputs=FrozenDict({ARCHIVE: ARCHIVE, **files.inputs}),
        limits=find_limits(options),
        fork_server=None if clean else server,
    )


def build_fork_server(options: ProgramOptions, python: str, evaluators: Sequence[str]) -> ForkServer:
    """Return the process that has imported what the evaluators and the start program import."""
    task = Path(options.task.folder)
    sources = [task / each for each in evaluators]
    if options.candidate.program and not options.candidate.change:
        sources.append(task / options.candidate.program)
    modules = [name for source in sources if source.suffix == ".py" for name in _find_preloads(source)]
    folders = find_import_folders(options, sources[0]) if sources else []
    return ForkServer(
        arguments=(python, ARCHIVE, "serve", os.pathsep.join(folders), *dict.fromkeys(modules)),
        environment=find_environment(options),
        inputs=FrozenDict({ARCHIVE: ARCHIVE}),
        processes=options.limits.processes,
        wall_seconds=options.limits.seconds,
    )


def find_environment(options: ProgramOptions) -> FrozenDict[str, str]:
    """Return the environment variables of evaluations: those that were granted, and what makes equal runs equal."""
    granted = {name: os.environ[name] for name in options.evaluator.env if name in os.environ}
    fixed = {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1", **dict.fromkeys(ONE_THREAD, "1")}
    return FrozenDict({**fixed, **granted})


def find_import_folders(options: ProgramOptions, evaluator: Path) -> list[str]:
    """Return the folders that an evaluator imports its neighbours from: its own first, as a script has it."""
    return list(dict.fromkeys((str(evaluator.parent), options.task.folder)))


def _find_preloads(source: Path) -> tuple[str, ...]:
    """Return what a file imports; one that is not Python fails when it is evaluated, with a better message."""
    try:
        return find_preloads(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError):
        return ()


def find_limits(options: ProgramOptions) -> SandboxLimits:
    """Return what the processes of one evaluation may use together."""
    limits = options.limits
    staged = options.evaluator.style is EvaluatorStyle.OPENEVOLVE and options.cascade.enabled
    spare = SPARE_SECONDS if options.evaluator.style in IN_PYTHON else 0
    wall = limits.seconds * (MOST_STAGES if staged else 1) + spare
    return SandboxLimits(
        wall_seconds=wall,
        cpu_seconds=limits.cpu_seconds or wall * (os.cpu_count() or 1),
        memory_mb=limits.memory_mb,
        processes=limits.processes,
    )
