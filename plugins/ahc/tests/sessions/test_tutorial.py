"""What the tutorial in Japanese shows is what commands say."""

import re
from pathlib import Path

import pytest
import yaml

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-tutorial.ja.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"[\d.,:]+(?:e[+-]\d+)?")


def shown(command):
    """The lines that the page shows below a command."""
    _, _, rest = PAGE.partition(f"$ {command}\n")
    assert rest, command
    return re.split(r"^(?:\$ |```)", rest, maxsplit=1, flags=re.MULTILINE)[0].splitlines()


def like(line):
    return " ".join(NUMBER.sub("N", line).split())


@pytest.fixture
def in_japanese(practice, evo):
    evo("ahc", "config", "language", "ja")
    return practice


@pytest.mark.long
def test_a_test_prints_what_the_page_shows(in_japanese, evo):
    said = evo("ahc", "test", "start.cpp", "--seeds", "0-1", "--sandbox", "process").stdout.splitlines()
    # Which libraries there are, and which clock programs have, depends on the machine.
    told, page = (
        [line for line in lines if not line.startswith(("ここにないため", "プログラムから見える時刻"))]
        for lines in (said, shown("evo ahc test start.cpp --seeds 0-1"))
    )
    assert [like(line) for line in told[1:]] == [like(line) for line in page[1:]]
    assert told[0].startswith("ジャッジ設定 202301: g++、GCC ")


def test_every_line_of_a_standing_has_a_label_that_exists():
    words = yaml.safe_load((Path(__file__).parents[2] / "src/evograft_ahc/sessions/words/ja.yaml").read_text())
    labels = [line.partition(":")[0] for line in shown("evo ahc status first") if not line.startswith(" ")]
    assert len(labels) == 10
    assert set(labels) <= set(words.values())


def test_every_part_of_the_way_has_its_command():
    for name in ("init", "test", "compare", "solve", "status", "stop", "submit-file", "config"):
        assert re.search(rf"^\$ evo ahc {name}\b", PAGE, re.MULTILINE), name
    assert "$ evo report first" in PAGE
