"""The plan of a run: the files that are copied into its folder, and the pipeline that names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evograft.api import Pipeline, UserError, pipeline_from, validate, with_overrides
from evograft_hookspecs.values import FrozenDict, thaw
from evograft_program.foreign.configuration import read_configuration
from evograft_program.options import EvaluatorStyle, ProgramOptions
from evograft_program.requests.container import plan_container
from evograft_program.requests.function import find_function
from evograft_program.requests.location import complete_files, find_ignored_files, find_task_files
from evograft_program.requests.models import build_llm_section, has_model
from evograft_program.requests.notes import list_notes
from evograft_program.requests.request import EvolveRequest, merge
from evograft_program.styles.recognition import Recognition, recognise
from evograft_program.task.copy import copy_task, list_task
from evograft_program.task.languages import find_language
from evograft_program.task.layout import TaskFiles, TaskLayout, lay_out_task, require_path

PLUGIN, OPERATORS, ISLANDS = "program", "operators", "islands"
COMPOSED = "composed"
TRIALS = 200
"""Of a run without a limit on its time: a model that costs nothing would otherwise be asked for ever."""
TOLD = {"programs": "ideas", "attempts": 10, "history": TRIALS, "ancestors": 0, "max_tokens": 16_384}
"""How prompts tell of other programs: ideas and what became of them. Lines that were dropped would say it again.
An answer is often a whole program, and with some models what they think is part of it."""
WINDOW = 8
"""Trials in flight where nothing is said."""
EVALUATOR_FOLDER = "evaluator"
"""What many tasks call it: the folder above has the task's name."""
MAYBE_WITHOUT_ISLANDS = (COMPOSED, "archive", "pareto", "best_of_n", "sequential")
"""Searches that may have no islands, and so name no trial to beat."""
BY_GAIN = {COMPOSED: {"by": "bandit"}}
"""Who gets the trials of a composed search where nothing is said."""
FEW_TRIALS = {"when_empty": "borrow", "seeds": "fallback", "migration_every": 1}
"""Islands for runs of tens of trials, not thousands: none begins anew from the start program when another has a better
one, and all hear of each other's best within the run."""
STAGES = 3
SLACK = 2.0
"""How far guards are above what evaluations may take by their own limits."""
START_SECONDS, FINAL_SECONDS = 60.0, 1800.0


@dataclass(frozen=True)
class EvolutionPlan:
    """A run that is about to be started."""

    recognition: Recognition
    files: Mapping[str, Path]
    """By place in the copy, the user's files."""
    left_out: frozenset[Path]
    """What evaluations read where it is."""
    data: Mapping[str, Any]
    """The pipeline, with plugins as a mapping from name to options; the copy is not known yet."""
    overrides: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    """What the user should know, one line each."""

    def attach(self, folder: Path) -> Pipeline:
        """Copy the files into an empty folder, and return the pipeline of a run with this copy.

        Raises:
            UserError: the settings are at fault, or a file cannot be read.
        """
        self.compose(folder, "")  # settings are checked before anything is copied
        copy = copy_task(self.files, folder, left_out=self.left_out)
        return self.compose(copy.folder, copy.digest)

    def compose(self, folder: Path, digest: str = "") -> Pipeline:
        """Return the pipeline of a run whose copy is in this folder.

        Raises:
            UserError: the settings are at fault.
        """
        task = {"plugins": {PLUGIN: {"task": {"folder": str(folder), "digest": digest}}}}
        data = merge(self.data, task)
        sections = [{"name": name, "with": options} for name, options in data["plugins"].items()]
        overridden = with_overrides({**data, "plugins": sections}, self.overrides)
        pipeline = pipeline_from(overridden, source="--set" if self.overrides else "the request")
        pipeline = _with_search(pipeline)
        _require_incumbent(pipeline)
        return _with_guards(pipeline, overrides=self.overrides)


