"""What was set up in a container is used: by commands, and by candidates that are evaluated there."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from evograft_hookspecs import EnvironmentReport
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox

pytestmark = pytest.mark.docker

PAGE = (Path(__file__).parents[5] / "docs" / "env.md").read_text(encoding="utf-8")
STEPS = ("echo built > built; echo home > ~/made; echo package > /evograft/cache/package",)
WITHIN = "env MARK=within"


@pytest.fixture(scope="module")
def used(bench):
    """A project, its environments' file, and what its set-up has said."""
    project = bench.project({"shapes.py": "def sides():\n    return 3\n"})
    check = [{"command": "cat built", "expected_output": "built"}]
    recipes = [{"steps": list(STEPS), "within": WITHIN}]
    file = bench.environments(STEPS, recipes=recipes, verification=check)
    done = bench.set_up(project, environments=file)
    assert done.exit_code == 0, done.data["hand_over"]["errors"]
    return project, file, done.data


def run(bench, used, *words, **options):
    project, file, _ = used
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    return bench.evo("run", project, "--place=docker", "--environments", file, *given, "--", *words)


def test_what_is_left_is_told_so_that_it_can_be_opened(used):
    _, _, data = used
    built = data["built"]
    assert (built["place"], built["image"]) == ("docker", data["kept"])
    assert built["sandbox"] == {"image": built["image"], "mounts": {"/evograft/cache": built["volume"]}}
    assert (built["working_directory"], built["within"]) == ("/workspace", WITHIN.split())


def test_a_command_finds_what_was_set_up_and_its_streams_and_exit_code_are_passed_on(bench, used):
    script = "cat built ~/made /evograft/cache/package; echo $MARK; id -u; echo wrong >&2; exit 7"
    done = run(bench, used, "sh", "-c", script)
    assert (done.exit_code, done.stdout) == (7, "built\nhome\npackage\nwithin\n10001\n")
    assert "wrong\n" in done.stderr


def test_a_command_sees_the_files_of_now_and_what_it_writes_is_gone(bench, used):
    project, _, _ = used
    (project / "new").write_text("new\n")
    assert run(bench, used, "sh", "-c", "cat new built; rm built; touch other").stdout == "new\nbuilt\n"
    assert run(bench, used, "sh", "-c", "ls").stdout.split() == ["built", "new", "requirements.txt", "shapes.py"]
    assert not (project / "other").exists()


def test_a_command_has_no_network_unless_it_is_given_one(bench, used):
    assert run(bench, used, "ls", "/sys/class/net").stdout == "lo\n"
    # The engine is free to choose the name of the other one.
    assert len(run(bench, used, "ls", "/sys/class/net", network="bridge").stdout.split()) == 2


def test_nothing_of_a_command_is_left(bench, used):
    before = {each.id for each in bench.client.containers.list(all=True)}
    run(bench, used, "true")
    assert {each.id for each in bench.client.containers.list(all=True)} == before


def test_an_image_that_was_removed_is_set_up_no_more(bench):
    project = bench.project({})
    done = bench.evo("run", project, "--place=docker", "--", "true")
    assert done.exit_code != 0
    assert "is not set up here" in str(done.exception)


def test_what_is_set_up_in_a_container_is_found_before_anything_else(bench, used):
    project, file, _ = used
    done = bench.evo("run", project, "--environments", file, "--json", "--", "cat", "built")
    assert json.loads(done.stdout)["stdout"] == "built\n"


def test_a_candidate_is_evaluated_in_what_was_set_up(bench, used):
    code = re.search(r'```python title="evaluating_there.py"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)[1]
    page = {}
    exec(code, page)
    _, _, data = used
    environment = {"env_setup": EnvironmentReport(status="ready", facts={"built": data["built"]})}
    candidate = (
        "import os, sys; sys.path.append('/workspace'); import shapes\n"
        "print(shapes.sides(), open('/workspace/built').read(), open('/evograft/cache/package').read(), os.environ['HOME'])"
    )
    with closing(DockerSandbox(DockerOptions())) as sandbox:
        sandbox.start("a-run")
        with closing(page["open_session"](sandbox, environment)) as session:
            result = page["run_candidate"](session, environment, candidate)
    assert (result.exit_code, result.stdout) == (0, b"3 built\n package\n /home/evograft\n"), result.stderr
