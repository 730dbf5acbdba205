"""Equal seeds on different CPUs: what differs between them is what the variables below change on one."""

import os
import subprocess
import sys

import pytest

from evograft.cpu_dispatch import EXCLUDED, PORTABLE, RESTARTED, SWITCH, TUNABLES

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="only promised for Linux on x86-64"
)
OURS = {*PORTABLE, EXCLUDED, TUNABLES, SWITCH, RESTARTED}
CPUS = {
    "this one": {},
    "AVX2": {"OPENBLAS_CORETYPE": "Haswell", EXCLUDED: "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_NUM_THREADS": "2"},
    "AVX": {
        "OPENBLAS_CORETYPE": "Sandybridge",
        "NPY_ENABLE_CPU_FEATURES": ",",
        TUNABLES: "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2",
    },
}
"""What each has, as the user of another CPU would find it: no setting of ours, and none that ours may let stand."""

FINGERPRINT = """\
from evograft.cpu_dispatch import restart_portable
restart_portable()
from evograft_graph_invariant.graphs.arithmetic_fingerprint import compute_arithmetic_fingerprint
print(compute_arithmetic_fingerprint())
"""


def environment_of(cpu, **variables):
    return {**{name: value for name, value in os.environ.items() if name not in OURS}, **CPUS[cpu], **variables}


def fingerprint(cpu, **variables):
    command = [sys.executable, "-c", FINGERPRINT]
    return subprocess.run(
        command, env=environment_of(cpu, **variables), capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_all_cpus_compute_the_same():
    assert len({fingerprint(cpu) for cpu in CPUS}) == 1


def test_left_to_themselves_they_do_not():
    different = {fingerprint(cpu, **{SWITCH: "native"}) for cpu in CPUS}
    if len(different) == 1:
        pytest.skip("this x86-64 CPU has none of the instructions that make a difference")
    assert fingerprint("this one") == fingerprint("AVX"), "so the other test would have noticed"


SMALL = {"explore.slice": 300, "validation": 60, "test": 20, "large": 5, "extreme": 4}
"""A search that looks at little, and a judgement that does: it is asked whether runs are equal, not how good they are."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("trials", "settings"),
    [pytest.param(12, SMALL, id="small"), pytest.param(60, {}, id="demo", marks=pytest.mark.slow)],
)
def test_a_run_has_the_same_trials_on_each_cpu(runs, tmp_path, trials, settings):
    def discover(number, cpu):
        # A cache of its own: what another CPU has computed is not there.
        environment = environment_of(cpu, XDG_CACHE_HOME=str(tmp_path / f"cache{number}"))
        path = tmp_path / f"run{number}"
        sets = {f"plugins.graph_invariant.with.{name}": value for name, value in settings.items()}
        sets["executor.driver"] = "processes" if cpu == "AVX" else "threads"
        arguments = [part for name, value in sets.items() for part in ("--set", f"{name}={value}")]
        arguments += ["--plugin", "graph_invariant", "--seed", "0", "--trials", trials, "--run-dir", path]
        done = runs.evo_apart("run", *arguments, env=environment, timeout=1200)
        assert done.returncode == 0, done.stderr
        return runs.trials(path)

    first, *others = [discover(number, cpu) for number, cpu in enumerate(CPUS)]
    assert len(first) == trials
    for other in others:
        assert [rows for rows in zip(first, other, strict=True) if rows[0] != rows[1]] == []
