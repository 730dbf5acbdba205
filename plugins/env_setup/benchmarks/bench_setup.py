"""Time to set up a project with ten dependencies: at first, from what is kept, and from the packages alone.

Each figure is of a process of its own, `evo env setup`, from its start to its end. It needs a Docker engine with the
image of the tests, and the index of PyPI; run it from the root of the checkout: .ci/with-docker python …
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from evograft_env_setup.sandbox import SetupSandboxUnavailable
from evograft_env_setup.sandbox.docker import engine

IMAGE = "evograft-test-env:bookworm"
ROUNDS = 3
WANTED = 5.0
REQUIREMENTS = """\
beautifulsoup4
flask
jinja2
numpy
pandas
pydantic
pyyaml
requests
rich
sqlalchemy
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        client = reached(stack)
        project = Path(place) / "project"
        project.mkdir()
        (project / "requirements.txt").write_text(REQUIREMENTS)
        stack.callback(forget, client, project)
        print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%B %Y')}, seconds of wall time")
        firsts, seconds, fresh = [], [], []
        for _ in range(ROUNDS):
            forget(client, project)
            firsts.append(measured(project, recalled=False))
            seconds.append(measured(project, recalled=True))
            fresh.append(measured(project, "--fresh", recalled=False))
        first = told("the first set-up: nothing is kept, no package is there", firsts, None)
        told("the second: recalled and verified", seconds, first)
        told(f"once more with --fresh, from {packages(client, project):.0f} MB of packages", fresh, first)
        print(f"wanted: the second at least {WANTED:g} times faster; load {os.getloadavg()[0]:.1f}")


def reached(stack: ExitStack) -> Any:
    """A client of an engine that has the image."""
    from docker.errors import ImageNotFound

    try:
        client = stack.enter_context(engine.connect())
        client.images.get(IMAGE)
    except (SetupSandboxUnavailable, ImageNotFound) as err:
        sys.exit(f"bench_setup: {err}: run it by .ci/with-docker")
    return client


def forget(client: Any, project: Path) -> None:
    """Removes what is kept of the project, packages and all."""
    label = f"{engine.PROJECT}={project}"
    engine.remove_images(client, label)
    for volume in client.volumes.list(filters={"label": label}):
        volume.remove()


def packages(client: Any, project: Path) -> float:
    """Megabytes that are kept of them; an index can forbid pip to keep any."""
    found = (each for each in client.df()["Volumes"] if (each["Labels"] or {}).get(engine.PROJECT) == str(project))
    return sum(each["UsageData"]["Size"] for each in found) / 1e6


def measured(project: Path, *words: str, recalled: bool) -> float:
    environments = project.parent / "environments.yaml"
    environments.write_text(f"python: {{image: '{IMAGE}'}}\n")
    command = [sys.executable, "-m", "evograft", "env", "setup", project, "--place=docker", "--json", *words]
    began = time.perf_counter()
    done = subprocess.run([*command, "--environments", environments], capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"bench_setup: the set-up ended with {done.returncode}: {done.stderr}{done.stdout}")
    assert json.loads(done.stdout)["result"]["setup_result"]["recalled"] is recalled
    return took


def told(what: str, figures: list[float], first: float | None) -> float:
    median = statistics.median(figures)
    ratio = "" if first is None else f", {first / median:.1f} times faster than the first"
    print(f"{what}: {median:.2f} (of {', '.join(f'{each:.2f}' for each in figures)}){ratio}")
    return median


if __name__ == "__main__":
    main()
