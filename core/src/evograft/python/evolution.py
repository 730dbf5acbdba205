"""`evograft.evolve` and `evograft.study`: the plugin plans the run, which is then started."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_type_hints

from evograft.errors import UserError, did_you_mean
from evograft.python.options import EvaluatorSource, EvolveOptions, ProgramSource, StudyOptions
from evograft.python.prepared_run import load_planner
from evograft.python.run import Run
from evograft.python.study import Study, resume_study, start_study
from evograft.python.work import start_planned


def evolve_program(program: ProgramSource | None, evaluate: EvaluatorSource, options: EvolveOptions) -> Run:
    """Plan a run and work on it. The arguments and errors are those of `evograft.evolve`."""
    _require_known(options, EvolveOptions)
    with load_planner().plan_evolution(program, evaluate, options) as planned:
        return start_planned(
            planned,
            _folder_of(options),
            background=options.get("background", False),
            progress=options.get("progress", "auto"),
        )


def open_study(program: ProgramSource | None, resume: str | Path | None, options: StudyOptions) -> Study:
    """Begin or continue a study. The arguments and errors are those of `evograft.study`."""
    _require_known(options, StudyOptions)
    if (program is None) == (resume is None):
        raise UserError("evograft.study: give the start program, or resume=RUN to continue a study")
    planner = load_planner()
    if resume is not None:
        if options:
            raise UserError(f"evograft.study: resume= goes without {', '.join(options)}: a run keeps its settings")
        return resume_study(resume, planner)
    assert program is not None
    with planner.plan_study(program, options) as planned:
        return start_study(planned, _folder_of(options), planner)


def _folder_of(options: EvolveOptions | StudyOptions) -> Path | None:
    folder = options.get("folder")
    return None if folder is None else Path(folder)


def _require_known(options: Mapping[str, object], known: type[EvolveOptions | StudyOptions]) -> None:
    """Refuse an option that there is not: Python does not look into the keys of `**options`."""
    names = get_type_hints(known)
    for name in options:
        if name not in names:
            raise UserError(f"there is no option {name!r}; {did_you_mean(name, names)}")
