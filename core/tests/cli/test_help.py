"""What help costs: it is asked for in a hurry, so it imports nothing that only the work needs."""

import json
import os
import subprocess
import sys

import pytest

from evograft.cli import COMMANDS

HEAVY = {"pydantic", "pluggy", "yaml", "rich", "jinja2", "httpx", "tenacity", "numpy", "evograft_hookspecs"}
OURS = {
    "evograft.kernel.kernel",
    "evograft.runs.folder",
    "evograft.runs.index",
    "evograft.runs.lock_file",
    "evograft.config.pipeline",
    "evograft.config.yaml_file",
    "evograft.log.journal",
    "evograft.log.records",
    "evograft.config.user_settings",
}

LOADED = """
import json, sys
from evograft.cli import cli
try:
    cli.main(json.loads(sys.argv[1]), prog_name="evo", standalone_mode=False)
finally:
    print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize("command", [None, *COMMANDS, "batch", "evolve", "apply"])
def test_help_imports_neither_the_kernel_nor_what_checks_settings(command):
    words = [command, "--help"] if command else ["--help"]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(words)], capture_output=True, text=True, check=True, timeout=60
    )
    assert "Usage: evo" in done.stdout
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "evograft.cli" in loaded
    assert not loaded & (HEAVY | OURS)


INTERRUPTED_IMPORT = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from evograft.__main__ import main
main()
"""


def test_an_interrupt_before_the_command_line_is_imported_ends_it_without_a_traceback():
    environment = {**os.environ, "EVO_CPU_DISPATCH": "native"}
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
