"""Results of pahcer, in the form that its version 0.3 writes."""

import json

import pytest

from evograft.errors import UserError

CONFIG = """
[general]
version = "0.3.0"
[problem]
problem_name = "practice001"
objective = "{objective}"
score_regex = '(?m)^\\s*Score\\s*=\\s*(?P<score>\\d+)\\s*$'
[test]
start_seed = 0
end_seed = 3
out_dir = "./pahcer"
"""


def result(second, scores, comment="", tag=None):
    cases = [
        {
            "seed": seed,
            "score": score,
            "relative_score": 90.0,
            "execution_time": 1.9,
            "error_message": "" if score else "x",
        }
        for seed, score in reversed(list(enumerate(scores)))
    ]
    return {
        "start_time": f"2024-11-09T19:00:{second:02}.123456789+09:00",
        "case_count": len(cases),
        "total_score": sum(scores),
        "total_score_log10": 1.0,
        "total_relative_score": 1.0,
        "max_execution_time": 1.9,
        "comment": comment,
        "tag_name": tag,
        "wa_seeds": [seed for seed, score in enumerate(scores) if not score],
        "cases": cases,
    }


@pytest.fixture
def project(tmp_path):
    """`project(max)`: a folder with two results, and best scores of a run whose result is gone."""

    def make(objective="Max"):
        folder = tmp_path / "project"
        (folder / "pahcer" / "json").mkdir(parents=True)
        (folder / "pahcer_config.toml").write_text(CONFIG.replace("{objective}", objective))
        for second, *given in ((1, [100, 0, 50], "焼きなまし"), (2, [90, 80, 60], "", "pahcer/v2")):
            file = folder / "pahcer" / "json" / f"result_20241109_1900{second:02}.json"
            file.write_text(json.dumps(result(second, *given)))
        (folder / "pahcer" / "best_scores.json").write_text('{"0000": 100, "0001": 80, "0002": 75}')
        return folder

    return make


def test_results_are_runs_with_comment_and_tag(workspace, project, evo):
    said = evo("ahc", "import", project()).stdout
    assert said == "2 runs and the best scores are in the record: evo ahc scores, evo ahc history\n"
    second, first = json.loads(evo("ahc", "history", "--json").stdout)
    assert (first["comment"], first["cases"]) == ("焼きなまし", {"0000": 100.0, "0001": None, "0002": 50.0})
    assert (second["tag"], second["slowest_seconds"], second["source"]) == ("pahcer/v2", 1.9, "pahcer")
    assert first["time"] < second["time"]


def test_best_scores_count_but_are_no_program(workspace, project, evo):
    evo("ahc", "import", project() / "pahcer")
    data = json.loads(evo("ahc", "scores", "--json").stdout)
    assert {case: (best["score"], best["program"]) for case, best in data["best"].items()} == {
        "0000": (100.0, "result_20241109_190001"),
        "0001": (80.0, "result_20241109_190002"),
        "0002": (75.0, "pahcer"),
    }
    assert [each["program"] for each in data["programs"]] == ["result_20241109_190002", "result_20241109_190001"]
    assert data["program"] == "result_20241109_190002"


def test_what_is_imported_again_counts_once(workspace, project, evo):
    folder = project()
    evo("ahc", "import", folder)
    assert json.loads(evo("ahc", "import", folder, "--json").stdout) == {"runs": 2, "best_scores": True}
    assert len(json.loads(evo("ahc", "history", "--json").stdout)) == 2


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("pahcer/json/result_20241109_190001.json", "{}", "start_time: field required"),
        ("pahcer/json/result_20241109_190001.json", "[" * 10_000, "invalid json"),
        ("pahcer/best_scores.json", '{"x": 1}', "is no table of seeds and scores"),
        ("pahcer_config.toml", "= 1", "is no TOML"),
    ],
)
def test_a_damaged_file_is_named_and_nothing_is_imported(workspace, project, evo, file, text, said):
    folder = project()
    (folder / file).write_text(text)
    with pytest.raises(UserError, match=said) as failed:
        evo("ahc", "import", folder)
    assert file.rpartition("/")[2] in str(failed.value)
    assert json.loads(evo("ahc", "history", "--json").stdout) == []


def test_results_of_a_contest_with_the_other_direction_are_refused(workspace, project, evo):
    with pytest.raises(UserError, match=r"says that the objective is 'min', and task.json that it is 'max'"):
        evo("ahc", "import", project("Min"))


def test_a_folder_without_results_is_named(workspace, tmp_path, evo):
    with pytest.raises(UserError, match="no results of pahcer in"):
        evo("ahc", "import", tmp_path)
