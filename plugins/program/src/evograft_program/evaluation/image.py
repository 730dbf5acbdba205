"""Evaluators with an image of their own: how it is built, and the command of one evaluation in it."""

from __future__ import annotations

from pathlib import Path

from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxUnavailable
from evograft_program.evaluation.commands import EvaluationFiles, find_environment, find_limits
from evograft_program.options import ProgramOptions
from evograft_program.worker.evaluation import SEED
from evograft_program.worker.programs import TEST, TRAIN
from evograft_program.worker.request import CANDIDATE, CHANGES
from evograft_sandbox.image_build import BuiltImage, ensure_image

PROGRAM_FOLDER = "/evograft-program"
"""Where an image has the folder that candidates change files of."""
BEGIN = f"""
set -e
mkdir own
for given in "$1" {CANDIDATE} {CHANGES}; do
    [ -z "$given" ] || [ ! -d "$given" ] || cp -Rf "$given/." own
done
chmod -R u+w own
program=$PWD/own$2
cd "$3"
shift 3
exec ./evaluate.sh "$program" "$@"
"""
"""Begins an evaluation in any image that has a shell: the candidate is copied, so that its folder can be written to."""


def build_evaluator_image(options: ProgramOptions) -> BuiltImage:
    """Return the image of an evaluator, which is built if the engine has none of its name.

    Raises:
        SandboxUnavailable: no engine answers, or the image cannot be built.
    """
    place = Path(options.task.folder, options.evaluator.path)
    try:
        return ensure_image(options.evaluator.image, place if place.is_dir() else place.parent)
    except SandboxUnavailable as err:
        without = "--set sandbox.driver=process runs evaluate.sh with this machine's programs instead"
        raise SandboxUnavailable(f"{err}; for a new run, {without}") from err


def find_mounts_of_image(options: ProgramOptions) -> dict[str, str]:
    """Return what evaluations see of this machine: what the user lets them read, and a program's folder."""
    folder = str(Path(options.task.folder, options.candidate.program))
    own = {PROGRAM_FOLDER: folder} if options.candidate.change else {}
    return {**{path: path for path in options.evaluator.read}, **own}


def build_command_in_image(
    options: ProgramOptions, image: BuiltImage, files: EvaluationFiles, *, seed: int, is_final: bool
) -> SandboxCommand:
    """Return one evaluation."""
    candidate = options.candidate
    folder = PROGRAM_FOLDER if candidate.change else ""
    program = "" if candidate.change else f"/program{candidate.suffix}"
    mode = TEST if is_final else TRAIN
    begin = ("/bin/sh", "-c", BEGIN, "evaluate")
    return SandboxCommand(
        arguments=(*begin, folder, program, image.working_folder, mode, *options.evaluator.arguments),
        environment=FrozenDict({**image.environment, **find_environment(options), SEED: str(seed)}),
        inputs=FrozenDict(files.inputs),
        limits=find_limits(options),
    )
