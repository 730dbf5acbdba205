"""Runs that use a playbook and fill it."""

import contextlib
import json
import os
import random
import signal
import subprocess

import pytest
from climb import Climb, model, offered
from fault_server import FaultServer, Reply
from python_process import PythonProcess

from evograft.errors import UserError
from evograft.runs.storage import writer_of
from evograft_playbook.exchange.import_file import bring_in
from evograft_playbook.store import PlaybookStore

TRAIL = [
    "Climb in boots: trails are stony.",
    "Climb in sandals: trails are soft.",
    "Climb a trail in a red hat.",
    "Climb a trail in a blue hat.",
]


@pytest.fixture
def climb(trail, tmp_path, path):
    return Climb(tmp_path, path)


def test_bullets_that_fit_are_advice_and_those_that_are_retired_are_not(climb):
    climb.fill(*TRAIL, "Escape commas when writing a spreadsheet.", "Climb on all fours.")
    with PlaybookStore(climb.path) as store, store.changing("test") as draft:
        draft.retire("shr-00006")
    trials = climb.trials(climb.run("run", trials=40))
    told = {advice.id: advice.text for trial in trials if trial.proposal for advice in trial.proposal.advice}
    assert told == {f"playbook.shr-0000{n}": text for n, text in enumerate(TRAIL, 1)}
    assert {len(offered(trial)) for trial in trials} >= {2, 3, 4}, "some are left out by chance"


def test_no_more_bullets_are_offered_than_top_k(climb):
    climb.fill(*TRAIL)
    trials = climb.trials(climb.run("run", trials=30, playbook={"top_k": 2, "left_out": 0.0}))
    assert {len(offered(trial)) for trial in trials[1:]} == {2}


def test_a_bullet_that_mostly_harmed_comes_after_one_that_helped(climb):
    climb.fill("Climb a trail in a red hat.", "Climb a trail in a blue hat.")
    with PlaybookStore(climb.path) as store, store.changing("test") as draft:
        draft.count("shr-00001", harmful=9)
        draft.count("shr-00002", helpful=9)
    trials = climb.trials(climb.run("run", trials=10, playbook={"top_k": 1, "left_out": 0.0}))
    assert {each for trial in trials for each in offered(trial)} == {"playbook.shr-00002"}


def test_what_helped_and_what_harmed_is_counted_once_a_run_and_what_did_neither_is_not(climb):
    climb.fill(*TRAIL)
    run = climb.run("run")
    counts = {id_: (each.helpful, each.harmful) for id_, each in climb.bullets.items() if id_.startswith("shr")}
    assert counts == {"shr-00001": (1, 0), "shr-00002": (0, 1), "shr-00003": (0, 0), "shr-00004": (0, 0)}
    estimates = {each["bullet_id"]: each for each in climb.learned(run)["estimates"]}
    assert estimates["shr-00001"]["superiority"] - estimates["shr-00001"]["margin"] > 0.5
    assert estimates["shr-00002"]["superiority"] + estimates["shr-00002"]["margin"] < 0.5


def test_without_a_model_a_second_run_begins_with_what_the_first_one_taught(climb):
    first = climb.run("first", trials=60)
    assert all(offered(trial) == [] for trial in climb.trials(first))
    contents = [bullet.content for bullet in climb.bullets.values()]
    task = "trail: Climb the trail as high as you can."
    assert f"{task}\nPrograms are often rejected for this reason: the path is washed out" in contents
    assert any(each.startswith(f"{task}\nBest score so far: ") for each in contents)
    assert climb.learned(first)["skipped"] == ["there is no model: lessons are drawn by rules alone"]
    second = climb.trials(climb.run("second", trials=60))
    assert {each for trial in second for each in offered(trial)} == {"playbook.exa-00001", "playbook.mis-00001"}


def test_a_run_without_a_program_to_judge_teaches_why(climb):
    climb.run("run", trials=30, with_={"washed_out": True})
    task = "trail: Climb the trail as high as you can."
    contents = {bullet.content for bullet in climb.bullets.values()}
    assert contents == {
        f"{task}\nPrograms are often rejected for this reason: there is no path",
        f"{task}\nPrograms are often rejected for this reason: the path is washed out",
    }


