"""The layers around commands in bubblewrap: what they see of this machine, and what keeps them from the rest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evograft_env_setup.sandbox.docker.container_user import CACHE, FOLDER, USER
from evograft_sandbox.bwrap_arguments import PROCESSORS, PROGRAMS, make_folders_above

HOME = f"/home/{USER}"
SYSTEM = (
    *(path.removeprefix("/") for path in (*PROGRAMS, PROCESSORS)),
    *("etc/alternatives", "etc/ld.so.*", "etc/localtime", "etc/timezone", "etc/os-release", "etc/mime.types"),
    *("etc/resolv.conf", "etc/nsswitch.conf", "etc/hosts", "etc/host.conf", "etc/gai.conf"),
    *("etc/services", "etc/protocols"),
    *("etc/ssl/certs", "etc/ssl/openssl.cnf", "etc/ca-certificates", "etc/crypto-policies"),
    *("etc/pki/ca-trust", "etc/pki/java", "etc/pki/tls/cert.pem", "etc/pki/tls/certs", "etc/pki/tls/openssl.cnf"),
    *("etc/java*", "etc/maven/m2.conf", "etc/maven/logging", "etc/perl", "etc/python3*"),
)
"""Programs, libraries, and the settings without which they don't run: patterns below `/`."""
KEPT_BACK = ("etc/pip.conf", "etc/npmrc", "etc/maven/settings.xml", "etc/gitconfig", "etc/uv/uv.toml")
"""Settings that say where packages are, and often with which key."""
AUTHORITIES = ("etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt")
TRUSTING = ("NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
"""Variables by which tools that bring authorities of their own trust those of the machine, such as a company's."""
SHARED_MEMORY_MB = 512
SETPRIV = "/usr/bin/setpriv"
"""Not its name alone: earlier commands may have put another one first on PATH."""
LOWEST_UID, UIDS = 1_800_000_000, 100_000_000
"""Numbers of users that no system gives away."""


@dataclass(frozen=True)
class SandboxUser:
    """The user whom commands run as."""

    uid: int
    gid: int
    is_changed: bool
    """Whether it is another user than ours, as it must be where we are root."""

    @classmethod
    def of(cls, project: str) -> SandboxUser:
        """Return the user of a project.

        For root it is the same at each set-up of a project, because its cache is kept, and one that no system gives
        away.
        """
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid(), is_changed=False)
        number = LOWEST_UID + int.from_bytes(hashlib.sha256(project.encode()).digest()[:8]) % UIDS
        return cls(number, number, is_changed=True)

    def own(self, path: Path) -> None:
        if self.is_changed:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True)
class BwrapLayers:
    """A file system and process numbers of their own, for one project."""

    folder: Path
    """Holds what is written, the cache aside."""
    cache: Path
    programs: tuple[str, ...]
    """Folders that are shown besides the system's programs."""
    user: SandboxUser

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def build(self) -> None:
        """Make the folders that are missing."""
        self.cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in (self.workspace, self.folder / "home", self.folder / "tmp", self.cache):
            path.mkdir(parents=True, exist_ok=True)
            # Whoever makes the mounts has to enter it before they become another user.
            path.chmod(0o755)
            self.user.own(path)
        # Tools ask who they run as, and Java takes its user's folder from there.
        person = f"{USER}:x:{self.user.uid}:{self.user.gid}::{HOME}:/bin/sh\n"
        (self.folder / "passwd").write_text(f"root:x:0:0::/root:/bin/sh\n{person}")
        (self.folder / "group").write_text(f"root:x:0:\n{USER}:x:{self.user.gid}:\n")

    def arguments(self, *, network: bool) -> list[str]:
        """Return the arguments of bubblewrap, up to the command."""
        return [
            *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
            *(() if network else ("--unshare-net",)),
            *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *(("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID") if self.user.is_changed else ("--unshare-user",)),
            *(word for path in _existing(SYSTEM) for word in _show(path)),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--perms", "1777", "--size", str(SHARED_MEMORY_MB << 20), "--tmpfs", "/dev/shm"),  # noqa: S108
            *("--remount-ro", "/dev"),
            *self._written(),
            *(word for path in self.programs for word in _mount("--ro-bind", Path(path), path)),
            *("--remount-ro", "/", "--chdir", FOLDER, "--"),
            *self._become_user(),
        ]

    def _written(self) -> list[str]:
        names = {"workspace": FOLDER, "home": HOME, "tmp": "/tmp"}  # noqa: S108 - it is the command's own
        return [
            *(word for name, inside in names.items() for word in _mount("--bind", self.folder / name, inside)),
            *_mount("--bind", self.cache, CACHE),
            *_mount("--ro-bind", self.folder / "passwd", "/etc/passwd"),
            *_mount("--ro-bind", self.folder / "group", "/etc/group"),
        ]

    def _become_user(self) -> list[str]:
        if not self.user.is_changed:
            return []
        user, group = str(self.user.uid), str(self.user.gid)
        return [SETPRIV, "--reuid", user, "--regid", group, "--clear-groups", "--inh-caps=-all"]


def find_hidden_settings() -> list[str]:
    """Return the settings of this machine's package tools, which commands don't see."""
    return [str(path) for path in _existing(KEPT_BACK)]


def find_trust_variables() -> dict[str, str]:
    """Return the variables with which tools trust whom this machine trusts."""
    return {name: str(path) for path in _existing(AUTHORITIES)[:1] for name in TRUSTING}


def _existing(patterns: Iterable[str]) -> list[Path]:
    return [path for pattern in patterns for path in sorted(Path("/").glob(pattern)) if path.exists()]


def _show(path: Path) -> list[str]:
    target = path.resolve()
    # /bin is a link into /usr on most systems; what a link of /etc leads to may be in a folder that is not shown.
    if path.is_symlink() and target.is_relative_to("/usr"):
        return [*make_folders_above(str(path)), "--symlink", str(target), str(path)]
    return _mount("--ro-bind", target, str(path))


def _mount(how: str, outside: Path, inside: str) -> list[str]:
    return [*make_folders_above(inside), how, str(outside), inside]
