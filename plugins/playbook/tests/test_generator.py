"""The agent: the four properties of its specification, and every failure as a Trajectory."""

from datetime import UTC
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft.errors import HookAborted, ServiceError
from evograft_hookspecs import LlmAnswer, LlmRefused
from evograft_playbook.generator import GeneratorAgent
from evograft_playbook.prompts import PromptBuilder
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import Bullet, SearchResult, Trajectory

TEXT = st.text(st.characters(codec="utf-8"))
TRAJECTORIES = st.builds(
    Trajectory,
    query=TEXT,
    dataset=TEXT,
    generated_answer=TEXT,
    reasoning_steps=st.lists(TEXT, max_size=4),
    used_bullet_ids=st.lists(TEXT, max_size=4),
    status=st.sampled_from(["success", "failure"]),
    error_message=st.none() | TEXT,
    created_at=st.datetimes(timezones=st.none() | st.just(UTC) | st.timezones()),
)
BULLETS = st.builds(
    lambda number, content: Bullet(id=f"shr-{number:05}", section="shr", content=content),
    number=st.integers(0, 99_999),
    content=TEXT.filter(str.strip),
)
BRACES = st.sampled_from(["{context}", "{query}", "{}", "{{query}}", "{0}", "%s", "$query", "\\g<1>"])


class Model:
    """Gives one answer, or raises, and keeps what it was asked."""

    def __init__(self, answer="an answer", finish="stop"):
        self.answer = answer
        self.finish = finish
        self.asked = []

    def complete(self, request):
        self.asked.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return LlmAnswer(text=self.answer, model="a-model", finish=self.finish)


class FirstBullets:
    """Finds the first bullets, whatever is asked."""

    def __init__(self):
        self.asked = []

    def search(self, query, playbook):
        self.asked.append((query, playbook))
        found = enumerate(playbook.active[: query.top_k], start=1)
        return [SearchResult(bullet=bullet, score=1 / rank, rank=rank) for rank, bullet in found]


class Broken:
    """Raises whatever it is asked for."""

    def __init__(self, error):
        self.error = error

    def load(self):
        raise self.error

    def search(self, query, playbook):
        raise self.error

    def build(self, query, bullets, dataset):
        raise self.error


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    with PlaybookStore(tmp_path_factory.mktemp("learned") / "playbook.sqlite") as store:
        with store.changing("test") as draft:
            draft.add("shr", "Read the limits first.")
            draft.add("aup", "Go through all pages of a list.")
        yield store


def agent(store, *, search=None, model=None, prompts=None, **given):
    return GeneratorAgent(
        store, search or FirstBullets(), model or Model(), prompts or PromptBuilder("nowhere"), **given
    )


# Feature: generator-agent, Property 1: for every valid Trajectory, `model_validate_json(t.model_dump_json()) == t`.
@settings(max_examples=200)
@given(trajectory=TRAJECTORIES)
def test_a_trajectory_survives_json(trajectory):
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


VALID = {
    "query": "q",
    "dataset": "d",
    "generated_answer": "a",
    "reasoning_steps": ["s"],
    "used_bullet_ids": ["shr-00001"],
    "status": "success",
    "error_message": None,
    "created_at": "2025-01-15T10:30:00Z",
}
NO_TEXT = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.binary(), st.lists(TEXT, max_size=2), st.just({"a": "b"})
)
NO_LIST = st.one_of(
    st.none(), TEXT, st.integers(), st.lists(st.integers() | st.none() | st.binary(), min_size=1, max_size=3)
)
WRONG = st.one_of(
    st.tuples(st.sampled_from(["query", "dataset", "generated_answer"]), NO_TEXT | st.none()),
    st.tuples(st.just("error_message"), NO_TEXT),
    st.tuples(st.sampled_from(["reasoning_steps", "used_bullet_ids"]), NO_LIST),
    st.tuples(
        st.just("status"), st.none() | st.integers() | TEXT.filter(lambda text: text not in {"success", "failure"})
    ),
    st.tuples(st.just("created_at"), st.none() | st.booleans() | st.integers() | st.floats() | st.just("yesterday")),
)


