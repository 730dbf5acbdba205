"""The tool `run`: a shell line in a copy of the program, in the sandbox that evaluates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    CommandResult,
    FrozenDict,
    SandboxCommand,
    ToolCall,
    ToolResult,
)
from evograft_program.evaluation.commands import EvaluationFiles, find_environment, find_limits
from evograft_program.evaluation.image import PROGRAM_FOLDER
from evograft_program.options import ProgramOptions
from evograft_program.task.problem import KIND
from evograft_program.worker.request import CANDIDATE, CHANGES

if TYPE_CHECKING:
    from evograft_program.evaluation.evaluator import ProgramEvaluator

MOST_BYTES = 1_000_000
"""Of what a command prints; it is ended when it prints more."""
MOST_SHOWN = 8_000
"""Characters of it that an agent reads."""
BEGIN = f"""
mkdir own
for given in "$1" {CANDIDATE} {CHANGES}; do
    [ -z "$given" ] || [ ! -d "$given" ] || cp -Rf "$given/." own
done
chmod -R u+w own
cd own || exit
python() {{ "$PYTHON" "$@"; }}
python3() {{ "$PYTHON" "$@"; }}
eval "$2"
"""
"""Copies the candidate, so that it can be compiled where it lies."""


def run_for_agent(call: ToolCall, evaluator: ProgramEvaluator) -> ToolResult:
    """Carry out a call of the tool."""
    candidate = Candidate(kind=KIND, files=call.files or FrozenDict(), operator="kernel.seed", trial=0)
    try:
        result = evaluator.run_command(candidate, str(call.arguments["command"]))
    except (CandidateRejected, ValueError) as err:
        return ToolResult(ok=False, content=str(err))
    return ToolResult(ok=True, content=describe(result))


def build_run_command(options: ProgramOptions, files: EvaluationFiles, line: str, python: str) -> SandboxCommand:
    """Return the sandbox's command for a shell line."""
    folder = str(Path(options.task.folder, options.candidate.program)) if options.candidate.change else ""
    if options.evaluator.image and folder:
        folder = PROGRAM_FOLDER
    return SandboxCommand(
        arguments=("/bin/sh", "-c", BEGIN, "run", folder, line),
        environment=FrozenDict(
            {**find_environment(options), "TASK": options.task.folder, "PYTHON": python or "python3"}
        ),
        inputs=FrozenDict(files.inputs),
        limits=find_limits(options).model_copy(update={"output_bytes": MOST_BYTES}),
    )


def describe(result: CommandResult) -> str:
    """Return how a command ended and what it printed, as an agent reads it."""
    ended = f"ended by the limit of {result.limit}" if result.limit else f"exit code {result.exit_code}"
    parts = [f"{ended}, {result.cpu_seconds:.2f} CPU seconds"]
    for name, printed in (("stdout", result.stdout), ("stderr", result.stderr)):
        text = printed.decode(errors="replace").replace("\0", "\ufffd").rstrip()
        if text:
            parts.append(f"{name}:\n{_cut(text)}")
    return "\n\n".join(parts)


def _cut(text: str) -> str:
    if len(text) <= MOST_SHOWN:
        return text
    half = MOST_SHOWN // 2
    return f"{text[:half]}\n({len(text) - 2 * half} characters are left out)\n{text[-half:]}"
