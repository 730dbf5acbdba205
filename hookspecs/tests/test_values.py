"""The laws of all data: JSON round trips, deep read-only-ness, and refusal of what a log cannot hold."""

import inspect
import math
import pickle
import types as python_types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from evograft_hookspecs import Candidate, Evaluation, FrozenDict, contexts, drivers, events, services, types
from evograft_hookspecs.values import Json, Value, freeze, thaw

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def values() -> list[type[Value]]:
    modules = (types, contexts, *services.MODULES, *drivers.MODULES, events)
    found = [cls for module in modules for cls in vars(module).values() if inspect.isclass(cls)]
    return sorted({cls for cls in found if issubclass(cls, Value) and cls is not Value}, key=lambda cls: cls.__name__)


def of_type(annotation: Any, metadata: tuple[Any, ...] = ()) -> st.SearchStrategy[Any]:
    """A strategy for a field, from its annotation and constraints."""
    if get_origin(annotation) is Annotated:
        base, *more = get_args(annotation)
        return JSON if base is Any else of_type(base, (*metadata, *more))
    if annotation is Any:
        return JSON
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, python_types.UnionType):
        return st.one_of([of_type(argument) for argument in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        least = constraints(metadata).get("min_length", 0)
        return st.lists(of_type(arguments[0]), min_size=least, max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of_type, arguments))
    if origin is FrozenDict:
        return st.dictionaries(of_type(arguments[0]), of_type(arguments[1]), max_size=2).map(FrozenDict)
    if annotation is type(None):
        return st.none()
    if issubclass(annotation, BaseModel):
        return built(annotation)
    return scalar(annotation, constraints(metadata))


def constraints(metadata: tuple[Any, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in metadata:
        for part in (item, *getattr(item, "metadata", ())):
            for name in ("ge", "gt", "min_length", "max_length", "pattern"):
                if getattr(part, name, None) is not None:
                    found[name] = getattr(part, name)
    return found


def scalar(annotation: type[Any], limits: dict[str, Any]) -> st.SearchStrategy[Any]:
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return st.integers(limits.get("ge", -(2**31)), 2**40)
    if annotation is float:
        least = limits.get("ge", limits.get("gt"))
        return st.floats(least, exclude_min="gt" in limits, allow_nan=False, allow_infinity=False)
    if annotation is bytes:
        return st.binary(max_size=20)
    assert annotation is str, annotation
    if "pattern" in limits:
        return st.from_regex(limits["pattern"], fullmatch=True).filter(lambda text: "\n" not in text)
    return st.text(st.characters(exclude_categories=["Cs"]), min_size=limits.get("min_length", 0), max_size=20)


def built(cls: type[BaseModel]) -> st.SearchStrategy[Any]:
    if cls is Evaluation:
        return evaluations()
    fields = {name: of_type(field.annotation, tuple(field.metadata)) for name, field in cls.model_fields.items()}
    return st.fixed_dictionaries(fields).map(lambda data: cls(**data))


def evaluations() -> st.SearchStrategy[Evaluation]:
    rest = {
        name: of_type(field.annotation, tuple(field.metadata))
        for name, field in Evaluation.model_fields.items()
        if name not in ("status", "score", "reason")
    }
    ok = st.fixed_dictionaries({"status": st.just("ok"), "score": NUMBERS, **rest})
    bad = st.fixed_dictionaries(
        {"status": st.sampled_from(["rejected", "failed"]), "reason": TEXT.filter(bool), **rest}
    )
    return (ok | bad).map(lambda data: Evaluation(**data))


@pytest.mark.long
@pytest.mark.parametrize("cls", values(), ids=lambda cls: cls.__name__)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_every_value_survives_json_and_pickle_and_hashes(cls, data):
    value = data.draw(built(cls))
    assert cls.model_validate_json(value.model_dump_json()) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert hash(cls.model_validate_json(value.model_dump_json())) == hash(value)


@given(JSON)
def test_freezing_json_is_deep_and_thawing_undoes_it(data):
    frozen = freeze(data)
    assert thaw(frozen) == data
    hash(frozen)  # a list or dict left anywhere inside would be unhashable


def test_a_frozen_mapping_takes_no_assignment():
    frozen = FrozenDict({"a": 1})
    with pytest.raises(TypeError, match="item assignment"):
        frozen["a"] = 2
    assert thaw(frozen) == {"a": 1}


@pytest.mark.parametrize("bad", [math.nan, math.inf, "\ud800", {1: 2}, {"\udfff": 1}, object(), b"bytes", {1, 2}])
def test_what_json_cannot_hold_is_refused(bad):
    class Holder(Value):
        content: Json

    with pytest.raises(ValidationError):
        Holder(content=[bad])


def test_lone_surrogates_are_refused_in_programs_and_reasons():
    with pytest.raises(ValidationError, match="lone surrogate"):
        Candidate.of("x = '\ud800'", kind="python", operator="a.b", trial=0)
    with pytest.raises(ValidationError, match="lone surrogate"):
        Evaluation.rejected("\ud800")


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, True, "1.0", None])
def test_a_score_is_a_finite_number(score):
    with pytest.raises(ValidationError):
        Evaluation(status="ok", score=score)


def test_an_evaluation_that_is_not_ok_says_why_and_has_no_score():
    with pytest.raises(ValidationError, match="no score"):
        Evaluation(status="rejected", reason="x", score=1.0)
    with pytest.raises(ValidationError, match="says why"):
        Evaluation(status="failed")


def test_values_are_closed_and_frozen():
    with pytest.raises(ValidationError, match="Extra inputs"):
        Evaluation(status="ok", score=1.0, scroe=2.0)
    evaluation = Evaluation(status="ok", score=1.0)
    with pytest.raises(ValidationError, match="frozen"):
        evaluation.score = 2.0


@given(st.dictionaries(TEXT, TEXT, min_size=1, max_size=3), st.dictionaries(TEXT, TEXT, min_size=1, max_size=3))
def test_candidates_are_the_same_exactly_when_kind_and_files_are(one, other):
    def candidate(files, trial):
        return Candidate(kind="k", files=files, operator="a.b", trial=trial)

    assert candidate(one, 1).id == candidate(dict(reversed(one.items())), 2).id
    assert (candidate(one, 1).id == candidate(other, 1).id) == (one == other)
    assert candidate(one, 1).id != Candidate(kind="l", files=one, operator="a.b", trial=1).id


def test_source_is_the_text_of_the_only_file():
    candidate = Candidate(kind="k", source="text", operator="a.b", trial=0)
    assert candidate.source == "text"
    assert candidate == Candidate.of("text", kind="k", operator="a.b", trial=0)
    with pytest.raises(ValueError, match="2 files"):
        _ = Candidate(kind="k", files={"a": "", "b": ""}, operator="a.b", trial=0).source


def test_what_was_spent_is_outside_of_what_is_compared():
    cheap = Evaluation(status="ok", score=1.0)
    dear = Evaluation(status="ok", score=1.0, seconds=9.0, cost=2.0, durations={"compiling": 3.0})
    assert dear.without_spending() == cheap
    assert Evaluation(status="ok", score=1.0, durations={"compiling": 3.0}).without_spending() == cheap


# -- metrics ----------------------------------------------------------------------------------------------------------


def evaluation(**fields):
    return Evaluation(status="ok", score=1.0, **fields)


def test_a_bool_among_metrics_counts_as_a_number():
    assert evaluation(metrics={"valid": True, "timed_out": False, "n": 3}).metrics == {
        "valid": 1.0,
        "timed_out": 0.0,
        "n": 3.0,
    }


def test_a_text_among_metrics_becomes_feedback():
    found = evaluation(metrics={"error": "Timeout", "accuracy": 0.5}, feedback="slow")
    assert found.metrics == {"accuracy": 0.5}
    assert found.feedback == "slow\nerror: Timeout"
    assert Evaluation.model_validate_json(found.model_dump_json()) == found
    assert evaluation(metrics={"error": "Timeout"}).feedback == "error: Timeout"


def test_anything_else_among_metrics_is_refused_by_name():
    words = "metric 'curve' is of type list: give float\\(value\\), or put text about it into `feedback`"
    with pytest.raises(ValidationError, match=words):
        evaluation(metrics={"accuracy": 0.5, "curve": [1.0, 2.0]})
    with pytest.raises(ValidationError, match=r"metrics\.loss"):
        evaluation(metrics={"loss": math.nan})
