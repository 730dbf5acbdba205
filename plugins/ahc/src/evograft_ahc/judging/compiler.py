"""The compiler of a judge profile, inside a sandbox: sources are as little trusted as the programs made from them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from evograft_ahc.judging.profiles import PROFILES, JudgeProfile
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.text.messages import ContestUserError
from evograft_hookspecs import CommandResult, SandboxCommand, SandboxLimits
from evograft_sandbox.commands.session_pool import PooledSession

SOURCE, PROGRAM = "main.cpp", "main"
PLAIN_MESSAGES = ("-fmax-errors=5", "-fdiagnostics-color=never")
NOT_FOUND = 127
SHOWN_LINES, SHOWN_CHARACTERS = 20, 2000


@dataclass(frozen=True)
class FoundCompiler:
    """What there is of a profile where its programs are compiled."""

    version: str
    identity: str
    """A hash of what decides about the machine code: the compiler, its flags, the processor that it compiles for."""
    libraries: tuple[str, ...]
    missing: tuple[str, ...]


def find_compiler(worker: PooledSession, profile: JudgeProfile) -> FoundCompiler:
    """Find the compiler of a sandbox.

    Raises:
        ContestUserError: there is none, or it cannot serve the profile; the message says what can be done.
    """
    asked = worker.session.run(
        SandboxCommand(arguments=(profile.compiler, *profile.flags, "-dM", "-E", "-v", "-x", "c++", "-"))
    )
    macros = dict(re.findall(r"^#define (\w+) (.*)$", asked.stdout.decode(errors="replace"), re.MULTILINE))
    if asked.exit_code != 0 or "__GNUC__" not in macros:
        raise _unusable(profile, asked)
    version, gcc = macros.get("__VERSION__", "").strip('"'), int(macros["__GNUC__"])
    if "__clang__" in macros or gcc < profile.gcc:
        raise _too_old(profile, "clang" if "__clang__" in macros else f"GCC {version}", gcc)
    libraries, missing = _find_libraries(worker, profile)
    told = repr((profile.compiler, profile.flags, libraries)).encode() + asked.stdout + asked.stderr
    return FoundCompiler(version, hashlib.sha256(told).hexdigest(), libraries, missing)


def compile_program(
    worker: PooledSession,
    *,
    profile: JudgeProfile,
    found: FoundCompiler,
    source: str,
    limits: SandboxLimits,
    headers: Path | None = None,
) -> bytes:
    """Compile a source.

    Args:
        worker: whose session compiles.
        profile: the compiler and its flags.
        found: what `find_compiler` found there.
        source: not trusted.
        limits: of the compiler.
        headers: a folder with precompiled ones, if there is one.

    Raises:
        CompileFailed: the source is not a program, or compiling it takes too much.
    """
    worker.provide(SOURCE, source.encode())
    first = ("-I", str(headers)) if headers else ()
    done = worker.session.run(
        SandboxCommand(
            arguments=(
                profile.compiler,
                *profile.flags,
                *PLAIN_MESSAGES,
                *first,
                SOURCE,
                "-o",
                PROGRAM,
                *found.libraries,
            ),
            inputs={SOURCE: SOURCE},
            outputs={PROGRAM: PROGRAM},
            limits=limits,
        )
    )
    if done.limit:
        raise CompileFailed(f"the compiler passed its {done.limit} limit\n{_first(done)}".strip(), limit=done.limit)
    if done.exit_code != 0:
        raise CompileFailed(_first(done) or f"the compiler ended with exit status {done.exit_code}")
    content = worker.session.read(PROGRAM)
    # What is not there cannot be taken for what the next compilation makes.
    worker.session.remove(PROGRAM)
    return content


def _first(done: CommandResult) -> str:
    """Return the first error with what belongs to it: it often causes later ones, and there may be megabytes."""
    lines = done.stderr.decode(errors="replace").splitlines()
    start = next((number for number, line in enumerate(lines) if re.search(r"\berror:|undefined reference", line)), 0)
    return "\n".join(line[:SHOWN_CHARACTERS] for line in lines[start : start + SHOWN_LINES])[:SHOWN_CHARACTERS]


def _unusable(profile: JudgeProfile, asked: CommandResult) -> ContestUserError:
    name, compiler = profile.name, profile.compiler
    if asked.exit_code == NOT_FOUND:
        return ContestUserError(
            f"judge profile {name!r}: no compiler {compiler!r} here: install it, or name another one or an image",
            ja=f"ジャッジ設定 {name!r}: コンパイラ {compiler!r} がありません。インストールするか、"
            "別のコンパイラかイメージを指定してください",
        )
    return ContestUserError(
        f"judge profile {name!r}: {compiler!r} refuses its flags: {_first(asked)}",
        ja=f"ジャッジ設定 {name!r}: {compiler!r} がフラグを受け付けません: {_first(asked)}",
    )


def _too_old(profile: JudgeProfile, found: str, gcc: int) -> ContestUserError:
    name, compiler, image = profile.name, profile.compiler, profile.image
    others = [other.name for other in PROFILES.values() if other.gcc <= gcc]
    profiles = f", or take the profile {others[-1]!r}" if others else ""
    return ContestUserError(
        f"judge profile {name!r} needs GCC {profile.gcc} or newer, and {compiler!r} is {found}: name another compiler, "
        f"or an image such as {image!r}{profiles}",
        ja=f"ジャッジ設定 {name!r} には GCC {profile.gcc} 以降が必要ですが、{compiler!r} は {found} です。"
        "別のコンパイラか "
        f"{image!r} などのイメージを指定するか、ジャッジ設定を {' / '.join(others) or 'ほかのもの'} に変えてください",
    )


def _find_libraries(worker: PooledSession, profile: JudgeProfile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the flags of libraries that are there, and those of libraries that are not."""
    script = 'for flag; do case $flag in -l*) [ "$($CXX -print-file-name=lib${flag#-l}.so)" != "lib${flag#-l}.so" ] || '
    script += '[ "$($CXX -print-file-name=lib${flag#-l}.a)" != "lib${flag#-l}.a" ];; *) [ -d "${flag#-?}" ];; esac'
    script += " && echo $flag; done"
    asked = worker.session.run(
        SandboxCommand(arguments=("sh", "-c", script, "sh", *profile.libraries), environment={"CXX": profile.compiler})
    )
    there = set(asked.stdout.decode().split())
    return (
        tuple(flag for flag in profile.libraries if flag in there),
        tuple(flag for flag in profile.libraries if flag not in there),
    )
