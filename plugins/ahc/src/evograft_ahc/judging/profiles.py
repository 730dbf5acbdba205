"""The judge's compilers, as named profiles: each has a command line that was in force for some time."""

from __future__ import annotations

from evograft.api import did_you_mean
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import suggest_in_japanese
from evograft_hookspecs import Value
from evograft_hookspecs.values import Count, Text

NO_BOUNDS = tuple(f"-fconstexpr-{what}=2147483647" for what in ("depth", "loop-limit", "ops-limit"))
"""On what is computed while compiling."""


class JudgeProfile(Value):
    """How the judge compiled from some month on."""

    name: Text
    gcc: Count
    """The judge's GCC. Newer ones serve the profile as well, older ones do not."""
    flags: tuple[Text, ...]
    libraries: tuple[Text, ...]
    """Flags about libraries next to the standard one. A folder or library that is not there is left out, and said."""
    image: Text
    """A container image whose GCC serves it."""
    compiler: Text = "g++"


PROFILES = {
    profile.name: profile
    for profile in (
        JudgeProfile(
            name="201907",
            gcc=9,
            flags=("-std=gnu++17", "-Wall", "-Wextra", "-O2", "-DONLINE_JUDGE"),
            libraries=("-I/opt/ac-library", "-I/opt/boost/gcc/include", "-L/opt/boost/gcc/lib"),
            image="mcr.microsoft.com/devcontainers/cpp:0-bullseye",
        ),
        JudgeProfile(
            name="202301",
            gcc=12,
            flags=(
                *("-std=gnu++20", "-O2", "-DONLINE_JUDGE", "-DATCODER", "-Wall", "-Wextra"),
                *("-mtune=native", "-march=native", *NO_BOUNDS),
            ),
            libraries=(
                *("-I/opt/ac-library", "-I/opt/boost/gcc/include", "-L/opt/boost/gcc/lib"),
                *("-lgmpxx", "-lgmp", "-I/usr/include/eigen3"),
            ),
            image="gcc:12",
        ),
        JudgeProfile(
            name="202510",
            gcc=15,
            flags=(
                *("-std=gnu++23", "-O2", "-DONLINE_JUDGE", "-DATCODER", "-Wall", "-Wextra"),
                *("-march=native", "-flto=auto", *NO_BOUNDS),
            ),
            libraries=(
                *("-I/opt/ac-library", "-I/opt/boost/include", "-L/opt/boost/lib"),
                *("-lgmpxx", "-lgmp", "-I/usr/include/eigen3", "-lstdc++exp"),
            ),
            image="gcc:15",
        ),
    )
}
DEFAULT_PROFILE = "202301"


def get_profile(name: str) -> JudgeProfile:
    if name not in PROFILES:
        raise ContestUserError(
            f"no judge profile {name!r}; {did_you_mean(name, PROFILES)}",
            ja=f"ジャッジ設定 {name!r} はありません; {suggest_in_japanese(name, PROFILES)}",
        )
    return PROFILES[name]
