"""From an experiment's file to a pipeline: what is specified, what can be set, and what is refused."""

import importlib.resources
import json
import re
from itertools import chain
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from evograft.errors import UserError
from evograft.session.start import check
from evograft_batch.plan.batch_file import parse_batch
from evograft_batch.plan.matrix import plan_runs
from evograft_graph_invariant.cli import graph
from evograft_graph_invariant.evaluation import data_splits
from evograft_graph_invariant.experiments.benchmark import build_batch
from evograft_graph_invariant.experiments.experiment import (
    Benchmark,
    Experiment,
    list_ready_names,
    read_experiment,
    validate_experiment,
)
from evograft_graph_invariant.experiments.pipeline import build_pipeline
from evograft_graph_invariant.experiments.results import estimate_mean
from evograft_graph_invariant.experiments.start import _overrides as overrides
from evograft_graph_invariant.experiments.start import prepare_start, require_phase_one
from evograft_graph_invariant.options import GraphInvariantOptions

NONE = {"driver": "none"}


def pipeline(phase=1, *, llm=NONE, **settings):
    return build_pipeline(validate_experiment(settings, Experiment, source="test"), phase, llm=llm, source="test")


def options(found, plugin="graph_invariant"):
    return next(section["with"] for section in found.to_data()["plugins"] if section["name"] == plugin)


# -- as specified -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "target", "generations"), [(1, "average_shortest_path_length", 20), (2, "algebraic_connectivity", 100)]
)
def test_an_empty_file_is_the_phase_as_specified(phase, target, generations):
    found = pipeline(phase)
    plugin, islands = options(found), options(found, "islands")
    assert (plugin["target"], plugin["objective"]) == (target, "total")
    places = [(island["temperature"], island["strategy"]) for island in islands["islands"]]
    assert places == [(0.3, "refine"), (0.3, "combine"), (0.8, "refine"), (1.2, "novel")]
    assert (islands["elites"], islands["migration_every"], islands["migrants"]) == (8, 10, 1)
    assert found.generation_size == 4 * 5
    assert found.budget.generations == generations
    assert found.budget.island_plateau == 10 * found.generation_size
    assert found.name == f"phase{phase}"
    assert plugin["records"] == {"experiment_id": f"phase{phase}", "phase": phase}


@pytest.mark.parametrize(
    ("phase", "sizes", "tests"), [(1, (30, 100), [("test", 200, (30, 100))]), (2, (30, 1000), None)]
)
def test_the_data_sets_of_a_phase_are_those_specified(phase, sizes, tests):
    found = GraphInvariantOptions.model_validate(options(pipeline(phase)))
    assert [(s.name, s.count, s.sizes) for s in data_splits.get_search_sets(found)] == [
        ("train", 50, sizes),
        ("validation", 200, sizes),
    ]
    tests = tests or [("test", 200, (30, 1000)), ("extra_test", 200, (100, 1000))]
    assert [(s.name, s.count, s.sizes) for s in data_splits.get_test_sets(found)] == tests
    large, extreme, special = data_splits.get_ood_sets(found)
    assert (large.name, large.count, large.sizes) == ("large_random", 100, (200, 500))
    assert (extreme.name, extreme.count, extreme.sizes) == ("extreme_params", 50, (50, 200))
    assert special.name == "special_topology"


# -- what can be set --------------------------------------------------------------------------------------------------


def test_every_option_of_the_plugin_is_a_key_of_the_file_but_where_records_go():
    assert set(GraphInvariantOptions.model_fields) <= set(Experiment.model_fields)
    found = pipeline(level="degrees", weights={"alpha": 0.5}, explore={"slice": 300})
    assert options(found)["level"] == "degrees"
    assert options(found)["weights"] == {"alpha": 0.5}
    assert options(found)["explore"] == {"slice": 300}


def test_what_counts_generations_follows_their_size():
    found = pipeline(population_size=3, islands=[{"name": "one"}, {"name": "two"}], early_stop=4)
    assert (found.generation_size, found.budget.island_plateau) == (6, 24)
    assert pipeline(population_size=10).budget.island_plateau == 10 * 40
    assert pipeline(early_stop=0).budget.island_plateau is None


