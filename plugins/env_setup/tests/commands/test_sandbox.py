"""Candidates are evaluated where the repository works: the code of the page, in real sandboxes."""

import json
import re
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner

from evograft.cli import cli
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.plugin import EnvSetupPlugin
from evograft_hookspecs import CandidateRejected, EnvironmentReport, RunEnded
from evograft_hookspecs.values import thaw
from evograft_sandbox.commands.auto import AutoOptions, AutoSandbox

PAGE = (Path(__file__).parents[4] / "docs" / "env.md").read_text(encoding="utf-8")
CANDIDATE = """
import os, pathlib, subprocess, sys
sys.path.append("/workspace")
import shapes
print(shapes.sides(), pathlib.Path("/workspace/built").read_text(), subprocess.check_output("mark", text=True).strip())
for path in ("/workspace/new", os.path.expanduser("~/new"), "/evograft/cache/new"):
    try:
        open(path, "w")
    except OSError:
        print("read-only")
"""
PRINTED = "3 built MARK-built\nread-only\nread-only\nread-only\n"


@pytest.fixture
def page():
    """The code of the page."""
    code = re.search(r'```python title="evaluating_there.py"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)[1]
    names = {}
    exec(code, names)
    return names


def project_in(folder):
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text("")
    (folder / "shapes.py").write_text("def sides():\n    return 3\n")
    return folder


STEPS = """
printf built > built; mkdir ~/tools; cd ~/tools
printf '#!/bin/sh\\ntouch ~/used && PATH=$HOME/tools:$PATH exec "$@"\\n' > within
printf '#!/bin/sh\\necho MARK-built\\n' > mark
chmod +x within mark
"""


def recipe():
    """Of a set-up that takes no network, and whose programs are found behind a tool that writes."""
    return {
        "import_check": "",
        "recipes": [{"steps": [STEPS], "within": "/home/evograft/tools/within"}],
        "verification": [{"command": "mark", "expected_output": "MARK-built"}],
    }


def environment_of(data):
    return {"env_setup": EnvironmentReport(status="ready", facts={"built": data["built"]})}


def evaluated(page, data):
    environment = environment_of(data)
    with closing(AutoSandbox(AutoOptions())) as sandbox:
        sandbox.start("a-run")
        with closing(page["open_session"](sandbox, environment)) as session:
            result = page["run_candidate"](session, environment, CANDIDATE)
    assert result.exit_code == 0, result.stderr
    return result.stdout.decode()


@pytest.mark.usefixtures("bubblewrap", "own_cache")
def test_a_candidate_is_evaluated_in_what_was_set_up_in_bubblewrap(page, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    file = tmp_path / "environments.yaml"
    file.write_text(yaml.safe_dump({"python": recipe()}))
    words = [
        "setup",
        str(project_in(tmp_path / "project")),
        "--environments",
        str(file),
        "--json",
    ]
    done = CliRunner().invoke(cli, ["env", *words])
    assert evaluated(page, json.loads(done.stdout)) == PRINTED


@pytest.mark.usefixtures("bubblewrap", "own_cache")
def test_what_a_run_evaluates_in_is_not_removed_before_it_ends(page, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    file = tmp_path / "environments.yaml"
    file.write_text(yaml.safe_dump({"python": recipe()}))
    options = EnvSetupOptions(root=str(project_in(tmp_path / "project")), environments=str(file), place="bwrap")
    plugin = EnvSetupPlugin(options)
    report = plugin.setup_env(SimpleNamespace(role="kernel", llm=None))
    built = thaw(report.facts["built"])
    assert evaluated(page, {"built": built}) == PRINTED
    done = CliRunner().invoke(cli, ["env", "clean", "--kept"])
    assert [f"in use, and stays: {built[part]}" in done.stderr for part in ("folder", "packages")] == [True, True]
    assert evaluated(page, {"built": built}) == PRINTED
    plugin.observe(RunEnded(outcome="complete", reason="all trials are done", commits=1, best=None, folder=""))
    done = CliRunner().invoke(cli, ["env", "clean", "--kept", "--json"])
    assert set(json.loads(done.stdout)["removed"]) == {built["folder"], built["packages"]}


def test_where_nothing_was_set_up_a_candidate_is_rejected_with_the_reason(page):
    with pytest.raises(CandidateRejected, match="could not be set up"):
        page["open_session"](AutoSandbox(AutoOptions()), environment_of({"built": None}))
