"""Settings that a run cannot start with are not kept: a typo costs nothing."""

import pytest

OPERATORS = {"name": "operators", "with": {"max_tokens": 50}}

TYPOS = {
    "a plugin's setup": ("plugins.operators.with.language=xx", 4),
    "a key that is not there": ("llm={driver: openai, model: m, api_key_env: NOPE_KEY}", 4),
    "a run that is not there": ("llm={driver: replay, run: /nope}", 4),
    "an executor": ("executor.driver=thread", 2),
    "a sandbox": ("sandbox.driver=bwarp", 2),
}


@pytest.mark.parametrize("typo", TYPOS)
def test_a_change_that_a_run_cannot_start_with_is_not_kept(asking, typo):
    setting, code = TYPOS[typo]
    path = asking.run("run", trials=3, more=[OPERATORS])
    before = (path / "pipeline.lock.yaml").read_bytes()
    done = asking.evo("resume", path, "--set", setting, "--set", "budget.trials=9")
    assert done.returncode == code, done.stderr
    assert (path / "pipeline.lock.yaml").read_bytes() == before
    done = asking.evo("resume", path, "--set", "budget.trials=6")
    assert done.returncode == 0, done.stderr
    assert len(asking.trials(path)) == 6