def test_settings_of_a_run_go_to_their_places():
    found = pipeline(
        temperatures=[0.1, 0.2, 0.3, 0.4],
        elites=5,
        seed=7,
        self_correction=False,
        workers=1,
        dollars=2.5,
        model="litellm:some/model",
        set={"deadlines.final": 3600.0},
    )
    assert [island["temperature"] for island in options(found, "islands")["islands"]] == [0.1, 0.2, 0.3, 0.4]
    assert options(found, "islands")["elites"] == 5
    assert (found.seed, found.repairs, found.budget.dollars, found.deadlines.final) == (7, 0, 2.5, 3600.0)
    assert found.executor.options["workers"] == 1
    assert (found.llm.driver, [model.name for model in found.llm.models]) == ("litellm", ["some/model"])


def test_the_fallback_model_is_one_of_the_models_and_drawn_by_no_trial():
    models = pipeline(model="litellm:one", fallbacks={"model": "two"}).llm.models
    assert [(model.name, model.weight) for model in models] == [("one", 1.0), ("two", 0.0)]
    section = {"driver": "litellm", "models": ["one", {"name": "two", "weight": 0.5}]}
    assert pipeline(model=section, fallbacks={"model": "two"}).llm.models[1].weight == 0.5
    assert pipeline(model="none", fallbacks={"model": "two"}).llm.models == ()


def test_only_a_fallback_model_that_no_trial_draws_can_be_done_without():
    models = pipeline(model="litellm:one", fallbacks={"model": "two"}).llm.models
    assert [model.optional for model in models] == [False, True]
    (only,) = pipeline(model="litellm:one", fallbacks={"model": "one"}).llm.models
    assert not only.optional


def test_a_file_that_names_no_model_takes_what_is_there():
    assert pipeline(llm={"driver": "ollama", "model": "small"}).llm.models[0].name == "small"
    assert pipeline(llm={"driver": "ollama", "model": "small"}, model="none").llm.driver == "none"


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"genrations": 3}, "unknown key 'genrations'; did you mean 'generations'?"),
        ({"weights": {"alhpa": 0.5}}, "unknown key 'weights.alhpa'; did you mean 'alpha'?"),
        ({"temperatures": [0.1, 0.2]}, "there are 4 islands, and 2 of these"),
        ({"records": {}}, "experiment_id and artifacts say where they go"),
        ({"experiment_id": "../up"}, "experiment_id"),
        ({"set": {"budget.secons": 3}}, "did you mean 'seconds'?"),
        ({"seeds": 3}, "unknown key 'seeds'; did you mean 'seed'"),
        ({"generations": 0}, "generations"),
        ({"population_size": True}, "population_size"),
        ({"islands": []}, "islands"),
        ({"fallbacks": {"temperature": [2, 1]}}, "fallbacks: temperature is a range"),
        ({"fallbacks": {"model": "m", "strategy": "nuvel"}}, "no island has 'nuvel'; did you mean 'novel'?"),
        ({"temperatures": [float("inf"), 0, 0, 0]}, "temperatures.0"),
        ({"seconds": float("inf")}, "seconds: "),
        ({"artifacts": "a\0b"}, "artifacts: is the path of a folder"),
        ({"artifacts": "\ud800"}, "artifacts: "),
        ({"model": ""}, "model: is DRIVER:MODEL"),
        ({"model": ":name"}, "model: is DRIVER:MODEL"),
        ({"model": ["ollama"]}, "model: is DRIVER:MODEL"),
        ({"model": {"models": ["name"]}}, "model: is DRIVER:MODEL"),
    ],
)
def test_a_mistake_is_named_by_its_key(settings, complaint):
    with pytest.raises(UserError) as caught:
        pipeline(**settings)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("test")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "{"),
        ("a.json", "[]"),
        ("a.json", '{"seed": 1, "seed": 2}'),
        ("a.json", f'{{"set": {{"x": {"[" * 800}{"]" * 800}}}}}'),
        ("a.json", "[" * 100_000),
        ("a.yaml", "- x"),
        ("a.yaml", "a: 1\na: 2"),
        ("a.yaml", "set: &a {x: *a}"),
        ("a.yaml", f"experiment_id: {'x' * 1_000_000}"),
        ("b", None),
    ],
)
def test_a_file_that_is_no_experiment_is_the_users_mistake(tmp_path, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=name):
        read_experiment(path, Experiment)