def test_a_better_program_takes_the_place_of_the_best_one_known_and_a_worse_one_does_not(climb):
    climb.run("first", trials=60)
    first = climb.bullets["exa-00001"].content
    climb.run("worse", trials=5)
    assert climb.bullets["exa-00001"].content == first
    climb.run("better", trials=200)
    assert climb.bullets["exa-00001"].content != first
    assert sorted(climb.bullets) == ["exa-00001", "mis-00001"]


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_the_same_run_is_the_same_with_one_worker_and_with_four(climb, order):
    climb.fill(*TRAIL)
    settings = {"order": order, "window": 1 if order == "arrival" else 8, "playbook": {"learn": False}}
    one = climb.run("one", trials=80, executor={"driver": "threads", "workers": 1}, **settings)
    four = climb.run("four", trials=80, executor={"driver": "threads", "workers": 4}, **settings)
    assert climb.compared(one) == climb.compared(four)


def test_a_run_that_is_killed_and_resumed_knows_what_it_knew_at_first(climb, tmp_path):
    climb.fill(*TRAIL)
    whole = climb.compared(climb.run("whole", playbook={"learn": False}, trials=80))
    killer = {"name": "killer", "with": {"at": "40", "flag": str(tmp_path / "flag")}}
    pipeline = climb.write(trials=80, playbook={"learn": False}, after=[killer])
    assert climb.evo("run", pipeline, "--run-dir", tmp_path / "killed").returncode == -signal.SIGKILL
    climb.fill("Climb the trail with poles.")
    assert climb.compared(climb.go_on(tmp_path / "killed")) == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "at"),
    [
        ("before", "judged"),
        ("after", "judged"),
        ("after", "150"),
        ("before", "ended"),
        ("after", "ended"),
    ],
)
def test_a_run_that_is_killed_around_its_end_teaches_once(climb, tmp_path, place, at):
    climb.fill(*TRAIL)
    whole = climb.folder / "whole.sqlite"
    with PlaybookStore(climb.path) as store, PlaybookStore(whole) as other, other.changing("test") as draft:
        bring_in(draft, store.load(), known="refuse")
    climb.run("undisturbed", playbook={"path": str(whole)})
    killer = {"name": "killer", "with": {"at": at, "flag": str(tmp_path / "flag")}}
    pipeline = climb.write(**{place: [killer]})
    assert climb.evo("run", pipeline, "--run-dir", tmp_path / "killed").returncode == -signal.SIGKILL
    for _ in range(2):
        climb.go_on(tmp_path / "killed")
    told = [(each.id, each.content, each.helpful, each.harmful) for each in climb.bullets.values()]
    with PlaybookStore(whole) as store:
        assert told == [(each.id, each.content, each.helpful, each.harmful) for each in store.load().bullets]


@pytest.mark.slow
def test_a_run_that_is_killed_at_8_random_moments_teaches_what_an_undisturbed_one_does(climb, tmp_path):
    climb.fill(*TRAIL)
    pipeline, rng = climb.write(trials=2000), random.Random(8)
    start = ("run", str(pipeline), "--run-dir", str(tmp_path / "killed"))
    for _ in range(8):
        begun = (tmp_path / "killed" / "pipeline.lock.yaml").exists()
        arguments = ("resume", str(tmp_path / "killed")) if begun else start
        with PythonProcess("-m", "evograft", *arguments, stderr=subprocess.DEVNULL) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=rng.uniform(1.0, 5.0))
            process.kill()
    climb.go_on(tmp_path / "killed")
    taught = [each.model_dump(exclude={"created", "updated", "source"}) for each in climb.bullets.values()]
    climb.path = tmp_path / "other.sqlite"
    climb.fill(*TRAIL)
    whole = climb.run("whole", trials=2000)
    assert climb.compared(tmp_path / "killed") == climb.compared(whole)
    assert taught == [each.model_dump(exclude={"created", "updated", "source"}) for each in climb.bullets.values()]
    assert sum(each["helpful"] for each in taught) == 1


def test_what_was_taken_back_is_not_taught_again_when_a_run_is_resumed(climb):
    climb.fill(*TRAIL)
    run = climb.run("run")
    with PlaybookStore(climb.path) as store, store.changing("user") as draft:
        draft.undo(2)
    climb.go_on(run)
    assert sorted(climb.bullets) == [f"shr-0000{number}" for number in range(1, 5)]
    assert {each.helpful + each.harmful for each in climb.bullets.values()} == {0}


