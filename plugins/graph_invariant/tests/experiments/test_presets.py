"""The presets of the phases say what was specified."""

from __future__ import annotations

from importlib.resources import files

import pytest

from evograft.config.loading import pipeline_from
from evograft.config.yaml_file import parse_yaml
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_hookspecs.values import thaw
from evograft_islands.options import IslandsOptions


def preset(phase):
    name = f"presets/phase{phase}.yaml"
    data = parse_yaml((files("evograft_graph_invariant") / name).read_text(), source=name)
    pipeline = pipeline_from(data, source=name)
    sections = {section.name: thaw(section.with_) for section in pipeline.plugins}
    return (
        pipeline,
        GraphInvariantOptions.model_validate(sections["graph_invariant"]),
        IslandsOptions.model_validate(sections["islands"]),
    )


@pytest.mark.parametrize("phase", [1, 2])
def test_four_islands_of_five_candidates_a_generation_with_ring_migration_and_an_early_stop(phase):
    pipeline, options, islands = preset(phase)
    assert [(island.temperature, island.strategy) for island in islands.islands] == [
        (0.3, "refine"),
        (0.3, "combine"),
        (0.8, "refine"),
        (1.2, "novel"),
    ]
    assert (islands.elites, islands.migration_every, islands.migrants) == (8, 10, 1)
    assert pipeline.generation_size == 5 * len(islands.islands)
    assert pipeline.budget.generations == {1: 20, 2: 100}[phase]
    assert pipeline.budget.island_plateau == 10 * pipeline.generation_size
    assert options.objective == "total"
    assert (options.weights.alpha, options.weights.beta, options.weights.gamma) == (0.6, 0.2, 0.2)
    assert (options.train, options.validation, options.test) == (50, 200, 200)


@pytest.mark.parametrize("phase", [1, 2])
def test_fallbacks_are_on_and_ask_no_model_that_is_not_named(phase):
    _, options, _ = preset(phase)
    found = options.fallbacks
    assert found is not None
    assert (found.valid_rho, found.constrained_after, found.model_after, found.model_uses) == (0.3, 5, 3, 3)
    assert (found.month_dollars, found.strategy, found.model) == (10.0, "novel", "")


def test_each_phase_has_its_target_and_its_sizes():
    _, first, _ = preset(1)
    _, second, _ = preset(2)
    assert (first.target, first.sizes, first.extra_test) == ("average_shortest_path_length", (30, 100), 0)
    assert (second.target, second.sizes) == ("algebraic_connectivity", (30, 1000))
    assert (second.extra_test, second.extra_test_sizes) == (200, (100, 1000))
