"""What only containers have: an engine that keeps them, images, and cgroups."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import docker
import psutil
import pytest

from evograft_hookspecs import SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.auto import AutoOptions, AutoSandbox
from evograft_sandbox.commands.docker import OWNER_LABEL, RUN_LABEL, DockerOptions, DockerSandbox
from evograft_sandbox.process_owner import ProcessOwner

pytestmark = pytest.mark.docker
HOLDS = """
import sys
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_hookspecs import SandboxCommand, SandboxLimits
sandbox = DockerSandbox(DockerOptions(image=sys.argv[1], scratch_mb=64))
sandbox.start("a-run")
session = sandbox.open()
print("open", flush=True)
session.run(SandboxCommand(arguments=("sleep", "900"), limits=SandboxLimits(wall_seconds=900.0)))
"""


@pytest.fixture
def engine(image):
    with contextlib.closing(docker.from_env()) as engine:
        yield engine


@pytest.fixture
def sandbox(image):
    with closing(DockerSandbox(DockerOptions(image=image, scratch_mb=64))) as sandbox:
        yield sandbox


def containers(engine, run):
    return engine.containers.list(all=True, filters={"label": f"{RUN_LABEL}={run}"}, ignore_removed=True)


def test_a_session_is_one_container_that_is_gone_when_it_closes(engine, sandbox):
    sandbox.start("one-container")
    with closing(sandbox.open()) as session:
        for _ in range(3):
            session.run(SandboxCommand(arguments=("true",)))
        (container,) = containers(engine, "one-container")
        assert ProcessOwner.from_label(container.labels[OWNER_LABEL]) == ProcessOwner.current()
    assert containers(engine, "one-container") == []


def test_a_container_has_the_walls_that_are_said(engine, sandbox):
    sandbox.start("walls")
    with closing(sandbox.open()):
        (container,) = containers(engine, "walls")
        host = container.attrs["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["Memory"] == host["MemorySwap"] == 4096 << 20
    assert host["PidsLimit"] == 2048


def test_a_process_that_is_killed_takes_its_container_with_it(engine, image):
    with subprocess.Popen([sys.executable, "-c", HOLDS, image], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "open\n"
        held = containers(engine, "a-run")
        assert len(held) == 1
        holder.kill()
    with contextlib.suppress(docker.errors.NotFound):
        held[0].wait(condition="removed", timeout=30)
    assert containers(engine, "a-run") == []


def test_containers_of_a_dead_process_are_removed_at_the_next_start_and_others_are_not(engine, image, sandbox):
    gone = subprocess.Popen(["true"])
    gone.wait()
    dead = replace(ProcessOwner.current(), pid=gone.pid, started=1)
    owners = {"dead": dead, "alive": ProcessOwner.current(), "elsewhere": replace(dead, host="another-machine")}
    made = {
        name: engine.containers.create(image, ["true"], labels={OWNER_LABEL: owner.to_label(), RUN_LABEL: "leftovers"})
        for name, owner in owners.items()
    }
    try:
        sandbox.start("next")
        assert {each.id for each in containers(engine, "leftovers")} == {made["alive"].id, made["elsewhere"].id}
    finally:
        for container in made.values():
            with contextlib.suppress(docker.errors.NotFound):
                container.remove(force=True)


def test_an_image_that_is_not_there_is_named(sandbox):
    with pytest.raises(SandboxUnavailable, match=r"no image 'nowhere:1'.*: docker pull nowhere:1"):
        sandbox.open(image="nowhere:1")


def test_a_pipeline_without_an_image_is_told_to_name_one(image):
    with (
        pytest.raises(SandboxUnavailable, match=r"set sandbox\.image"),
        closing(DockerSandbox(DockerOptions())) as sandbox,
    ):
        sandbox.open()


def test_without_a_compiler_on_the_host_the_runner_is_built_inside_the_image(sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")
    with closing(sandbox.open()) as session:
        assert session.run(SandboxCommand(arguments=("echo", "built inside"))).stdout == b"built inside\n"
    assert len(list((tmp_path / "evograft").iterdir())) == 1


def test_a_command_cannot_outgrow_its_container(image):
    options = DockerOptions(image=image, scratch_mb=64, memory_mb=128)
    hungry = "head -c 50000000 /dev/zero > a; head -c 50000000 /dev/zero > b"
    with closing(DockerSandbox(options)) as sandbox, closing(sandbox.open()) as session:
        result = session.run(SandboxCommand(arguments=("sh", "-c", hungry)))
        assert b"No space" in result.stderr
        assert session.run(SandboxCommand(arguments=("ls",))).stdout == b""


def test_auto_takes_docker_where_a_container_can_be_had(image):
    with closing(AutoSandbox(AutoOptions(image=image, scratch_mb=64))) as sandbox:
        assert sandbox.layers()[0].detail.startswith("docker ")
        assert all(layer.active for layer in sandbox.layers())


def test_auto_takes_the_pipelines_image_although_another_one_that_was_asked_for_first_is_missing(image):
    with closing(AutoSandbox(AutoOptions(image=image, scratch_mb=64))) as sandbox:
        assert sandbox.layers(image="nowhere:1")[0].detail.startswith("docker ")
        with pytest.raises(SandboxUnavailable, match="no image 'nowhere:1'"):
            sandbox.open(image="nowhere:1")
        with closing(sandbox.open()) as session:
            assert session.run(SandboxCommand(arguments=("echo", "here"))).stdout == b"here\n"


def test_no_command_is_left_on_the_machine(sandbox):
    session = sandbox.open()
    uid = int(session.run(SandboxCommand(arguments=("id", "-u"))).stdout)
    session.run(SandboxCommand(arguments=("sh", "-c", "(setsid sleep 900 &)")))
    session.close()
    left = [each for each in psutil.process_iter(["uids"]) if each.info["uids"] and each.info["uids"].real == uid]
    assert left == []
