"""The prompts of a session as a model gets them, from its first one on."""

import itertools
import json
import re

import pytest
from fault_server import FaultServer, answer

KEY = "sk-test-0123456789abcdef"
ANALYSIS = {
    "problem_statement_summary": "Huts and porters.",
    "constraints": {},
    "input_format_description": "",
    "input_variables": [],
    "output_format_description": "",
    "output_variables": [],
    "scoring_rules": {"description": "more is better", "formula_example": ""},
    "problem_type_tags": ["tsp"],
    "extracted_keywords": ["capacity"],
}
NO_EDITS = "{ahc.tune: 0, ahc.nudge: 0, ahc.scatter: 0, ahc.splice: 0, ahc.pace: 0}"


@pytest.fixture
def server(practice, monkeypatch):
    """Its programs are the start program with another number of steps, which they print."""
    monkeypatch.setenv("TEST_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    start, count = practice.start_program.read_text(), itertools.count(1)

    def reply(seen):
        if seen.prompt.startswith("You analyse"):
            return answer(json.dumps(ANALYSIS))
        if seen.prompt.startswith("You plan"):
            return answer(json.dumps({"strategies": [{"title": f"Way {letter}"} for letter in "ABC"]}))
        steps = 20_000 + 5_000 * next(count)
        program = re.sub(r"STEPS = \d+", f"STEPS = {steps}", start)
        program = program.replace("int main() {", f'int main() {{\n    fprintf(stderr, "steps={steps}\\n");')
        idea = f"Idea: search for {steps} steps. It is a longer search."
        return answer(f"{idea} A third sentence.\n```cpp\n#include <cstdio>\n{program}```\n")

    with FaultServer() as server:
        server.usual = reply
        yield server


@pytest.fixture
def solve(practice, evo, server):
    """`solve(…)`: the prompts for programs of a session with these further arguments."""

    def run(*arguments, name="asked"):
        evo("ahc", "config", "llm.provider", "openai")
        evo("ahc", "config", "llm.api_key", "${TEST_API_KEY}")
        settings = {
            "llm.driver": "openai",
            "llm.base_url": server.base_url,
            "plugins.ahc.with.training_cases": 3,
            "plugins.ahc.with.held_out_cases": 1,
            "operators": NO_EDITS,
        }
        assignments = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        before = len(server.seen)
        limits = ("--max-generations", "1", "--population-size", "4")
        evo("ahc", "solve", "--session-name", name, "--foreground", *limits, *assignments, *arguments)
        return [seen.prompt for seen in server.seen[before:]]

    return run


@pytest.fixture
def newcomer(practice, server):
    """A workspace without a start program; the model knows it."""
    assert server
    practice.start_program.unlink()
    return practice


def of_programs(prompts):
    return [prompt for prompt in prompts if prompt.startswith("# Task")]


@pytest.mark.long
def test_without_a_start_program_prompts_tell_of_cases_and_ideas_from_the_first_parent_on(newcomer, solve):
    prompts = of_programs(solve("--max-generations", "2"))
    starts = [prompt for prompt in prompts if "# The program so far" not in prompt and "# Two programs" not in prompt]
    with_parents = [prompt for prompt in prompts if prompt not in starts]
    assert len({re.search(r"follow the strategy “(.+?)”", prompt)[1] for prompt in starts[:3]}) == 3
    assert len(set(prompts)) == len(prompts)
    assert with_parents
    for prompt in with_parents:
        assert "case by case" in prompt
        assert re.search(r"0000: \d+|0000  \d+", prompt)
        assert "The input of case" in prompt
        assert "What the program printed there" in prompt
        assert re.search(r"steps: \d+, \d+ … \d+", prompt)
    assert any(re.search(r"\(#\d+\) Idea: search for \d+ steps\. It is a longer search\.\n", p) for p in prompts)
    assert not any(
        f"{said}" in prompt for prompt in prompts for said in ("A third sentence", "+ #include", "refine what")
    )
    for prompt in prompts:
        assert prompt.count("int main() {") <= (2 if "# Two programs" in prompt else 1)


@pytest.mark.long
def test_prompts_have_the_statement_without_tools_the_judge_and_room_for_answers(solve, server):
    prompts = solve("--set", "plugins.ahc.with.aim=2500000")
    assert not any("SEEDS_FILE" in prompt for prompt in prompts)
    for prompt in of_programs(prompts):
        assert "## Scoring" in prompt
        assert "reach 2,500,000 a case, which is a sum of 7,500,000 over 3 cases" in prompt
        assert "seeds.txt" not in prompt
        assert "# The judge" in prompt
        assert "-std=gnu++20" in prompt
        assert "3 cases are judged" in prompt
        assert len(prompt) < 60_000
    assert {seen.body.get("max_tokens") or seen.body.get("max_completion_tokens") for seen in server.seen} == {32_768}
    assert not any("temperature" in seen.body for seen in server.seen)


@pytest.mark.slow
def test_a_statement_is_asked_about_once_and_only_own_knowledge_has_what_earlier_sessions_found(solve, practice):
    first, second, third = solve(name="first"), solve(name="second"), solve("--knowledge", "own", name="third")
    assert [len(prompts) - len(of_programs(prompts)) for prompts in (first, second)] == [2, 0]
    assert not any("An earlier session" in prompt for prompt in second)
    assert any("An earlier session" in prompt for prompt in third)
    records = [json.loads(path.read_text()) for path in sorted((practice.folder / "third" / "candidates").iterdir())]
    assert sum(record["creation_method"] == "initial" for record in records) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("clock", "told"),
    [
        ("wall", "2 s from the start of the program to its end."),
        ("cpu", "2 s of processor time (all clocks that the program reads show it"),
    ],
)
def test_the_time_limit_is_told_as_it_is_measured(solve, clock, told):
    prompts = of_programs(solve("--set", f"plugins.ahc.with.judge.clock={clock}"))
    assert all(told in prompt for prompt in prompts)


def test_samples_of_best_of_n_are_told_of_the_start_program_alone(solve):
    prompts = of_programs(solve("--set", "plugins.islands.with={search: best_of_n}", "--set", "window=1"))
    assert len(prompts) > 2
    assert not any("lower the complexity" in prompt or "choose what an optimiser" in prompt for prompt in prompts), (
        "the start program takes next to no time, and has no search whose numbers could be tuned"
    )
    for prompt in prompts:
        assert "Program of trial 0" in prompt
        assert "as good on each case as the best so far" not in prompt
        assert "Idea:" not in prompt
        assert not re.search(r"#[1-9]", prompt)
