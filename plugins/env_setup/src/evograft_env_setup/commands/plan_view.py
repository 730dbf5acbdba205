"""A plan that is made for a command, and as people read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from evograft.api import Pipeline, llm_settings, load_settings, open_temporary, resolve_pipeline
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.outlook import load_environments
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.setup.preparation import prepare
from evograft_env_setup.text.printable import escape_unprintable
from evograft_hookspecs import EnvironmentReport
from evograft_hookspecs.services.llm import LlmService
from evograft_hookspecs.values import thaw

PLUGIN = "env_setup"


@contextmanager
def open_plan(
    options: EnvSetupOptions,
    *,
    llm: str | None,
    overrides: Sequence[str] = (),
    on_analyzed: Callable[[], None] = lambda: None,
) -> Iterator[tuple[EnvironmentReport, LlmService | None]]:
    """Plan for a repository; yield what is planned, and the model that planned, for corrections.

    Args:
        options: name the repository.
        llm: the driver and model that plan; `None`: the rules do.
        overrides: of settings.
        on_analyzed: called when the repository is read, before a model is asked.

    Raises:
        UserError: the repository, the environments or the settings are at fault.
    """
    # Who calls the command is told by the command.
    only_planned = options.model_copy(update={"place": "none", "report": (), "ref": "", "submodules": False})
    by_rules = prepare(only_planned)
    on_analyzed()
    if llm is None and not overrides:
        yield by_rules, None
        return
    with open_temporary(_pipeline(only_planned, llm, overrides), PLUGIN, tell_folder=_tell_folder) as opened:
        yield opened.ctx.environment[PLUGIN], opened.ctx.llm


def selected_environment(report: EnvironmentReport) -> SelectedEnvironment:
    return SelectedEnvironment.model_validate(thaw(report.facts["plan"]["selected_environment"]))


def format_plan(chosen: SelectedEnvironment, options: EnvSetupOptions) -> str:
    """Plain lines; what a model or a file says is made harmless to a terminal."""
    lines = [
        f"environment: {chosen.name}: {chosen.reason}",
        f"image: {chosen.image or load_environments(options)[chosen.name].usual_image}",
        "setup:",
        *(f"  {command}" for command in chosen.setup_commands),
        "verification:",
        *(f"  {each.command}  # prints {each.expected_output}" for each in chosen.verification),
    ]
    return "\n".join(map(escape_unprintable, lines))


def _tell_folder(folder: Path) -> None:
    click.echo(f"the prompt is a file in {folder}: see evo answer", err=True)


def _pipeline(options: EnvSetupOptions, llm: str | None, overrides: Sequence[str]) -> Pipeline:
    """Build the pipeline of the conversation with the model, which is one question of the plugin."""
    data = {"name": "plan", "plugins": [{"name": PLUGIN, "with": options.model_dump(mode="json")}]}
    settings = (*llm_settings(llm, Path(load_settings().runs_dir)), *overrides)
    return resolve_pipeline(data, settings, source="env plan")
