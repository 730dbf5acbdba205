import shutil
import subprocess
from pathlib import Path

import pytest


def why_not():
    if not shutil.which("bwrap"):
        return "install bubblewrap"
    if not Path("/usr/bin/python3").exists():
        return "bubblewrap shows the system's python3: install it"
    walls = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"]
    done = subprocess.run(["bwrap", *walls, "true"], check=False, capture_output=True, text=True)
    return f"bubblewrap can't put up its walls here: {done.stderr}" if done.returncode else ""


@pytest.fixture(scope="session")
def bubblewrap():
    """Skips where bubblewrap has no walls."""
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def no_python(tmp_path_factory):
    """A folder of programs with a Python that makes no environments, which would take seconds."""
    folder = tmp_path_factory.mktemp("programs")
    folder.chmod(0o755)
    python = folder / "bin" / "python3"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\necho no module named venv >&2; exit 1\n")
    python.chmod(0o755)
    return str(folder)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "evograft" / "env"
