"""Where caches go when the user's own folder cannot be written to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from evograft.user_folders import ensure_cache_folder, ensure_state_folder

NOWHERE = "/proc/nowhere"
"""A folder that not even root can make."""
ASKS = "from evograft.user_folders import *; print(ensure_cache_folder('a', 'b')); print(ensure_cache_folder('c'))"
AS_NOBODY = """
import os, sys
import multiprocessing, platformdirs, platformdirs.unix
from evograft.user_folders import ensure_cache_folder
os.setgroups([])
os.setresgid(54321, 54321, 54321)
os.setresuid(54321, 54321, 54321)
for home in (sys.argv[1], None):
    os.environ.pop("HOME", None)
    os.environ.update({"HOME": home} if home else {})
    print(ensure_cache_folder("a"))
"""

USES_OTHERS_HOME = """
import os, sys
import platformdirs.unix
from pathlib import Path
from evograft.runs.index import known_runs, remember
from evograft.config.user_settings import load_settings
os.setgroups([])
os.setresgid(54321, 54321, 54321)
os.setresuid(54321, 54321, 54321)
os.environ["HOME"] = sys.argv[1]
remember(Path(sys.argv[1], "run"))
print(load_settings().progress, list(known_runs(Path("runs"))))
os.environ["XDG_STATE_HOME"] = sys.argv[2]
remember(Path(sys.argv[1], "run"))
print(len(Path(sys.argv[2], "evograft", "runs.txt").read_text().splitlines()), list(known_runs(Path("runs"))))
"""


def printed(program, *arguments, cwd=None, **environment):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**inherited, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines(), done.stderr.splitlines()


def test_a_cache_that_can_be_written_to_is_used():
    folder = ensure_cache_folder("a", "b")
    assert folder == Path(os.environ["XDG_CACHE_HOME"], "evograft", "a", "b")
    assert folder.is_dir()
    assert ensure_state_folder("c") == Path(os.environ["XDG_STATE_HOME"], "evograft", "c")


def test_else_a_private_folder_in_the_temporary_one_is_and_that_is_said_once(tmp_path):
    folders, said = printed(ASKS, XDG_CACHE_HOME=NOWHERE, TMPDIR=str(tmp_path))
    private = tmp_path / f"evograft-{os.getuid()}"
    assert folders == [str(private / "a" / "b"), str(private / "c")]
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert said == [
        f"Note: cannot write to '{NOWHERE}/evograft' (No such file or directory): using {str(private)!r} instead"
    ]
    assert printed(ASKS, XDG_CACHE_HOME=NOWHERE, TMPDIR=str(tmp_path))[0] == folders


@pytest.mark.parametrize("trap", ["a link", "open to all"])
def test_a_folder_that_others_could_put_programs_into_is_not_trusted(tmp_path, trap):
    private, elsewhere = tmp_path / f"evograft-{os.getuid()}", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if trap == "a link":
        private.symlink_to(elsewhere)
    else:
        private.mkdir()
        private.chmod(0o777)
    folders, _ = printed(ASKS, XDG_CACHE_HOME=NOWHERE, TMPDIR=str(tmp_path))
    assert not any(Path(folder).is_relative_to(private) for folder in folders)
    assert list(elsewhere.iterdir()) == []


def test_a_user_whose_home_is_another_ones_or_unknown_has_a_cache():
    if os.getuid() != 0:
        pytest.skip("needs root, to become somebody else")
    # Not below pytest's folder, which each start of pytest closes to others.
    with tempfile.TemporaryDirectory() as place:
        closed, open_to_all = Path(place, "home"), Path(place, "tmp")
        closed.mkdir()
        open_to_all.mkdir()
        Path(place).chmod(0o755)
        open_to_all.chmod(0o777)
        folders, _ = printed(AS_NOBODY, closed, TMPDIR=str(open_to_all))
        assert folders == [str(open_to_all / "evograft-54321" / "a")] * 2


def test_a_home_that_is_closed_to_the_user_holds_neither_settings_nor_runs():
    if os.getuid() != 0:
        pytest.skip("needs root, to become somebody else")
    with tempfile.TemporaryDirectory() as place:
        closed, open_to_all = Path(place, "home"), Path(place, "tmp")
        closed.mkdir(mode=0o700)
        open_to_all.mkdir()
        Path(place).chmod(0o755)
        open_to_all.chmod(0o777)
        lines, _ = printed(USES_OTHERS_HOME, closed, open_to_all, cwd=open_to_all, TMPDIR=str(open_to_all))
        assert lines == ["auto []", "1 []"]
