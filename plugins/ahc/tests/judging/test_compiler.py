"""Sources are as hostile as programs; what is wrong with them is told by the compiler's first words."""

from __future__ import annotations

import os
import tempfile
from types import SimpleNamespace

import pytest

from evograft.errors import UserError
from evograft_ahc.judging.judge import Judge
from evograft_ahc.judging.precompiled_headers import COMPILED, ensure_headers, header_folder, uses_headers
from evograft_ahc.judging.profiles import PROFILES
from evograft_ahc.judging.program import MOST_BYTES, CompileFailed
from evograft_ahc.judging.settings import JudgeSettings

HELLO = '#include <cstdio>\nint main() { puts("fine"); }\n'
QUICK = JudgeSettings(parallel=1, compile_seconds=2.5)
HOSTILE = {
    "reads the password file": ('#include "/etc/shadow"\nint main() {}', "/etc/shadow"),
    "reads the folder of the session": ('#include "../session/scorer"\nint main() {}', "../session/scorer"),
    "reads without end": ('#include "/dev/zero"\nint main() {}', "limit|error"),
    "is empty": ("", "undefined reference to `main'"),
    "is no text": ("\0\x01\x02", "error|undefined"),
    "is too large when linked": ("char a[900 << 20] = {1}; int main() { return a[5]; }", "limit|error|Error|large"),
    "computes without end": (
        "constexpr int f(long n) { int s = 0; while (n) s ^= n; return s; }\nstatic_assert(f(1)); int main() {}",
        "cpu limit|error",
    ),
    "grows without end": (
        "template <class T, int N> struct B { using a = typename B<B<T, N>, N + 1>::a; };\nB<int, 0>::a x; int main() {}",
        "limit|error|Error",
    ),
}


@pytest.fixture
def judge(contest, judge_of) -> Judge:
    return judge_of(contest("fine"), settings=QUICK)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_source_fails_to_compile_and_the_next_one_does_not(judge, name):
    source, words = HOSTILE[name]
    with pytest.raises(CompileFailed, match=words) as failed:
        judge.compile(source)
    assert len(failed.value.diagnostics) <= 2100
    assert "root:" not in failed.value.diagnostics
    (outcome,) = judge.run(judge.compile(HELLO), ["0000"])
    assert outcome.score == 7.0


def test_the_first_error_comes_first_and_no_other_hides_it(judge):
    unused = "static int unused_function() { int x; }\n" * 2
    source = unused + "int main() {\n  std::vector<int> v;\n" + "  nonsense;\n" * 10_000 + "}\n"
    with pytest.raises(CompileFailed) as failed:
        judge.compile(source)
    first, *rest = failed.value.diagnostics.splitlines()
    assert "main.cpp:2:" in first
    assert "error: redefinition" in first
    assert len(rest) <= 20
    assert failed.value.limit == ""
    assert failed.value.reason == failed.value.diagnostics


def test_what_failed_to_compile_is_not_compiled_again(contest, judge_of):
    workspace = contest("fine")
    with pytest.raises(CompileFailed) as first:
        judge_of(workspace, settings=QUICK).compile("int main() { nonsense; }")
    again = judge_of(workspace, settings=QUICK)
    again._compile = None  # calling it would fail
    with pytest.raises(CompileFailed) as second:
        again.compile("int main() { nonsense; }")
    assert second.value.diagnostics == first.value.diagnostics


def test_equal_sources_under_other_flags_are_other_programs(contest, judge_of):
    workspace = contest("fine")
    plain, debug = (
        judge_of(workspace, settings=QUICK.model_copy(update={"flags": flags})).compile(HELLO)
        for flags in (("-std=gnu++20", "-O1"), ("-std=gnu++20", "-O1", "-g"))
    )
    assert plain.key != debug.key
    assert len(plain.content) < len(debug.content)


@pytest.mark.slow  # compiling the header takes long, for the first time on a machine
def test_a_header_that_was_compiled_beforehand_makes_the_same_program(contest, judge_of):
    flags = {"flags": ("-std=gnu++20", "-O1")}
    source = '#include <bits/stdc++.h>\nint main() { std::cout << "fine\\n"; }\n'
    judge = judge_of(contest("fine"), settings=QUICK.model_copy(update=flags))
    assert judge._compilers.cpp._headers_for(source) is not None
    (outcome,) = judge.run(judge.compile(source), ["0000"])
    assert outcome.score == 7.0