def test_a_run_that_goes_on_after_its_end_is_credited_by_the_trials_that_came_since(climb):
    climb.fill(*TRAIL)
    run = climb.run("run", trials=300)
    climb.go_on(run, "budget.trials=301")
    assert climb.bullets["shr-00001"].helpful == 1
    assert climb.learned(run)["estimates"] == []
    climb.go_on(run, "budget.trials=600")
    assert climb.bullets["shr-00001"].helpful == 2
    assert all(each["shown"] < 300 for each in climb.learned(run)["estimates"])


def test_a_trial_that_is_left_from_older_settings_is_proposed_as_it_was(climb, tmp_path):
    """The plugins of the older settings are told of no start."""
    climb.fill(*TRAIL)
    with_ = {"held_at": 30, "held_until": str(tmp_path / "go")}
    killer = {"name": "killer", "with": {"at": "29", "flag": str(tmp_path / "flag")}}
    pipeline = climb.write(trials=60, with_=with_, after=[killer], playbook={"learn": False})
    assert climb.evo("run", pipeline, "--run-dir", tmp_path / "run").returncode == -signal.SIGKILL
    (tmp_path / "go").touch()
    climb.go_on(tmp_path / "run", "plugins.playbook.with.top_k=1")
    whole = climb.trials(climb.run("whole", trials=60, playbook={"learn": False}))
    trials = climb.trials(tmp_path / "run")
    assert [offered(trial) for trial in trials[30:37]] == [offered(trial) for trial in whole[30:37]]
    assert {len(offered(trial)) for trial in trials[50:]} <= {0, 1}


def test_a_playbook_that_is_damaged_ends_the_run_before_its_first_trial(climb, tmp_path):
    climb.path.write_bytes(b"no database" * 100)
    done = climb.evo("run", climb.write(), "--run-dir", tmp_path / "run")
    assert done.returncode == 4
    assert "is damaged" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_copy_that_is_damaged_is_an_error_and_not_made_anew(climb):
    climb.fill(*TRAIL)
    run = climb.run("run", trials=20)
    (run / "playbook.json").write_text("{")
    with pytest.raises(UserError, match="in the run's folder is damaged"):
        climb.go_on(run, "budget.trials=30")


def test_a_playbook_that_is_damaged_at_the_end_costs_the_lessons_and_not_the_run(climb, tmp_path):
    pipeline = climb.write(trials=40, with_={"held_at": 39, "held_until": str(tmp_path / "go")})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = ("-m", "evograft", "run", pipeline, "--run-dir", tmp_path / "run")
    with PythonProcess(*command, cwd=tmp_path, **pipes) as process:
        while not (tmp_path / "run" / "playbook.json").exists() and process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)
        climb.path.unlink()
        climb.path.with_name("playbook.sqlite.bak").touch()
        (tmp_path / "go").touch()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "what this run has taught is not kept" in err
    climb.path.with_name("playbook.sqlite.bak").unlink()
    climb.go_on(tmp_path / "run")
    assert sorted(climb.bullets) == ["exa-00001", "mis-00001"]


def test_a_run_that_is_not_to_learn_changes_nothing(climb):
    climb.fill(*TRAIL)
    before = climb.history
    climb.run("run", playbook={"learn": False})
    assert climb.history == before


# -- with a model -----------------------------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    with FaultServer() as server:
        yield server


def reply(lessons, programs):
    """A server that writes programs, and lessons where it is asked for these."""

    def usual(seen):
        if "A search has evolved programs" in seen.prompt:
            return Reply(text=lessons)
        programs.append(seen)
        return Reply(text=f"```python\nHEIGHT = {len(programs)}.0\n```")

    return usual


LESSONS = """Here you are:
```json
{"lessons": [{"section": "shr", "content": "On the trail, climb with poles."},
             {"section": "shr", "content": "\\u001b[31mred"}, {"section": "nowhere", "content": "x"}],
 "retire": [{"id": "shr-00001", "reason": "boots were too heavy"}, {"id": "shr-00099", "reason": "never seen"}],
 "bullets": [{"id": "shr-00001", "effect": "helpful"}]}
```"""


