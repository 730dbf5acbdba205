"""`kill -9` costs at most the calls in flight: no logged answer is ever asked for again."""

import random
import subprocess
from contextlib import suppress
from dataclasses import replace

from asking import Awaited, climb

KILLS = 8
CONCURRENCY = 4


def slowly(seen):
    return replace(climb(seen), delay=0.01)


def test_killed_at_8_random_moments_and_resumed_it_asks_no_logged_answer_again_and_ends_the_same(
    asking, server, tmp_path
):
    settings = {"trials": 120, "with_": {"questions": 2, "analyzing": True}}
    server.usual = awaited = Awaited(slowly)
    path, rng = tmp_path / "killed", random.Random(8)
    pipeline = asking.write(**settings)
    for kill in range(1, KILLS + 1):
        begun = (path / "pipeline.lock.yaml").exists()
        process = asking.start(*(("resume", path) if begun else ("run", pipeline, "--run-dir", path)))
        awaited.wait_for(rng.randint(1, 20))
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=rng.uniform(0.0, 0.03))
        asking.kill(process)
        assert asking.unlogged(path) <= kill * CONCURRENCY
    done = asking.evo_process("resume", path)
    assert done.returncode == 0, done.stderr
    assert asking.unlogged(path) <= KILLS * CONCURRENCY
    assert asking.trials(path) == asking.undisturbed(**settings)
