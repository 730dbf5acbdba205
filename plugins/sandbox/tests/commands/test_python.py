"""Commands that are Python programs: they get the interpreter that runs the plugin, wherever that lies."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
from contextlib import closing
from pathlib import Path

import pytest

from evograft_hookspecs import SandboxCommand, SandboxLimits, SandboxUnavailable
from evograft_sandbox.commands.interpreter import PARTS, Interpreter, find_interpreter, find_interpreter_mounts

CLOSED_FOLDER = Path(__file__).with_name("closed_folder.py")
SOURCES = [str(Path(__file__).parents[4] / folder) for folder in ("core/src", "hookspecs/src", "plugins/sandbox/src")]
COMPUTES = b"import numpy\nprint(int(numpy.arange(5).sum()))\n"
LIMITS = SandboxLimits(cpu_seconds=10.0, wall_seconds=60.0)


@pytest.fixture(scope="module", params=["process", "bwrap"])
def session(request):
    """Of a driver that shows the host's programs; an image brings its own."""
    with closing(request.getfixturevalue(request.param).open(python=True)) as session:
        yield session


def python(session, source: bytes, **options):
    session.write({"main.py": source})
    arguments = (session.python, "main.py")
    return session.run(SandboxCommand(arguments=arguments, inputs={"main.py": "main.py"}, limits=LIMITS, **options))


def test_a_candidate_computes_with_what_is_installed_for_the_plugin(session):
    result = python(session, COMPUTES)
    assert (result.exit_code, result.stdout, result.stderr) == (0, b"10\n", b"")


def test_the_interpreter_and_its_packages_cannot_be_changed(session):
    place = Path(sysconfig.get_path("purelib"), "left-by-a-candidate.py")
    result = python(session, f"open({str(place)!r}, 'w')".encode())
    assert result.exit_code == 1
    assert not place.exists()


READS = """
import os
def can_read(path):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path).close()
        return True
    except OSError:
        return False
print([path for path in PATHS if can_read(path)])
"""


def test_of_the_environments_folder_nothing_but_the_environment_can_be_read(session):
    """A virtual environment may be the very folder of a project, with what no candidate is to see."""
    if Path(sys.prefix).is_relative_to("/usr"):
        pytest.skip("the system's own Python, which all commands see")
    if not session.has_any("landlock"):
        pytest.skip("bubblewrap alone, or Landlock, hides what is not shown")
    others = [str(path) for path in Path(sys.prefix).iterdir() if path.name not in PARTS]
    assert python(session, f"PATHS = {others!r}{READS}".encode()).stdout == b"[]\n"


def test_a_session_that_was_opened_without_python_names_none(process):
    with closing(process.open()) as session:
        assert session.python == ""


def test_a_text_is_not_written_for_bytes_and_the_message_says_how(session):
    with pytest.raises(TypeError, match=r"'main\.py' is to be written as bytes, not str: encode a text first"):
        session.write({"main.py": "print(1)"})
    assert python(session, COMPUTES).exit_code == 0


def test_an_image_without_python_is_refused_before_a_candidate_is_blamed(tmp_path, bwrap):
    (tmp_path / "bin").mkdir()
    with pytest.raises(SandboxUnavailable, match=r"cannot run python3: .*use an image that has python3, unlike"):
        bwrap.open(image=str(tmp_path), python=True)


def test_what_is_seen_in_any_case_is_not_mounted_once_more():
    assert find_interpreter_mounts(Interpreter.running(), ["/"]) == {}


# -- what lies in a folder that is closed to the users of commands ---------------------------------------------------


@pytest.fixture
def tool(tmp_path):
    """A program below a folder that is root's alone, such as /root is."""
    if os.getuid() != 0:
        pytest.skip("only root's commands have users of their own")
    folder = tmp_path / "closed" / "tools"
    folder.mkdir(parents=True)
    (folder / "tool").write_text("#!/bin/sh\necho here\nls -A ${0%/*}/.. 2>&1\n")
    (folder.parent / "secret").write_text("")
    (folder / "tool").chmod(0o755)
    folder.chmod(0o755)
    folder.parent.chmod(0o700)
    return folder / "tool"


def opened(*arguments, interpreter=sys.executable, **environment) -> str:
    if platform.machine() != "x86_64":
        pytest.skip("system calls are forbidden by their numbers on x86-64")
    done = subprocess.run(
        [interpreter, CLOSED_FOLDER, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    return done.stdout


def test_a_program_in_a_closed_folder_runs_and_the_rest_of_that_folder_stays_hidden(tool):
    said = opened("nothing", tool)
    assert said.startswith("here\n")
    assert "secret" not in said


def test_a_session_works_where_the_temporary_folder_is_closed(tool, tmp_path):
    place = tmp_path / "closed" / "tmp"
    place.mkdir()
    assert opened("nothing", tool, TMPDIR=str(place)).startswith("here\n")
    assert list(place.glob("evo-sandbox-*")) == []


def test_without_namespaces_a_closed_folder_is_refused_by_name(tool):
    said = opened("namespaces", tool)
    assert said.startswith("refused: sandbox driver 'process' cannot show")
    closed = next(folder for folder in reversed(tool.parents) if not folder.stat().st_mode & 0o001)
    assert f"chmod o+rx {closed}" in said


def test_an_interpreter_behind_links_in_a_closed_folder_runs(tmp_path):
    """As uv has them: the environment names a folder of the minor version, which is a link to that of the patch."""
    store, environment = tmp_path / "closed", tmp_path / "environment"
    for folder in (store, environment / "bin", environment / "lib"):
        folder.mkdir(parents=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (store / version).symlink_to(sys.base_prefix)
    (environment / "bin" / "python").symlink_to(store / version / "bin" / version)
    (environment / "pyvenv.cfg").write_text(f"home = {store / version / 'bin'}\n")
    for folder in (environment, *environment.iterdir()):
        folder.chmod(0o755)
    store.chmod(0o700)
    path = os.pathsep.join([*SOURCES, sysconfig.get_path("purelib")])
    assert opened("nothing", interpreter=environment / "bin" / "python", PYTHONPATH=path) == f"{environment}\n"


def test_a_python_by_its_path_is_found_with_what_it_is_made_of():
    assert find_interpreter(sys.executable) == Interpreter.running()


def test_a_python_by_its_name_is_looked_for_on_the_path(monkeypatch, tmp_path):
    (tmp_path / "my-python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_interpreter("my-python").version == sys.version_info[:2]


@pytest.mark.parametrize(
    ("script", "words"), [(None, "no such program"), ("#!/bin/sh\necho 3.11\n", "does not answer")]
)
def test_what_is_no_python_is_named(tmp_path, script, words):
    path = tmp_path / "python"
    if script:
        path.write_text(script)
        path.chmod(0o755)
    with pytest.raises(SandboxUnavailable, match=words) as caught:
        find_interpreter(str(path))
    assert str(path) in str(caught.value)
