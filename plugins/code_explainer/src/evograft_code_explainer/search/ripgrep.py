"""ripgrep, where it is installed: it says quickly which files are worth a look.

Nothing that it reads is shown. The files it names are opened and searched again as all others are, so that an answer
is the same without it, and a link that it was made to follow leads nowhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from evograft_code_explainer.files.kinds import VERSION_CONTROL
from evograft_code_explainer.search.expression import SearchExpression

OPTIONS = (
    "--files-with-matches",
    "--null",
    "--hidden",
    "--crlf",
    "--no-config",
    "--no-messages",
    "--no-require-git",
    # Of what is left out, no more than what a walk from here leaves out.
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--no-ignore-parent",
)


def has_ripgrep() -> bool:
    return shutil.which("rg") is not None


def find_candidates(expression: SearchExpression, folder: str, *, hidden: bool, seconds: float) -> set[str] | None:
    """Return the paths, from a folder on, of files that may have a line that fits.

    `None` means that only looking at all of them tells.

    Args:
        expression: what is looked for.
        folder: where, with all that is below it.
        hidden: whether what .gitignore has is looked at, too.
        seconds: how long that may take.
    """
    program = shutil.which("rg")
    # Characters beyond ASCII are other bytes in files that are not in UTF-8, which ripgrep takes all files to be.
    if program is None or not expression.pattern.isascii():
        return None
    command = [program, *OPTIONS, *_choice(hidden=hidden), *(["--ignore-case"] if expression.ignore_case else [])]
    command += [f"--regexp={expression.for_ripgrep()}", "--", "."]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program; what a model wrote is one argument
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode not in (0, 1):
        return None
    return {os.fsdecode(name).removeprefix("./") for name in done.stdout.split(b"\0") if name}


def _choice(*, hidden: bool) -> list[str]:
    return ["--no-ignore"] if hidden else [f"--glob=!{name}" for name in sorted(VERSION_CONTROL)]
