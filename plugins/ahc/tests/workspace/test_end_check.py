"""The rules of the contests: while one is on, or may be on, nothing is done, whatever anybody says."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evograft_ahc.contests.task import ContestTask, Scorer, ToolCommand
from evograft_ahc.text.messages import ContestServiceError, ContestUserError
from evograft_ahc.workspace.end_check import (
    OFFICIAL,
    ContestEnd,
    remember_brought_end,
    remember_end,
    require_begun,
    require_over,
    settle_end,
)
from evograft_ahc.workspace.end_record import ContestEndRecord, save_end_record
from evograft_ahc.workspace.folder import TASK_FILE, Workspace
from evograft_ahc.workspace.known_material import forget_material, remember_material

NOW = datetime.now(UTC)
PAST, FUTURE = NOW - timedelta(days=1), NOW + timedelta(days=1)


@pytest.fixture
def packaged(monkeypatch):
    """`packaged(moment)`: what the packaged data says of every contest."""
    return lambda moment: monkeypatch.setattr("evograft_ahc.workspace.end_check.find_end", lambda _id: moment)


def workspace(folder, contest_id="ahc999", **facts):
    scorer = Scorer(program="tools/bin/score", channel="stdout", pattern="(.*)")
    limits = {"interactive": False, "direction": "max", "time_limit_seconds": 2.0, "memory_limit_mb": 1024}
    task = ContestTask(contest_id=contest_id, **{**limits, "scorer": scorer, "end_source": "stated", **facts})
    (folder / "tools" / "src").mkdir(parents=True, exist_ok=True)
    (folder / TASK_FILE).write_text(task.model_dump_json())
    return Workspace(folder)


def ended(found, *, contests=("ahc999",), source="page"):
    """The workspace, as `init` leaves it."""
    save_end_record(found, ContestEndRecord(contests=contests, source=source))
    return found


@pytest.mark.parametrize(
    ("seen", "data", "stated", "source"),
    [
        (PAST, None, False, "page"),
        (PAST, PAST, False, "page"),
        (PAST, None, True, "page"),
        (None, PAST, False, "data"),
        (None, PAST, True, "data"),
        (None, None, True, "stated"),
    ],
)
def test_a_contest_is_over_by_its_page_else_by_the_data_else_by_what_is_stated(packaged, seen, data, stated, source):
    packaged(data)
    end = settle_end("ahc999", seen, stated=stated)
    assert (end.source, end.moment) == (source, seen or data)


@pytest.mark.parametrize("stated", [False, True])
@pytest.mark.parametrize(("seen", "data"), [(FUTURE, None), (None, FUTURE), (FUTURE, PAST), (PAST, FUTURE)])
def test_an_end_that_lies_ahead_is_overridden_by_nothing(packaged, seen, data, stated):
    packaged(data)
    assert settle_end("ahc999", seen, stated=stated) == ContestEnd("ongoing", FUTURE)


def test_a_page_that_the_user_has_brought_can_forbid_and_allows_nothing(packaged):
    packaged(None)
    assert settle_end("ahc999", None, stated=True, brought=FUTURE).is_ahead
    with pytest.raises(ContestUserError, match="nobody knows"):
        settle_end("ahc999", None, stated=False, brought=PAST)


def test_an_unknown_end_is_no_end(packaged):
    packaged(None)
    with pytest.raises(ContestUserError, match=r"nobody knows when contest 'ahc999' ends.*--contest-is-over"):
        settle_end("ahc999", None, stated=False)


def test_a_refusal_names_the_moment_in_the_sites_time_zone_and_what_may_be_done(packaged, tmp_path):
    packaged(datetime(2999, 1, 1, 10, 0, tzinfo=UTC))
    with pytest.raises(
        ContestUserError, match=r"ends at 2999-01-01 19:00 Japan time: .*rules forbid.*evo ahc test"
    ) as caught:
        require_over(ended(workspace(tmp_path)))
    assert caught.value.exit_code == 2
    assert "日本時間" in caught.value.in_language("ja")


def test_a_statement_from_elsewhere_must_not_be_of_a_contest_that_is_on(packaged, tmp_path):
    packaged(None)
    remember_end("ahc998", FUTURE)
    statement = tmp_path / "live.md"
    statement.write_text("[tools](https://img.atcoder.jp/ahc998/abc.zip)")
    found = ended(workspace(tmp_path / "over"))
    require_over(found)
    with pytest.raises(ContestUserError, match="contest 'ahc998' ends at"):
        require_over(found, statement)


@pytest.fixture
def linking(tmp_path):
    """A statement that leads to the contest ahc998."""
    statement = tmp_path / "other.md"
    statement.write_text("[task](https://atcoder.jp/contests/ahc998/tasks/ahc998_a)")
    return statement


def test_a_statement_from_elsewhere_must_not_be_of_a_contest_whose_end_nobody_knows(packaged, tmp_path, linking):
    packaged(None)
    found = ended(workspace(tmp_path / "over"))
    remember_end("ahc998", PAST, host="localhost:8443")  # which allows nothing
    with pytest.raises(
        ContestUserError, match=r"other.md' leads to contest 'ahc998', and nobody knows.*evo ahc init ahc998;"
    ) as caught:
        require_over(found, linking)
    assert "evo ahc init ahc998。" in caught.value.in_language("ja")


@pytest.mark.parametrize("known", ["page", "data", "stated"])
def test_a_statement_from_elsewhere_may_be_of_a_contest_that_is_known_to_be_over(packaged, tmp_path, linking, known):
    packaged(PAST if known == "data" else None)
    found = ended(workspace(tmp_path / "over"))
    if known == "page":
        remember_end("ahc998", PAST)
    if known == "stated":
        ended(workspace(tmp_path / "elsewhere", "AHC998"), contests=("AHC998",), source="stated")
    require_over(found, linking)
    remember_end("ahc998", FUTURE, host="localhost:8443")
    with pytest.raises(ContestUserError, match="contest 'ahc998' ends at"):
        require_over(found, linking)


def test_a_saved_page_whose_own_script_tells_an_end_ahead_is_no_statement_for_a_search(packaged, tmp_path):
    packaged(PAST)
    page = tmp_path / "page.html"
    page.write_text(f'<script>var endTime = moment("{FUTURE.isoformat()}");</script><p>maximize</p>')
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(ended(workspace(tmp_path / "over")), page)


def test_no_page_that_is_brought_later_shortens_what_one_has_told(packaged):
    packaged(None)
    remember_brought_end("ahc999", FUTURE)
    remember_brought_end("ahc999", PAST)
    assert settle_end("ahc999", PAST, stated=True) == ContestEnd("ongoing", FUTURE)


def test_what_the_page_once_said_holds_when_it_is_out_of_reach(packaged):
    packaged(None)
    remember_end("ahc999", FUTURE)
    assert settle_end("AHC999", None, stated=True).is_ahead
    remember_end("ahc999", PAST)  # it was put forward
    assert settle_end("ahc999", None, stated=False).source == "page"


def test_a_contest_that_has_not_begun_says_when_it_does():
    with pytest.raises(ContestUserError, match="has not begun: it starts at 2999-01-01 09:00 Japan time"):
        require_begun("ahc999", datetime(2999, 1, 1, tzinfo=UTC))
    require_begun("ahc999", PAST)
    require_begun("ahc999", None)


def test_contests_to_practise_on_are_always_free():
    assert settle_end("practice001", None, stated=False).source == "practice"


def test_an_end_that_another_host_tells_replaces_none(packaged):
    packaged(None)
    remember_end("ahc999", FUTURE)
    remember_end("ahc999", PAST, host="localhost:8443")
    for host in (OFFICIAL, "localhost:8443"):
        assert settle_end("ahc999", PAST, stated=True, host=host).is_ahead


def test_what_another_host_once_said_allows_nothing(packaged):
    packaged(None)
    remember_end("ahc999", PAST, host="localhost:8443")
    with pytest.raises(ContestUserError, match="nobody knows"):
        settle_end("ahc999", None, stated=False)
    assert settle_end("ahc999", None, stated=False, host="localhost:8443").source == "page"


@pytest.mark.parametrize("source", ["page", "data", "stated"])
def test_a_workspace_is_free_by_what_init_found_out(packaged, tmp_path, source):
    packaged(None)
    require_over(ended(workspace(tmp_path), source=source))


@pytest.mark.parametrize(
    "facts",
    [{"end": PAST, "end_source": "page"}, {"end_source": "data"}, {"end_source": "stated"}, {"end_source": "practice"}],
)
def test_a_workspace_that_init_did_not_see_is_refused_whatever_its_file_says(packaged, tmp_path, facts):
    packaged(PAST)
    with pytest.raises(ContestUserError, match=r"nothing shows .* evo ahc init ahc999 --workspace-root"):
        require_over(workspace(tmp_path, **facts))


@pytest.mark.parametrize(
    "changed", ["problem/problem.md", "tools/src/score.cpp", "tools/seeds.txt", "tools/src/bin/vis.rs"]
)
def test_another_statement_and_other_tools_are_another_contest(packaged, tmp_path, changed):
    packaged(PAST)
    found = ended(workspace(tmp_path))
    (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / changed).write_text("of a contest that goes on")
    with pytest.raises(ContestUserError, match="nothing shows"):
        require_over(found)


OTHER = {"program": "tools/bin/other"}


@pytest.mark.parametrize(
    "changed",
    [
        {"scorer": Scorer(**OTHER, channel="stdout", pattern="(.*)")},
        {"scorer": Scorer(program="tools/bin/score", channel="stderr", pattern="(.*)")},
        {"generator": ToolCommand(**OTHER)},
        {"visualizer": ToolCommand(**OTHER)},
        {"interactive": True},
    ],
)
def test_programs_that_are_called_otherwise_are_another_contest(packaged, tmp_path, changed):
    packaged(PAST)
    ended(workspace(tmp_path))
    with pytest.raises(ContestUserError, match=r"nothing shows .* how task.json calls them have changed"):
        require_over(workspace(tmp_path, **changed))


def test_how_scores_count_may_be_corrected_by_hand(packaged, tmp_path):
    packaged(PAST)
    ended(workspace(tmp_path))
    require_over(workspace(tmp_path, direction="min", score_kind="relative", format="short", failed_score=0.0))


@pytest.mark.parametrize("kind", ["scorer", "generator", "visualizer"])
@pytest.mark.parametrize("program", ["../ahc777/tools/bin/score", "/bin/true", "tools/bin/link"])
def test_programs_outside_of_the_workspace_are_refused(packaged, tmp_path, kind, program):
    packaged(PAST)
    scorer = Scorer(program=program, channel="stdout", pattern="(.*)")
    found = workspace(tmp_path / "ahc999", **{kind: scorer if kind == "scorer" else ToolCommand(program=program)})
    (found.tools / "bin").mkdir()
    (found.tools / "bin" / "link").symlink_to(tmp_path / "ahc777")
    with pytest.raises(ContestUserError, match=f"outside of the workspace, '{program}'"):
        require_over(ended(found))


def test_a_workspace_below_a_link_is_a_workspace(packaged, tmp_path):
    packaged(PAST)
    ended(workspace(tmp_path / "there"))
    (tmp_path / "here").symlink_to(tmp_path / "there")
    require_over(Workspace(tmp_path / "here"))


@pytest.mark.parametrize(
    ("facts", "reason"), [({"end": FUTURE}, "'ahc777' ends at"), ({}, "of contest 'ahc777' and that it is over")]
)
def test_a_statement_in_the_workspace_of_a_contest_that_is_on_is_refused(packaged, tmp_path, facts, reason):
    packaged(PAST)
    found = ended(workspace(tmp_path / "over"))
    live = workspace(tmp_path / "live", "ahc777", end_source="ongoing", **facts)
    (live.folder / "mine.md").write_text("no links")
    (found.folder / "linked.md").symlink_to(live.folder / "mine.md")
    for statement in (live.folder / "mine.md", found.folder / "linked.md"):
        with pytest.raises(ContestUserError, match=reason):
            require_over(found, statement)


def lives(folder, statement):
    """The workspace of a contest that is on, as `init` leaves it."""
    found = workspace(folder / "ahc777", "ahc777", end=FUTURE, end_source="ongoing")
    found.statement.parent.mkdir()
    found.statement.write_text(statement)
    remember_material(found, None, FUTURE)
    return found


def test_a_statement_that_was_copied_from_a_contest_that_is_on_is_refused_however_it_is_wrapped(packaged, tmp_path):
    packaged(PAST)
    found = ended(workspace(tmp_path / "over"))
    copied = tmp_path / "copied.md"
    copied.write_text("Pack boxes.\r\n\r\nMany of them.")
    require_over(found, copied)
    lives(tmp_path, "Pack boxes.\nMany of them.\n")
    with pytest.raises(ContestUserError, match="contest 'ahc777' ends at"):
        require_over(found, copied)


def test_contests_that_have_a_list_of_seeds_or_no_statement_in_common_are_two(packaged, tmp_path):
    packaged(PAST)
    found = workspace(tmp_path / "over")
    found.statement.parent.mkdir()
    found.statement.write_text("\n")
    for tools in (found.tools, lives(tmp_path, " \n").tools):
        (tools / "seeds.txt").write_text("0\n1\n")
    remember_material(Workspace(tmp_path / "ahc777"), None, FUTURE)
    require_over(ended(found))


def test_material_is_free_once_the_end_that_was_seen_has_passed_or_its_contest_is_over(packaged, tmp_path):
    packaged(PAST)
    found = ended(workspace(tmp_path / "over"))
    live = lives(tmp_path, "Pack boxes.")
    remember_material(found, live.statement, FUTURE)  # an init under another id
    forget_material(found, live.statement)
    with pytest.raises(ContestUserError, match="contest 'ahc777' ends at"):
        require_over(found, Path(shutil.copy(live.statement, tmp_path)))
    forget_material(live, None)
    require_over(found, tmp_path / "problem.md")
    remember_material(live, None, PAST)
    require_over(found, tmp_path / "problem.md")


def test_what_is_built_and_where_the_folder_lies_change_nothing(packaged, tmp_path):
    packaged(PAST)
    found = ended(workspace(tmp_path / "here"))
    (found.tools / "bin").mkdir()
    (found.tools / "bin" / "gen.py").write_text("built")
    found.folder.rename(tmp_path / "there")
    require_over(Workspace(tmp_path / "there"))


@pytest.mark.parametrize("forged", ["ahc998", "ahc001", "practice001"])
def test_the_id_of_another_contest_brings_not_its_rules(tmp_path, forged):
    ended(workspace(tmp_path, "ahc999"))
    with pytest.raises(ContestUserError, match=r"nothing shows|is not as 'practice001' is packaged"):
        require_over(workspace(tmp_path, forged))


@pytest.mark.parametrize("changed", ["problem/problem.md", "tools/src/score.cpp", "task.json"])
def test_a_contest_to_practise_on_is_free_only_as_it_is_packaged(practised, tmp_path, changed):
    folder = tmp_path / "practice001"
    shutil.copytree(practised.workspace.folder, folder)
    require_over(Workspace(folder))
    file = folder / changed
    file.write_text(file.read_text().replace("tools/bin/score", "tools/bin/other") + "\n")
    if changed == "task.json":
        assert "tools/bin/other" in file.read_text()
    with pytest.raises(ContestUserError, match="is not as 'practice001' is packaged") as caught:
        require_over(Workspace(folder))
    assert "同梱" in caught.value.in_language("ja")


def test_an_end_that_is_learnt_later_holds_for_a_workspace_that_is_there(packaged, tmp_path):
    packaged(None)
    found = ended(workspace(tmp_path), contests=("ahc999", "ahc998"), source="stated")
    remember_end("ahc998", FUTURE)
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(found)


@pytest.mark.parametrize(
    "facts",
    [
        {"end": PAST, "end_source": "page"},
        {"end": PAST, "end_source": "data"},
        {"end_source": "stated"},
        {"end_source": "practice"},
    ],
)
def test_no_edit_of_the_workspaces_file_gets_past_what_the_data_knows(packaged, tmp_path, facts):
    packaged(FUTURE)
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(ended(workspace(tmp_path, **facts)))


def test_an_end_in_the_file_that_lies_ahead_holds_as_well(packaged, tmp_path):
    packaged(PAST)
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(ended(workspace(tmp_path, end=FUTURE, end_source="stated")))


def test_a_state_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(ContestServiceError, match=r"cannot be written: Not a directory; set XDG_STATE_HOME"):
        ended(workspace(tmp_path))
