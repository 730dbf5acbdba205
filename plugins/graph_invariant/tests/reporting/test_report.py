"""What a report says, of a whole summary and of ever less of one."""

import json
import re

import pytest

from evograft.errors import UserError
from evograft_graph_invariant.records.checkpoint import Checkpoint
from evograft_graph_invariant.records.summary.model import ExperimentSummary
from evograft_graph_invariant.reporting import write_report
from evograft_graph_invariant.reporting.sections.search import FALLBACKS

SECTIONS = ["verdicts", "best", "sets", "predictions", "residuals-by-family", "baselines", "elites", "islands",
            "fallbacks", "data", "cost", "run"]  # fmt: skip


def test_a_report_has_every_part_and_links_to_it(folder):
    folder.write()
    _, page = folder.report()
    assert [f"phase1-{name}" for name in SECTIONS] == [
        id_ for id_ in page.ids if id_.removeprefix("phase1-") in SECTIONS
    ]
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert "not recorded" in page.text


def test_the_numbers_stand_in_the_markdown_and_on_the_page(folder):
    folder.write()
    markdown, page = folder.report()
    for said in ("0.9912", "−0.9954 to −0.9821", "244837814094590", "algebraic_connectivity", "Julia is not installed",
                 "$0.0123", "constrained generation begins", "an OOD set is missing", "0.9700 (95 %)"):  # fmt: skip
        assert said in page.text
        assert said.replace("$", "\\$") in markdown


def test_the_interval_of_the_first_figure_is_that_of_the_absolute_value(folder):
    folder.write()
    assert "0.9912 95 %: 0.9821 to 0.9954" in folder.report()[1].text


def test_formulas_are_typeset_with_latex_to_copy_and_the_same_one_once(folder):
    folder.find_formulas()
    folder.write()
    markdown, page = folder.report()
    latex = r"\frac{1 - \mathrm{density}}{\sqrt{\mathrm{two\_hop\_share}}}"
    assert f"$$\n{latex}\n$$" in markdown
    assert page.text.count(latex) == 1
    assert page.text.count("sqrt(n) / (average_degree + 2)") >= 1
    assert {"math", "mfrac", "msqrt"} <= page.elements


def test_both_phases_are_chapters_of_one_report(folder):
    folder.write(phase=2)
    folder.write(phase=1)
    _, page = folder.report()
    assert page.ids.index("phase1") < page.ids.index("phase2")
    assert len(page.ids) == len(set(page.ids))


def test_what_a_summary_lacks_is_not_recorded(folder):
    folder.summary = {"experiment_id": "bare"}
    folder.events = []
    folder.write()
    markdown, page = folder.report()
    assert "the file has no schema_version" in page.text
    assert "Fallbacks not recorded" in page.text
    assert "0.00" not in markdown
    assert page.elements.isdisjoint({"math", "svg"})


@pytest.mark.parametrize("field", sorted(ExperimentSummary.model_fields))
def test_any_one_field_may_be_missing(folder, field):
    folder.summary.pop(field, None)
    folder.write()
    assert "Verdicts" in folder.report()[1].text


@pytest.mark.parametrize("field", sorted(ExperimentSummary.model_fields))
def test_any_one_field_may_be_of_another_kind(folder, field):
    folder.summary[field] = {"surprise": [1, "two", None]}
    folder.write()
    assert "Verdicts" in folder.report()[1].text


def test_no_fallbacks_is_something_else_than_none_recorded(folder):
    folder.summary["fallbacks"] = []
    folder.write()
    assert "There was none" in folder.report()[1].text


def test_every_kind_of_fallback_has_words(folder):
    folder.summary["fallbacks"] = [{"generation": 1, "island": 0, "kind": kind} for kind in (*FALLBACKS, "landslide")]
    folder.write()
    text = folder.report()[1].text
    assert "fallback model refused" in text
    assert "landslide" in text
    assert not [kind for kind in FALLBACKS if "_" in kind and kind in text]


def test_a_summary_that_is_no_json_is_named_and_the_rest_is_reported(folder):
    folder.write()
    (folder.path / "phase1_summary.json").write_text('{"schema_version": 3, ')
    _, page = folder.report()
    assert "phase1_summary.json is no JSON" in page.text
    assert "There is no summary that can be read" in page.text
    assert "events.jsonl has 20 lines" in page.text


def test_an_experiment_under_way_is_shown_by_its_newest_checkpoint(folder):
    islands = folder.summary["islands"]
    run = {"id": "a1", "folder": "/runs/graph-1", "commits": 44}
    checkpoint = {"experiment_id": "aspl", "phase": 2, "generation": 7, "early_stop_counter": 1, "islands": islands,
                  "rng_state": {"seed": 5, "trial": 44}, "fallbacks": {"used": 2}, "run": run}  # fmt: skip
    path = folder.path / "checkpoints" / "aspl" / "gen_7.json"
    path.parent.mkdir(parents=True)
    path.write_text(Checkpoint.model_validate(checkpoint).model_dump_json())
    _, page = folder.report()
    assert "Phase 2 has no summary yet" in page.text
    assert "return total + 3" in page.text
    assert "used 2" in page.text


