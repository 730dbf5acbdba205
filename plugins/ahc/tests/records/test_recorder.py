"""The files of a session are exports of its log: complete, and the same after any kill."""

import json
import shutil

import pytest

from evograft.errors import PluginError
from evograft_ahc.records.results import COLUMNS, read_rows
from evograft_ahc.settings.records import SessionRecordOptions


def files_of(folder):
    """What the recorder writes, without the run's own files."""
    names = ("candidates", "solutions", "scores", "logs")
    found = {path for name in names for path in (folder / name).rglob("*") if path.is_file()}
    found |= {folder / name for name in ("best_solution.cpp", "analysis.json")}
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_every_candidate_has_a_record_a_solution_and_a_compile_log(sessions):
    folder = sessions.begin("first", trials=23, generation_size=10)
    names = {path.stem for path in (folder / "candidates").iterdir()}
    assert {"gen00_id00", "gen00_id02", "gen01_id00", "gen01_id09", "gen02_id09"} <= names
    assert len(names) == 23
    records = [json.loads(path.read_text()) for path in (folder / "candidates").iterdir()]
    made = [record for record in records if record["source_code_path"]]
    assert len(made) > 15
    assert all((folder / record["source_code_path"]).is_file() for record in made)
    assert all((folder / record["compilation_log_path"]).is_file() for record in made)


def test_the_session_is_told_with_its_history_of_bests(sessions):
    folder = sessions.begin("first", trials=23, generation_size=10)
    told = json.loads((folder / "session.json").read_text())
    assert told["status"] == "completed"
    assert told["competition_id"] == "practice001"
    assert told["current_generation"] == 2
    scores = [each["score"] for each in told["best_score_history"]]
    assert scores == sorted(scores)
    assert told["final_best_individual_id"] == told["best_score_history"][-1]["individual_id"]
    assert told["total_llm_tokens_used"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert told["estimated_llm_cost_usd"] == 0
    assert told["start_time"] <= told["end_time"]


def test_the_table_has_a_row_a_session_also_after_it_was_resumed(sessions, workspace):
    sessions.begin("first", trials=12, generation_size=10)
    folder = sessions.begin("second", trials=12, generation_size=10)
    sessions.go_on(folder, "budget.trials=32")
    rows = read_rows(workspace.results)
    assert [row["session_name"] for row in rows] == ["first", "second"]
    assert tuple(rows[0]) == COLUMNS
    assert (rows[1]["status"], rows[1]["population_size"], rows[1]["final_generation"]) == ("completed", "10", "3")


def test_a_model_that_nobody_asked_stands_in_no_row(sessions, workspace, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    models = [{"name": "usual"}, {"name": "spare", "weight": 0}]
    sessions.begin("first", trials=3, llm={"driver": "openai", "base_url": "http://127.0.0.1:9/v1", "models": models})
    (row,) = read_rows(workspace.results)
    assert (row["status"], row["model"]) == ("completed", "")


def test_the_files_are_the_same_whatever_was_lost_of_them(sessions):
    folder = sessions.begin("first", trials=30, generation_size=10)
    before = files_of(folder)
    shutil.rmtree(folder / "solutions")
    (folder / "candidates" / "gen01_id03.json").unlink()
    log = folder / "logs" / "session.log"
    log.write_bytes(log.read_bytes()[:-100] + b"torn")
    for path in (folder / "candidates").iterdir():
        path.unlink()
    sessions.go_on(folder)
    assert files_of(folder) == before


def test_a_session_that_is_cut_and_resumed_leaves_the_files_of_one_that_was_not(sessions):
    cut = sessions.begin("cut", trials=17, generation_size=10)
    sessions.go_on(cut, "budget.trials=40")
    whole = sessions.begin("whole", trials=40, generation_size=10)
    names = [set(files_of(folder)) for folder in (cut, whole)]
    assert names[0] == names[1]
    assert (cut / "best_solution.cpp").read_bytes() == (whole / "best_solution.cpp").read_bytes()


def test_the_log_tells_every_candidate_once(sessions):
    folder = sessions.begin("first", trials=20, generation_size=10)
    lines = (folder / "logs" / "session.log").read_text().splitlines()
    told = [line for line in lines if " individual=gen" in line and "final" not in line]
    assert len(told) == 20
    assert any(" new best " in line for line in told)


def test_lesser_lines_are_left_out_and_lines_may_be_json(sessions):
    options = SessionRecordOptions(logging={"level": "WARNING", "json_lines": True})
    folder = sessions.begin("first", trials=20, options=options)
    told = [json.loads(line) for line in (folder / "logs" / "session.log").read_text().splitlines()]
    assert {each["level"] for each in told} <= {"WARNING", "ERROR", "CRITICAL"}


def test_the_log_goes_on_in_another_file_when_it_is_full(sessions):
    options = SessionRecordOptions(max_log_size_mb=0.002)
    folder = sessions.begin("first", trials=40, options=options)
    parts = sorted((folder / "logs").glob("session.log*"))
    assert len(parts) > 2
    assert all(path.stat().st_size <= 0.002 * 2**20 for path in parts)
    before = files_of(folder)
    sessions.go_on(folder, options=options)
    assert files_of(folder) == before


def test_files_of_candidates_are_removed_where_they_are_not_to_be_kept(sessions):
    folder = sessions.begin("first", trials=12, options=SessionRecordOptions(keep_session_files=False))
    assert not any((folder / name).exists() for name in ("candidates", "solutions", "scores", "outputs"))
    assert not list((folder / "logs").glob("compile_*"))
    assert (folder / "best_solution.cpp").is_file()
    assert (folder / "logs" / "session.log").is_file()
    assert (folder / "session.json").is_file()


def test_the_application_log_tells_when_sessions_begin_and_end(sessions, workspace):
    sessions.begin("first", trials=12)
    lines = (workspace.folder / "ahc_agent.log").read_text().splitlines()
    told = [line.split()[2:4] for line in lines]
    assert (told[0], told[-1]) == (["session", "begins"], ["session", "ends"])
    assert "session=first" in lines[0]
    assert "outcome=complete" in lines[-1]


def test_a_session_that_fails_says_why_with_its_stack_trace(sessions, workspace):
    with pytest.raises(PluginError):
        sessions.begin("first", trials=30, with_={"broken_at": 12})
    told = json.loads((workspace.folder / "first" / "session.json").read_text())
    assert told["status"] == "failed"
    assert "lab" in told["error_message"]
    log = (workspace.folder / "ahc_agent.log").read_text()
    assert "CRITICAL session ends" in log
    assert "Traceback (most recent call last)" in log
    assert read_rows(workspace.results)[0]["status"] == "failed"
