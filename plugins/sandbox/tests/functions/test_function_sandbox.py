"""The sandbox as an honest plugin uses it: values, reasons, limits, several threads."""

from __future__ import annotations

import math
import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evograft_hookspecs import FrozenDict
from evograft_sandbox.functions import FunctionLimits, PythonSandbox, SandboxFailed

HERE = Path(__file__).parent
ADDR_NO_RANDOMIZE = 0x40000


@pytest.fixture(scope="module")
def sandbox(make_sandbox) -> PythonSandbox:
    return make_sandbox(arguments={"modules": ["numpy", "random"]})


def run(sandbox, body, dataset="numbers"):
    return sandbox.run(f"import numpy as np\ndef f(x):\n    return {body}\n", function="f", dataset=dataset)


def test_the_function_is_called_once_per_item(sandbox):
    result = run(sandbox, "x * x")
    assert list(result.values) == [1.0, 4.0, 9.0, 16.0, 25.0]
    assert (result.error, result.item_errors, result.failed_items) == ("", (), 0)
    assert result.cpu_seconds > 0


def test_an_empty_data_set_has_no_values(sandbox):
    assert list(run(sandbox, "x", "empty").values) == []


def test_items_that_fail_are_nan_and_the_first_three_have_reasons(sandbox):
    result = run(sandbox, "1 / max(0, x - 4)")
    assert list(map(math.isnan, result.values)) == [True, True, True, True, False]
    assert result.failed_items == 4
    assert result.item_errors == tuple((index, "ZeroDivisionError: division by zero (line 3)") for index in range(3))


@pytest.mark.parametrize(
    "body", ["7", "7.0", "np.int8(7)", "np.float32(7)", "np.longdouble(7)", "np.array(7.0)", "6 + True"]
)
def test_real_numbers_count(sandbox, body):
    assert set(run(sandbox, body).values) == {7.0}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("True", "returned bool, not a number"),
        ("np.bool_(True)", "returned bool, not a number"),
        ("np.array(True)", "returned bool, not a number"),
        ("1j", "returned complex, not a number"),
        ("np.complex128(1)", "returned complex128, not a number"),
        ("None", "returned None (is a return missing?), not a number"),
        ("'7'", "returned str, not a number"),
        ("[7]", "returned list, not a number"),
        ("np.array([7.0])", "returned an array of shape (1,), not a number"),
        ("float('nan')", "returned nan"),
        ("float('inf')", "returned inf"),
        ("-np.inf", "returned -inf"),
        ("np.float64('nan')", "returned nan"),
        ("10 ** 400", "OverflowError: int too large to convert to float"),
        ("unknown", "NameError: name 'unknown' is not defined (line 3)"),
        ("f(x)", "RecursionError: maximum recursion depth exceeded (line 3)"),
    ],
)
def test_anything_else_is_a_failed_item_with_a_reason(sandbox, body, reason):
    result = run(sandbox, body)
    assert result.failed_items == 5
    assert result.item_errors[0] == (0, reason)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def f(x:", "SyntaxError: '(' was never closed (line 1)"),
        ("def g(x):\n    return x", "there is no function named 'f': define it at the top level"),
        ("y = 1 / 0\ndef f(x):\n    return x", "ZeroDivisionError: division by zero (line 1)"),
        ("import os\ndef f(x):\n    return x", "importing 'os' is not allowed, only math, numpy, random (line 1)"),
        ("f = 3", "there is no function named 'f': define it at the top level"),
        ("#" * 100_001, "the source has 100001 characters, at most 100000 are allowed"),
    ],
)
def test_a_candidate_that_fails_as_a_whole_says_why(sandbox, source, error):
    result = sandbox.run(source, function="f", dataset="numbers")
    assert (result.values, result.error) == (None, error)


def test_messages_are_one_line_of_text_that_a_log_can_hold(make_sandbox):
    source = "def f(x):\n    raise ValueError('a\\n\\x1b[31m\\ud800' + 'b' * 10**6)"
    (_, reason), *_ = make_sandbox(check=False).run(source, function="f", dataset="numbers").item_errors
    assert reason.startswith("ValueError: a ?[31m?bbb")
    assert len(reason) < 400
    assert reason.encode().decode().isprintable()


