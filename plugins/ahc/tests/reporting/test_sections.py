"""The sections of an AHC run in its report."""

import shutil

import pytest
from logbook import LogBook

from evograft.log.records import NO_PRINTS
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References
from evograft_ahc.workspace.folder import TASK_FILE
from evograft_hookspecs import Candidate, Evaluation, Trial
from evograft_report.plugin_sections import load_plugin_sections

PIPELINE = {
    "name": "ahc",
    "plugins": ["ahc", "islands"],
    "owners": {"select": "islands"},
    "budget": {"trials": 10},
    "generation_size": 2,
}


@pytest.fixture
def book(tmp_path):
    """The log of a run of four trials, the third of which is the best."""
    with LogBook.begun(PIPELINE, tmp_path / "run") as book:
        reference_frame = ReferenceFrame(
            references=References(programs=({"0000": 5.0},)), direction="max", case_order=0
        )
        book.problem(analysis=reference_frame.entry(), kind="cpp", seeds=({"main": "int main() {}"},))
        for number, score in enumerate((5.0, 4.0, 9.0, 7.0)):
            evaluation = Evaluation(status="ok", score=score, cases={"0000": score})
            candidate = Candidate.of(f"// {number}", kind="cpp", operator="ahc.nudge", trial=number)
            trial = Trial(number=number, view=0, candidate=candidate, evaluation=evaluation)
            book.journal.write_trial(trial, NO_PRINTS, elapsed=1.0)
        yield book


def sections_of(book, language="en"):
    with open_journal(book.path) as journal:
        return load_plugin_sections(open_run(book.path), journal, language, tell=pytest.fail)


@pytest.mark.parametrize(("language", "title"), [("en", "Generations and cases"), ("ja", "世代とケース")])
def test_scores_over_generations_and_cases_are_drawn_from_the_log(book, language, title):
    (section,) = sections_of(book, language)
    assert (section.name, section.title) == ("ahc-cases", title)
    assert [chart.name for chart in section.charts] == ["ahc-generations", "ahc-heat"]


def test_drawings_are_those_of_the_best_program(book):
    (book.path / "pictures").mkdir()
    for trial in (2, 3):
        (book.path / "pictures" / f"trial{trial:04}_case0000.svg").write_text(f"<svg>{trial}</svg>")
    _, section = sections_of(book)
    assert [(picture.title, picture.svg) for picture in section.pictures] == [("Case 0000, score 9", b"<svg>2</svg>")]


def test_a_run_without_a_problem_has_no_sections(tmp_path):
    with LogBook.begun(PIPELINE, tmp_path / "run") as book:
        assert sections_of(book) == ()


def test_a_session_shows_the_record_of_its_workspace(book, bare_workspace):
    shutil.copy(bare_workspace.folder / TASK_FILE, book.path.parent / TASK_FILE)
    _, record, cases = sections_of(book)
    assert [section.name for section in (record, cases)] == ["ahc-record", "ahc-best"]
    assert [(row[0], row[5]) for row in record.tables[0].rows] == [("1", "9"), ("2", "7"), ("3", "5"), ("4", "4")]
    best = record.tables[0].rows[0][1]
    assert best.startswith("run/gen01_ind")
    assert cases.tables[0].rows == (("0000", "9", "9", "100.00%", best),)


def test_how_programs_were_judged_is_told_with_what_races_saved_and_their_audit(book):
    for number, (status, cases, gain) in enumerate((("ok", 10, 1.5), ("pruned", 5, None), ("ok", 10, -2.0)), start=4):
        audit = {} if gain is None else {"audited_after": 5.0, "audited_gain": gain}
        evaluation = Evaluation(
            status=status,
            score=1.0,
            reason="below the bar" if status == "pruned" else "",
            cases={"0000": 1.0},
            metrics={"cases": float(cases), **audit},
            durations={"waiting": 3.0},
            seconds=1.0,
        )
        candidate = Candidate.of(f"// {number}", kind="cpp", operator="ahc.nudge", trial=number)
        book.journal.write_trial(
            Trial(number=number, view=0, candidate=candidate, evaluation=evaluation), NO_PRINTS, elapsed=1.0
        )
    _, section = sections_of(book)
    assert (section.name, section.title) == ("ahc-judging", "Judging")
    assert section.note.startswith("Programs had 0.25 of a core: those that watch the clock did less")
    assert "gave up 1 candidates early and saved 17 % of all case runs. 2 more would have been" in section.note
    assert section.note.endswith("1 of them were better than the program they raced against.")
