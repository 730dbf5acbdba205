"""A sandbox without a container engine: the machine's own programs, behind the layers of bubblewrap."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tarfile import TarError
from typing import Annotated

from pydantic import Field

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment, SandboxArguments
from evograft_env_setup.sandbox.bwrap.kept_environments import (
    EnvironmentRecord,
    find_newest,
    forget_others,
    hold,
    keep,
    make_newest,
    restore,
)
from evograft_env_setup.sandbox.bwrap.layers import (
    HOME,
    SETPRIV,
    BwrapLayers,
    SandboxUser,
    find_hidden_settings,
    find_trust_variables,
)
from evograft_env_setup.sandbox.bwrap.own_folder import (
    cache_folder,
    lock_packages,
    make_own_folder,
    packages_of,
    remove_leftovers,
    remove_own_folder,
    remove_tree,
)
from evograft_env_setup.sandbox.bwrap.process import run_in_bwrap
from evograft_env_setup.sandbox.docker.container_user import CACHE, FOLDER
from evograft_env_setup.sandbox.project_copy import pack, unpack
from evograft_env_setup.sandbox.setup_sandbox import CommandOutcome, EnvironmentSnapshot, SetupSandboxUnavailable
from evograft_env_setup.sandbox.variables import build_tool_variables
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value

SHORT = 120.0
"""Seconds for commands of ours."""
COPYING = 900.0
"""Seconds for a copy of the project."""
INCOMING = "/tmp/incoming"  # noqa: S108 - the commands' own
# Full paths: earlier commands may have put other programs of these names first on PATH.
COPY = f"/bin/cp -a --remove-destination {INCOMING}/. ."
MAKE_WAY = """
is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }
for name; do
    old=/workspace/$name
    if is_folder "$name"; then
        is_folder "$old" || /bin/rm -f -- "$old"
    elif is_folder "$old"; then
        /bin/rm -rf -- "$old"
    fi
done"""
"""Removes what `cp` refuses to replace: folders where the project has something else now, and the reverse."""
MAKE_WAY_FOR_ALL = f"(cd {INCOMING} && /usr/bin/find . -exec /bin/sh -c {shlex.quote(MAKE_WAY)} sh {{}} +)"
UPDATE = f"{{ {COPY} 2>/dev/null || {{ {MAKE_WAY_FOR_ALL} && {COPY}; }}; }} && /bin/rm -rf {INCOMING}"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
VENV = f"{HOME}/venv"
MAKE_VENV = f"python3 -m venv {VENV} || {{ code=$?; rm -rf {VENV}; exit $code; }}"
MEND = "let users make namespaces here, or set the project up in a container by --place docker"


class BwrapSetupOptions(Value):
    """Options: what commands see, and what they may use."""

    network: bool = True
    """Whether setup commands have this machine's."""
    memory_mb: Annotated[int, Field(strict=True, ge=64)] = 8192
    """Of each process: the data that it allocates. What it merely reserves, as Node.js and Java do, is not counted."""
    pids: Annotated[int, Field(strict=True, ge=16)] = 4096
    programs: tuple[Name, ...] = ()
    """Folders outside of /usr, such as one of nvm's versions, that commands may read and find programs in."""
    variables: FrozenDict[Name, Text] = FrozenDict()
    """That commands run under besides ours."""
    fresh: bool = False
    """Whether nothing of earlier set-ups is recalled."""


