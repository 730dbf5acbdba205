"""A run that was stopped, and is resumed with a budget that its trials are over already."""

import json
import re


def test_a_smaller_budget_completes_a_stopped_run_and_its_status_agrees(runs):
    path = runs.run("run", trials=12)
    from evograft.runs.index import open_run
    from evograft.session.session import open_session

    with open_session(open_run(path), overrides=["budget.trials=40"]) as kernel:
        kernel.requests.stop("stopped by evo stop")
        kernel.run()
    assert json.loads(runs.evo("status", path, "--json").stdout)["state"] == "stopped by evo stop"
    assert runs.evo("resume", path, "--set", "budget.trials=5").stdout.startswith("complete")
    told = runs.evo("status", path).stdout
    assert "complete" in told
    assert re.search(r"trials +\d+, more than the 5 of the budget", told)
    assert json.loads(runs.evo("status", path, "--json").stdout)["state"] == "complete"
