"""Set-ups that meet failure: locks that are given back, and what nobody can correct."""

import json
from contextlib import closing, suppress

import pytest
from docker.errors import NotFound
from docker.types import Mount

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.sandbox.docker.container_user import CACHE
from evograft_env_setup.setup.manager import EnvironmentSetupManager

IMAGE = "evograft-test-env:bookworm"
pytestmark = pytest.mark.docker

APT = f"-o Dir::Cache::archives={CACHE}/apt"
INSTALL = (
    f"mkdir -p {CACHE}/apt/partial",
    "apt-get update",
    f"apt-get install {APT} --yes --no-install-recommends tree",
)
HOLD = f"""
import fcntl, os, time
readable, writable = os.pipe()
if os.fork():
    os.read(readable, 1)
    os._exit(0)
file = open("{CACHE}/apt/lock", "w")
fcntl.lockf(file, fcntl.LOCK_EX)
os.write(writable, b"held")
for each in (0, 1, 2):
    os.close(each)
time.sleep(1000)
"""


@pytest.fixture
def holder(bench):
    """Makes another container with the packages of a project, in which somebody installs some: he has the lock."""
    made = []

    def hold(project):
        (volume,) = bench.volumes(project)
        mounts = [Mount(CACHE, volume.name)]
        made.append(bench.client.containers.run(IMAGE, ["sleep", "1000"], mounts=mounts, init=True, detach=True))
        held = made[0].exec_run(["python", "-c", HOLD])
        assert held.exit_code == 0, held.output
        return made[0]

    yield hold
    for container in made:
        with suppress(NotFound):
            container.remove(force=True)


def by_rules(*commands):
    verification = [{"command": "tree --version | grep -q tree && echo OK", "expected_output": "OK"}]
    return SelectedEnvironment(name="python", setup_commands=commands, verification=verification)


def test_a_lock_that_another_holds_is_waited_for_until_it_is_given_back(bench, holder):
    project = bench.project({})
    waits = []
    with closing(bench.sandbox(project, as_root=True)) as place:
        place.start()
        assert place.run(INSTALL[0], timeout=60).exit_code == 0
        other = holder(project)

        def wait(seconds):
            waits.append(seconds)
            if len(waits) == 2:
                other.remove(force=True)

        manager = EnvironmentSetupManager(place, str(project), SetupProgress([]), sleep=wait)
        report = manager.execute(by_rules(*INSTALL))
    assert report.overall_status == "success", report.errors
    assert waits == [3, 3]
    assert dict(report.retries) == {"lock": 2}
    assert [each.attempts for each in report.executions[-1].setup_result.commands] == [1, 1, 3]


def test_too_little_memory_is_fatal_and_corrected_by_nobody(bench):
    comment = bench.folder() / "comment.md"
    environments = bench.environments(["python -c 'bytearray(2**30)'", "touch never"])
    done = bench.set_up(bench.project({}), "--memory-mb=128", "--report", comment, environments=environments)
    assert done.exit_code == 4
    (command,) = done.data["result"]["setup_result"]["commands"]
    assert command["exit_code"] == 137
    assert done.data["result"]["setup_result"]["executions"] == 1
    assert done.data["hand_over"]["environment_ready"] is False
    assert "- Error class: fatal (memory)" in comment.read_text()


def test_an_image_that_nobody_has_is_fatal_and_named(bench):
    comment = bench.folder() / "comment.md"
    environments = bench.environments(["true"], image="localhost:1/nobody/has:this")
    done = bench.set_up(bench.project({}), "--report", comment, environments=environments)
    assert done.exit_code == 4
    (error,) = done.data["hand_over"]["errors"]
    assert "no image 'localhost:1/nobody/has:this' at this Docker engine" in error
    assert "--environments" in error
    assert "- Error class: fatal (docker)" in comment.read_text()


def test_a_network_that_does_not_exist_is_fatal_and_leaves_no_container(bench):
    before = len(bench.client.containers.list(all=True))
    done = bench.set_up(bench.project({}), "--network=of-nobody", environments=bench.environments(["true"]))
    assert done.exit_code == 4
    assert "of-nobody" in done.data["hand_over"]["errors"][0]
    assert len(bench.client.containers.list(all=True)) == before


def test_a_command_that_takes_too_long_is_tried_as_often_as_one_that_finds_no_network(bench):
    project, waits = bench.project({}), []
    with closing(bench.sandbox(project)) as place:
        manager = EnvironmentSetupManager(place, str(project), SetupProgress([]), timeout=1, sleep=waits.append)
        report = manager.execute(by_rules("sleep 1000"))
    assert report.overall_status == "failed"
    assert report.executions[-1].setup_result.commands[0].exit_code == 124
    assert waits == [5, 10, 20]


def test_an_ordinary_user_finds_room_in_an_image_that_knows_none(bench):
    seen = {"command": "id -un; pwd; cat requirements.txt", "expected_output": "evograft\n/workspace"}
    file = bench.environments(["true"], image="evograft-test:bookworm", verification=[seen])
    done = bench.set_up(bench.project({}), environments=file)
    assert done.exit_code == 0, json.dumps(done.data["hand_over"])
