"""The verification of what was set up earlier, and as people read it."""

from __future__ import annotations

import shlex
from functools import partial

from evograft.api import UserError, load_settings
from evograft.cli_kit.console import Display
from evograft_env_setup.commands.kept_environment import KeptEnvironment, open_kept_environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.reporting.terminal import Terminal
from evograft_env_setup.sandbox import EnvironmentSnapshot
from evograft_env_setup.setup.checkout import open_repository
from evograft_env_setup.setup.verifier import EnvironmentVerifier, VerificationResult
from evograft_env_setup.text.printable import escape_unprintable


def verify_target(target: str, options: EnvSetupOptions, *, quiet: bool) -> VerificationResult:
    """Run the verification commands in what the set-up of the project has left.

    Raises:
        UserError: it is not set up, or has changed since.
        ServiceError: the engine does not answer, or the repository can't be cloned.
    """
    with Display("quiet" if quiet else load_settings().progress) as display:
        progress = SetupProgress([Terminal(display)])
        with open_repository(target, progress) as (root, project), open_kept_environment(project, options) as there:
            kept = _reopen(there, str(root), project)
            progress.say("verifying")
            run = partial(there.sandbox.run, timeout=options.timeout, network=False)
            return EnvironmentVerifier(run).verify_setup(kept.plan.verification)


def _reopen(there: KeptEnvironment, root: str, project: str) -> EnvironmentSnapshot:
    there.sandbox.start()
    brought = there.sandbox.copy_in(root)
    if brought.exit_code:
        raise UserError(f"can't copy {project!r}: {' '.join(brought.stderr.split())}")
    kept = there.sandbox.restore(there.planned)
    if kept is None:
        set_up = f"evo env setup {shlex.quote(project)}"
        raise UserError(f"{project!r}, its image or an option has changed since it was set up: {set_up}")
    return kept


def format_verification(result: VerificationResult) -> str:
    """Return a line for each command, and where it prints something else, what."""
    lines = []
    for each in result.commands:
        lines.append(f"{'ok' if each.matches else 'NOT OK'}: {each.command}")
        if not each.matches:
            lines += [f"  {line}" for line in (f"exit code {each.exit_code}", *each.difference.splitlines())]
    return "\n".join(map(escape_unprintable, lines))
