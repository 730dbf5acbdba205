"""A repository named by its address, cloned into a folder that is gone afterwards."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evograft.api import ServiceError, UserError
from evograft.text.escapes import sanitize
from evograft_env_setup.failures import classify
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.sandbox import TIMED_OUT, CommandOutcome
from evograft_env_setup.sandbox.bwrap.own_folder import remove_tree
from evograft_env_setup.setup.retries import CommandAttempt, CommandRetries
from evograft_hookspecs.values import check_text

ADDRESS = re.compile(r"(?:https?|ssh|git|file)://\S+|[\w.-]+@[\w.-]+:\S+", re.ASCII)
LOGIN = re.compile(r"(?<=://)[^\s/?#]*@", re.ASCII)
PASSWORD = re.compile(r"(?<=://)([^\s/?#:]*):[^\s/?#]*(?=@)", re.ASCII)
SECONDS = 900.0
# The repository is a stranger's: nothing that git could run of it is run, and no address of its own is followed.
CAREFUL = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"),
    *("-c", "submodule.recurse=false", "-c", "advice.detachedHead=false"),
)

# Variables by which git tells a hook of the repository at work: a clone would write its index over that one's.
OF_ANOTHER = frozenset(
    {"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"}
    | {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE"}
)


def is_address(target: str) -> bool:
    """Return whether it is the address of a repository, and no path."""
    return ADDRESS.fullmatch(target) is not None


def strip_login(address: str) -> str:
    """Return the address as others may read it.

    The user who asks by ssh is not secret, and part of the address.
    """
    return PASSWORD.sub(r"\1", address) if address.startswith("ssh:") else LOGIN.sub("", address)


@dataclass(frozen=True)
class GitRevision:
    """The part of a repository that is cloned."""

    ref: str = ""
    """A branch, a tag, a commit, or a request such as `refs/pull/12/head`; empty: the default branch."""
    submodules: bool = False
    """Whether repositories are fetched that this one names."""

    @classmethod
    def of(cls, options: EnvSetupOptions) -> GitRevision:
        return cls(options.ref, options.submodules)


NEWEST = GitRevision()


@contextmanager
def open_repository(target: str, progress: SetupProgress, revision: GitRevision = NEWEST) -> Iterator[tuple[Path, str]]:
    """Yield the folder of a repository, and by what its environment is known again."""
    project = project_of(target)
    if is_address(project):
        with clone(target, progress, revision) as folder:
            yield folder, project
        return
    if revision != NEWEST:
        raise UserError(
            f"another revision and submodules are for an address, and {target!r} is a folder: "
            "check out there what you want"
        )
    yield Path(project), project


def project_of(target: str) -> str:
    """Return by what the environment of a repository is known again: its path, or its address without a login.

    Raises:
        UserError: it is neither.
    """
    if is_address(target) and not Path(target).exists():
        return strip_login(target)
    root = Path(target).resolve()
    if not root.is_dir():
        raise UserError(f"{target!r} is neither a folder nor the address of a git repository")
    try:
        return check_text(str(root))
    except ValueError as err:
        raise UserError(
            f"the path of {target!r} is not text in UTF-8, which a project is known by: rename a folder"
        ) from err


@contextmanager
def clone(address: str, progress: SetupProgress, revision: GitRevision = NEWEST) -> Iterator[Path]:
    """Clone one commit; what passes, such as a network that is down, is waited for.

    Args:
        address: of the repository.
        progress: is told what happens.
        revision: which commit.

    Raises:
        ServiceError: it can't be cloned; says why.
    """
    retries = CommandRetries(time.sleep, lambda failure, seconds: progress.say(f"{failure.tell} Waiting {seconds:g} s"))
    place = Path(tempfile.mkdtemp(prefix="evograft-clone-"))
    try:
        progress.say(f"cloning {address}")
        folder = place / "project"
        tried = retries.persist(lambda _: _try_steps(_steps(address, folder, revision)))
        if tried.failure is not None:
            last = tried.outcome.stderr.strip().rpartition("\n")[2]
            raise ServiceError(sanitize(f"can't clone {address}: {tried.failure.tell} git says: {last}"))
        if (folder / ".gitmodules").is_file() and not revision.submodules:
            progress.warn("submodules are left out: fetch what they name with --submodules")
        yield folder
    finally:
        remove_tree(place)


def _steps(address: str, folder: Path, revision: GitRevision) -> Iterator[Sequence[str]]:
    """Yield the calls of git, all of which may be made again after one that has failed."""
    within = ("-C", str(folder))
    if revision.ref:
        yield ("init", "--quiet", "--template=", "--", str(folder))
        yield (*within, "fetch", "--quiet", "--depth=1", "--no-recurse-submodules", "--", address, revision.ref)
        yield (*within, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    else:
        yield ("clone", "--quiet", "--depth=1", "--template=", "--no-recurse-submodules", "--", address, str(folder))
    # Git notes the address with the login that it has, where commands of the set-up can read it.
    yield (*within, "config", "remote.origin.url", strip_login(address))
    if revision.submodules:
        yield (*within, "submodule", "--quiet", "update", "--init", "--recursive", "--depth=1")


def _try_steps(steps: Iterator[Sequence[str]]) -> CommandAttempt:
    for words in steps:
        outcome = _run_git(words)
        if outcome.exit_code:
            break
    failure = classify("git clone", outcome.exit_code, outcome.stdout, outcome.stderr)
    return CommandAttempt(outcome, failure if outcome.exit_code else None)


def _run_git(words: Sequence[str]) -> CommandOutcome:
    """Call the user's own git, with the keys and helpers that it has for repositories."""
    began = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name not in OF_ANOTHER}
    try:
        process = subprocess.Popen(  # noqa: S603 - git, and the address is one argument
            ["git", *CAREFUL, *words],  # noqa: S607 - the user's own
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**environment, "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0"},
            start_new_session=True,  # so that those whom git has called end with it
        )
    except FileNotFoundError as err:
        raise ServiceError("git is not installed here: install it, or name a folder") from err
    code, said = _collect(process)
    return CommandOutcome(
        exit_code=code, stdout="", stderr=said.decode(errors="replace"), seconds=time.monotonic() - began
    )


def _collect(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Return exit code and errors of a process with a session of its own.

    Whatever happens, nothing of it is left.
    """
    with process, ExitStack() as stack:
        stack.callback(_end, process)
        try:
            _, said = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return TIMED_OUT, b"the clone took too long"
        return process.returncode, said


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
