"""Wheels bring the sandbox's runner and its clock: where evograft comes from one, commands run without a compiler."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NO_PROGRAMS = {"PATH": "/nonexistent"}
RUNS_A_COMMAND = """
from contextlib import closing
from evograft_sandbox.commands.auto import AutoOptions, AutoSandbox
from evograft_sandbox.commands.native_cache import load_cpu_clock
from evograft_hookspecs import SandboxCommand
with closing(AutoSandbox(AutoOptions())) as sandbox, closing(sandbox.open()) as session:
    print(session.run(SandboxCommand(arguments=("/bin/echo", "it runs"))).stdout.decode())
    assert load_cpu_clock()
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands run in sandboxes on Linux only")


def run(*command, check=True, cwd=ROOT, **environment):
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**os.environ, **environment},
        text=True,
        capture_output=True,
        check=check,
        timeout=300,
    )


def build(package, folder, **environment) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT / package, **environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def install(tmp_path_factory):
    """Installs a wheel of the sandboxes into a fresh environment, and gives its interpreter."""
    others = [build(package, tmp_path_factory.mktemp(package)) for package in ("hookspecs", "core")]

    def install_sandbox(wheel: Path) -> Path:
        place = tmp_path_factory.mktemp("environment")
        run(sys.executable, "-m", "uv", "venv", "--python", sys.executable, place / "venv")
        python = place / "venv" / "bin" / "python"
        run(sys.executable, "-m", "uv", "pip", "install", "--offline", "--no-deps", "--python", python, wheel, *others)
        (site,) = (place / "venv" / "lib").glob("python*/site-packages")
        (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        return python

    return install_sandbox


def test_a_wheel_with_the_runner_runs_commands_without_a_compiler(install, tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler to build the wheel with")
    wheel = build("plugins/sandbox", tmp_path / "wheels")
    assert wheel.name.endswith(f"_{platform.machine()}.whl")
    python = install(wheel)
    done = run(python, "-c", RUNS_A_COMMAND, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"), **NO_PROGRAMS)
    assert done.stdout == "it runs\n\n"
    assert [path for path in (tmp_path / "cache").rglob("*-*") if path.is_file()] == []


def test_a_wheel_that_is_built_without_a_compiler_is_for_all_and_says_once_what_it_lacks(install, tmp_path):
    wheel = build("plugins/sandbox", tmp_path / "wheels", **NO_PROGRAMS)
    assert wheel.name.endswith("-py3-none-any.whl")
    python = install(wheel)
    options = {"XDG_CACHE_HOME": str(tmp_path / "cache"), **NO_PROGRAMS}
    done = run(python, "-c", RUNS_A_COMMAND, cwd=tmp_path, check=False, **options)
    message = done.stderr.splitlines()[-1]
    assert (
        message.count(
            "there is no C compiler (cc, gcc, clang): install gcc and libc6-dev, or evograft-sandbox from a wheel"
        )
        == 1
    )


def test_a_runner_that_lost_its_right_to_be_executed_is_copied(install, tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler to build the wheel with")
    python = install(build("plugins/sandbox", tmp_path / "wheels"))
    (runner,) = (python.parents[1] / "lib").rglob("sandbox-runner-*")
    runner.chmod(0o644)
    done = run(python, "-c", RUNS_A_COMMAND, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"), **NO_PROGRAMS)
    assert done.stdout == "it runs\n\n"
    assert len(list((tmp_path / "cache").rglob("sandbox-runner-*"))) == 1
