"""Makes `conversation.tar.gz` again from its own answers: `python plugins/code_explainer/tests/recorded/rerecord.py`.

For prompts that have changed in their wording: each answer is given in its turn, to the prompt as it is now.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[3] / "tests" / "recorded"))

from recording import COMMAND, pack  # noqa: E402 - it is found by the line above

ARCHIVE = HERE / "conversation.tar.gz"
FILE = "conversation.json"


def main() -> None:
    with tarfile.open(ARCHIVE) as tar, tempfile.TemporaryDirectory() as folder:
        file = next(member for member in tar if Path(member.name).name == FILE)
        question, *answers = json.load(tar.extractfile(file))["messages"]
        environment = {**os.environ, "XDG_STATE_HOME": folder}
        arguments = [question["content"], "repository", "--llm", "manual", "--language", "en", "--json"]
        with subprocess.Popen([*COMMAND, "explain", *arguments], cwd=HERE, env=environment) as process:
            for answer in answers:
                give(answer["content"], Path(folder), environment)
        if process.returncode:
            raise SystemExit(f"the conversation ended with exit code {process.returncode}")
        (kept,) = Path(folder).rglob(FILE)
        lock = kept.with_name("pipeline.lock.yaml")
        lock.write_text(lock.read_text(encoding="utf-8").replace(str(HERE), "."), encoding="utf-8")
        pack(kept.parent, ARCHIVE, kept=("pipeline.lock.yaml", "log.sqlite", "log.head", FILE))


def give(answer: str, state: Path, environment: dict[str, str]) -> None:
    """Answers the prompt that waits, as soon as one does."""
    while not (waiting := prompts(state, environment)):
        time.sleep(0.2)
    (conversation,) = state.rglob(FILE)
    command = [*COMMAND, "answer", conversation.parent, waiting[0]["name"], "--stdin"]
    subprocess.run(command, env=environment, input=answer, text=True, check=True)


def prompts(state: Path, environment: dict[str, str]) -> Any:
    found = list(state.rglob(FILE))
    if not found:
        return []
    command = [*COMMAND, "answer", found[0].parent, "--json"]
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else []


if __name__ == "__main__":
    main()