def test_imports_that_models_write_are_honoured(make_sandbox):
    sandbox = make_sandbox(arguments={"modules": ["numpy"]})
    source = """from __future__ import annotations
import math, numpy as np
from math import sqrt
import numpy.linalg
import numpy.linalg as la
from numpy.linalg import norm

def helper(x):
    from math import floor as down
    return down(sqrt(x) + math.cosh(0) - 1)

def f(x: float) -> float:
    if (y := helper(x * x)) < 0:
        raise ValueError
    try:
        return la.norm([y]) * norm([1.0]) * numpy.linalg.det(np.eye(2))
    except ZeroDivisionError:
        return 0
"""
    assert list(sandbox.run(source, function="f", dataset="numbers").values) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_global_generators_start_in_the_same_state_for_every_candidate(sandbox, make_sandbox):
    source = "def f(x):\n    return random.random() + np.random.rand()\nimport numpy as np, random"
    first, second = (sandbox.run(source, function="f", dataset="numbers").values for _ in range(2))
    other = make_sandbox(arguments={"modules": ["numpy", "random"]}).run(source, function="f", dataset="numbers").values
    assert first == second == other
    assert len(set(first)) == 5


def test_an_unseeded_generator_of_numpy_is_the_same_for_every_candidate(sandbox):
    first, second = (run(sandbox, "np.random.default_rng().random()").values for _ in range(2))
    assert first == second
    assert len(set(first)) == 5


def test_sets_of_text_have_the_same_order_in_every_worker(make_sandbox):
    source = "def f(x):\n    return hash('text') % 1000003 + float(''.join(set('123456789')))"
    first, second = (make_sandbox().run(source, function="f", dataset="numbers").values for _ in range(2))
    assert first == second


def test_addresses_are_the_same_in_every_worker_up_to_what_a_worker_has_done_before(make_sandbox):
    source = "def f(x):\n    return hash(f) // 2**20"
    values = {make_sandbox().run(source, function="f", dataset="numbers").values[0] for _ in range(3)}
    (pid,) = (worker.process.pid for worker in make_sandbox()._crew._free)
    if not int(Path(f"/proc/{pid}/personality").read_text(), 16) & ADDR_NO_RANDOMIZE:
        pytest.skip("random addresses cannot be switched off here")
    assert len(values) == 1


def test_a_candidate_can_be_run_with_its_objects_elsewhere(sandbox):
    source = "address = hash(object())\ndef f(x):\n    return address"
    here, again, moved = (
        sandbox.run(source, function="f", dataset="numbers", moved=moved).values for moved in (False, False, True)
    )
    assert here == again != moved


def test_libraries_do_not_know_the_time_of_day_and_locks_work(sandbox):
    (layer,) = (layer for layer in sandbox.layers() if layer.name == "clock")
    if not layer.active:
        pytest.skip(layer.detail)
    assert set(run(sandbox, "np.datetime64('now', 's').astype('int64')").values) == {0.0}
    assert set(run(sandbox, "np.array(['today']).astype('M8[D]').astype('int64')[0]").values) == {0.0}
    assert run(sandbox, "np.random.default_rng().random() + f'{x!r}'.count('a')").failed_items == 0


def test_before_item_makes_the_argument(make_sandbox):
    result = make_sandbox("load_doubling").run("def f(x):\n    return x", function="f", dataset="numbers")
    assert list(result.values) == [2.0, 4.0, 6.0]


def test_a_loader_may_print(make_sandbox, capfd):
    assert run(make_sandbox("load_noisily"), "x").values is None
    assert capfd.readouterr() == ("", "")


def test_a_loader_may_be_named_by_its_module():
    with pytest.raises(SandboxFailed, match="no_such_module"):
        PythonSandbox("no_such_module:load")


def test_a_loader_that_raises_is_reported_with_its_message(make_sandbox):
    with pytest.raises(SandboxFailed, match="LookupError: the data is on another machine"):
        make_sandbox("fail")


