"""A session that asks a model: what is kept of prompts, tokens and keys."""

import csv
import json
import re
from datetime import UTC, datetime

import pytest
from fault_server import FaultServer, answer, status

from evograft.errors import ServiceError
from evograft_ahc.knowledge.store import open_knowledge_base
from evograft_ahc.records.results import read_rows

pytestmark = pytest.mark.long

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def server(practice, monkeypatch):
    """Its answers are the start program, each time with another constant."""
    monkeypatch.setenv("TEST_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    start = practice.start_program.read_text()
    count = iter(range(1000))

    def reply(_seen):
        return answer(
            f"Here it is.\n```cpp\n// attempt {next(count)}, {KEY}\nint unused_{next(count)} = 1;\n{start}```\n"
        )

    with FaultServer() as server:
        server.usual = reply
        yield server


@pytest.fixture
def solve(practice, evo, server):
    """`solve(KEY, VALUE, …)`: the folder of a session under these settings, whose other operators ask no model."""

    def run(*given):
        for key, value in zip(given[::2], given[1::2], strict=True):
            evo("ahc", "config", key, value)
        return _solve(practice, evo, server)

    return run


@pytest.fixture
def solved(solve):
    return solve()


def _solve(practice, evo, server):
    evo("ahc", "config", "llm.provider", "openai")
    evo("ahc", "config", "llm.api_key", "${TEST_API_KEY}")
    evo("ahc", "config", "evolution.temperature", "0.5")
    settings = {
        "llm.driver": "openai",
        "llm.base_url": server.base_url,
        "plugins.ahc.with.training_cases": 2,
        "plugins.ahc.with.held_out_cases": 1,
        "operators": "{ahc.tune: 0, ahc.nudge: 0, ahc.scatter: 0, ahc.splice: 0}",
    }
    assignments = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    limits = ("--max-generations", "1", "--population-size", "3")
    evo("ahc", "solve", "--session-name", "asked", "--foreground", *limits, *assignments)
    return practice.folder / "asked"


def test_prompts_tokens_and_methods_are_kept_and_the_key_is_not(solved, practice):
    records = [json.loads(path.read_text()) for path in sorted((solved / "candidates").iterdir())]
    written = [record for record in records if record["creation_method"].endswith("_llm")]
    assert written
    assert {record["parameters_used"]["temperature"] for record in written} == {0.5}
    assert all(record["llm_prompt_summary"] for record in written)
    told = json.loads((solved / "session.json").read_text())
    assert told["total_llm_tokens_used"]["total_tokens"] > 0
    assert told["estimated_llm_cost_usd"] is None
    log = (solved / "logs" / "session.log").read_text()
    assert "  prompt:\n    [system]" in log
    assert re.search(r"prompt_chars=\d{3,}", log)
    assert "Here it is." in log
    kept = [path for path in practice.folder.rglob("*") if path.is_file() and ".cache" not in path.parts]
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []
    with practice.results.open() as table:
        (row,) = csv.DictReader(table)
    assert (row["model"], row["temperature"], row["estimated_cost_usd"]) == ("openai/gpt-4o", "0.5", "")
    with open_knowledge_base() as base:
        (use,) = base.models()
    assert use.calls >= 3


def test_prompts_of_the_user_are_the_prompts_of_every_mutation_and_crossover(solve):
    folder = solve(
        *("evolution.mutation_prompts", '["Make this annealing colder: {code_snippet}"]'),
        *("evolution.crossover_prompts", '["Marry {code_A} and {code_B}"]'),
    )
    records = [json.loads(path.read_text()) for path in sorted((folder / "candidates").iterdir())]
    used = {record["parameters_used"].get("specific_mutation_type", "").partition("@")[0] for record in records}
    assert "ahc.mutation_1" in used
    assert {name for name in used if name and "fresh" not in name and "start_over" not in name} <= {
        "ahc.mutation_1",
        "ahc.crossover_1",
    }


def test_a_session_whose_first_question_fails_leaves_its_files_its_reason_and_a_row(practice, evo, server):
    server.usual = status(401, "wrong key")
    evo("ahc", "config", "llm.provider", "openai")
    evo("ahc", "config", "llm.api_key", "${TEST_API_KEY}")
    before = datetime.now(UTC).replace(microsecond=0)
    overrides = ("--set", "llm.driver=openai", "--set", f"llm.base_url={server.base_url}")
    with pytest.raises(ServiceError, match="401"):
        evo("ahc", "solve", "--session-name", "auth", "--foreground", *overrides)
    told = json.loads((practice.folder / "auth" / "session.json").read_text())
    assert told["status"] == "failed"
    assert "401" in told["error_message"]
    assert before <= datetime.fromisoformat(told["start_time"]) <= datetime.fromisoformat(told["end_time"])
    assert "HTTP 401: wrong key" in (practice.folder / "auth" / "logs" / "session.log").read_text()
    (row,) = read_rows(practice.results)
    assert (row["session_name"], row["status"]) == ("auth", "failed")
    log = (practice.folder / "ahc_agent.log").read_text()
    assert log.index("session begins session=auth") < log.index("CRITICAL session ends session=auth")
    assert "Traceback" in log
    assert "401" in json.loads(evo("ahc", "status", "auth", "--json").stdout)["error"]
