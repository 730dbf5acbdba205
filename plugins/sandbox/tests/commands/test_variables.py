"""The limits that `evo` puts on its own arithmetic are no matter of the programs that it judges."""

import os

from evograft.cpu_dispatch import EXCLUDED, PORTABLE, RESTARTED, SWITCH, TUNABLES
from evograft_hookspecs import SandboxCommand
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

OURS = {*PORTABLE, EXCLUDED, TUNABLES, SWITCH, RESTARTED}


def test_programs_in_the_command_sandbox_see_nothing_of_it():
    assert os.environ[TUNABLES], "the tests' own process has it"
    driver = ProcessSandbox(ProcessOptions(scratch_mb=64))
    try:
        session = driver.open()
        shown = session.run(SandboxCommand(arguments=("env",)))
        session.close()
    finally:
        driver.close()
    assert shown.exit_code == 0
    assert not [name for name in OURS if f"{name}=" in shown.stdout.decode()]
