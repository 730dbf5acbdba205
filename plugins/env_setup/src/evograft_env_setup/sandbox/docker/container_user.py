"""The user of commands in a container: an ordinary one if the image allows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evograft_env_setup.sandbox.setup_sandbox import CommandOutcome, SetupSandboxUnavailable

FOLDER = "/workspace"
CACHE = "/evograft/cache"
ROOT = "root"
USER, UID = "evograft", 10001
# Tools ask who they run as, and Java takes its user's folder from there.
MAKE_ROOM = f"""
set -e
if [ "$WHO" = {USER} ]; then
    grep -q '^{USER}:' /etc/passwd || echo '{USER}:x:{UID}:{UID}::/home/{USER}:/bin/sh' >> /etc/passwd
    grep -q '^{USER}:' /etc/group || echo '{USER}:x:{UID}:' >> /etc/group
    mkdir -p /home/{USER}
    chown {UID}:{UID} /home/{USER}
fi
mkdir -p {CACHE} {FOLDER}
chown "${{WHO%%:*}}" {CACHE} {FOLDER}
"""
INTRODUCE = 'id -u; echo "$HOME"; echo "$PATH"; command -v bash || command -v sh'


@dataclass(frozen=True)
class ContainerUser:
    """A user of a container."""

    user: str
    """As the engine wants it: a name, or numbers."""
    uid: int
    home: str
    path: str
    """Where programs are found."""
    shell: str


def list_user_candidates(image_user: str, *, as_root: bool) -> tuple[str, ...]:
    """List who might work in a container, the first choice first.

    Args:
        image_user: whom the image wants, empty if it does not say.
        as_root: whether it must be root.
    """
    if as_root:
        return (ROOT,)
    ordinary = USER if image_user.partition(":")[0] in ("", "0", ROOT) else image_user
    return (ordinary, ROOT)


def find_container_user(
    users: Iterable[str], run: Callable[[str, str, str], CommandOutcome]
) -> tuple[ContainerUser, str]:
    """Find the first user who can work, and what kept those before.

    Args:
        users: as `list_user_candidates` names them.
        run: runs a script as a user, with the variable `WHO`.

    Raises:
        SetupSandboxUnavailable: nobody can; says why.
    """
    reason = ""
    for user in users:
        outcome = run("0:0", MAKE_ROOM, user)
        if outcome.exit_code == 0:
            outcome = run(user, INTRODUCE, user)
        if outcome.exit_code == 0:
            uid, home, path, shell = outcome.stdout.splitlines()
            return ContainerUser(user, int(uid), home, path, shell), reason
        reason = " ".join((outcome.stderr or outcome.stdout).split())
    raise SetupSandboxUnavailable(f"no command can run in this image: {reason}")
