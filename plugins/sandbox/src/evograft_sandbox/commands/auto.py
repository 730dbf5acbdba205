"""The strongest sandbox that works here: Docker, else bubblewrap, else processes; what is missing is said."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from evograft_hookspecs import FrozenDict, SandboxLayer, SandboxSession, SandboxUnavailable
from evograft_hookspecs.drivers.sandbox import SandboxDriver
from evograft_sandbox.commands.bwrap import BwrapOptions, BwrapSandbox
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox


class AutoOptions(DockerOptions):
    """Options of the driver `auto`: those of `docker`. Without Docker the host's programs take an image's place."""


class AutoSandbox:
    """Chooses when it is first used, by opening a session, and stays with its choice."""

    Options = AutoOptions

    def __init__(self, options: AutoOptions) -> None:
        self._has_image = bool(options.image)
        plain = {"scratch_mb": options.scratch_mb}
        self._drivers: tuple[tuple[str, SandboxDriver], ...] = (
            ("docker", DockerSandbox(options)),
            ("bwrap", BwrapSandbox(BwrapOptions(**plain))),
            ("process", ProcessSandbox(ProcessOptions(**plain))),
        )
        self._run = ""
        self._choosing = threading.Lock()
        self._chosen: SandboxDriver | None = None
        self._layers: tuple[SandboxLayer, ...] = ()

    def start(self, run: str) -> None:
        self._run = run

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        self._choose(image)
        return self._layers

    def open(
        self,
        *,
        image: str = "",
        mounts: Mapping[str, str] = FrozenDict(),
        own_core: bool = False,
        python: bool = False,
        network: bool = False,
    ) -> SandboxSession:
        driver = self._choose(image)
        return driver.open(
            image=_image_for(driver, image), mounts=mounts, own_core=own_core, python=python, network=network
        )

    def close(self) -> None:
        for _, driver in self._drivers:
            driver.close()

    def _choose(self, image: str) -> SandboxDriver:
        with self._choosing:
            if self._chosen is None:
                self._chosen, self._layers = self._strongest(image)
            return self._chosen

    def _strongest(self, image: str) -> tuple[SandboxDriver, tuple[SandboxLayer, ...]]:
        missing: list[SandboxLayer] = []
        for name, driver in self._drivers:
            try:
                driver.start(self._run)
                return driver, (*self._layers_of(driver, image), *missing)
            except SandboxUnavailable as err:
                missing.append(SandboxLayer(name=name, active=False, detail=str(err)))
        raise SandboxUnavailable(f"none works here ({_list_once(missing)})")

    def _layers_of(self, driver: SandboxDriver, image: str) -> tuple[SandboxLayer, ...]:
        try:
            return driver.layers(image=_image_for(driver, image))
        except SandboxUnavailable:
            # Who asked first for an image that is not there decides nothing about those who take the pipeline's.
            if not self._has_image:
                raise
            return driver.layers()


def _image_for(driver: SandboxDriver, image: str) -> str:
    return image if isinstance(driver, DockerSandbox) else ""


def _list_once(missing: Sequence[SandboxLayer]) -> str:
    """List why drivers cannot be had, each reason once, with the names of all that it keeps from working."""
    names: dict[str, list[str]] = {}
    for layer in missing:
        names.setdefault(layer.detail, []).append(layer.name)
    return "; ".join(f"{' and '.join(who)}: {why}" for why, who in names.items())