def test_a_broken_checkpoint_is_named(folder):
    folder.write()
    (folder.path / "checkpoints" / "aspl").mkdir(parents=True)
    (folder.path / "checkpoints" / "aspl" / "gen_1.json").write_text("[]")
    assert "gen_1.json is no checkpoint" in folder.report()[1].text


def test_lines_of_events_are_counted_by_island_and_status(folder):
    folder.write()
    with (folder.path / "events.jsonl").open("a") as file:
        file.write('{"island": 0, "status": "succ')
    text = folder.report()[1].text
    assert "events.jsonl has 21 lines; model calls: 20." in text
    assert "1 line is no JSON object" in text
    assert "5 no finite value" in text


def test_a_folder_without_records_is_an_error_that_says_what_is_missing(tmp_path):
    with pytest.raises(UserError, match=r"holds no phase1_summary\.json, phase2_summary\.json, events\.jsonl"):
        write_report(tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        write_report(tmp_path / "nowhere")


def test_a_folder_that_cannot_be_written_to_is_an_error_and_leaves_nothing(folder):
    folder.write()
    (folder.path / "report.md").mkdir()
    with pytest.raises(UserError, match="cannot write the report"):
        folder.report()
    assert sorted(path.name for path in folder.path.iterdir()) == ["events.jsonl", "phase1_summary.json", "report.md"]


def test_a_report_is_the_same_each_time_it_is_written(folder):
    folder.write()
    first = [path.read_bytes() for path in write_report(folder.path)]
    assert [path.read_bytes() for path in write_report(folder.path)] == first


def test_a_report_in_japanese_has_no_english_headings(folder):
    folder.write()
    markdown, page = folder.report("ja")
    headings = re.findall(r"^#{2,3} (.*)$", markdown, re.MULTILINE)
    assert all(re.search("[ぁ-んァ-ヶ一-龠]", heading) for heading in headings)
    assert "記録なし" in page.text


def test_markdown_tables_have_as_many_cells_in_each_row(folder):
    folder.summary["baselines"][1]["formula"] = "a | b || c"
    folder.write()
    markdown, _ = folder.report()
    for table in re.findall(r"(?:^\|.*\|\n)+", markdown, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_the_markdown_has_the_numbers_of_the_map(folder):
    folder.summary["map_points"] = [
        {"trial": 5, "simplicity": 0.1, "novelty": 0.0, "score": 0.25},
        {"trial": 6, "simplicity": 0.1, "novelty": 0.0, "score": 0.75},
        {"trial": 7, "simplicity": 0.6, "novelty": 1.0, "score": 0.5},
    ]
    folder.write()
    markdown, page = folder.report()
    assert "| 0.1 to 0.2 | 0 to 0.2 | 0.75 | 6 | 2 |" in markdown
    assert "Simplicity and novelty given the target: not recorded." in page.text


def test_settings_are_listed_with_the_way_to_them(folder):
    folder.write()
    text = folder.report()[1].text
    assert "weights.alpha 0.6" in text
    assert "islands.0.name local" in text


@pytest.mark.long
def test_a_summary_of_a_hundred_thousand_candidates_is_a_page_of_a_bounded_size(folder):
    point = folder.summary["map_points"][0]
    folder.summary["map_points"] = [{**point, "trial": number} for number in range(100_000)]
    folder.summary["islands"] = [{"number": number} for number in range(3000)]
    folder.summary["fallbacks"] *= 1000
    folder.summary["config"] = {f"key{number}": number for number in range(5000)}
    folder.write()
    write_report(folder.path)
    assert (folder.path / "report.html").stat().st_size < 1_000_000
    assert json.dumps(len(folder.summary["map_points"])) == "100000"


def test_a_verdict_that_was_not_decided_is_no_missing_one(folder):
    folder.summary["verdicts"] = {"success": {"holds": None, "why": "no symbolic baseline ran"}}
    folder.summary["success"] = None
    folder.write()
    text = folder.report()[1].text
    assert "Success not decided as specified" in text
    assert "Strict verdict not recorded" in text


def test_success_is_taken_from_a_summary_without_verdicts(folder):
    del folder.summary["verdicts"]
    folder.write()
    assert "Success yes as specified" in folder.report()[1].text


def test_the_model_of_a_run_without_any_is_no_missing_one(folder):
    folder.write()
    assert "Model not recorded" in folder.report()[1].text
    folder.summary["cost"] = {"calls": 0}
    folder.write()
    text = folder.report()[1].text
    assert "Model –" in text
    assert "No model was asked." in text
