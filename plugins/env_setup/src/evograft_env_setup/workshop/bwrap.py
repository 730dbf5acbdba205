"""A workshop without an engine of containers: the machine's own programs, behind the walls of bubblewrap."""

from __future__ import annotations

import contextlib
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tarfile import TarError
from typing import Annotated

from pydantic import Field

from evograft_env_setup.plan import SelectedEnvironment
from evograft_env_setup.workshop.copying import pack, unpack
from evograft_env_setup.workshop.own_folder import (
    in_use,
    make_own_folder,
    packages_of,
    remove_leftovers,
    remove_own_folder,
    remove_tree,
)
from evograft_env_setup.workshop.process import run_walled
from evograft_env_setup.workshop.variables import variables_for
from evograft_env_setup.workshop.walls import HOME, SETPRIV, User, Walls, kept_back, trust
from evograft_env_setup.workshop.worker import CACHE
from evograft_env_setup.workshop.workshop import CommandOutcome, WorkshopUnavailable
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value

SHORT = 120.0
"""Seconds for commands of ours."""
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
VENV = f"{HOME}/venv"
MAKE_VENV = f"python3 -m venv {VENV} || {{ code=$?; rm -rf {VENV}; exit $code; }}"
MEND = "let users make namespaces here, or set the project up in a container by --place docker"


class BwrapOptions(Value):
    """What commands see, and what they may use."""

    network: bool = True
    """Whether setup commands have this machine's."""
    memory_mb: Annotated[int, Field(strict=True, ge=64)] = 8192
    """Of each process: the data that it allocates. What it merely reserves, as Node.js and Java do, is not counted."""
    pids: Annotated[int, Field(strict=True, ge=16)] = 4096
    programs: tuple[Name, ...] = ()
    """Folders outside of /usr, such as one of nvm's versions, that commands may read and find programs in."""
    variables: FrozenDict[Name, Text] = FrozenDict()
    """That commands run under besides ours."""


class BwrapWorkshop:
    """Runs commands in bubblewrap, in folders that only `start` makes.

    Args:
        project: by which its packages are found again: a path, or an address.
        options: of the walls.
    """

    def __init__(self, project: str, options: BwrapOptions) -> None:
        self._project = project
        self._options = options
        self._resources = contextlib.ExitStack()
        self._has_venv = False

    def start(self) -> Sequence[str]:
        self._bwrap = _find_program("bwrap", "bubblewrap", path=None)
        self._limits = _limits(self._options, _find_program("prlimit", "util-linux", path=SYSTEM_PATH))
        user = User.of(self._project)
        if user.is_changed:
            _find_program(Path(SETPRIV).name, "util-linux", path=str(Path(SETPRIV).parent))
        with _explained():
            remove_leftovers()
            folder = make_own_folder()
            self._resources.callback(remove_own_folder, folder)
            self._walls = Walls(folder, packages_of(self._project), self._options.programs, user)
            self._walls.build()
            self._resources.enter_context(in_use(self._walls.cache))
        self._try_out()
        return (*self._notes(), *self._make_venv())

    def bring(self, project: str) -> CommandOutcome:
        began = time.monotonic()
        owner = self._walls.user.uid
        try:
            remove_tree(self._walls.workspace)
            self._walls.build()
            with tempfile.TemporaryFile(dir=self._walls.folder) as archive:
                packed = pack(Path(project), archive, owner=owner)
                archive.seek(0)
                unpack(archive, self._walls.workspace)
        except (OSError, TarError) as err:
            return CommandOutcome(exit_code=1, stdout="", stderr=str(err), seconds=time.monotonic() - began)
        return CommandOutcome(exit_code=0, stdout=packed.told, stderr="", seconds=time.monotonic() - began)

    def recall(self, planned: SelectedEnvironment) -> None:
        """Return nothing: what is set up here stands on this machine's programs, which change without a name that tells."""

    def remember(self, planned: SelectedEnvironment, made: SelectedEnvironment) -> str:  # noqa: ARG002 - nothing is kept
        """Keep nothing; the packages in the cache are kept anyway."""
        return ""

    def run(
        self,
        command: str,
        *,
        timeout: float,
        network: bool = True,
        on_output: Callable[[str], None] | None = None,
    ) -> CommandOutcome:
        shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
        walls = self._walls.arguments(network=network and self._options.network)
        words = [self._bwrap, *walls, *self._limits, shell, "-c", command]
        return run_walled(words, variables=self._variables(), timeout=timeout, on_output=on_output)

    def close(self) -> None:
        self._resources.close()

    def _try_out(self) -> None:
        """Without a network, which takes more walls than with one."""
        try:
            outcome = self.run("true", timeout=SHORT, network=False)
        except WorkshopUnavailable as err:
            raise WorkshopUnavailable(f"bubblewrap can't put up its walls ({err}): {MEND}") from err
        if outcome.exit_code:
            said = " ".join(outcome.stderr.split())
            raise WorkshopUnavailable(f"no command runs in bubblewrap (exit code {outcome.exit_code}: {said}): {MEND}")

    def _notes(self) -> Iterator[str]:
        yield "no container: commands run in bubblewrap, with the programs of this machine"
        yield f"not limited: disk, processor time, memory in all (each process has {self._options.memory_mb} MB)"
        if self._options.network:
            yield "setup commands share this machine's network, and reach services that only it can reach"
        if settings := kept_back():
            yield f"commands don't see {', '.join(settings)}, which may hold keys: name what they need by variables"

    def _make_venv(self) -> Iterator[str]:
        """The system's Python is read-only, and may refuse packages that are not the system's."""
        outcome = self.run(MAKE_VENV, timeout=SHORT, network=False)
        self._has_venv = outcome.exit_code == 0
        if not self._has_venv:
            # What Debian's Python misses, it says at length on its standard output.
            said = outcome.stderr.strip().rpartition("\n")[2] or " ".join(outcome.stdout.partition("\n\n")[0].split())
            yield f"no virtual environment, which Python projects need (exit code {outcome.exit_code}: {said})"

    def _variables(self) -> dict[str, str]:
        path = ":".join((*map(_programs_in, self._options.programs), SYSTEM_PATH))
        ours = trust() | variables_for(HOME, path, CACHE)
        if self._has_venv:
            ours |= {"PATH": f"{VENV}/bin:{ours['PATH']}", "VIRTUAL_ENV": VENV}
        return ours | dict(self._options.variables)


def _find_program(name: str, package: str, *, path: str | None) -> str:
    """Where it is on a path, by default on ours; not all of ours is to be seen inside."""
    found = shutil.which(name, path=path)
    if found is None:
        raise WorkshopUnavailable(f"a set-up without a container needs {name}: install the package {package}")
    return found


def _limits(options: BwrapOptions, prlimit: str) -> list[str]:
    """Words before a command. They may go below what we are limited to ourselves, and not above."""
    wanted = {"data": (resource.RLIMIT_DATA, options.memory_mb << 20), "nproc": (resource.RLIMIT_NPROC, options.pids)}
    return [prlimit, *(f"--{name}={_lower(kind, limit)}" for name, (kind, limit) in wanted.items())]


def _lower(kind: int, limit: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)


def _programs_in(folder: str) -> str:
    return f"{folder}/bin" if Path(folder, "bin").is_dir() else folder


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as err:
        raise WorkshopUnavailable(
            f"no folder can be made to set a project up in ({err}): name a place by XDG_CACHE_HOME"
        ) from err
