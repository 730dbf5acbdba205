"""A batch over models: what each has cost stands in its row."""

import csv
import json

import pytest
from fault_server import FaultServer, answer

TRIALS = 4
PRICE = {"prompt": 1000.0, "completion": 2000.0}


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FaultServer() as server:
        server.usual = lambda seen: answer("5.0")
        yield server


def test_tokens_and_dollars_are_those_of_each_model_and_unknown_without_a_price(server, runs, tmp_path):
    llm = {"driver": "openai", "base_url": server.base_url, "model": "m"}
    models = [[{"name": "dear", "price": PRICE}], [{"name": "odd"}]]
    pipeline = {"plugins": ["asker"], "llm": llm, "budget": {"trials": TRIALS}, "order": "trial"}
    content = {"pipeline": pipeline, "matrix": {"llm.models": models}}
    (tmp_path / "b.json").write_text(json.dumps(content))
    done = runs.evo("batch", "b.json", "--run-dir", tmp_path / "batch")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "batch" / "results.csv").open(newline="") as file:
        dear, odd = csv.DictReader(file)
    asked = [seen.body["model"] for seen in server.asked()]
    assert asked == ["dear"] * TRIALS + ["odd"] * TRIALS
    prompt, completion = int(dear["prompt_tokens"]), int(dear["completion_tokens"])
    assert min(prompt, completion) > 0
    assert float(dear["dollars"]) == pytest.approx((1000 * prompt + 2000 * completion) / 1e6)
    assert (odd["prompt_tokens"], odd["dollars"]) == (dear["prompt_tokens"], "unknown")
    assert f"  {prompt + completion}" in done.stdout
    assert "unknown" in done.stdout
