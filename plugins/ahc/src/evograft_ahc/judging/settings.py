"""How programs are compiled and run, as far as that may be chosen."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_ahc.judging.clock import ClockSetting
from evograft_ahc.judging.profiles import DEFAULT_PROFILE, JudgeProfile, get_profile
from evograft_hookspecs import SandboxLimits, Value
from evograft_hookspecs.services.sandbox import Positive, Seconds
from evograft_hookspecs.values import Count, Text


class JudgeSettings(Value):
    """What `Judge` is told next to the workspace."""

    profile: Text = DEFAULT_PROFILE
    """The judge's command line: `201907`, `202301` or `202510`."""
    compiler: Text | None = None
    """Another program than the profile's, such as `g++-12`."""
    flags: tuple[Text, ...] | None = None
    """Instead of the profile's."""
    image: Text | None = None
    """A container image instead of the profile's. Without Docker the host's compiler is used."""
    time_factor: Annotated[float, Field(strict=True, gt=0)] = 1.0
    """Times the task's limit, for machines slower than the judge's."""
    case_seconds: Seconds = 10.0
    """What a case may take at most, if the task's limit is not above it. Ten times that by the clock ends it, whatever
    it waits for."""
    compile_seconds: Seconds = 60.0
    """Processor time of one compilation."""
    parallel: Positive | None = None
    """How many cases run at a time; unset: one a core."""
    clock: ClockSetting = "wall"
    """What programs read as the time: `wall`; `cpu`: their own processor time; `auto`: `cpu` where cases run in
    parallel or the machine is busy, and programs can have it."""
    kept_output_mb: Annotated[float, Field(strict=True, ge=0)] = 1.0
    """What programs print is kept up to this length, so that none fills the disk."""
    kept_outputs: Count = 20_000
    """Of how many cases, those that were run last."""

    def resolved_profile(self) -> JudgeProfile:
        """Return the profile with what is set here instead of its own."""
        own = {"compiler": self.compiler, "flags": self.flags, "image": self.image}
        return get_profile(self.profile).model_copy(
            update={name: value for name, value in own.items() if value is not None}
        )

    def compile_limits(self) -> SandboxLimits:
        """Return what a compiler may use.

        It waits for a core if others compile too, so that its wall time says little.
        """
        return SandboxLimits(
            cpu_seconds=self.compile_seconds,
            wall_seconds=10 * self.compile_seconds,
            memory_mb=2048,
            output_bytes=1_000_000,
            file_mb=64,
        )
