"""Sources are as hostile as programs; what is wrong with them is told by the compiler's first words."""

from __future__ import annotations

import pytest

from evograft.errors import UserError
from evograft_ahc.judging.headers import wants_headers
from evograft_ahc.judging.judge import Judge
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
    assert judge._headers_for(source) is not None
    (outcome,) = judge.run(judge.compile(source), ["0000"])
    assert outcome.score == 7.0


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
    assert wants_headers(source) is wanted


def test_a_profile_that_the_compiler_cannot_serve_is_refused_with_what_would_do(contest, judge_of):
    judge = judge_of(contest("fine"))
    judge._profile = PROFILES["202510"].model_copy(update={"gcc": 99})
    del judge.__dict__["_found_compiler"]
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
