"""The sandbox of a pipeline: a driver that is built and started when the first hook asks for it."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import is_missing, load_driver
from evograft.plugin.toolkits import how_to_install
from evograft_hookspecs import FrozenDict, SandboxLayer, SandboxSession, SandboxUnavailable
from evograft_hookspecs.drivers.sandbox import SandboxDriver


class LazySandbox:
    """The sandbox that hooks get as `ctx.sandbox`: a run that never uses it never looks for Docker.

    Args:
        section: of the pipeline.
        run: the id of the run.
        driver: built already from the section, not started.
    """

    def __init__(self, section: DriverSection, *, run: str, driver: SandboxDriver | None = None) -> None:
        self._section = section
        self._run = run
        self._built = driver
        self._starting = threading.Lock()
        self._driver: SandboxDriver | None = None

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        return self._started().layers(image=image)

    def open(
        self,
        *,
        image: str = "",
        mounts: Mapping[str, str] = FrozenDict(),
        own_core: bool = False,
        python: bool = False,
        network: bool = False,
    ) -> SandboxSession:
        # A driver that was written before there were these need not know them.
        more = {name: True for name, asked in (("python", python), ("network", network)) if asked}
        return self._started().open(image=image, mounts=mounts, own_core=own_core, **more)

    def close(self) -> None:
        """Close all sessions."""
        if self._driver is not None:
            self._driver.close()

    def _started(self) -> SandboxDriver:
        with self._starting:
            if self._driver is None:
                driver = self._built or self._build()
                driver.start(self._run)
                self._driver = driver
            return self._driver

    def _build(self) -> SandboxDriver:
        if is_missing("sandbox", self._section):
            hint = how_to_install("evograft.sandbox", self._section.driver)
            raise SandboxUnavailable(f"none is installed: {hint}")
        driver: SandboxDriver = load_driver("sandbox", self._section)
        return driver
