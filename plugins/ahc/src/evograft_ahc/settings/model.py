"""The user's settings of contests: `ahc_config.yaml` of a workspace over `~/.ahc_agent/config.yaml`, key by key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from evograft.api import did_you_mean, read_yaml, validate
from evograft_ahc.text.messages import ContestUserError, Language
from evograft_ahc.text.placeholders import CrossoverPrompt, MutationPrompt
from evograft_ahc.text.validation_errors import suggest_in_japanese
from evograft_ahc.workspace.folder import Workspace

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
API_KEY = ("llm", "api_key")
"""The only reference that is never replaced by what it refers to."""
LEVEL_VARIABLE = "AHC_LOG_LEVEL"
DEFAULT = "default"
"""The source of a setting that nobody has set."""

Positive = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Temperature = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _is_reference(value: object) -> object:
    if value and not (isinstance(value, str) and REFERENCE.fullmatch(value)):
        # It is not repeated: what is no reference may be the key itself.
        raise ValueError("a key is written nowhere: put it into an environment variable and write its name, as ${NAME}")
    return value


class SettingsSection(BaseModel):
    """The base of all parts: a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True)


class LlmSettings(SettingsSection):
    provider: str = "openai"
    """Any provider that litellm knows, such as openai, google or anthropic; or manual, ollama, none."""
    model: str = "gpt-4o"
    """As the provider names it."""
    api_key: Annotated[str, BeforeValidator(_is_reference)] = "${OPENAI_API_KEY}"
    """The environment variable that holds the key; empty: the provider's usual one."""
    temperature: Temperature | None = None
    """Null: the provider's default, which is all that some models take."""
    max_tokens: Positive = 32_768
    """Per answer; what a model thinks counts for many."""
    timeout: Seconds = 120
    """Per request."""


class DockerSettings(SettingsSection):
    image: str = "mcr.microsoft.com/devcontainers/cpp:0-bullseye"
    mount_path: str = "/workspace"
    """Where the workspace is seen inside the container of `evo ahc docker run`."""
    compilation_timeout: Seconds = 60
    """In seconds."""
    execution_timeout: Seconds = 10
    """Per case, in seconds; the problem's own limit applies first."""


class EvolutionSettings(SettingsSection):
    max_generations: Positive = 30
    population_size: Positive = 10
    """Candidates per generation."""
    time_limit_seconds: Seconds = 1800
    """Of the whole session."""
    score_plateau_generations: Positive | None = 5
    """Stop after so many generations without a better best; null: go on."""
    temperature: Temperature | None = None
    """In place of `llm.temperature` where programs are changed and joined."""
    agent: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The share of changes by a model that an agent with tools makes; 0: none, 1: all."""
    mutation_prompts: tuple[MutationPrompt, ...] = ()
    """Each with {code_snippet} or {function_code}; none: those of the language."""
    crossover_prompts: tuple[CrossoverPrompt, ...] = ()
    """Each with {code_A} and {code_B}; none: those of the language."""


class WorkspaceSettings(SettingsSection):
    base_dir: str = "./workspace"
    """Where `evo ahc init` makes workspaces."""
    keep_session_files: bool = True
    """false: generated files are removed after the session; the best solution and the log stay."""
    max_log_size_mb: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 100
    """Of a log, before the next file of it begins."""


class SourceSettings(SettingsSection):
    path: str = "internal"
    """What comes with the package; or a folder, or a file, with more."""

    def beside(self, folder: Path) -> tuple[Path, ...]:
        """Return what there is next to the package's own; a relative path is taken from a folder."""
        return () if self.path == "internal" else (folder / Path(self.path).expanduser(),)


class ScoreSettings(SettingsSection):
    input: str = ""
    """Names for the words that an input begins with, such as `N M eps`, by which `evo ahc scores` groups cases; `_` for
    words of no interest."""
    standings: str = ""
    """A CSV file with the columns rank, score and performance of the contest, by which ranks are estimated; a relative
    path is taken from the workspace."""
    standings_cases: Positive = 150
    """On how many cases the scores of the standings are."""
    aim: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """A mean score of a case that is good, which prompts name as something to aim at; null: none is known."""


class LoggingSettings(SettingsSection):
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = "DEBUG"
    """Lesser lines are left out; the environment variable AHC_LOG_LEVEL goes before."""
    prompts: Literal["full", "hash"] = "full"
    """hash: prompts and answers as their hash and their number of tokens."""
    json_lines: bool = False
    """One JSON object a line."""
    max_age_hours: Seconds = 24
    """Of a log, before the next file of it begins."""


