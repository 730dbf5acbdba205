"""What is a bullet, a playbook, a query, and what is none."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from evograft_playbook.types import Bullet, Playbook, SearchQuery, SearchResult, Trajectory

BULLET = {"id": "shr-00001", "section": "shr", "content": "a"}


def test_a_bullet_has_counts_of_nothing_and_its_time_when_it_is_made():
    bullet = Bullet(**BULLET)
    assert (bullet.helpful, bullet.harmful, bullet.source, bullet.retired) == (0, 0, "", False)
    assert bullet.created.tzinfo is UTC
    assert Bullet.model_validate_json(bullet.model_dump_json()) == bullet


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "shr-1"},
        {"id": "shr-000001"},
        {"id": "SHR-00001"},
        {"id": "shr-00001\n"},
        {"id": "../-00001"},
        {"id": "shr-٠٠٠٠١"},
        {"section": "aup"},
        {"content": ""},
        {"content": " \n\t"},
        {"content": 5},
        {"content": "x" * 10_001},
        {"content": "\ud800"},
        {"helpful": -1},
        {"helpful": True},
        {"helpful": 10**30},
        {"harmful": 1.0},
        {"retired": 1},
        {"created": 5},
        {"created": "yesterday"},
        {"other": "a"},
    ],
)
def test_what_is_no_bullet_is_refused(wrong):
    with pytest.raises(ValidationError):
        Bullet(**{**BULLET, **wrong})


def test_a_playbook_finds_its_bullets_by_id_and_knows_which_are_in_use():
    used, retired = Bullet(**BULLET), Bullet(**{**BULLET, "id": "shr-00002"}, retired=True)
    playbook = Playbook(bullets=(used, retired))
    assert playbook.find("shr-00002") == retired
    assert playbook.find("shr-00003") is None
    assert playbook.active == (used,)


def test_a_playbook_with_an_id_twice_is_none():
    with pytest.raises(ValidationError, match="two bullets have the id 'shr-00001'"):
        Playbook(bullets=(Bullet(**BULLET), Bullet(**{**BULLET, "content": "b"})))


def test_a_query_asks_for_ten_bullets():
    assert SearchQuery(query_text="a").top_k == 10


@pytest.mark.parametrize(
    "wrong", [{"query_text": 5}, {"query_text": "a", "top_k": 0}, {"query_text": "a", "top_k": "3"}]
)
def test_what_is_no_query_is_refused(wrong):
    with pytest.raises(ValidationError):
        SearchQuery(**wrong)


def test_a_result_has_a_rank_from_1():
    assert SearchResult(bullet=Bullet(**BULLET), score=0.5, rank=1).rank == 1
    with pytest.raises(ValidationError):
        SearchResult(bullet=Bullet(**BULLET), score=0.5, rank=0)


SPECIFIED = """{ "query": "how to implement API rate limiting", "dataset": "appworld", "generated_answer": "…",
  "reasoning_steps": ["searched the playbook", "used the bullets on API patterns", "generated the answer"],
  "used_bullet_ids": ["shr-00001", "aup-00003"], "status": "success", "error_message": null,
  "created_at": "2025-01-15T10:30:00" }"""


def test_the_trajectory_of_the_specification_is_read_as_it_is():
    trajectory = Trajectory.model_validate_json(SPECIFIED)
    assert trajectory.used_bullet_ids == ["shr-00001", "aup-00003"]
    assert trajectory.created_at == datetime(2025, 1, 15, 10, 30)  # noqa: DTZ001 - without a zone, as it stands there
    assert '"created_at":"2025-01-15T10:30:00"' in trajectory.model_dump_json()
    assert Trajectory.model_validate(trajectory.model_dump(mode="json")) == trajectory
