"""What the settings of today change of a session of yesterday."""

import pytest

from evograft.config.loading import pipeline_from
from evograft.config.overrides import with_overrides
from evograft.plugin.loading import preset_data
from evograft.runs.lock_file import Epoch, RunFolder
from evograft_ahc.sessions.resume import find_changes, require_at_home
from evograft_ahc.sessions.to_pipeline import apply_settings, build_options
from evograft_ahc.settings.model import AhcSettings, nest
from evograft_ahc.text.messages import ContestUserError, report_nothing
from evograft_ahc.workspace.folder import Workspace


@pytest.fixture
def gone_on(workspace):
    """`gone_on({"llm.model": "x"})`: a session under some settings, and what others make of it as overrides."""

    def go_on(now=None, *, then=None, problem_file="", priced=False, tell=report_nothing):
        preset = pipeline_from(preset_data("ahc"), source="preset").to_data()
        data = apply_settings(preset, settings(then), workspace, problem_file="special.md")
        if priced:
            data["llm"]["models"] = [
                {"name": name, "price": {"prompt": 1.0, "completion": 2.0}} for name in data["llm"]["models"]
            ]
        pipeline = pipeline_from(data, source="test")
        run = RunFolder(workspace.folder / "first", "0123456789ab", (Epoch(0, pipeline),))
        found = find_changes(run, settings(now), workspace, problem_file=problem_file, tell=tell)
        return found, with_overrides(pipeline.to_data(), found)

    return go_on


def test_a_session_goes_on_only_where_it_was_begun(workspace, tmp_path):
    preset = pipeline_from(preset_data("ahc"), source="preset").to_data()
    pipeline = pipeline_from(apply_settings(preset, settings(None), workspace), source="test")
    run = RunFolder(workspace.folder / "first", "0123456789ab", (Epoch(0, pipeline),))
    require_at_home(run, workspace)
    (tmp_path / "link").symlink_to(workspace.folder)
    require_at_home(run, Workspace(tmp_path / "link"))
    with pytest.raises(ContestUserError, match=f"begun in '{tmp_path}/moved' but in '{workspace.folder}'"):
        require_at_home(run, Workspace(tmp_path / "moved"))


def settings(flat):
    return AhcSettings.model_validate(nest(flat or {}))


def test_nothing_changes_under_the_same_settings(gone_on):
    assert gone_on()[0] == []


def test_prices_that_were_filled_in_are_no_change(gone_on):
    assert gone_on(priced=True)[0] == []


def test_another_model_and_limit_are_taken(gone_on):
    found, data = gone_on({"llm.model": "gpt-5-mini", "evolution.max_generations": 60})
    assert [each.partition("=")[0] for each in found] == ["llm", "budget"]
    assert data["llm"]["models"][0]["name"].endswith("gpt-5-mini")
    assert data["budget"]["generations"] == 60


def test_the_size_of_a_population_stays_and_that_is_said(gone_on):
    said = []
    found, data = gone_on({"evolution.population_size": 7}, tell=lambda en, *, ja: said.extend((en, ja)))
    assert found == []
    assert data["generation_size"] == data["budget"]["plateau"] / 5 == 10
    assert ["10" in each for each in said] == [True, True]


def test_a_statement_of_ones_own_stays_unless_another_one_is_given(gone_on):
    assert build_options(gone_on()[1], "ahc")["problem_file"] == "special.md"
    assert build_options(gone_on(problem_file="/other.md")[1], "ahc")["problem_file"] == "/other.md"


def test_numbers_and_texts_survive_the_way_to_the_engine(gone_on):
    prompt = "Improve: {code_snippet}\n\"quoted\", 'too'; 日本語: #no comment"
    data = gone_on({"llm.temperature": 1e-05, "evolution.mutation_prompts": [prompt]})[1]
    assert build_options(data, "ahc")["temperature"] == 1e-05
    assert build_options(data, "ahc")["mutation_prompts"] == [prompt]