class AhcSettings(SettingsSection):
    """Everything that a config file may say."""

    language: Language = "en"
    """Of messages, prompts and statements: en or ja."""
    knowledge: Literal["own", "others", "none"] = "others"
    """What models are told of past contests: own: all, with what earlier sessions of this one have shown; others: of
    all but this one, as in practice and in benchmarks; none."""
    llm: LlmSettings = LlmSettings()
    docker: DockerSettings = DockerSettings()
    evolution: EvolutionSettings = EvolutionSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    algorithm_library: SourceSettings = SourceSettings()
    past_contest_db: SourceSettings = SourceSettings()
    scores: ScoreSettings = ScoreSettings()
    logging: LoggingSettings = LoggingSettings()

    def limited(
        self,
        *,
        time_limit: float | None = None,
        max_generations: int | None = None,
        population_size: int | None = None,
        knowledge: Literal["own", "others", "none"] | None = None,
    ) -> AhcSettings:
        """Return the settings with the limits and the knowledge that a command was given; `None`: as it is set."""
        given = {
            "time_limit_seconds": time_limit,
            "max_generations": max_generations,
            "population_size": population_size,
        }
        known = {name: value for name, value in given.items() if value is not None}
        return self.model_copy(
            update={
                "evolution": self.evolution.model_copy(update=known),
                "knowledge": self.knowledge if knowledge is None else knowledge,
            }
        )


@dataclass(frozen=True)
class Setting:
    """One of them as it holds."""

    key: str
    value: Any
    source: str
    """The file, or the environment's variable, that says so; or `DEFAULT`."""


@dataclass(frozen=True)
class LoadedSettings:
    """The settings that hold."""

    values: AhcSettings
    sources: Mapping[str, str]
    """The file, or the variable, of each dotted key that one sets."""

    def all(self) -> tuple[Setting, ...]:
        """Every key, in the order of the sections."""
        flat = flatten(self.values.model_dump(mode="json"))
        return tuple(Setting(key, value, self.sources.get(key, DEFAULT)) for key, value in flat)

    def get(self, key: str) -> Setting:
        """Return a setting by its dotted key, such as `llm.model`."""
        known = {setting.key: setting for setting in self.all()}
        if key not in known:
            raise make_unknown_key_error(key)
        return known[key]


def make_unknown_key_error(key: str) -> ContestUserError:
    known = [name for name, _ in flatten(AhcSettings().model_dump(mode="json"))]
    return ContestUserError(
        f"unknown setting {key!r}; {did_you_mean(key, known)}",
        ja=f"設定 {key!r} はありません; {suggest_in_japanese(key, known)}",
    )


def get_user_folder() -> Path:
    """Return the folder of what belongs to the user and to no workspace."""
    return Path.home() / ".ahc_agent"


def get_user_config() -> Path:
    return get_user_folder() / "config.yaml"


def load_settings(workspace: Workspace | None = None) -> LoadedSettings:
    """Load the settings that hold in a workspace, or outside of any.

    Raises:
        UserError: a file is not in order; the message names it, and the key.
    """
    files = [get_user_config(), *([workspace.config] if workspace else [])]
    found = [(str(file), validate_settings(read_yaml(file), source=str(file))) for file in files if file.exists()]
    if level := os.environ.get(LEVEL_VARIABLE):
        found.append((LEVEL_VARIABLE, validate_settings({"logging": {"level": level}}, source=LEVEL_VARIABLE)))
    whole: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, data in found:
        whole = merge(whole, data)
        sources |= {key: source for key, _ in flatten(data)}
    return LoadedSettings(AhcSettings.model_validate(whole), sources)


def validate_settings(data: Any, *, source: str) -> dict[str, Any]:
    """Return the content of a file with its references to the environment replaced.

    Raises:
        UserError: naming the source, the key, and the nearest known key; or a variable that is not set.
    """
    found = _resolved({} if data is None else data, source=source)
    validate(AhcSettings, found, source=source, shape="settings are a mapping with sections such as `llm`")
    result: dict[str, Any] = found
    return result


def get_key_variable(settings: LlmSettings) -> str:
    """Return the environment variable that `api_key` refers to; empty: the provider's usual one."""
    return settings.api_key[2:-1]


def flatten(data: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Dotted keys and their values."""
    for name, value in data.items():
        here = (*path, name)
        if isinstance(value, Mapping):
            yield from flatten(value, here)
        else:
            yield ".".join(here), value


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, key by key; where both say something, `above` holds."""
    result = dict(below)
    for key, value in above.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merge(result[key], value) if both else value
    return result


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys as sections: the inverse of `flatten`."""
    result: dict[str, Any] = {}
    for key, value in flat.items():
        *sections, name = key.split(".")
        place = result
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return result


def _resolved(data: Any, *, source: str, path: tuple[str, ...] = ()) -> Any:
    if isinstance(data, Mapping):
        return {key: _resolved(value, source=source, path=(*path, str(key))) for key, value in data.items()}
    if isinstance(data, list):
        return [_resolved(value, source=source, path=path) for value in data]
    if isinstance(data, str) and path != API_KEY:
        return REFERENCE.sub(lambda match: _variable(match[1], ".".join(path), source), data)
    return data


def _variable(name: str, key: str, source: str) -> str:
    if name not in os.environ:
        raise ContestUserError(
            f"{source}: {key}: the environment variable {name} is not set",
            ja=f"{source}: {key}: 環境変数 {name} が設定されていません",
        )
    return os.environ[name]
