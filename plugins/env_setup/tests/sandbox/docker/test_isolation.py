"""Commands of a set-up are apart from the machine, are limited, and leave nothing but what is kept."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.docker import engine as engines

pytestmark = pytest.mark.docker

OFF = "ls /sys/class/net"
MANY = 'python -c \'import subprocess, time; [subprocess.Popen(["sleep", "100"]) for _ in range(100)]\''


def output(place, command, **options):
    done = place.run(command, timeout=60, **options)
    assert done.exit_code == 0, done.stderr
    return done.stdout.strip()


def printed(done):
    """What the only command of a set-up has printed."""
    assert done.exit_code == 0, done.data["hand_over"]["errors"]
    (command,) = done.data["result"]["setup_result"]["commands"]
    return command["stdout"]


def begun(bench, *steps):
    """A set-up in a process of its own, in the middle of its last step."""
    project = bench.project({})
    file = bench.environments(steps)
    words = ["setup", project, "--place=docker", "--environments", file]
    events = bench.client.events(decode=True, filters={"event": "exec_start"})
    process = subprocess.Popen(
        [sys.executable, "-m", "evograft", "env", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for event in events:
        owner = event["Actor"]["Attributes"].get(engines.OWNER, "")
        if f" {process.pid} " in owner and steps[-1] in event["Action"]:
            break
    events.close()
    return process, project, file


@pytest.fixture
def killed(bench):
    """A set-up whose process was killed, and its container."""
    process, project, file = begun(bench, "sleep 1000")
    process.kill()
    process.communicate()
    (container,) = bench.containers(process.pid)
    return container, project, file


def test_variables_and_folders_of_the_host_are_not_seen(bench, monkeypatch):
    monkeypatch.setenv("API_TOKEN_OF_THE_HOST", "hidden-from-all")
    monkeypatch.setenv("HOME", "/home/somebody")
    project = bench.project({})
    with closing(bench.sandbox(project)) as place:
        place.start()
        place.copy_in(str(project))
        seen = dict(line.partition("=")[::2] for line in output(place, "env").splitlines())
    assert "API_TOKEN_OF_THE_HOST" not in seen
    assert "hidden-from-all" not in seen.values()
    assert seen["HOME"] == "/home/evograft"
    assert seen["LC_ALL"] == "C.UTF-8"


def test_commands_are_an_ordinary_user_s_without_capabilities(place):
    assert output(place, "id -u") == "10001"
    told = dict(line.split(":\t") for line in output(place, "grep -E '^(Cap|NoNew)' /proc/self/status").splitlines())
    assert told["NoNewPrivs"] == "1"
    assert all(int(told[name], 16) == 0 for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"))
    assert place.run("touch /usr/bin/mine", timeout=60).exit_code != 0


def test_as_root_commands_can_install_and_still_not_touch_the_machine(bench):
    project = bench.project({})
    with closing(bench.sandbox(project, as_root=True, network="none")) as place:
        place.start()
        place.copy_in(str(project))
        assert output(place, "id -u && touch /usr/bin/mine && chown 5:5 /usr/bin/mine") == "0"
        assert place.run("mount -t tmpfs none /mnt", timeout=60).exit_code != 0
        assert place.run("mknod /tmp/disk b 8 0", timeout=60).exit_code != 0


def test_memory_has_a_limit(place):
    assert place.run("python -c 'bytearray(2**30)'", timeout=60).exit_code == 137
    assert output(place, "python -c 'print(len(bytearray(2**26)))'") == str(2**26)


def test_processes_have_a_limit(place):
    done = place.run(MANY, timeout=60)
    assert done.exit_code != 0
    assert "Resource temporarily unavailable" in done.stderr
    assert output(place, "echo fine") == "fine"


def test_a_network_is_there_when_it_is_asked_for_and_only_then(place):
    for network in (True, False, True):
        seen = [each.rstrip("0123456789") for each in output(place, OFF, network=network).split()]
        assert seen == (["eth", "lo"] if network else ["lo"])


def test_verification_has_no_network_though_the_set_up_had_one(bench):
    seen = {"command": f"cat seen && {OFF}", "expected_output": "eth0\nlo\nlo"}
    done = bench.set_up(bench.project({}), environments=bench.environments([f"{OFF} > seen"], verification=[seen]))
    assert done.exit_code == 0, done.data["hand_over"]["errors"]


@pytest.mark.parametrize("escape", ["sleep 1000 &", "setsid nohup sleep 1000 >/dev/null 2>&1 &"])
def test_processes_that_a_command_leaves_are_gone_and_its_files_stay(place, escape):
    assert output(place, f"echo kept > kept; {escape}") == ""
    assert output(place, "cat kept; cat /proc/[0-9]*/comm | grep -c sleep; true") == "kept\n1"  # its first process


def test_a_command_is_ended_at_its_time_limit(place):
    done = place.run("echo begun | tee file; sleep 1000", timeout=2)
    assert (done.exit_code, done.stdout) == (124, "begun\n")
    assert output(place, "cat file") == "begun"


def test_a_command_that_closes_its_streams_is_awaited_all_the_same(place):
    done = place.run("exec >&- 2>&-; sleep 1; touch late; exit 3", timeout=60)
    assert done.exit_code == 3
    assert output(place, "ls late") == "late"


def test_streams_are_told_apart_and_heard_as_they_come(place):
    heard = []
    done = place.run("echo out; echo err >&2; printf '\\377'", timeout=60, on_output=heard.append)
    assert (done.stdout, done.stderr) == ("out\n\ufffd", "err\n")
    assert sorted("".join(heard)) == sorted("out\nerr\n\ufffd")


def test_interrupting_a_set_up_removes_its_container(bench):
    process, _, _ = begun(bench, "sleep 1000")
    assert bench.containers(process.pid)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert not bench.containers(process.pid)


def test_what_a_killed_set_up_leaves_is_removed_on_request(bench, killed):
    container, _, _ = killed
    done = CliRunner().invoke(cli, ["env", "clean"])
    assert done.exit_code == 0, done.output
    assert f"removed {container.name}" in done.stdout
    assert not bench.client.containers.list(all=True, filters={"id": container.id})


def test_what_a_killed_set_up_leaves_is_removed_by_the_next_one(bench, killed):
    container, project, _ = killed
    with closing(bench.sandbox(project)) as place:
        place.start()
        assert not bench.client.containers.list(all=True, filters={"id": container.id})


def test_a_set_up_that_is_at_work_is_not_removed(bench):
    project = bench.project({})
    with closing(bench.sandbox(project)) as place:
        place.start()
        place.copy_in(str(project))
        assert CliRunner().invoke(cli, ["env", "clean"]).exit_code == 0
        assert output(place, "echo here") == "here"
        assert len(bench.containers(os.getpid())) >= 1


def test_all_that_is_kept_has_labels_and_no_container_is(bench):
    before = len(bench.containers(os.getpid()))
    project = bench.project({})
    done = bench.set_up(project, environments=bench.environments(["true"]))
    assert done.exit_code == 0
    assert len(bench.containers(os.getpid())) == before
    (image,) = bench.images(project)
    assert image.tags == [done.data["kept"]]
    assert not image.attrs["Config"]["Volumes"], "packages stay apart from what is kept"
    assert SelectedEnvironment.model_validate_json(image.labels[engines.PLAN]).setup_commands == ("true",)
    (volume,) = bench.volumes(project)
    assert volume.attrs["Labels"][engines.PROJECT] == str(project)


@pytest.mark.parametrize(
    "name", ["two words", 'it\'s "quoted"', "$(touch x)", "`touch x`;touch x", "two\nlines", "-rf", "日本語"]
)
def test_a_project_s_name_goes_through_no_shell(bench, monkeypatch, name):
    project = bench.project({"setup.cfg": "", "here.txt": "here"}, name)
    monkeypatch.chdir(bench.folder())
    with closing(bench.sandbox(project)) as place:
        place.start()
        assert place.copy_in(str(project)).exit_code == 0
        assert output(place, "cat here.txt; test ! -e x; ls /x || true") == "here"
    assert not list(project.parent.rglob("x"))
    assert not list(Path().iterdir())


def test_links_out_of_a_project_bring_nothing_of_the_host(bench):
    project = bench.project({})
    secret = bench.folder() / "secret"
    secret.mkdir()
    (secret / "key").write_text("the host's own")
    (project / "file").symlink_to(secret / "key")
    (project / "folder").symlink_to(secret)
    (project / "up").symlink_to("../" * 12 + "etc/hostname")
    with closing(bench.sandbox(project)) as place:
        place.start()
        assert place.copy_in(str(project)).exit_code == 0
        assert place.run("cat file", timeout=60).exit_code != 0
        assert place.run("ls folder/", timeout=60).exit_code != 0
        # A link leads to what the container itself has there.
        assert output(place, "cat up") == output(place, "cat /etc/hostname")
        assert output(place, "grep -r 'own' . ; true") == ""


def test_the_user_s_files_are_not_changed(bench):
    project = bench.project({"data.txt": "1"})

    def look():
        return {
            path: (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in (project, *project.rglob("*"))
        }

    before = look()
    steps = ["echo 2 > data.txt", "rm requirements.txt", "mkdir build && touch build/made", "chmod 0 data.txt"]
    assert bench.set_up(project, environments=bench.environments(steps)).exit_code == 0
    assert look() == before


def test_projects_do_not_share_their_packages(bench):
    for step in ("touch /evograft/cache/poisoned; ls /evograft/cache", "touch /evograft/cache/own; ls /evograft/cache"):
        project = bench.project({})
        shown = printed(bench.set_up(project, environments=bench.environments([step])))
    assert shown == "own\n"
    assert len(bench.volumes(project)) == 1
    assert printed(bench.set_up(project, environments=bench.environments(["ls /evograft/cache"]))) == "own\n"


def test_what_is_kept_of_a_project_is_not_recalled_for_another_of_the_same_content(bench):
    kept = [bench.set_up(bench.project({}), environments=bench.environments(["true"])) for _ in range(2)]
    assert [each.is_recalled for each in kept] == [False, False]
    assert kept[0].data["kept"] != kept[1].data["kept"]


def test_what_is_kept_is_not_recalled_without_the_packages_that_it_may_need(bench):
    project, environments = bench.project({}), bench.environments(["touch /evograft/cache/needed"])
    recalled = [bench.set_up(project, environments=environments).is_recalled for _ in range(2)]
    bench.volumes(project)[0].remove()
    recalled.append(bench.set_up(project, environments=environments).is_recalled)
    assert recalled == [False, True, False]


def test_what_is_kept_is_not_recalled_where_something_else_is_verified(bench):
    project = bench.project({})
    expected = ("made", "made", "something else")
    checks = [[{"command": "cat file", "expected_output": text}] for text in expected]
    done = [
        bench.set_up(project, environments=bench.environments(["echo made > file"], verification=v)) for v in checks
    ]
    assert [(each.exit_code, each.is_recalled) for each in done] == [(0, False), (0, True), (4, False)]


def test_packages_that_root_keeps_are_not_those_of_an_ordinary_user(bench):
    project = bench.project({})
    assert (
        printed(bench.set_up(project, "--as-root", environments=bench.environments(["touch /evograft/cache/mine"])))
        == ""
    )
    assert printed(bench.set_up(project, environments=bench.environments(["ls /evograft/cache"]))) == ""
    assert len(bench.volumes(project)) == 2


def test_one_works_in_what_is_kept_as_its_commands_did_and_in_containers_of_one_s_own(bench):
    project = bench.project({"seen.txt": "here\n"})
    entry = bench.environments(["true"], variables={"INDEX_PASSWORD": "hunter2hunter2"})
    kept = bench.set_up(project, environments=entry).data["kept"]
    container = bench.client.containers.run(kept, ["sh", "-c", "cat seen.txt; id -un; sleep 60"], detach=True)
    try:
        bench.evo("clean")
        bench.set_up(project, environments=entry)
        container.reload()
        assert container.status == "running"
        assert container.logs() == b"here\nevograft\n"
    finally:
        container.remove(force=True)
    assert "hunter2" not in str(bench.client.images.get(kept).attrs)
