"""The walls of bubblewrap, tried from inside by real commands."""

import contextlib
import fcntl
import itertools
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

from evograft_env_setup.commands.removal import clean_up
from evograft_env_setup.environments import VerificationCommand
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox import TIMED_OUT, SetupSandboxUnavailable
from evograft_env_setup.sandbox.bwrap.kept_environments import (
    find_newest,
    find_record,
    forget,
    list_kept_environments,
)
from evograft_env_setup.sandbox.bwrap.layers import find_trust_variables
from evograft_env_setup.sandbox.bwrap.own_folder import (
    cache_folder,
    list_leftovers,
    make_own_folder,
    remove_idle,
    remove_leftovers,
)
from evograft_env_setup.sandbox.bwrap.sandbox import VENV, BwrapSetupOptions, BwrapSetupSandbox
from evograft_env_setup.sandbox.selection import lock_environment

SECONDS = 60
TOKENS = (f"evograft-{os.getpid()}-{number}" for number in itertools.count())


pytestmark = pytest.mark.usefixtures("bubblewrap")


@pytest.fixture(scope="module")
def place(no_python):
    sandbox = BwrapSetupSandbox("shared", BwrapSetupOptions(programs=(no_python,)))
    with contextlib.closing(sandbox):
        sandbox.start()
        yield sandbox


@pytest.fixture
def opened(no_python):
    """Starts sandbox of their own."""
    with contextlib.ExitStack() as stack:

        def start(project="own", **options):
            sandbox = BwrapSetupSandbox(project, BwrapSetupOptions(**{"programs": (no_python,), **options}))
            stack.callback(sandbox.close)
            sandbox.start()
            return sandbox

        yield start