def test_a_loader_that_returns_something_else_is_reported(make_sandbox):
    with pytest.raises(SandboxFailed, match="returned NoneType"):
        make_sandbox("load_nothing")


def test_an_unknown_data_set_is_the_callers_mistake(sandbox):
    with pytest.raises(KeyError, match="no data set 'primes', only numbers, lists, empty"):
        run(sandbox, "x", "primes")


def test_secrets_in_the_environment_do_not_reach_a_worker(make_sandbox, monkeypatch):
    monkeypatch.setenv("MODEL_API_KEY", "secret")
    sandbox = make_sandbox(arguments={"modules": ["os"]}, check=False)
    (worker,) = sandbox._crew._free
    assert b"secret" not in Path(f"/proc/{worker.process.pid}/environ").read_bytes()
    source = "def f(x):\n    return len(os.environ)"
    assert set(sandbox.run(source, function="f", dataset="numbers").values) == {0.0}


def test_memory_counts_from_what_the_worker_maps(make_sandbox):
    sandbox = make_sandbox(arguments={"modules": ["numpy"]}, limits=FunctionLimits(memory_mb=64))
    assert run(sandbox, "len(np.ones(5_000_000))").failed_items == 0
    assert run(sandbox, "len(np.ones(9_000_000))").failed_items == 5


def test_a_candidate_that_fills_the_memory_still_gets_its_reason(make_sandbox):
    source = "kept = []\ndef f(x):\n    while True:\n        kept.append(bytes(1 << 12))"
    sandbox = make_sandbox(limits=FunctionLimits(memory_mb=16))
    result = sandbox.run(source, function="f", dataset="numbers")
    assert result.item_errors[0] == (0, "MemoryError: more memory than a candidate may use (line 4)")


@pytest.mark.parametrize("options", [{"workers": 0}, {"layers": ["fence"]}])
def test_a_sandbox_without_workers_or_with_unknown_walls_is_refused(make_sandbox, options):
    with pytest.raises(ValueError, match="at least 1 worker"):
        make_sandbox(**options)


def test_frozen_arguments_reach_the_loader(make_sandbox):
    sandbox = make_sandbox(arguments=FrozenDict({"modules": ("numpy",), "items": 2}))
    assert list(run(sandbox, "np.sqrt(4.0)").values) == [2.0, 2.0]


def test_limits_must_be_positive():
    with pytest.raises(ValueError, match="greater than 0"):
        FunctionLimits(cpu_seconds=0.0)


def test_several_threads_get_their_own_answers(make_sandbox):
    sandbox = make_sandbox(workers=2)
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda factor: (factor, run_plain(sandbox, factor)), range(30)))
    assert all(list(result.values) == [factor * x for x in range(1, 6)] for factor, result in results)
    assert len(sandbox._crew._free) <= 2


def run_plain(sandbox, factor):
    return sandbox.run(f"def f(x):\n    return {factor} * x", function="f", dataset="numbers")


def test_the_callers_own_state_is_untouched(sandbox):
    random.seed(7)
    state, folder, environment = random.getstate(), Path.cwd(), dict(os.environ)
    run(sandbox, "x")
    assert (random.getstate(), Path.cwd(), dict(os.environ)) == (state, folder, environment)


def test_a_plugin_over_graphs_scores_with_its_libraries():
    source = """
import networkx as nx
import numpy as np
import scipy

def f(G):
    spectrum = nx.laplacian_spectrum(G)
    (top,) = scipy.sparse.linalg.eigsh(nx.adjacency_matrix(G).astype(float), k=1)[0]
    return top + spectrum[1] + np.mean(list(nx.clustering(G).values())) + nx.degree_pearson_correlation_coefficient(G)
"""
    with PythonSandbox(f"{HERE}/loader_graphs.py:load", {"graphs": 3, "nodes": 40}) as sandbox:
        result = sandbox.run(source, function="f", dataset="graphs")
    assert result.values is not None, result.error
    assert result.item_errors == ()
