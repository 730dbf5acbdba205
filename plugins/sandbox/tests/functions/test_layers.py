"""What the sandbox says about its layers, and what is left of it where some do not exist."""

from __future__ import annotations

import pytest

from evograft_sandbox.functions.layers import LAYERS

ENDLESS = "def f(x):\n    while True:\n        pass"
SQUARE = "def f(x):\n    return x * x"


def active(sandbox) -> set[str]:
    return {layer.name for layer in sandbox.layers() if layer.active}


def test_every_wall_is_reported_with_what_it_does(make_sandbox):
    layers = make_sandbox().layers()
    assert tuple(layer.name for layer in layers) == LAYERS
    assert all(layer.detail for layer in layers)


def test_a_wall_that_is_switched_off_is_reported_as_missing(make_sandbox):
    (layer,) = (layer for layer in make_sandbox(layers=LAYERS[:-1]).layers() if layer.name == "seccomp")
    assert (layer.active, layer.detail) == (False, "switched off")


@pytest.mark.parametrize("missing", ["landlock", "seccomp"])
def test_without_one_wall_the_others_stand(make_sandbox, missing):
    complete = active(make_sandbox())
    sandbox = make_sandbox("load_elsewhere", arguments={"missing": missing})
    assert active(sandbox) == complete - {missing}
    (layer,) = (layer for layer in sandbox.layers() if layer.name == missing)
    assert layer.detail.startswith("not available here: ")
    assert list(sandbox.run(SQUARE, function="f", dataset="numbers").values) == [1.0, 4.0, 9.0, 16.0, 25.0]


def test_where_nothing_of_linux_exists_limits_still_hold(make_sandbox):
    sandbox = make_sandbox("load_elsewhere", arguments={"missing": "linux"})
    assert active(sandbox) == {"rlimits"}
    assert list(sandbox.run(SQUARE, function="f", dataset="numbers").values) == [1.0, 4.0, 9.0, 16.0, 25.0]
    assert sandbox.run(ENDLESS, function="f", dataset="numbers").error.startswith("time-out")