def with_model(climb, server):
    operators = {"name": "operators", "with": {"kinds": ["trail"]}}
    return {"before": [operators], "with_": {"language": "python"}, "llm": model(server), "trials": 30}


def test_with_a_model_lessons_are_in_the_prompts_of_the_next_run_which_says_which_it_used(climb, server):
    climb.fill(TRAIL[0])
    programs = []
    server.usual = reply(LESSONS, programs)
    first = climb.run("first", **with_model(climb, server))
    assert any("Climb in boots: trails are stony." in json.dumps(seen.body) for seen in programs)
    assert climb.bullets["shr-00001"].retired
    assert climb.bullets["shr-00002"].content == "On the trail, climb with poles."
    reasons = [each["reason"] for each in climb.learned(first)["dropped"]]
    assert reasons[:2] == ["which bullets helped was measured", "the model was not shown this bullet"]
    assert "content: it holds control or invisible characters" in reasons
    assert climb.learned(first)["lessons"]["dropped"][0]["reason"].startswith("there is no section 'nowhere'")
    programs.clear()
    second = climb.trials(climb.run("second", **with_model(climb, server)))
    assert any("On the trail, climb with poles." in json.dumps(seen.body) for seen in programs)
    assert not any("Climb in boots" in json.dumps(seen.body) for seen in programs)
    assert any("playbook.shr-00002" in trial.candidate.used_advice for trial in second if trial.candidate)


def test_a_models_nonsense_teaches_nothing_and_rules_do(climb, server):
    server.usual = reply('{"lessons": "all of them"} {{{{ no', [])
    run = climb.run("run", **with_model(climb, server))
    assert climb.learned(run)["dropped"][0]["reason"] == "it is no list"
    server.usual = reply("I have no idea.", [])
    climb.run("second", **with_model(climb, server))
    assert "exa-00001" in climb.bullets


def test_a_repeated_run_knows_what_the_recorded_one_knew_and_teaches_nothing(climb, server):
    climb.fill(*TRAIL)
    server.usual = reply(LESSONS, [])
    first = climb.run("first", **with_model(climb, server))
    before = climb.history
    again = climb.repeat(first, "again")
    assert climb.compared(again) == climb.compared(first)
    assert climb.history == before


def test_a_run_without_a_model_that_is_repeated_teaches_nothing_again(climb):
    first = climb.run("first", trials=40)
    before = climb.history
    climb.repeat(first, "again")
    assert climb.history == before


@pytest.mark.slow
def test_lessons_that_a_model_gave_before_a_kill_are_not_asked_for_again(climb, server, tmp_path):
    asked = []

    def usual(seen):
        if "A search has evolved programs" in seen.prompt:
            asked.append(seen)
        return reply(LESSONS, programs)(seen)

    programs = []
    server.usual = usual
    killer = {"name": "killer", "with": {"at": "judged", "flag": str(tmp_path / "flag")}}
    pipeline = climb.write(**with_model(climb, server), after=[killer])
    assert climb.evo("run", pipeline, "--run-dir", tmp_path / "run").returncode == -signal.SIGKILL
    climb.go_on(tmp_path / "run")
    assert len(asked) == 1
    assert [each.content for each in climb.bullets.values()] == ["On the trail, climb with poles."]


def test_a_run_that_is_killed_between_its_credit_and_its_lessons_has_both_once(climb, server, tmp_path):
    climb.fill(*TRAIL)

    def kill(_):
        os.kill(writer_of(tmp_path / "run"), signal.SIGKILL)
        return Reply()

    server.usual = kill
    pipeline = climb.write(llm=model(server), order="trial")
    assert climb.evo("run", pipeline, "--run-dir", tmp_path / "run").returncode == -signal.SIGKILL
    assert (climb.bullets["shr-00001"].helpful, len(climb.bullets)) == (1, 4)
    server.usual = reply('{"lessons": [{"section": "shr", "content": "Climb by night."}]}', [])
    climb.go_on(tmp_path / "run")
    assert (climb.bullets["shr-00001"].helpful, climb.bullets["shr-00005"].content) == (1, "Climb by night.")
    assert [each.kind for each in climb.history if each.source.startswith("credit")] == ["count", "count"]