# Feature: generator-agent, Property 2: a value of a wrong type in any field (an int as `query`, an unknown `status`)
# raises pydantic's `ValidationError`.
@settings(max_examples=300)
@given(wrong=WRONG)
def test_a_value_of_a_wrong_type_is_no_trajectory(wrong):
    assert Trajectory.model_validate(VALID).query == "q"
    field, value = wrong
    with pytest.raises(ValidationError):
        Trajectory.model_validate({**VALID, field: value})


# Feature: generator-agent, Property 3: for every non-empty query and every list of bullets, the built prompt contains
# the query and the content of every bullet.
@settings(max_examples=200)
@given(
    query=st.one_of(BRACES, TEXT.filter(bool)),
    bullets=st.lists(
        BULLETS | BRACES.map(lambda text: Bullet(id="aup-00001", section="aup", content=text)), max_size=5
    ),
    dataset=st.sampled_from(["default", "appworld", "other"]) | TEXT,
)
def test_a_prompt_holds_the_query_and_every_bullet(query, bullets, dataset):
    prompt = PromptBuilder().build(query, bullets, dataset)
    assert query in prompt
    assert "\n".join(bullet.content for bullet in bullets) in prompt


# Feature: generator-agent, Property 4: for every answer of the LLM, `generated_answer` contains that answer and
# `status` is `"success"`.
@settings(max_examples=200, deadline=None)
@given(answer=TEXT, query=TEXT, dataset=TEXT)
def test_every_answer_is_a_success(learned, answer, query, dataset):
    trajectory = agent(learned, model=Model(answer)).run(query, dataset)
    assert trajectory.generated_answer == answer
    assert (trajectory.status, trajectory.error_message) == ("success", None)
    assert (trajectory.query, trajectory.dataset) == (query, dataset)


def test_the_steps_are_those_that_were_taken(learned):
    model, search = Model("42"), FirstBullets()
    trajectory = agent(learned, model=model, search=search).run("What is it?", "appworld")
    assert trajectory.reasoning_steps == [
        "loaded the playbook: 2 bullets",
        "searched the playbook: 2 bullets found",
        "built the prompt from the shipped appworld.txt with aup-00001, shr-00001",
        "a-model answered: 2 characters",
    ]
    assert trajectory.used_bullet_ids == ["aup-00001", "shr-00001"]
    ((query, playbook),) = search.asked
    assert (query.query_text, query.top_k) == ("What is it?", 10)
    assert playbook == learned.load()
    (request,) = model.asked
    (message,) = request.messages
    assert message.content == PromptBuilder().build("What is it?", list(playbook.bullets), "appworld")


@pytest.mark.parametrize(("finish", "said"), [("length", "cut off at its limit"), ("filter", "left out")])
def test_an_answer_that_is_not_whole_says_so(learned, finish, said):
    trajectory = agent(learned, model=Model("half", finish=finish)).run("q", "d")
    assert trajectory.status == "success"
    assert said in trajectory.reasoning_steps[-1]


def test_limits_are_passed_on(learned):
    model, search = Model(), FirstBullets()
    trajectory = agent(learned, model=model, search=search, top_k=1, max_tokens=7).run("q", "d")
    assert trajectory.used_bullet_ids == ["aup-00001"]
    assert model.asked[0].max_tokens == 7


def test_with_an_empty_playbook_the_model_is_asked_without_knowledge(store):
    model = Model("from what I know")
    trajectory = agent(store, model=model).run("q", "default")
    assert (trajectory.status, trajectory.used_bullet_ids) == ("success", [])
    assert "built the prompt from the shipped default.txt with no bullets" in trajectory.reasoning_steps
    assert "## Knowledge\n\n\n\n## Task" in model.asked[0].messages[0].content


