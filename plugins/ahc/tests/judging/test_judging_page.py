"""What the page about judging says is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from evograft_ahc.commands.compare import compare
from evograft_ahc.commands.test import test as try_program
from evograft_ahc.judging.outcome import CaseKind
from evograft_ahc.judging.profiles import NO_BOUNDS, PROFILES
from evograft_ahc.judging.settings import JudgeSettings

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-judging.md").read_text(encoding="utf-8")


def rows(heading):
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in table[2:]]


def test_every_profile_is_listed_as_it_is():
    listed = {
        name.strip("`"): (int(gcc), flags.strip("`").split(), image.strip("`"))
        for name, gcc, flags, image in rows("Judge profiles")
    }
    for name, profile in PROFILES.items():
        flags = [flag for flag in profile.flags if flag not in NO_BOUNDS]
        assert listed[name] == (profile.gcc, flags, profile.image)
    assert len(listed) == len(PROFILES)


def test_every_setting_is_listed_with_its_default():
    listed = {name.strip("`"): default.strip("`") for name, default, _ in rows("Settings")}
    defaults = JudgeSettings().model_dump()
    assert list(listed) == list(defaults)
    for name, default in defaults.items():
        assert default is None or listed[name] == str(default)


def test_every_outcome_is_listed():
    assert set(re.findall(r"`(\w+)`", "".join(names for names, _ in rows("Outcomes")))) == set(get_args(CaseKind))


@pytest.mark.parametrize("command", [try_program, compare])
def test_every_option_is_listed(command):
    options = {option for param in command.params for option in param.opts if option.startswith("--")}
    table = PAGE.split("| option | default |")[1].split("\n\n")[0]
    of_test = {"--comment"} if command is compare else set()
    assert options | of_test == set(re.findall(r"`(--[a-z-]+)`", table))


def test_the_program_of_the_page_prints_what_it_shows(tmp_path, judge_of, contest):
    judge_of(contest("fine"))  # skips where there is no sandbox or compiler
    source, shown = (re.search(rf'title="{title}"\n(.*?)```', PAGE, re.DOTALL)[1] for title in ("judging.py", "output"))
    (tmp_path / "judging.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "judging.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout == shown, done.stderr