def plan_evolution(request: EvolveRequest) -> EvolutionPlan:
    """Return the plan of a request.

    Raises:
        UserError: what is asked for is not there, or does not fit.
    """
    foreign = read_configuration(request.config, arguments=request.arguments)
    files, request = find_task_files(complete_files(request, foreign))
    recognition = recognise(files.evaluator or request.evaluator, style=request.style)
    layout = lay_out_task(files)
    left_out = frozenset(require_path(path, "--read") for path in request.read)
    ignored = find_ignored_files(request, files, layout)
    container = plan_container(request, files, recognition)
    data = merge(
        _usual(files),
        foreign.pipeline,
        {"plugins": foreign.plugins},
        {"plugins": {PLUGIN: _describe_task(request, files, layout, recognition)}},
        container.pipeline,
        request.lay_out_settings(),
        {"plugins": {name: {} for name in request.plugins}},
    )
    if request.llm:
        data["llm"] = build_llm_section(request.llm, api_base=request.arguments.api_base or "")
    return EvolutionPlan(
        recognition,
        list_task(layout, left_out=left_out, ignored=ignored),
        left_out,
        _settle(with_operators(data, files)),
        request.overrides,
        (*foreign.warnings, *list_notes(request, files, ignored), *container.notes),
    )


def _usual(files: TaskFiles) -> dict[str, Any]:
    """Return what holds where nothing else is said."""
    home = files.home.parent if files.home.name == EVALUATOR_FOLDER else files.home
    name = home.name or PLUGIN
    return {
        "name": re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:60] or PLUGIN,
        "plugins": {PLUGIN: {"task": {"name": name}}, "islands": {}},
    }


def with_operators(data: Mapping[str, Any], files: TaskFiles) -> dict[str, Any]:
    """Return the pipeline with what asks models, where there is one, and without where there is none.

    Raises:
        UserError: there is neither a model nor a start program.
    """
    if not has_model(data.get("llm", {})):
        if files.program is None:
            raise UserError(
                "without a start program a model has to write one: add --llm DRIVER:MODEL, or name a program too"
            )
        plugins = {name: options for name, options in data["plugins"].items() if name != OPERATORS}
        return {**{key: value for key, value in data.items() if key != OPERATORS}, "plugins": plugins}
    candidate = data["plugins"][PLUGIN]["candidate"]
    language = candidate.get("language") or find_language(f"program{candidate.get('suffix', '.py')}")
    # Candidates that are in no programming language are written by models only where it is allowed.
    own = {} if language and not candidate["change"] else {"kinds": [PLUGIN]}
    plugins = {**data["plugins"], OPERATORS: {**TOLD, **own, **data["plugins"].get(OPERATORS, {})}}
    return {**data, "plugins": plugins}


def _describe_task(
    request: EvolveRequest, files: TaskFiles, layout: TaskLayout, recognition: Recognition
) -> dict[str, Any]:
    """Return the plugin's options as far as the files decide them."""
    program, others = files.program, {name: layout.place_of(path) for name, path in files.others.items()}
    commit = files.find_commit()
    return {
        "task": {
            "origins": {place: str(source) for place, source in layout.sources.items()},
            **({"statement": request.statement} if request.statement else {}),
            **({"commit": commit} if commit else {}),
        },
        "candidate": {
            "program": "" if program is None else layout.place_of(program),
            "change": list(request.change),
            **({"suffix": program.suffix} if program is not None and program.is_file() else {}),
        },
        "evaluator": {
            "path": request.evaluator if files.evaluator is None else layout.place_of(files.evaluator),
            "style": recognition.style.value,
            "function": find_function(request, files, recognition),
            "read": [str(path.resolve()) for path in request.read],
            "examples": others.get("examples", ""),
        },
        "trust": {"final": others.get("final", "")},
    }