@pytest.fixture
def clean(monkeypatch):
    """Removes what is kept in bubblewrap, and nothing that an engine keeps."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    return partial(clean_up, kept=True)


def program(path, script):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(sandbox, command, **how):
    return sandbox.run(command, **{"timeout": SECONDS, "network": False, **how})


def printed(sandbox, command, **how):
    outcome = run(sandbox, command, **how)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stdout


def processes(token):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if token.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


@pytest.mark.parametrize(
    ("command", "code"), [("true", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill $$", 143), ("no-such-program", 127)]
)
def test_a_command_ends_with_the_exit_code_of_its_shell(place, command, code):
    assert run(place, command).exit_code == code


def test_streams_are_kept_apart_and_told_piece_by_piece(place):
    told = []
    outcome = run(place, "echo out; echo wrong >&2", on_output=told.append)
    assert (outcome.stdout, outcome.stderr) == ("out\n", "wrong\n")
    assert sorted("".join(told).splitlines()) == ["out", "wrong"]


def test_output_is_told_while_the_command_still_runs(place):
    def let_it_go_on(text):
        (place._walls.workspace / "go").touch()

    outcome = run(place, "echo waiting; until [ -e go ]; do sleep 0.01; done; rm -f go", on_output=let_it_go_on)
    assert outcome.exit_code == 0


def test_a_character_that_comes_in_two_pieces_is_told_whole(place):
    told = []

    def let_it_go_on(text):
        told.append(text)
        (place._walls.workspace / "go").touch()

    wait = "until [ -e go ]; do sleep 0.01; done; rm -f go"
    run(place, rf"printf 'a\343'; {wait}; printf '\201\202'", on_output=let_it_go_on)
    assert told == ["a", "あ"]


def test_what_is_no_text_is_replaced(place):
    assert printed(place, r"printf 'a\377b'") == "a\N{REPLACEMENT CHARACTER}b"


def test_nothing_is_to_be_read_from_the_standard_input(place):
    assert printed(place, "cat") == ""


HIDING = {
    "in the background": "{idle} &",
    "in a session of its own": "setsid setsid {idle} &",
    "deaf to signals": "(trap '' TERM INT HUP; {idle}) &",
    "with closed streams": "setsid {idle} </dev/null >/dev/null 2>&1 &",
}
WAIT = "until [ -e here ]; do sleep 0.01; done; rm -f here"


def idle(token):
    return f"sh -c 'touch here; sleep 1000; : {token}'"


@pytest.mark.parametrize("hide", [pytest.param(command, id=name) for name, command in HIDING.items()])
@pytest.mark.parametrize(
    ("end", "timeout", "code"), [("exit 5", SECONDS, 5), ("sleep 1000", 0.5, TIMED_OUT)], ids=["at its end", "overdue"]
)
def test_no_process_outlives_its_command(place, hide, end, timeout, code):
    token = next(TOKENS)
    outcome = run(place, f"{hide.format(idle=idle(token))} {WAIT}; {end}", timeout=timeout)
    assert outcome.exit_code == code
    assert not processes(token)


def test_a_command_that_closes_its_streams_is_ended_in_time_all_the_same(place):
    outcome = run(place, "echo before; exec >&- 2>&-; sleep 1000", timeout=0.5)
    assert (outcome.exit_code, outcome.stdout) == (TIMED_OUT, "before\n")


def test_a_command_that_hands_its_streams_to_somebody_outside_has_ended_when_it_ends(place):
    name = f"\0{next(TOKENS)}"
    give = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({name!r}); socket.send_fds(s, [b'x'], [1, 2])"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(name)
        door.listen()
        outcome = run(place, f'echo before; /usr/bin/python3 -c "{give}"', network=True)
        taken, _ = door.accept()
        with taken:
            _, streams, _, _ = socket.recv_fds(taken, 1, 2)
    for stream in streams:
        os.close(stream)
    assert len(streams) == 2
    assert (outcome.exit_code, outcome.stdout) == (0, "before\n")


def test_an_interruption_leaves_no_process_and_a_place_that_still_works(place):
    token = next(TOKENS)

    def interrupt(text):
        assert processes(token)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(place, f"setsid {idle(token)} & {WAIT}; echo; sleep 1000", on_output=interrupt)
    assert not processes(token)
    assert printed(place, "echo on") == "on\n"


def connection(server):
    host, port = server.getsockname()
    return f"/usr/bin/python3 -c 'import socket; socket.create_connection((\"{host}\", {port}), 5)'"


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_a_command_reaches_others_only_with_the_network(place, server):
    assert run(place, connection(server), network=True).exit_code == 0
    refused = run(place, connection(server), network=False)
    assert refused.exit_code == 1
    assert "Error" in refused.stderr


def test_without_the_network_there_is_nothing_but_a_loopback(place):
    assert printed(place, "cut -s -d: -f1 /proc/net/dev").split() == ["lo"]


def test_the_network_can_be_kept_from_all_commands(opened, server):
    assert run(opened(network=False), connection(server), network=True).exit_code == 1


def test_nothing_of_the_hosts_users_is_to_be_seen(place, monkeypatch):
    monkeypatch.setenv("EVOGRAFT_TEST_KEY", "sk-of-the-host")
    seen = printed(place, "ls -A / /home /etc; ls -d /root /var /run /opt 2>/dev/null; cat /etc/passwd; env; true")
    assert "sk-of-the-host" not in seen
    assert not {"root", "var", "run", "opt", "shadow", "pip.conf", "ssh"} & set(seen.split("\n"))
    assert run(place, f"ls {Path.home()} || ls {cache_folder()}").exit_code != 0


def test_processes_of_the_host_are_neither_seen_nor_reached(place):
    numbers = printed(place, "ls /proc | grep '^[0-9]'").split()
    assert len(numbers) < 10
    assert run(place, f"kill -0 {os.getpid()}").exit_code != 0 or str(os.getpid()) in numbers


@pytest.mark.long
@pytest.mark.skipif(not find_trust_variables(), reason="install ca-certificates")
def test_tools_trust_whom_the_machine_trusts(place):
    count = "import ssl; print(ssl.create_default_context().cert_store_stats()['x509_ca'])"
    assert int(printed(place, f'/usr/bin/python3 -c "{count}"')) > 0
    assert printed(place, "cat $NODE_EXTRA_CA_CERTS | head -c 5") == printed(place, "head -c 5 $SSL_CERT_FILE") != ""


def test_values_of_variables_are_no_arguments_that_everybody_reads(opened):
    token = next(TOKENS)
    sandbox = opened(variables={"PIP_INDEX_URL": f"https://user:{token}@example.org"})
    seen = []
    outcome = run(sandbox, "echo $PIP_INDEX_URL; sleep 0.01", on_output=lambda text: seen.append(processes(token)))
    assert token in outcome.stdout
    assert seen == [[]]


def test_commands_are_an_ordinary_users_without_capabilities(place):
    assert printed(place, "id -u") != "0\n"
    assert printed(place, "id -un; echo ~") == "evograft\n/home/evograft\n"
    masks = printed(place, "grep -E 'Cap(Inh|Prm|Eff|Amb)' /proc/self/status").split()[1::2]
    assert [int(mask, 16) for mask in masks] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "path", ["/new", "/usr/new", "/etc/new", "/etc/passwd", "/dev/new", "/home/new", "/evograft/new"]
)
def test_nothing_is_written_outside_of_the_places_for_it(place, path):
    assert run(place, f"touch {path} && echo >> {path}").exit_code != 0


def test_files_stay_from_command_to_command_in_the_places_for_them(place):
    run(place, "for folder in /workspace ~ /tmp /evograft/cache; do echo kept > $folder/file; done")
    assert printed(place, "cat /workspace/file ~/file /tmp/file /evograft/cache/file") == "kept\n" * 4
    assert not Path("/workspace").exists()


def test_programs_that_commands_put_first_on_path_are_not_what_puts_up_the_walls(opened):
    sandbox = opened()
    names = "setpriv prlimit bwrap bash sh"
    script = (
        f"cd ~/.local/bin; for name in {names}; do printf '#!/bin/sh\\necho deceived' > $name; chmod +x $name; done"
    )
    run(sandbox, f"mkdir -p ~/.local/bin; {script}")
    assert printed(sandbox, "setpriv; prlimit") == "deceived\ndeceived\n"
    assert printed(sandbox, "echo $0") in ("/bin/bash\n", "/bin/sh\n")


def test_links_of_a_project_stay_links_and_lead_nowhere(opened, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("of the host")
    project = tmp_path / "project"
    project.mkdir()
    (project / "absolute").symlink_to(secret)
    (project / "relative").symlink_to("../" * 20 + str(secret)[1:])
    (project / "system").symlink_to("/etc/passwd")
    sandbox = opened()
    assert sandbox.copy_in(str(project)).exit_code == 0
    assert printed(sandbox, "readlink absolute system").splitlines() == [str(secret), "/etc/passwd"]
    assert run(sandbox, "cat absolute/key || cat relative/key || echo x > absolute/new").exit_code != 0
    assert "evograft" in printed(sandbox, "cat system")
    assert [path.name for path in secret.iterdir()] == ["key"]


def test_a_project_can_be_brought_once_more_after_a_failure(opened, tmp_path):
    sandbox = opened()
    failed = sandbox.copy_in(str(tmp_path / "missing"))
    assert failed.exit_code == 1
    assert "missing" in failed.stderr
    project = tmp_path / "project"
    (project / "node_modules").mkdir(parents=True)
    (project / "run.sh").write_text("echo runs")
    (project / "run.sh").chmod(0o700)
    run(sandbox, "touch half")
    brought = sandbox.copy_in(str(project))
    assert brought.stdout == "not copied: node_modules"
    assert printed(sandbox, "ls; ./run.sh; touch new") == "run.sh\nruns\n"
    assert {path.name for path in project.iterdir()} == {"node_modules", "run.sh"}


def test_what_stays_behind_is_told_whatever_its_name(opened, tmp_path):
    os.mkfifo(os.fsencode(tmp_path) + b"/pipe\xe9\x1b[2J")
    brought = opened().copy_in(str(tmp_path))
    assert (brought.exit_code, brought.stdout) == (0, "not copied: pipe\\xe9\\x1b[2J")


def test_packages_in_use_are_not_cleaned_away(opened, own_cache, clean):
    first, second = opened(), opened()
    first.close()
    assert clean().removed == ()
    second.close()
    assert [Path(folder).parent for folder in clean().removed] == [own_cache / "packages"]


def test_memory_of_a_process_is_limited(opened):
    outcome = run(opened(memory_mb=200), "/usr/bin/python3 -c 'bytearray(300 << 20)'")
    assert "MemoryError" in outcome.stderr


def test_processes_are_limited(opened):
    multiply = "import os, signal; [os.fork() or signal.pause() for _ in range(40)]"
    assert "BlockingIOError" in run(opened(pids=20), f"/usr/bin/python3 -c '{multiply}'").stderr


def test_folders_of_programs_are_shown_and_stay_as_they_are(opened, no_python, tmp_path):
    program(tmp_path / "tool" / "bin" / "greet", "echo hello")
    program(tmp_path / "flat" / "part", "echo goodbye")
    sandbox = opened(programs=(no_python, str(tmp_path / "tool"), str(tmp_path / "flat")))
    assert printed(sandbox, "greet; part") == "hello\ngoodbye\n"
    assert run(sandbox, f"touch {tmp_path}/tool/bin/new").exit_code != 0
    assert run(opened(), "greet").exit_code == 127


def test_start_says_first_that_there_is_no_container_and_then_what_is_missing(no_python):
    with contextlib.closing(
        BwrapSetupSandbox("notes", BwrapSetupOptions(programs=(no_python,), memory_mb=300))
    ) as sandbox:
        first, *others = sandbox.start()
    assert first.startswith("no container: ")
    assert any("300 MB" in note for note in others)
    assert any("share this machine's network" in note for note in others)
    assert "no module named venv" in others[-1]
    assert all("\n" not in note for note in (first, *others))


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo Traceback >&2; echo ModuleNotFoundError: venv >&2; exit 1", "exit code 1: ModuleNotFoundError: venv)"),
        (
            "printf 'no ensurepip here:\\ninstall it.\\n\\nFailed: [...]'; exit 2",
            "exit code 2: no ensurepip here: install it.)",
        ),
    ],
)
def test_half_an_environment_is_none_and_start_says_why(opened, tmp_path, script, said):
    tmp_path.chmod(0o755)
    program(tmp_path / "python3", f"mkdir -p {VENV}/bin; {script}")
    with contextlib.closing(BwrapSetupSandbox("half", BwrapSetupOptions(programs=(str(tmp_path),)))) as sandbox:
        *_, note = sandbox.start()
        assert note.endswith(said)
        assert printed(sandbox, f"echo $PATH $VIRTUAL_ENV; ls {VENV} 2>&1 || true").count(VENV) == 1


def test_a_python_project_is_installed_in_an_environment_of_its_own(tmp_path):
    wheel = tmp_path / "greeting-1.0-py3-none-any.whl"
    info = "greeting-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("greeting.py", "print('hello')")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    with contextlib.closing(BwrapSetupSandbox("python", BwrapSetupOptions())) as sandbox:
        notes = sandbox.start()
        if "no virtual environment" in notes[-1]:
            pytest.skip(f"Python of this machine: {notes[-1]}")
        sandbox.copy_in(str(tmp_path))
        assert "greeting" in printed(sandbox, f"pip install --no-index ./{wheel.name}")
        assert printed(sandbox, "python -c 'import greeting'") == "hello\n"
        assert printed(sandbox, "command -v python pip").split() == [f"{VENV}/bin/python", f"{VENV}/bin/pip"]


def test_packages_are_found_again_by_the_same_project_only(own_cache, opened):
    run(opened("one"), "echo fetched > $PIP_CACHE_DIR.mark")
    assert printed(opened("one"), "cat /evograft/cache/*") == "fetched\n"
    assert printed(opened("two"), "ls -A /evograft/cache") == ""


def test_closing_leaves_the_cache_and_nothing_else(own_cache, opened):
    sandbox = opened()
    # Go's cache is read-only, and what strangers make may be deeper than a path may be long.
    run(sandbox, "mkdir -p locked/in; chmod 0 locked/in locked")
    dig = "import os; [(os.mkdir(str(0)), os.chdir(str(0))) for _ in range(3000)]"
    assert run(sandbox, f"/usr/bin/python3 -c '{dig}'").exit_code == 0
    sandbox.close()
    sandbox.close()
    assert [path.name for path in own_cache.iterdir() if any(path.iterdir())] == ["packages"]


def test_a_sandbox_that_never_started_can_be_closed():
    BwrapSetupSandbox("never", BwrapSetupOptions()).close()


def environment(*commands):
    return SelectedEnvironment(
        name="python", setup_commands=commands, verification=({"command": "true", "expected_output": ""},)
    )


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "file").write_text("first")
    return folder


def test_what_was_set_up_is_recalled_as_it_was_whatever_ran_in_it_since(own_cache, opened, project):
    planned, made = environment("planned"), environment("corrected")
    first = opened(project="own")
    first.copy_in(str(project))
    printed(first, "echo built > built; echo home > ~/home; ln -s /etc/hostname link; mkdir shut; chmod 555 shut")
    built = first.snapshot(planned, made).environment
    assert first.restore(planned).plan == made
    printed(first, "rm built; echo other > ~/home")
    first.close()
    second = opened(project="own")
    second.copy_in(str(project))
    assert second.restore(planned).environment == built
    assert printed(
        second, "cat file built ~/home; readlink link; stat -c %a shut; id -u > /dev/null && stat -c %u ."
    ) == (f"firstbuilt\nhome\n/etc/hostname\n555\n{second._walls.user.uid}\n")


@pytest.mark.parametrize("change", ["file", "plan", "project", "programs", "fresh"])
def test_what_was_set_up_is_not_recalled_for_anything_else(own_cache, opened, project, no_python, tmp_path, change):
    first = opened(project="own")
    first.copy_in(str(project))
    first.snapshot(environment("planned"), environment("planned"))
    if change == "file":
        (project / "file").write_text("second")
    options = {"programs": {"programs": (no_python, str(tmp_path))}, "fresh": {"fresh": True}}.get(change, {})
    second = opened(project="other" if change == "project" else "own", **options)
    second.copy_in(str(project))
    assert second.restore(environment("other" if change == "plan" else "planned")) is None
    assert (second._walls.workspace / "file").exists()


def test_what_is_verified_otherwise_is_not_recalled(own_cache, opened, project):
    place = opened(project="own")
    place.copy_in(str(project))
    place.snapshot(environment("planned"), environment("planned"))
    other = environment("planned").model_copy(
        update={"verification": (VerificationCommand(command="true", expected_output="other"),)}
    )
    assert place.restore(other) is None
    assert place.restore(environment("planned").model_copy(update={"reason": "another"})) is not None


@pytest.mark.parametrize("part", ["workspace", "home"])
def test_an_environment_that_lacks_a_part_is_not_recalled_and_the_place_stays_as_it_was(
    own_cache, opened, project, part
):
    place = opened(project="own")
    place.copy_in(str(project))
    built = place.snapshot(environment(), environment()).environment
    shutil.rmtree(Path(built.folder, part))
    printed(place, "echo new > new; echo home > ~/new")
    assert place.restore(environment()) is None
    assert printed(place, "cat file new ~/new") == "firstnew\nhome\n"
    place.snapshot(environment(), environment())
    assert place.restore(environment()) is not None


def halfway(script, tmp_path, monkeypatch, program_name):
    """Put a program first on our own path: it runs a script, then does what it is named for."""
    program(tmp_path / "halfway" / program_name, f'{script}\nexec {shutil.which(program_name)} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}/halfway:{os.environ['PATH']}")


def test_an_environment_whose_removal_was_interrupted_is_no_longer_found(
    own_cache, opened, project, tmp_path, monkeypatch
):
    place = opened(project="own")
    place.copy_in(str(project))
    built = place.snapshot(environment(), environment()).environment
    with monkeypatch.context() as patched:
        halfway(f"{shutil.which('rm')} {built.folder}/workspace/file; exit 1", tmp_path, patched, "rm")
        assert not forget(Path(built.folder))
    assert Path(built.folder, "home").is_dir()
    assert find_newest("own") is None


def test_of_two_set_ups_that_keep_the_same_at_once_both_succeed(own_cache, opened, project, monkeypatch):
    first, second = opened(project="own"), opened(project="own")
    for place in (first, second):
        place.copy_in(str(project))
    rename, overtaking = Path.rename, iter([second])

    def rename_and_be_overtaken(path, target):
        renamed = rename(path, target)
        for place in overtaking:
            place.snapshot(environment(), environment("of the other"))
        return renamed

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", rename_and_be_overtaken)
        built = first.snapshot(environment(), environment("ours")).environment
    assert list(overtaking) == []
    assert find_record(Path(built.folder)).made == environment("ours")


def test_an_environment_that_goes_when_it_is_about_to_be_copied_is_not_recalled(
    own_cache, opened, project, monkeypatch
):
    place = opened(project="own")
    place.copy_in(str(project))
    folder = Path(place.snapshot(environment(), environment()).environment.folder)
    lock = fcntl.flock

    def lock_late(descriptor, how):
        (folder / "environment.json").unlink(missing_ok=True)
        lock(descriptor, how)

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", lock_late)
        assert place.restore(environment()) is None
    assert printed(place, "cat file") == "first"


def test_an_environment_that_is_being_removed_is_not_recalled(own_cache, opened, project):
    place = opened(project="own")
    place.copy_in(str(project))
    folder = Path(place.snapshot(environment(), environment()).environment.folder)
    other = opened(project="own")
    other.copy_in(str(project))
    place.close()
    recalled = []

    def remove(path):
        recalled.append(other.restore(environment()))
        return forget(path)

    assert remove_idle([folder], remove).removed == (folder,)
    assert recalled == [None]


def test_an_environment_that_somebody_works_in_stays_and_that_is_said(own_cache, opened, project, clean):
    first, second = opened(project="own"), opened(project="own")
    for place in (first, second):
        place.copy_in(str(project))
    built = first.snapshot(environment("first"), environment("first")).environment
    with lock_environment(built):
        first.close()
        kept = second.snapshot(environment("second"), environment("second"))
        assert kept.notes == (f"an earlier environment of this project is in use, and stays: {built.folder}",)
        second.close()
        done = clean()
        assert done.in_use == (built.folder, built.packages)
        assert kept.environment.folder in done.removed
        assert find_record(Path(built.folder)).made == environment("first")
    assert set(clean().removed) == {built.folder, built.packages}


def test_an_environment_that_is_made_again_takes_no_files_from_who_works_in_the_earlier_one(own_cache, opened, project):
    first, again = opened(project="own"), opened(project="own", fresh=True)
    for place in (first, again):
        place.copy_in(str(project))
    built = first.snapshot(environment(), environment()).environment
    made_again = again.snapshot(environment(), environment()).environment
    assert Path(built.folder, "workspace", "file").exists()
    assert find_newest("own") == Path(made_again.folder)


def test_what_a_project_came_back_to_is_its_environment_though_a_later_one_is_still_there(own_cache, opened, project):
    place, other = opened(project="own"), opened(project="own")
    for each in (place, other):
        each.copy_in(str(project))
    first = place.snapshot(environment("first"), environment("first")).environment
    second = other.snapshot(environment("second"), environment("second")).environment
    os.utime(first.folder, (1, 1))
    assert find_newest("own") == Path(second.folder)
    place.restore(environment("first"))
    assert find_newest("own") == Path(first.folder)


def test_a_stray_file_among_what_is_kept_is_left_alone(own_cache, opened, project, clean):
    place = opened(project="own")
    place.copy_in(str(project))
    stray = [own_cache / "packages" / "stray", own_cache / "environments" / "stray"]
    for path in stray:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    built = place.snapshot(environment("first"), environment("first")).environment
    inner = Path(built.folder).with_name("stray")
    inner.write_text("")
    place.snapshot(environment("second"), environment("second"))
    assert not Path(built.folder).exists()
    place.close()
    assert len(clean().removed) == 2
    assert all(path.exists() for path in (*stray, inner))


def test_a_project_has_one_environment_and_a_new_one_takes_its_place(own_cache, opened, project):
    place = opened(project="own")
    place.copy_in(str(project))
    place.snapshot(environment("first"), environment("first"))
    again = place.snapshot(environment("first"), environment("corrected")).environment
    assert find_record(Path(again.folder)).made == environment("corrected")
    second = place.snapshot(environment("second"), environment("second")).environment
    assert find_newest("own") == Path(second.folder)
    assert [str(each) for each in list_kept_environments()] == [second.folder]


def test_what_is_nested_too_deep_to_be_kept_is_named_in_a_line_that_can_be_read(own_cache, opened, project):
    place = opened(project="own")
    place.copy_in(str(project))
    dig = "import os; [(os.mkdir(name), os.chdir(name)) for name in ['first', *['deep' * 50] * 40, 'last']]"
    printed(place, f'/usr/bin/python3 -c "{dig}"')
    with pytest.raises(SetupSandboxUnavailable, match=r"'workspace/first/deep.*: File name too long") as caught:
        place.snapshot(environment(), environment())
    assert len(str(caught.value)) < 1000


@pytest.mark.skipif(os.geteuid() != 0, reason="another user's files are like that for root alone")
def test_candidates_can_read_what_the_set_up_has_closed_and_its_own_commands_find_it_closed(own_cache, opened, project):
    first = opened(project="own")
    first.copy_in(str(project))
    close = "umask 077; echo secret > 'a key\n'; mkdir shut; cp /bin/true shut/program; ln -s /etc/shadow link"
    shown = "stat -c '%a %F' 'a key\n' shut shut/program"
    closed = printed(first, f"{close}; {shown}")
    built = first.snapshot(environment(), environment()).environment
    modes = [
        f"{(Path(built.folder, 'workspace', name)).stat().st_mode:o}" for name in ("a key\n", "shut", "shut/program")
    ]
    assert modes == ["100644", "40755", "100755"]
    assert first.restore(environment()) is not None
    assert printed(first, shown) == closed
    again = BwrapSetupSandbox("own", BwrapSetupOptions(programs=built.programs))
    with contextlib.closing(again):
        again.reopen(built)
        assert printed(again, shown) == closed


def test_an_environment_is_opened_again_with_the_projects_files_of_now(own_cache, opened, project):
    first = opened(project="own")
    first.copy_in(str(project))
    printed(first, "echo built > built")
    built = first.snapshot(environment(), environment()).environment
    (project / "file").write_text("second")
    (project / "new").mkdir()
    (project / "new" / "file").write_text("new")
    again = BwrapSetupSandbox("own", BwrapSetupOptions(programs=built.programs))
    with contextlib.closing(again):
        again.reopen(built)
        assert again.update(str(project)).exit_code == 0
        assert printed(again, "cat built file new/file; test -e /tmp/incoming || echo") == "built\nsecondnew\n"
    assert Path(built.folder, "workspace", "file").read_text() == "first"


def test_programs_that_commands_put_first_on_path_do_not_keep_the_old_files(own_cache, opened, project):
    first = opened(project="own")
    first.copy_in(str(project))
    programs = "cp rm find sh"
    script = f"for name in {programs}; do printf '#!/bin/sh\\n' > $name; chmod +x $name; done"
    printed(first, f"mkdir -p ~/.local/bin; cd ~/.local/bin; {script}")
    built = first.snapshot(environment(), environment()).environment
    (project / "file").write_text("second")
    again = BwrapSetupSandbox("own", BwrapSetupOptions(programs=built.programs))
    with contextlib.closing(again):
        again.reopen(built)
        assert again.update(str(project)).exit_code == 0
        assert printed(again, "cat file; test -e /tmp/incoming || echo") == "second\n"


def test_what_has_become_something_else_replaces_what_it_was(own_cache, opened, project):
    (project / "-folder to file").mkdir()
    (project / "-folder to file" / "old").write_text("")
    (project / "file to folder").write_text("")
    (project / "link to folder").symlink_to("kept")
    (project / "folder to link").mkdir()
    (project / "kept").mkdir()
    first = opened(project="own")
    first.copy_in(str(project))
    printed(first, "echo built > kept/built")
    built = first.snapshot(environment(), environment()).environment
    shutil.rmtree(project / "-folder to file")
    (project / "-folder to file").write_text("now a file\n")
    (project / "folder to link").rmdir()
    (project / "folder to link").symlink_to("kept")
    for name in ("file to folder", "link to folder"):
        (project / name).unlink()
        (project / name).mkdir()
        (project / name / "new").write_text(f"{name}\n")
    again = BwrapSetupSandbox("own", BwrapSetupOptions(programs=built.programs))
    with contextlib.closing(again):
        again.reopen(built)
        outcome = again.update(str(project))
        assert (outcome.exit_code, outcome.stderr) == (0, "")
        shown = printed(
            again, "cat -- '-folder to file' */new kept/built; readlink folder*; ls kept; test -e /tmp/incoming || echo"
        )
    assert shown == "now a file\nfile to folder\nlink to folder\nbuilt\nkept\nbuilt\n\n"


def test_links_that_commands_have_left_do_not_lead_a_later_copy_out_of_the_environment(
    own_cache, opened, project, tmp_path
):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    first = opened(project="own")
    first.copy_in(str(project))
    printed(first, f"rm file; ln -s {outside}/file file; ln -s {outside} new")
    built = first.snapshot(environment(), environment()).environment
    (project / "new").mkdir()
    (project / "new" / "file").write_text("new")
    again = BwrapSetupSandbox("own", BwrapSetupOptions(programs=built.programs))
    with contextlib.closing(again):
        again.reopen(built)
        again.update(str(project))
    assert not list(outside.iterdir())


def test_an_environment_that_was_removed_says_so(own_cache, opened, project):
    first = opened(project="own")
    first.copy_in(str(project))
    built = first.snapshot(environment(), environment()).environment
    shutil.rmtree(built.folder)
    again = BwrapSetupSandbox("own", BwrapSetupOptions(programs=built.programs))
    with contextlib.closing(again), pytest.raises(SetupSandboxUnavailable, match="can't be copied from"):
        again.reopen(built)


def test_streams_are_told_apart_where_that_is_wanted(place):
    out, wrong = [], []
    run(place, "echo out; echo wrong >&2", on_output=out.append, on_error=wrong.append)
    assert ("".join(out), "".join(wrong)) == ("out\n", "wrong\n")


def test_a_place_that_is_gone_is_not_the_commands_fault(opened):
    sandbox = opened()
    shutil.rmtree(sandbox._walls.workspace)
    with pytest.raises(SetupSandboxUnavailable, match="workspace"):
        run(sandbox, "true")


def test_without_bubblewrap_the_user_is_told_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SetupSandboxUnavailable, match="install the package bubblewrap"):
        BwrapSetupSandbox("missing", BwrapSetupOptions()).start()


def test_where_walls_are_forbidden_the_user_is_told_what_to_do(monkeypatch, tmp_path):
    said = "bwrap: No permissions to create new namespace"
    program(tmp_path / "bwrap", f"echo '{said}' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sandbox = BwrapSetupSandbox("forbidden", BwrapSetupOptions())
    with contextlib.closing(sandbox), pytest.raises(SetupSandboxUnavailable) as unavailable:
        sandbox.start()
    message = str(unavailable.value)
    assert said in message
    assert "--place docker" in message
    assert "\n" not in message


def test_a_program_folder_that_is_not_there_is_named(opened):
    with pytest.raises(SetupSandboxUnavailable, match="/no/such/folder"):
        opened(programs=("/no/such/folder",))


OWNER = """
import sys
from evograft_env_setup.sandbox.bwrap.sandbox import BwrapSetupOptions, BwrapSetupSandbox

_, programs, command = sys.argv
sandbox = BwrapSetupSandbox("killed", BwrapSetupOptions(programs=(programs,)))
sandbox.start()
sandbox.run(command, timeout=1000, on_output=lambda text: print(flush=True))
"""


def test_what_a_killed_process_leaves_is_found_and_removed(own_cache, no_python):
    mine, token = make_own_folder(), next(TOKENS)
    command = [sys.executable, "-c", OWNER, no_python, f"setsid {idle(token)} & {WAIT}; echo; sleep 1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as owner:
        owner.stdout.readline()
        inside = [os.pidfd_open(number) for number in processes(token)]
        assert list_leftovers() == []
        owner.kill()
    assert inside
    for process in inside:
        assert select.select([process], [], [], SECONDS)[0]
        os.close(process)
    found = list_leftovers()
    assert [path.is_dir() for path in found] == [True]
    assert remove_leftovers() == found
    assert list_leftovers() == []
    assert mine.is_dir()
    assert not found[0].exists()


def test_marks_that_say_nothing_are_left_alone(own_cache):
    mark = make_own_folder().with_name("strange.owner")
    mark.write_text("")
    assert list_leftovers() == []
    assert mark.exists()