class BwrapSetupSandbox:
    """A sandbox that runs commands in bubblewrap, in folders that only `start` makes.

    Args:
        project: by which its packages are found again: a path, or an address.
        options: of the layers.
    """

    def __init__(self, project: str, options: BwrapSetupOptions) -> None:
        self._project = project
        self._options = options
        self._resources = contextlib.ExitStack()
        self._kept = self._resources.enter_context(contextlib.ExitStack())
        """Holds the environment that was recalled or remembered."""
        self._has_venv = False
        self._digest = ""

    def start(self) -> Sequence[str]:
        self._open()
        return (*self._notes(), *self._make_venv())

    def reopen(self, environment: BuiltEnvironment) -> None:
        self._open()
        folder = Path(environment.folder)
        try:
            with hold(folder):
                self._restore(folder)
        except OSError as err:
            raise SetupSandboxUnavailable(f"what was set up can't be copied from {str(folder)!r}: {err}") from err

    def _open(self) -> None:
        self._bwrap = _find_program("bwrap", "bubblewrap", path=None)
        self._limits = _limits(self._options, _find_program("prlimit", "util-linux", path=SYSTEM_PATH))
        user = SandboxUser.of(self._project)
        if user.is_changed:
            _find_program(Path(SETPRIV).name, "util-linux", path=str(Path(SETPRIV).parent))
        with _explain_errors():
            remove_leftovers()
            folder = make_own_folder()
            self._resources.callback(remove_own_folder, folder)
            self._walls = BwrapLayers(folder, packages_of(self._project), self._options.programs, user)
            self._walls.build()
            self._resources.enter_context(lock_packages(self._walls.cache))
        self._try_out()

    def copy_in(self, project: str) -> CommandOutcome:
        remove_tree(self._walls.workspace)
        return self._copy_project(project, self._walls.workspace)

    def update(self, project: str) -> CommandOutcome:
        copied = self._copy_project(project, self._walls.folder / INCOMING[1:])
        # By a command inside: what commands have left may be links to anywhere.
        return copied if copied.exit_code else self.run(UPDATE, timeout=COPYING, network=False)

    def _copy_project(self, project: str, folder: Path) -> CommandOutcome:
        """Copy the project into an empty folder."""
        began = time.monotonic()
        user = self._walls.user
        try:
            self._walls.build()
            folder.mkdir(exist_ok=True)
            user.own(folder)
            with tempfile.TemporaryFile(dir=self._walls.folder) as archive:
                packed = pack(Path(project), archive, owner=user.uid)
                archive.seek(0)
                unpack(archive, folder)
        except (OSError, TarError) as err:
            return CommandOutcome(exit_code=1, stdout="", stderr=str(err), seconds=time.monotonic() - began)
        self._digest = packed.digest
        return CommandOutcome(exit_code=0, stdout=packed.told, stderr="", seconds=time.monotonic() - began)

    def restore(self, planned: SelectedEnvironment) -> EnvironmentSnapshot | None:
        folder = None if self._options.fresh else find_newest(self._project, self._name(planned))
        if folder is None:
            return None
        self._kept.close()
        try:
            record = self._kept.enter_context(hold(folder))
            self._restore(folder)
            make_newest(folder)
        except OSError:  # it is being removed, or a part of it is gone: it can be made again
            return None
        return EnvironmentSnapshot(environment=self._describe_built(folder), plan=record.made)

    def snapshot(self, planned: SelectedEnvironment, made: SelectedEnvironment) -> EnvironmentSnapshot:
        """Keep a copy as the only environment of this project that nobody works in.

        Packages in the cache are kept anyway.
        """
        self._kept.close()
        record = EnvironmentRecord(planned=planned, made=made, programs=self._options.programs)
        try:
            folder = self._kept.enter_context(
                keep(self._walls.folder, self._project, self._name(planned), record),
            )
        except OSError as err:
            raise SetupSandboxUnavailable(f"what was set up can't be copied to {str(cache_folder())!r}: {err}") from err
        left = forget_others(folder)
        notes = tuple(f"an earlier environment of this project is in use, and stays: {path}" for path in left)
        return EnvironmentSnapshot(environment=self._describe_built(folder), plan=made, notes=notes)

    def run(
        self,
        command: str,
        *,
        timeout: float,
        network: bool = True,
        on_output: Callable[[str], None] | None = None,
        on_error: Callable[[str], None] | None = None,
    ) -> CommandOutcome:
        shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
        walls = self._walls.arguments(network=network and self._options.network)
        words = [self._bwrap, *walls, *self._limits, shell, "-c", command]
        variables = self._our_variables() | dict(self._options.variables)
        return run_in_bwrap(words, variables=variables, timeout=timeout, on_output=on_output, on_error=on_error)

    def close(self) -> None:
        self._resources.close()

    def _try_out(self) -> None:
        """Run a command without a network, which takes more layers than with one."""
        try:
            outcome = self.run("true", timeout=SHORT, network=False)
        except SetupSandboxUnavailable as err:
            raise SetupSandboxUnavailable(f"bubblewrap can't put up its walls ({err}): {MEND}") from err
        if outcome.exit_code:
            said = " ".join(outcome.stderr.split())
            raise SetupSandboxUnavailable(
                f"no command runs in bubblewrap (exit code {outcome.exit_code}: {said}): {MEND}"
            )

    def _notes(self) -> Iterator[str]:
        yield "no container: commands run in bubblewrap, with the programs of this machine"
        yield f"not limited: disk, processor time, memory in all (each process has {self._options.memory_mb} MB)"
        if self._options.network:
            yield "setup commands share this machine's network, and reach services that only it can reach"
        if settings := find_hidden_settings():
            yield f"commands don't see {', '.join(settings)}, which may hold keys: name what they need by variables"

    def _make_venv(self) -> Iterator[str]:
        """Make a virtual environment: the system's Python is read-only, and may refuse packages of others."""
        outcome = self.run(MAKE_VENV, timeout=SHORT, network=False)
        self._has_venv = outcome.exit_code == 0
        if not self._has_venv:
            # What Debian's Python misses, it says at length on its standard output.
            said = outcome.stderr.strip().rpartition("\n")[2] or " ".join(outcome.stdout.partition("\n\n")[0].split())
            yield f"no virtual environment, which Python projects need (exit code {outcome.exit_code}: {said})"

    def _restore(self, folder: Path) -> None:
        restore(folder, self._walls.folder)
        self._has_venv = has_venv(self._walls.folder)

    def _describe_built(self, folder: Path) -> BuiltEnvironment:
        return describe_built(folder, self._walls.cache, self._options.programs)

    def _name(self, planned: SelectedEnvironment) -> str:
        """Return by what an environment of this plan is found again."""
        # Verification finds out what else changes with the machine's programs.
        made_of = [
            _system(),
            self._digest,
            planned.work(),
            dict(self._options.variables),
            self._options.programs,
            self._walls.user.uid,
        ]
        return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:32]

    def _our_variables(self) -> dict[str, str]:
        return build_variables(self._options.programs, has_venv=self._has_venv)