def _settle(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pipeline with a stop, with room for evaluations at a time, and with what a new best is compared to."""
    if data["plugins"][PLUGIN].get("trust", {}).get("confirm"):
        data = merge({"plugins": {"islands": {"incumbent": "overall"}}}, data)
    budget = data.get("budget", {})
    stops = budget if "seconds" in budget else {"trials": TRIALS, **budget}
    jobs = data.get("executor", {}).get("workers", 0)
    return {**data, "budget": stops, **({"window": jobs} if jobs > WINDOW else {})}


def _with_search(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline with the search for runs of tens of answers, as far as nothing else is said."""
    usual = {"search": COMPOSED} if any(each.name == OPERATORS for each in pipeline.plugins) else {}
    plugins = tuple(
        each.model_copy(update={"with_": FrozenDict(_complete_search(thaw(each.with_), usual))})
        if each.name == ISLANDS
        else each
        for each in pipeline.plugins
    )
    return pipeline.model_copy(update={"plugins": plugins})


def _complete_search(options: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a search with those that suit few trials, as far as it reads them.

    Args:
        options: what is said of it.
        usual: the search where they name none.
    """
    chosen = options if _find_search(options) else {**options, **usual}
    composed = BY_GAIN if _find_search(chosen) == COMPOSED else {}
    return merge(FEW_TRIALS if _has_islands(chosen) else {}, composed, chosen)


def _has_islands(options: Mapping[str, Any]) -> bool:
    """Return whether a search has islands; options that the plugin will refuse may have any shape."""
    search, composed = _find_search(options) or ISLANDS, options.get(COMPOSED)
    members = composed.get("members") if isinstance(composed, Mapping) else None
    named = members if isinstance(members, list) else [ISLANDS]
    takes_part = any(each == ISLANDS or (isinstance(each, Mapping) and each.get("search") == ISLANDS) for each in named)
    return search == ISLANDS or (search == COMPOSED and takes_part)


def _find_search(options: Mapping[str, Any]) -> Any:
    """Return which search the options name, if they do; `baseline` is what `search` was called."""
    return options.get("search") or options.get("baseline")


def _require_incumbent(pipeline: Pipeline) -> None:
    """Refuse to confirm new bests where the search has no best that counts.

    Raises:
        UserError: naming the search.
    """
    islands: Any = next((thaw(each.with_) for each in pipeline.plugins if each.name == "islands"), {})
    search = _find_search(islands)
    is_known = search in MAYBE_WITHOUT_ISLANDS  # the plugin itself says of another one that there is none
    if program_options(pipeline).trust.confirm and is_known and not _has_islands(islands):
        without = " without islands" if search == COMPOSED else ""
        raise UserError(
            f"--confirm compares with the best program, and the search {search!r}{without} compares with none: use "
            "--repeat, which evaluates every candidate several times, or leave one of them out"
        )


def _with_guards(pipeline: Pipeline, *, overrides: tuple[str, ...]) -> Pipeline:
    """Return the pipeline with deadlines far above what an evaluation may take by its own limits."""
    if any(override.startswith("deadlines") for override in overrides):
        return pipeline
    options = program_options(pipeline)
    rounds = options.trust.repeat + options.trust.confirm
    stages = STAGES if options.evaluator.style is EvaluatorStyle.OPENEVOLVE else 1
    seconds = START_SECONDS + SLACK * options.limits.seconds * stages * rounds
    deadlines = pipeline.deadlines
    guards = {"evaluate": max(deadlines.evaluate, seconds), "final": max(FINAL_SECONDS, seconds)}
    return pipeline.model_copy(update={"deadlines": deadlines.model_copy(update=guards)})


def program_options(pipeline: Pipeline) -> ProgramOptions:
    """Return the options of this plugin in a pipeline.

    Raises:
        UserError: they are not valid, or the plugin has no part in the pipeline.
    """
    section = next((each for each in pipeline.plugins if each.name == PLUGIN), None)
    if section is None:
        raise UserError("this run was not started by evo evolve: it has no plugin 'program'")
    return validate(ProgramOptions, thaw(section.with_), source=f"plugins.{PLUGIN}.with", shape="a mapping")
