"""A repository that is named by its address, cloned into a folder that is gone afterwards."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from evograft.errors import ServiceError
from evograft.pages.clip import told
from evograft_env_setup.failures import classify
from evograft_env_setup.progress import Progress
from evograft_env_setup.retries import Attempt, Retries
from evograft_env_setup.workshop import TIMED_OUT, CommandOutcome

ADDRESS = re.compile(r"(?:https?|ssh|git|file)://\S+|[\w.-]+@[\w.-]+:\S+", re.ASCII)
SECONDS = 900.0
# The repository is a stranger's: nothing that git could run of it is run, and no address of its own is followed.
CAREFUL = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"),
    *("-c", "submodule.recurse=false", "-c", "advice.detachedHead=false"),
)


def is_address(target: str) -> bool:
    """Whether it is the address of a repository, and no path."""
    return ADDRESS.fullmatch(target) is not None


@contextmanager
def cloned(address: str, progress: Progress) -> Iterator[Path]:
    """A clone of the newest commit; what passes, such as a network that is down, is waited for.

    Raises:
        ServiceError: it can't be cloned; says why.
    """
    retries = Retries(time.sleep, lambda failure, seconds: progress.say(f"{failure.tell} Waiting {seconds:g} s"))
    with TemporaryDirectory(prefix="evograft-clone-") as folder:
        progress.say(f"cloning {address}")
        tried = retries.persist(lambda _: _attempt(address, Path(folder) / "project"))
        if tried.failure is not None:
            last = tried.outcome.stderr.strip().rpartition("\n")[2]
            raise ServiceError(told(f"can't clone {address}: {tried.failure.tell} git says: {last}"))
        yield Path(folder) / "project"


def _attempt(address: str, folder: Path) -> Attempt:
    words = ["git", *CAREFUL, "clone", "--quiet", "--depth=1", "--template=", "--no-recurse-submodules"]
    outcome = _run([*words, "--", address, str(folder)])
    failure = classify("git clone", outcome.exit_code, outcome.stdout, outcome.stderr)
    return Attempt(outcome, failure if outcome.exit_code else None)


def _run(words: list[str]) -> CommandOutcome:
    """By the user's own git, with the keys and helpers that he has for repositories."""
    began = time.monotonic()
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(  # noqa: S603 - git, and the address is one argument
            words, check=False, capture_output=True, timeout=SECONDS, env=environment
        )
    except FileNotFoundError as err:
        raise ServiceError("git is not installed here: install it, or name a folder") from err
    except subprocess.TimeoutExpired:
        code, said = TIMED_OUT, b"the clone took too long"
    else:
        code, said = done.returncode, done.stderr
    return CommandOutcome(
        exit_code=code, stdout="", stderr=said.decode(errors="replace"), seconds=time.monotonic() - began
    )
