"""What this plugin's pages say is so."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from python_process import run_evo

from evograft_ahc.contests.past import Contest, load_packaged_contests
from evograft_ahc.contests.practice import get_practice, list_practice_ids
from evograft_ahc.contests.tag_vocabulary import load_vocabulary
from evograft_ahc.library.blocks import BlockMeta, load_library

PLUGIN = Path(__file__).parents[1]
DOCS = PLUGIN.parents[1] / "docs"
LIBRARY, PRACTICE = ((DOCS / name).read_text(encoding="utf-8") for name in ("ahc-library.md", "ahc-practice.md"))


def blocks(text, language):
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks(LIBRARY, "console"))
def test_commands_print_what_is_shown(block):
    command, _, shown = block.partition("\n")
    words = shlex.split(command.removeprefix("$ evo "))
    done = run_evo(*words)
    assert (done.returncode, done.stdout) == (0, shown)


def test_the_forms_that_are_shown_are_read():
    meta, contest = blocks(LIBRARY, "json")
    BlockMeta.model_validate(json.loads(meta))
    Contest.model_validate(json.loads(contest))


def test_every_block_is_listed_and_counted():
    rows = "".join(re.findall(r"^\| [a-z ]+ \| (`.*`) \|$", LIBRARY, re.MULTILINE))
    stems = re.findall(r"`(\w+)`", rows)
    assert sorted(stems) == sorted(load_library())
    for text in (LIBRARY, *((PLUGIN / name).read_text(encoding="utf-8") for name in ("README.md", "README.ja.md"))):
        assert re.search(rf"\b{len(stems)}( C\+\+)? (blocks|個)", text)
        assert str(len(load_packaged_contests())) in text


def test_what_is_said_of_unknown_facts_is_so():
    limits = [contest for contest in load_packaged_contests() if contest.time_limit_seconds]
    assert len(limits) < 10
    assert sum(not contest.problem_title for contest in load_packaged_contests()) == 10
    assert not any(
        each.estimated_difficulty for contest in load_packaged_contests() for each in contest.solution_approaches
    )


def test_every_tag_of_the_vocabulary_is_listed_with_its_japanese():
    listed = re.findall(r"`(\w+)`\s\(([^)]+)\)", LIBRARY.partition("### Tags")[2].partition("###")[0])
    assert listed == [(tag.name, tag.ja) for tag in load_vocabulary().values()]


def test_every_practice_contest_is_listed_with_its_titles():
    for name in list_practice_ids():
        facts = get_practice(name).facts
        assert (
            f"| `{name}` | {facts.title} ({facts.title_ja}) | {'interactive' if facts.interactive else 'ordinary'} |"
            in PRACTICE
        )


def test_a_practice_contest_is_built_as_the_page_shows(tmp_path):
    (example,) = blocks(PRACTICE, "python")
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "gen score vis\n"
    (marked,) = blocks(PRACTICE, "cpp")
    assert marked in (tmp_path / "practice001" / "start.cpp").read_text(encoding="utf-8")