def test_yaml_and_json_say_the_same(tmp_path):
    settings = {"generations": 3, "weights": {"alpha": 0.5}, "temperatures": [0.1, 0.2, 0.3, 0.4]}
    (tmp_path / "a.json").write_text(json.dumps(settings, indent="\t"))
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(settings))
    assert read_experiment(tmp_path / "a.json", Experiment) == read_experiment(tmp_path / "a.yaml", Experiment)


def test_a_file_may_begin_with_the_mark_that_some_editors_write(tmp_path):
    for name in ("a.json", "a.yaml"):
        (tmp_path / name).write_text('{"seed": 3}', encoding="utf-8-sig")
        assert read_experiment(tmp_path / name, Experiment).seed == 3


def test_a_folder_whose_name_is_too_long_is_the_users_mistake():
    config = validate_experiment({"artifacts": "x" * 300}, Experiment, source="test")
    with pytest.raises(UserError, match="too long; see `artifacts`"):
        prepare_start(config, 1, llm={"driver": "none"}, source="test")


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        ({"verdicts": {"phase_two": {"holds": False, "why": "test rho 0.5 < 0.8"}}}, "test rho 0.5 < 0.8"),
        ({"verdicts": {"phase_two": {"holds": None, "why": "not decided"}}}, "not decided"),
        ({"success": True}, "not recorded"),
    ],
)
def test_phase_2_starts_only_after_a_phase_1_that_is_known_to_have_succeeded(tmp_path, summary, words):
    (tmp_path / "phase1_summary.json").write_text(json.dumps(summary))
    config = validate_experiment({"phase1_summary": "phase1_summary.json"}, Experiment, source="test")
    with pytest.raises(UserError, match=words):
        require_phase_one(config, tmp_path / "two.yaml", force=False)
    assert words in require_phase_one(config, tmp_path / "two.yaml", force=True)


def test_phase_2_starts_after_a_phase_1_that_succeeded_and_where_none_is_named(tmp_path):
    finding = {"verdicts": {"phase_two": {"holds": True, "why": "test rho 0.9 >= 0.8"}}}
    (tmp_path / "phase1_summary.json").write_text(json.dumps(finding))
    config = validate_experiment({"phase1_summary": "phase1_summary.json"}, Experiment, source="test")
    assert "0.9" in require_phase_one(config, tmp_path / "two.yaml", force=False)
    assert require_phase_one(validate_experiment({}, Experiment, source="test"), Path("two.yaml"), force=False) == ""


# -- benchmarks -------------------------------------------------------------------------------------------------------


def test_a_benchmark_is_a_batch_of_all_variants_with_five_seeds():
    changes = {"as-is": {}, "short": {"generations": 2, "explore": {"slice": 300}, "elites": 5}}
    config = validate_experiment({"generations": 4, "ablate": changes}, Benchmark, source="test")
    batch = build_batch(config, source="test")
    runs = plan_runs(parse_batch(batch, source="test"), source="test")
    assert [(run.combination.problem, run.pipeline.seed) for run in runs] == [
        (name, seed) for name in ("full", "as-is", "short") for seed in range(5)
    ]
    full, same, short = (runs[5 * i].pipeline for i in range(3))
    assert same == full
    assert (short.budget.generations, full.budget.generations) == (2, 4)
    assert options(short)["explore"] == {"slice": 300}
    assert options(short, "islands")["elites"] == 5
    assert options(full)["records"]["folder"] == ".", "the records of each run lie in its own folder"
    assert full.llm.driver == "none", "a model that happens to be there would make it another sweep"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"seed": 1}, "name the seeds under `seeds`"),
        ({"seeds": [1, 1]}, "listed twice"),
        ({"seeds": 0}, "a number of seeds"),
        ({"seeds": []}, "seeds"),
        ({"ablate": {"short": {"seed": 1}}}, "ablate.short: seed is the same for all variants"),
        ({"ablate": {"short": {"artifacts": "x"}}}, "ablate.short: artifacts is the same for all variants"),
        ({"ablate": {"full": {}}}, "name the variant otherwise"),
        ({"ablate": {"short": {"genrations": 1}}}, "test: ablate.short: unknown key 'genrations'"),
    ],
)
def test_a_mistake_in_a_benchmark_is_named_too(settings, complaint):
    with pytest.raises(UserError) as caught:
        build_batch(validate_experiment(settings, Benchmark, source="test"), source="test")
    assert complaint in str(caught.value)


