"""The variables that decide which code numerical libraries choose, and the restart that lets glibc see them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evograft.cpu_dispatch import EXCLUDED, PORTABLE, RESTARTED, SWITCH, TUNABLES, portable_environment
from evograft_sandbox.functions.worker import start_worker

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="only Linux on x86-64 is restarted"
)
OURS = {*PORTABLE, EXCLUDED, TUNABLES, SWITCH, RESTARTED}
MASK = "glibc.cpu.hwcaps=-FMA,-FMA4,-FMA_Usable,-FMA4_Usable"
TELL = """\
from evograft.cpu_dispatch import restart_portable
restart_portable()
import json, os, sys
print(json.dumps({"pid": os.getpid(), "arguments": sys.argv[1:], "environment": dict(os.environ)}))
"""


def plain(**variables):
    """The environment of somebody who has set these variables and no other of ours."""
    return {**{name: value for name, value in os.environ.items() if name not in OURS}, **variables}


def start(*arguments, environment, **options):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def tell(*arguments, environment, **options):
    """What a program that restarts sees, and the number that its process began with."""
    process = start(*arguments, environment=environment, stdin=subprocess.PIPE if options else None)
    out, err = process.communicate(timeout=60, **options)
    assert process.returncode == 0, err
    return json.loads(out), process.pid


def test_what_the_user_has_tuned_stays_but_for_what_changes_results():
    before = {TUNABLES: "glibc.malloc.check=1:glibc.cpu.hwcaps=-AVX512F:glibc.mem.tagging=1", "A": "b"}
    after = portable_environment({**before, EXCLUDED: "X86_V4", "OPENBLAS_CORETYPE": "Haswell"})
    expected = "glibc.malloc.check=1:glibc.mem.tagging=1:glibc.cpu.hwcaps=-AVX512F,-FMA,-FMA4,-FMA_Usable,-FMA4_Usable"
    assert after == {"A": "b", **PORTABLE, TUNABLES: expected}
    assert portable_environment(after) == after, "a process that has restarted need not do so again"


def test_a_user_may_switch_it_off():
    environment = {SWITCH: "native", "OPENBLAS_CORETYPE": "Haswell"}
    assert portable_environment(environment) == environment


@pytest.mark.parametrize("form", [["file"], ["-c", TELL], ["-X", "utf8", "-m", "teller"]], ids=["file", "-c", "-m"])
def test_a_program_restarts_once_as_the_same_process_with_the_same_arguments(tmp_path, form):
    program = tmp_path / "teller.py"
    program.write_text(TELL)
    form = [program] if form == ["file"] else form
    arguments = ["run", "", "two words", "ün", "--flag"]
    seen, pid = tell(*form, *arguments, environment=plain(PYTHONPATH=str(tmp_path), OPENBLAS_CORETYPE="Haswell"))
    assert (seen["pid"], seen["arguments"]) == (pid, arguments)
    assert {name: seen["environment"].get(name) for name in (*PORTABLE, TUNABLES)} == {**PORTABLE, TUNABLES: MASK}
    assert seen["environment"][RESTARTED] == str(pid)


def test_a_program_that_is_read_from_standard_input_does_not_restart():
    seen, _ = tell("-", environment=plain(), input=TELL)
    assert RESTARTED not in seen["environment"]


def test_a_process_in_which_mpi_has_begun_does_not_restart_and_says_what_to_set(tmp_path):
    # In place of the package, which needs an MPI; a folder without __init__.py would lose to one that is installed.
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").touch()
    (tmp_path / "mpi4py" / "MPI.py").touch()
    process = start("-c", f"import mpi4py.MPI\n{TELL}", environment=plain(PYTHONPATH=str(tmp_path)))
    out, err = process.communicate(timeout=60)
    assert RESTARTED not in json.loads(out)["environment"]
    assert err.startswith("evo cannot restart within MPI")
    assignments = dict(word.split("=", 1) for word in err.split() if "=" in word)
    seen, _ = tell("-c", TELL, environment=plain(**assignments))
    assert RESTARTED not in seen["environment"], "with what it says to set, nothing is to restart"


def test_a_system_that_drops_the_variables_does_not_make_it_restart_for_ever(tmp_path):
    # As the dynamic linker does for a program with capabilities.
    program = tmp_path / "dropping.py"
    program.write_text(f"import os\nos.environ.pop({TUNABLES!r}, None)\n{TELL}")
    seen, pid = tell(program, environment=plain())
    assert seen["environment"][RESTARTED] == str(pid)


def test_a_signal_that_was_ignored_stays_ignored(tmp_path):
    told = f"{TELL}\nimport signal\nassert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN\n"
    done = subprocess.run(
        ["/bin/sh", "-c", 'trap "" HUP; exec "$0" -c "$1"', sys.executable, told],
        env=plain(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_evo_restarts_and_keeps_its_exit_code(runs):
    process = start("-X", "importtime", "-m", "evograft", "bogus", environment=plain())
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "no command 'bogus'" in err
    # Nothing was imported twice that takes long.
    assert err.count("| evograft.cpu_dispatch") == 2
    assert err.count("|   click\n") == 1


def test_a_switch_with_a_typo_is_named(runs):
    process = start("-m", "evograft", "plugins", environment=plain(**{SWITCH: "nativ"}))
    assert process.communicate(timeout=60)[1] == f"Error: {SWITCH} is 'nativ': set it to portable or native\n"
    assert process.returncode == 2


@pytest.mark.long
def test_a_run_notes_its_dispatch_and_a_resume_under_another_says_so(runs):
    file = runs.write(trials=3)
    done = runs.evo_apart("run", file, "--run-dir", "r", env=plain())
    assert done.returncode == 0, done.stderr
    assert "cpu-dispatch: portable" in Path(runs.folder, "r", "pipeline.lock.yaml").read_text()
    again = runs.evo_apart("resume", "r", "--set", "budget.trials=5", env=plain(**{SWITCH: "native"}))
    assert again.returncode == 0, again.stderr
    assert "cpu-dispatch portable -> native" in again.stdout + again.stderr


def test_workers_of_the_function_sandbox_have_the_same_environment(monkeypatch):
    for name in OURS:
        monkeypatch.delenv(name, raising=False)
    loader = Path(__file__).parents[2] / "plugins/sandbox/tests/functions/loader_numbers.py"
    order = {"loader": f"{loader}:load", "arguments": {}, "layers": [], "cpu_seconds": 1.0, "wall_seconds": 1.0}
    worker = start_worker({**order, "memory_mb": 256})
    try:
        entries = Path(f"/proc/{worker.process.pid}/environ").read_text().split("\0")
    finally:
        worker.end()
    assert {f"{name}={value}" for name, value in {**PORTABLE, TUNABLES: MASK}.items()} <= set(entries)