class Compiler:
    """In place of a worker: compiling the header takes long."""

    def __init__(self, *, exit_code=0):
        self.session = self
        self.compiled = 0
        self._exit_code = exit_code

    def provide(self, path, content): ...

    def remove(self, path): ...

    def run(self, command):
        self.compiled += 1
        return SimpleNamespace(exit_code=self._exit_code)

    def read(self, path):
        return b"compiled"


@pytest.fixture
def headers(tmp_path, monkeypatch):
    """The folder of headers that were compiled beforehand."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return header_folder()


def test_headers_are_compiled_once_and_can_be_read_by_other_users(headers):
    compiler = Compiler()
    assert [ensure_headers(compiler, PROFILES["202301"], "flags") for _ in range(2)] == [headers / "flags"] * 2
    assert compiler.compiled == 1
    assert (headers / "flags" / COMPILED).read_bytes() == b"compiled"
    assert all(path.stat().st_mode & 0o555 == 0o555 for path in (headers / "flags", headers / "flags" / "bits"))
    assert ensure_headers(Compiler(exit_code=1), PROFILES["202301"], "others") is None
    assert [path.name for path in headers.iterdir()] == ["flags"]


def test_of_headers_only_those_that_were_used_last_are_kept_and_nothing_that_a_kill_left(headers):
    (headers / "left-by-a-kill").mkdir()
    for age, identity in enumerate(("left-by-a-kill", "first", "second")):
        ensure_headers(Compiler(), PROFILES["202301"], identity)
        os.utime(headers / identity, (age, age))
    ensure_headers(Compiler(), PROFILES["202301"], "first")
    ensure_headers(Compiler(), PROFILES["202301"], "third")
    assert {path.name for path in headers.iterdir()} == {"first", "third"}


def test_who_compiled_the_same_headers_meanwhile_is_no_trouble(headers):
    class Slow(Compiler):
        def run(self, command):
            ensure_headers(Compiler(), PROFILES["202301"], "flags")
            return super().run(command)

    assert ensure_headers(Slow(), PROFILES["202301"], "flags") == headers / "flags"
    assert [path.name for path in headers.iterdir()] == ["flags"]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("#include <bits/stdc++.h>\n", True),
        ("// ours\n  #  include <bits/stdc++.h>\n", True),
        ("#include <vector>\n", False),
        ("// #include <bits/stdc++.h>\n", False),
    ],
)
def test_only_sources_that_include_it_want_the_header(source, wanted):
    assert uses_headers(source) is wanted


def test_a_profile_that_the_compiler_cannot_serve_is_refused_with_what_would_do(contest, judge_of):
    judge = judge_of(contest("fine"))
    cpp = judge._compilers.cpp
    cpp._profile = PROFILES["202510"].model_copy(update={"gcc": 99})
    del cpp.__dict__["_found"]
    with pytest.raises(UserError, match=r"'202510' needs GCC 99 or newer, and 'g\+\+' is GCC \d+.*'gcc:15'") as refused:
        judge.check()
    assert refused.value.exit_code == 2


def test_a_compiler_that_is_not_there_is_named(contest, judge_of):
    with pytest.raises(UserError, match=r"no compiler 'g\+\+-none' here: install it"):
        judge_of(contest("fine"), settings=QUICK.model_copy(update={"compiler": "g++-none"}))


def test_flags_that_the_compiler_does_not_know_are_named(contest, judge_of):
    with pytest.raises(UserError, match=r"refuses its flags: .*-std=gnu"):
        judge_of(contest("fine"), settings=QUICK.model_copy(update={"flags": ("-std=gnu++99",)}))


def test_a_profile_that_does_not_exist_is_answered_with_the_nearest():
    with pytest.raises(UserError, match="no judge profile '202302'; did you mean '202301'"):
        JudgeSettings(profile="202302").resolved_profile()


def test_profiles_are_as_their_names_say():
    assert [profile.flags[0] for profile in PROFILES.values()] == ["-std=gnu++17", "-std=gnu++20", "-std=gnu++23"]
    assert list(PROFILES) == ["201907", "202301", "202510"]


def test_a_program_that_the_contest_site_would_not_take_is_refused(judge):
    judge.compile(HELLO + "/" * 2 + "x" * (MOST_BYTES - len(HELLO) - 2))
    with pytest.raises(CompileFailed, match=r"has 524,289 bytes, and the contest site takes 524,288"):
        judge.compile(HELLO + "/" * 2 + "x" * (MOST_BYTES - len(HELLO) - 1))
