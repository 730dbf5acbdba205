"""No limit is ever passed: what a call may cost is reserved before it starts."""

import hashlib
from dataclasses import replace
from fractions import Fraction

import pytest
from asking import climb
from hypothesis import given
from hypothesis import strategies as st

from evograft.llm.ledger import SpendingLedger
from evograft.log.records import CompletedCall
from evograft.log.spending import Spending
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft_hookspecs import CONTRACT, LlmRequest, Manifest, Message, TrialCommitted, Usage, hookimpl

PROMPT, COMPLETION = 100, 200
PRICED = {"models": [{"name": "m", "price": {"prompt": float(PROMPT), "completion": float(COMPLETION)}}]}
LLM = {**PRICED, "concurrency": 8}


def counting(seen):
    """Answers cost up to what the request allows: no token is shorter than a byte, and there are 20 of the answer."""
    most = len(seen.prompt.encode()) + 16
    share = hashlib.sha256(seen.prompt.encode()).digest()
    return replace(climb(seen), usage=(1 + share[1] * (most - 1) // 255, share[2] * 20 // 255))


class Till:
    """What the server has taken."""

    def __init__(self, server):
        self.usages = []
        server.usual = self

    def __call__(self, seen):
        reply = counting(seen)
        self.usages.append(reply.usage)
        return reply

    @property
    def dollars(self):
        return Fraction(sum(prompt * PROMPT + completion * COMPLETION for prompt, completion in self.usages), 10**6)

    @property
    def tokens(self):
        return sum(map(sum, self.usages))


@pytest.fixture
def till(server):
    return Till(server)


@pytest.mark.long
@pytest.mark.parametrize(
    ("limit", "order"), [(0.001, "trial"), (0.0065, "trial"), (0.02, "arrival"), (0.05, "trial"), (0.111, "arrival")]
)
def test_no_limit_in_dollars_is_ever_passed_and_a_run_goes_on_with_a_larger_one(asking, server, till, limit, order):
    path, settings = asking.folder / "run", {"trials": 60, "llm": LLM, "order": order, "with_": {"questions": 2}}
    pipeline = asking.write(budget={"dollars": limit}, **settings)
    done = asking.evo("run", pipeline, "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert till.dollars <= Fraction(str(limit))
    assert f"budget.dollars {limit:g}: " in done.stdout
    assert " are spent, and the next call may take 0.0" in done.stdout
    assert sum(each.usage.dollars for each in asking.answers(path)) == pytest.approx(float(till.dollars))
    assert asking.evo("resume", path, "--set", f"budget.dollars={2 * limit}").returncode == 0
    assert till.dollars <= 2 * Fraction(str(limit))
    assert asking.unlogged(path) == 0
    assert asking.evo("resume", path, "--set", "budget.dollars=100.0").returncode == 0
    assert asking.unlogged(path) == 0
    assert len(asking.trials(path)) == 60
    if order == "trial":
        assert asking.trials(path) == asking.undisturbed(**settings)


@pytest.mark.parametrize("limit", [20, 300, 1111])
def test_no_limit_in_tokens_is_ever_passed(asking, till, limit):
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(trials=60, llm=LLM, budget={"tokens": limit}), "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert till.tokens <= limit
    assert f"budget.tokens {limit}: {till.tokens} are spent, and the next call may take " in done.stdout
    assert asking.evo("resume", path, "--set", "budget.tokens=100000").returncode == 0
    assert asking.unlogged(path) == 0
    assert asking.trials(path) == asking.undisturbed(trials=60, llm=LLM)


def test_a_run_that_has_spent_its_budget_asks_nothing_when_it_is_resumed(asking, till):
    path = asking.run("run", llm=LLM, budget={"dollars": 0.03})
    requests, trials = len(till.usages), asking.trials(path)
    for _ in range(3):
        assert asking.evo("resume", path).returncode == 0
    assert (len(till.usages), asking.trials(path)) == (requests, trials)


def test_a_limit_that_does_not_even_cover_analyze_stops_the_run(asking, till):
    path, with_ = asking.folder / "run", {"analyzing": True}
    done = asking.evo("run", asking.write(llm=LLM, with_=with_, budget={"dollars": 0.001}), "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert "0 are spent, and the next call may take 0.0" in done.stdout
    assert till.usages == []
    assert asking.evo("resume", path, "--set", "budget.dollars=1.0").returncode == 0
    assert asking.trials(path) == asking.undisturbed(llm=LLM, with_=with_)


@pytest.mark.parametrize("models", ["m", [{"name": "m", "price": {"prompt": 1.0, "completion": 1.0}}, "other"]])
def test_a_limit_in_dollars_without_a_price_is_refused_before_any_request(asking, server, models):
    llm = {"models": [models] if isinstance(models, str) else models}
    done = asking.evo("run", asking.write(llm=llm, budget={"dollars": 1.0}), "--run-dir", asking.folder / "run")
    assert done.returncode == 2
    assert "budget.dollars cannot be kept, since nobody knows the price of" in done.error
    assert server.asked() == []
    assert not (asking.folder / "run").exists()


def test_a_limit_in_dollars_without_a_price_is_refused_on_resume_too(asking, server):
    path = asking.run("run", trials=3)
    requests = len(server.asked())
    done = asking.evo("resume", path, "--set", "budget.dollars=1.0", "--set", "budget.trials=9")
    assert done.returncode == 2
    assert len(server.asked()) == requests


def test_answers_that_nobody_counted_are_counted_by_their_length(asking, server):
    server.usual = lambda seen: replace(climb(seen), usage=None)
    path = asking.run("run", trials=5, llm=LLM)
    for each in asking.answers(path):
        assert each.usage.estimated
        assert each.usage.prompt_tokens > len("0 |  | ")
        assert each.usage.completion_tokens >= len("0.0")
        dollars = each.usage.prompt_tokens * PROMPT + each.usage.completion_tokens * COMPLETION
        assert each.usage.dollars == pytest.approx(dollars / 1e6)


def test_without_prices_dollars_are_unknown_rather_than_0(asking):
    path = asking.run("run", trials=5)
    assert {each.usage.dollars for each in asking.answers(path)} == {None}
    with open_session(open_run(path)) as kernel:
        kernel.run()
        assert kernel._models.ledger.total.known_dollars is None


def call_of(trial, path, **fields):
    hook = path.split("/")[-3]
    return CompletedCall(key=f"{'-' if trial is None else trial}/{path}:0:0", trial=trial, hook=hook, **fields)


answered = st.builds(
    call_of,
    trial=st.none() | st.integers(0, 5),
    path=st.sampled_from(["mutate/a/0", "mutate/a/0/tool_call/a/1", "observe/a/3", "propose/a/0"]),
    plugin=st.just("a"),
    model=st.sampled_from(["m", "n"]),
    usage=st.builds(
        Usage,
        prompt_tokens=st.integers(0, 10**6),
        completion_tokens=st.integers(0, 10**6),
        # Binary fractions add up without a rounding, in any order.
        dollars=st.none() | st.integers(0, 2**20).map(lambda number: number / 1024),
    ),
    seconds=st.integers(0, 100).map(float),
    requests=st.just(1),
    at=st.just(0.0),
    refused=st.sampled_from(["", "too long"]),
)


@given(st.lists(answered, max_size=30), st.randoms())
def test_a_ledger_adds_up_to_the_same_in_any_order_and_hands_out_each_trial_once(calls, rng):
    one, other = SpendingLedger(), SpendingLedger()
    for call in calls:
        one.add(call)
    for call in rng.sample(calls, len(calls)):
        other.add(call)
    assert one.total == other.total
    assert one.by_model == other.by_model
    assert one.total.calls == len(calls) == sum(each.calls for each in one.by_model.values())
    assert one.dollars == sum(call.usage.dollars or 0.0 for call in calls)
    settled = [one.settle(trial) for trial in range(6)]
    assert settled == [other.settle(trial) for trial in range(6)]
    mutating = [call for call in calls if "/mutate/" in call.key and call.trial is not None]
    assert sum(each.calls for each in settled) == len(mutating)
    assert all(one.settle(trial) == Spending() for trial in range(6))


class Learner:
    """Asks about every commit, also those that it is told again."""

    @hookimpl
    def observe(self, ctx, event):
        if isinstance(event, TrialCommitted):
            message = Message(role="user", content=f"{event.trial.number} | what is there to learn?")
            ctx.llm.complete(LlmRequest(messages=(message,), max_tokens=20))


def test_questions_while_a_log_is_told_again_count_with_all_that_was_spent_before(asking, till):
    path, limit = asking.run("run", llm=LLM, budget={"dollars": 0.04}), Fraction("0.04")
    plugin = ActivePlugin("learner", Learner(), Manifest(name="learner", contract=CONTRACT, thread_safe=True), "test")
    before = len(till.usages)
    with open_session(open_run(path), observers=[plugin]) as kernel:
        kernel.run()
    assert till.dollars <= limit
    with open_session(open_run(path), observers=[plugin], overrides=["budget.dollars=0.08"]) as kernel:
        kernel.run()
    assert len(till.usages) > before
    assert till.dollars <= 2 * limit
