"""The options of environment setup in a pipeline."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Text

LONGEST = 86_400
"""Seconds of a command at most: no container lives longer."""

MOST_MEMORY_MB = 1 << 30
"""More than any machine has, and less than the system's numbers hold."""
COMMANDS_OWN = ("/workspace", "/home/evograft", "/evograft/cache", "/tmp", "/dev", "/proc", "/etc/passwd")  # noqa: S108
"""Paths inside of bubblewrap at which commands find what is theirs."""


def _several(given: Any) -> Any:
    return (given,) if isinstance(given, str) else given


Places = Annotated[tuple[Text, ...], BeforeValidator(_several)]
"""One or several, as people write them in YAML."""


def _uncovering(folder: str) -> str:
    path = PurePosixPath(folder)
    if not path.is_absolute():
        raise ValueError(f"{folder!r} is not an absolute path")
    covered = next((own for own in COMMANDS_OWN if PurePosixPath(own).is_relative_to(path)), None)
    if covered:
        raise ValueError(f"{folder!r} would hide {covered} from the commands: name the folder of the programs itself")
    return folder


ProgramFolder = Annotated[Text, AfterValidator(_uncovering)]
"""Shown to commands in bubblewrap at its own path."""


class EnvSetupOptions(NoOptions):
    """The options of the plugin `env_setup`."""

    root: Text = "."
    """The repository: a folder, or the address of one that is cloned."""
    ref: Text = ""
    """The branch, tag, commit or `refs/pull/N/head` of an address; empty: its default branch."""
    submodules: bool = False
    """Whether repositories are fetched that the one of an address names."""
    task: Text = ""
    """What is to be done in it, in words; it decides between languages."""
    depth: Annotated[int, Field(strict=True, ge=0)] = 1
    """Levels of folders below the root that are looked at; more than one for a monorepo."""
    environments: Text | None = None
    """A YAML file with environments of your own."""
    place: Literal["auto", "docker", "bwrap", "none"] = "auto"
    """Where it is built. `auto`: in a container, in bubblewrap where no Docker engine answers; `none`: only planned."""
    network: Text = "bridge"
    """The engine's network that setup commands are on; `none`: none. Verification has none."""
    memory_mb: Annotated[int, Field(strict=True, ge=64, le=MOST_MEMORY_MB)] = 8192
    as_root: bool = False
    """For setup commands that install packages of the system."""
    programs: tuple[ProgramFolder, ...] = ()
    """Folders outside of /usr whose programs commands in bubblewrap may run, such as one of nvm's versions."""
    fresh: bool = False
    """Whether an earlier set-up of the very same project is not recalled."""
    report: Places = ()
    """Markdown files, issues or merge requests to which progress and the comment on a failure go."""
    language: Literal["en", "ja"] | None = None
    """Of that comment; null: that of the locale."""
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = 1800.0
    """Seconds of a command."""