def test_the_interval_of_a_mean_is_that_of_student():
    found = estimate_mean([0.9, None, 0.95, 1.0])
    assert (found.count, found.mean) == (3, pytest.approx(0.95))
    # t(0.975, 2) = 4.3027, standard error 0.05 / sqrt 3
    assert (found.low, found.high) == (pytest.approx(0.95 - 0.12421, abs=1e-4), pytest.approx(0.95 + 0.12421, abs=1e-4))
    assert estimate_mean([0.5]).low is None
    assert estimate_mean([None]) is None


SERVER = {"driver": "openai", "base_url": "http://one", "models": ["m"]}


@pytest.mark.parametrize(
    ("now", "is_same"),
    [
        (SERVER, True),
        ({**SERVER, "base_url": "http://two"}, False),
        ({**SERVER, "timeout": 5.0}, False),
        ({**SERVER, "models": ["other"]}, False),
        ({**SERVER, "models": [{"name": "m", "weight": 2.0}]}, False),
        ({**SERVER, "models": [{"name": "m", "price": {"prompt": 9.0, "completion": 9.0}}]}, False),
    ],
)
def test_a_resumed_experiment_asks_the_models_as_its_file_says_now(now, is_same):
    price = {"prompt": 1.0, "completion": 2.0}
    then = pipeline(model={**SERVER, "models": [{"name": "m", "price": price}]})
    config = validate_experiment({"model": now}, Experiment, source="test")
    changed = list(overrides(then, pipeline(model=now), config, "test"))
    assert [each.partition("=")[0] for each in changed] == ([] if is_same else ["llm"])


# -- ready experiments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list_ready_names())
def test_a_ready_experiment_makes_a_valid_pipeline_by_its_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = read_experiment(Path(name), Benchmark if name == "ablation" else Experiment)
    assert config.experiment_id == name
    if isinstance(config, Benchmark):
        assert len(build_batch(config, source=name)["problems"]) == 1 + len(config.ablate) > 1
        return
    found = build_pipeline(config, 2 if name == "phase2" else 1, llm=NONE, source=name)
    check(found)


@pytest.mark.parametrize(
    ("settings", "calls"),
    [
        ({}, 400),
        ({"generations": 10}, 200),
        ({"set": {"budget.generations": 40}}, 800),
        ({"set": {"generation_size": 10}}, 200),
        ({"calls": 50, "set": {"budget.generations": 40}}, 50),
        ({"set": {"budget.generations": 40, "budget.calls": 70}}, 70),
    ],
)
def test_there_are_as_many_calls_as_candidates_however_their_number_is_set(settings, calls):
    assert pipeline(**settings).budget.calls == calls


def test_each_command_lists_the_ready_experiments_that_are_for_it():
    listed = {
        name: re.search(r"a ready one:([^.]*)\.", " ".join(CliRunner().invoke(graph, [name, "--help"]).output.split()))[
            1
        ]
        for name in ("phase1", "phase2", "benchmark")
    }
    folder = importlib.resources.files("evograft_graph_invariant") / "experiments" / "ready"
    called = (re.search(r"evo graph (\w+) --config (\w+)", file.read_text()).groups() for file in folder.iterdir())
    wanted = {name: [] for name in listed}
    for command, ready in called:
        wanted[command].append(ready)
    assert {name: sorted(text.replace(" ", "").split(",")) for name, text in listed.items()} == {
        name: sorted(found) for name, found in wanted.items()
    }
    assert sorted(chain.from_iterable(wanted.values())) == list(list_ready_names())


def test_a_file_goes_before_the_ready_experiment_of_its_name_and_other_names_are_told_which_there_are(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("bounds").write_text("generations: 3\n")
    assert read_experiment(Path("bounds"), Experiment).generations == 3
    with pytest.raises(UserError, match="ready ones are ablation, bounds, map_elites, ood, phase1, phase2"):
        read_experiment(Path("bound"), Experiment)


def test_an_archive_is_a_key_of_the_file():
    archive = {"axes": {"simplicity": [0.0, 1.0]}, "bins": 4}
    found = options(pipeline(archive=archive, archive_share=0.25), "islands")
    assert (found["archive"]["bins"], found["archive_share"]) == (4, 0.25)
