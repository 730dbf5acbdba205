"""What a pipeline can set, and the page that says so."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from evograft_playbook.options import PlaybookOptions
from evograft_playbook.store import get_usual_path

PAGE = Path(__file__).parents[3] / "docs" / "playbook-evolution.md"


def test_the_page_names_all_options_with_their_defaults():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert list(rows) == list(PlaybookOptions.model_fields)
    for name in ("top_k", "left_out", "max_tokens"):
        assert rows[name] == str(getattr(PlaybookOptions(), name))
    bounds = PlaybookOptions().bounds
    assert rows["bounds"] == f"{bounds.in_all} in all, {bounds.a_section} a section"


@pytest.mark.parametrize("wrong", [{"top_k": 0}, {"left_out": 1.0}, {"learn": "yes"}, {"topk": 3}, {"language": "fr"}])
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValidationError):
        PlaybookOptions.model_validate(wrong)


def test_the_usual_playbook_is_used_where_none_is_named(tmp_path):
    assert PlaybookOptions().playbook == get_usual_path()
    assert PlaybookOptions(path=str(tmp_path / "p")).playbook == tmp_path / "p"