def describe_built(folder: Path, packages: Path, programs: tuple[str, ...]) -> BuiltEnvironment:
    """Return what is left of a set-up in bubblewrap.

    Args:
        folder: in which it is kept.
        packages: the folder of the project's packages.
        programs: folders outside of /usr that its commands may run programs of.
    """
    parts = {FOLDER: str(folder / "workspace"), HOME: str(folder / "home"), CACHE: str(packages)}
    return BuiltEnvironment(
        place="bwrap",
        folder=str(folder),
        packages=str(packages),
        working_directory=FOLDER,
        variables=FrozenDict(build_variables(programs, has_venv=has_venv(folder))),
        programs=programs,
        sandbox=SandboxArguments(mounts=FrozenDict(parts | {path: path for path in programs})),
    )


def has_venv(place: Path) -> bool:
    """Return whether a place has a virtual environment: its Python is a link that leads nowhere outside of it."""
    return os.path.lexists(place / "home" / "venv" / "bin" / "python")


def build_variables(programs: tuple[str, ...], *, has_venv: bool) -> dict[str, str]:
    """Return the variables that commands run under, but those of the user's own environments."""
    path = ":".join((*map(_programs_in, programs), SYSTEM_PATH))
    ours = find_trust_variables() | build_tool_variables(HOME, path, CACHE)
    if has_venv:
        ours |= {"PATH": f"{VENV}/bin:{ours['PATH']}", "VIRTUAL_ENV": VENV}
    return ours


def _system() -> list[str]:
    """Return what tells this machine's programs from others: the release, and the Python that environments stand on."""
    release = Path("/etc/os-release")
    return [release.read_text(errors="replace") if release.exists() else "", os.path.realpath("/usr/bin/python3")]


def _find_program(name: str, package: str, *, path: str | None) -> str:
    """Find a program on a path, by default on ours; not all of ours is visible inside."""
    found = shutil.which(name, path=path)
    if found is None:
        raise SetupSandboxUnavailable(f"a set-up without a container needs {name}: install the package {package}")
    return found


def _limits(options: BwrapSetupOptions, prlimit: str) -> list[str]:
    """Return the words before a command that limit it.

    They may go below what we are limited to ourselves, and not above.
    """
    wanted = {"data": (resource.RLIMIT_DATA, options.memory_mb << 20), "nproc": (resource.RLIMIT_NPROC, options.pids)}
    return [prlimit, *(f"--{name}={_lower(kind, limit)}" for name, (kind, limit) in wanted.items())]


def _lower(kind: int, limit: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)


def _programs_in(folder: str) -> str:
    return f"{folder}/bin" if Path(folder, "bin").is_dir() else folder


@contextlib.contextmanager
def _explain_errors() -> Iterator[None]:
    try:
        yield
    except OSError as err:
        raise SetupSandboxUnavailable(
            f"no folder can be made to set a project up in ({err}): name a place by XDG_CACHE_HOME"
        ) from err