FAILURES = [
    LlmRefused("too long"),
    ValueError("broken"),
    ServiceError("down"),
    OSError(5, "disk"),
    KeyError(),
    RecursionError(),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("part", "at", "steps"),
    [
        ("store", "loading the playbook", 0),
        ("search", "searching the playbook", 1),
        ("prompts", "building the prompt", 2),
        ("model", "asking the model", 3),
    ],
)
def test_whatever_fails_is_a_trajectory_that_says_where_and_what(learned, part, at, steps, error):
    parts = {"store": learned, part: Model(error) if part == "model" else Broken(error)}
    trajectory = agent(parts.pop("store"), **parts).run("q", "d")
    assert trajectory.status == "failure"
    name = type(error).__name__
    assert trajectory.error_message == f"{at}: {name}: {error}" if str(error) else f"{at}: {name}"
    assert trajectory.generated_answer == ""
    assert len(trajectory.reasoning_steps) == steps
    assert bool(trajectory.used_bullet_ids) == (part == "model")


@pytest.mark.parametrize(("query", "dataset"), [(5, "d"), (None, "d"), ("q", 5), ("\ud800", "d"), ("q", "\ud800")])
def test_arguments_that_are_no_text_are_no_exception_either(learned, query, dataset):
    trajectory = agent(learned).run(query, dataset)
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory
    assert trajectory.status == ("failure" if query != "q" or dataset == 5 else "success")


def test_an_error_keeps_its_type_and_its_end_and_is_logged(learned, caplog):
    trajectory = agent(learned, model=Model(ValueError(f"begins {'x' * 5000} ends"))).run("q", "d")
    assert trajectory.error_message.startswith("asking the model: ValueError: begins")
    assert trajectory.error_message.endswith("x ends")
    (record,) = caplog.records
    assert record.getMessage() == trajectory.error_message
    assert record.exc_info[0] is ValueError


def test_a_store_that_was_closed_is_no_damaged_playbook(tmp_path):
    store = PlaybookStore(tmp_path / "playbook.sqlite")
    store.close()
    message = agent(store).run("q", "d").error_message
    assert "ProgrammingError: Cannot operate on a closed database" in message
    assert "restore" not in message


def test_an_answer_that_no_file_can_hold_is_kept_with_escapes(learned):
    class Client:
        def complete(self, request):
            return SimpleNamespace(text="half a \ud83d", model="own", finish="stop")

    trajectory = agent(learned, model=Client()).run("q", "d")
    assert (trajectory.status, trajectory.generated_answer) == ("success", "half a \\ud83d")


def test_steps_and_errors_are_japanese_where_that_is_asked_for(learned):
    steps = agent(learned, language="ja").run("q", "d").reasoning_steps
    assert steps[0] == "プレイブックを読み込みました: 箇条 2 件"
    broken = agent(learned, model=Model(ValueError("broken")), language="ja").run("q", "d")
    assert broken.error_message == "モデルへの問い合わせ: ValueError: broken"


def test_a_builder_of_ones_own_need_not_know_of_templates(learned):
    class Plain:
        def build(self, query, bullets, dataset):
            return query

    steps = agent(learned, prompts=Plain()).run("q", "d").reasoning_steps
    assert "built the prompt with aup-00001, shr-00001" in steps


def test_a_trajectory_keeps_keys_of_ones_own(learned):
    more = Trajectory.model_validate({**VALID, "score": 0.5, "notes": ["a"]})
    assert Trajectory.model_validate_json(more.model_dump_json()) == more
    assert more.model_dump()["score"] == 0.5


def test_a_model_that_answers_with_something_else_is_a_failure(learned):
    class Strange:
        def complete(self, request):
            return "text"

    assert agent(learned, model=Strange()).run("q", "d").status == "failure"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), HookAborted(ServiceError("the run ends"))])
def test_what_ends_the_program_or_the_run_passes(learned, error):
    with pytest.raises(type(error)):
        agent(learned, model=Model(error)).run("q", "d")


def test_an_error_shows_no_key_and_steers_no_terminal(learned, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    error = ServiceError("refused \x1b[2J\nkey sk-0123456789abcdef")
    message = agent(learned, model=Model(error)).run("q", "d").error_message
    assert message.isprintable()
    assert "0123456789" not in message
