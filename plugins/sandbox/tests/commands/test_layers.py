"""What the drivers say of their layers, and what is left where some cannot be had."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from evograft_hookspecs import SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.auto import AutoOptions, AutoSandbox
from evograft_sandbox.commands.bwrap import BwrapOptions, BwrapSandbox
from evograft_sandbox.commands.docker import DockerSandbox
from evograft_sandbox.commands.native_cache import ensure_runner
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

ELSEWHERE = Path(__file__).with_name("elsewhere.py")
GOOD = {"endless": "cpu", "daemon": "done\n", "own": "shown", "peeked": "", "judge": 0, "said": ""}


def elsewhere(missing, cache):
    """What the process driver does on a system without what is named."""
    if platform.machine() != "x86_64":
        pytest.skip("system calls are forbidden by their numbers on x86-64")
    if "root" not in missing and os.getuid() != 0:
        pytest.skip("needs root")
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, ELSEWHERE, "+".join(missing)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def missing_layers(result):
    return {name for name, active in result.pop("layers").items() if not active}


def test_every_wall_is_reported_with_what_it_does(driver):
    layers = driver.layers()
    names = [layer.name for layer in layers]
    assert names[0] == "driver"
    assert len(set(names)) == len(names)
    assert {"namespaces", "reaper", "user", "privileges", "seccomp", "network"} <= set(names)
    assert all(layer.detail for layer in layers)


@pytest.mark.parametrize("missing", [(), ("landlock",), ("namespaces",), ("namespaces", "landlock")], ids="+".join)
def test_root_loses_a_wall_and_nothing_else(missing, cache):
    result = elsewhere(missing, cache)
    assert missing_layers(result) == set(missing)
    assert result == {**GOOD, "shown": 0}


@pytest.mark.long
@pytest.mark.parametrize("missing", [("root",), ("root", "namespaces")], ids="+".join)
def test_without_root_landlock_stands_between_a_candidate_and_its_judge(missing, cache):
    result = elsewhere(missing, cache)
    assert missing_layers(result) == {"user", *missing[1:]}
    assert result == {**GOOD, "shown": 0}


def test_without_root_and_landlock_no_candidate_is_judged(cache):
    result = elsewhere(("root", "landlock"), cache)
    assert missing_layers(result) == {"user", "landlock"}
    assert (result["judge"], result["own"], result["endless"]) == ("refused", "shown", "cpu")


def test_without_any_wall_around_processes_there_is_no_sandbox(cache):
    result = elsewhere(("root", "namespaces", "landlock"), cache)
    assert "neither from this user's processes nor from its files" in result["refused"]


# -- where a driver cannot work at all --------------------------------------------------------------------------------


def test_without_a_compiler_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxUnavailable, match=r"there is no C compiler .* install gcc"):
        ProcessSandbox(ProcessOptions()).open()


def test_without_bubblewrap_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxUnavailable, match="install the package bubblewrap"):
        BwrapSandbox(BwrapOptions()).open()


def test_an_image_that_is_no_folder_is_named(tmp_path, monkeypatch):
    # Whether it is installed is not the question: it is never started.
    (tmp_path / "bwrap").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="nowhere"):
        BwrapSandbox(BwrapOptions()).open(image=str(tmp_path / "nowhere"))
    with pytest.raises(SandboxUnavailable, match="no image 'debian'"):
        ProcessSandbox(ProcessOptions()).open(image="debian")


def test_without_an_engine_the_message_says_so(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent")
    with pytest.raises(SandboxUnavailable, match="no Docker engine answers"):
        DockerSandbox(DockerSandbox.Options(image="debian")).layers()


def test_mounting_elsewhere_is_refused_by_the_driver_that_cannot(tmp_path):
    with pytest.raises(SandboxUnavailable, match="mount it under its own path"):
        ProcessSandbox(ProcessOptions()).open(mounts={"/tools": str(tmp_path)})


# -- choosing ---------------------------------------------------------------------------------------------------------


def test_auto_takes_the_next_driver_and_says_what_is_missing(monkeypatch):
    ensure_runner()
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent")
    monkeypatch.setenv("PATH", "/nonexistent")
    with closing(AutoSandbox(AutoOptions(scratch_mb=64))) as sandbox:
        layers = {layer.name: layer for layer in sandbox.layers()}
        assert layers["driver"].detail == "process"
        assert not layers["docker"].active
        assert not layers["bwrap"].active
        assert "install" in layers["bwrap"].detail
        with closing(sandbox.open()) as session:
            assert session.run(SandboxCommand(arguments=("true",))).exit_code == 0
