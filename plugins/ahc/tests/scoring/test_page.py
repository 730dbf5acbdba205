"""What docs/ahc-scoring.md says is so."""

import re
from pathlib import Path
from typing import get_args

import pytest

from evograft_ahc.contests.task import ScoreKind
from evograft_ahc.options import AhcOptions, RacingOptions
from evograft_ahc.scoring.racing.race import RacingRules

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-scoring.md").read_text(encoding="utf-8")


def test_every_kind_of_score_has_a_row():
    assert tuple(re.findall(r"^\| `(\w+)` \| .+ \| (?:sum|mean) \|", PAGE, re.MULTILINE)) == get_args(ScoreKind)


@pytest.mark.parametrize("name", RacingOptions.model_fields)
def test_every_option_of_races_is_listed_with_its_default(name):
    default = re.search(rf"^\| `racing\.{name}` \| (\S+) \|", PAGE, re.MULTILINE)[1]
    assert default == str(getattr(RacingOptions(), name))


def test_a_race_without_options_has_their_defaults():
    assert (RacingRules().block, RacingRules().error_rate) == (RacingOptions().block, RacingOptions().error_rate)


def test_the_section_that_is_shown_is_valid():
    import yaml

    shown = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
    AhcOptions.model_validate(shown["plugins"][0]["with"])
