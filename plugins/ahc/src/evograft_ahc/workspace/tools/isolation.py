"""A sandbox for a contest's programs while a workspace is made: they come from an archive, so they are not trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from evograft_ahc.text.messages import ContestServiceError
from evograft_hookspecs import FrozenDict, SandboxLost, SandboxSession, SandboxUnavailable

DRIVERS = ("bwrap", "process")
"""Those that offer the host's compilers and libraries, which is where the programs are built."""


@contextmanager
def open_isolated_session(
    *, mounts: Mapping[str, str] = FrozenDict(), scratch_mb: int = 1024
) -> Iterator[SandboxSession]:
    """Open a session of the strongest sandbox that shows programs the host's system.

    It has no network and no files of the user.

    Args:
        mounts: path inside to path outside, read-only.
        scratch_mb: how much its programs may write.

    Raises:
        ContestServiceError: none works here, or it was lost on the way; the message says why.
    """
    from evograft.api import DriverSection, LazySandbox

    reasons: dict[str, list[str]] = {}
    for name in DRIVERS:
        section = DriverSection.model_validate({"driver": name, "scratch_mb": scratch_mb})
        with closing(LazySandbox(section, run=f"ahc-init-{os.getpid()}")) as sandbox:
            try:
                session = sandbox.open(mounts=mounts)
            except SandboxUnavailable as err:
                reasons.setdefault(str(err), []).append(name)
                continue
            with _trouble_if_lost():
                yield session
            return
    why = "; ".join(f"{' and '.join(drivers)}: {reason}" for reason, drivers in reasons.items())
    raise ContestServiceError(
        f"no sandbox for the contest's programs works here ({why}); install bubblewrap",
        ja=f"コンテスト付属のプログラムを動かすサンドボックスが使えません ({why})。bubblewrap "
        "をインストールしてください",
    )


@contextmanager
def _trouble_if_lost() -> Iterator[None]:
    try:
        yield
    except SandboxLost as err:
        raise ContestServiceError(
            f"the sandbox of the contest's programs ended: {err}; init again",
            ja=f"コンテスト付属のプログラムのサンドボックスが終了しました: {err}。もう一度 init してください",
        ) from err
