"""Words that are added to commands."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.failures import amend, load_amendments
from evograft_env_setup.failures.invocations import LONGEST

UPDATE = "apt-get -o APT::Update::Error-Mode=any update"


@pytest.mark.parametrize(
    ("command", "amended"),
    [
        ("apt-get update", UPDATE),
        ("sudo apt-get -q update", "sudo apt-get -o APT::Update::Error-Mode=any -q update"),
        ("apt-get update && apt-get install -y git", f"{UPDATE} && apt-get install -y git"),
        ("(cd /tmp; apt-get update) || true", f"(cd /tmp; {UPDATE}) || true"),
        (UPDATE, UPDATE),
        ("echo 'apt-get update'", "echo 'apt-get update'"),
        ("apt-get install -y update-manager", "apt-get install -y update-manager"),
        ("mvn clean install", "mvn clean install"),
    ],
)
def test_apt_is_told_to_fail_where_no_index_could_be_fetched(command, amended):
    assert amend(command) == amended


@pytest.mark.parametrize(
    ("command", "amended"),
    [
        ("mvn clean install -DskipTests", "mvn -U clean install -DskipTests"),
        ("cd app && ./mvnw -q package | tee log", "cd app && ./mvnw -U -q package | tee log"),
        ("JAVA_HOME=/opt/java mvn package", "JAVA_HOME=/opt/java mvn -U package"),
        ("mvn -U package", "mvn -U package"),
        ("echo mvn", "echo mvn"),
    ],
)
def test_maven_is_told_to_ask_again_when_it_is_tried_again(command, amended):
    assert amend(command, retry=True) == amended


@pytest.mark.parametrize(
    ("command", "amended"),
    [
        ("conda env create -f a.yml -n x", "conda env create -f a.yml -n x --yes"),
        ("(conda env create -f a.yml) && ls", "(conda env create -f a.yml --yes) && ls"),
        ("conda create --yes -n x python", "conda create --yes -n x python"),
        ("conda run -n x python", "conda run -n x python"),
    ],
)
def test_conda_is_told_that_an_environment_may_be_made_again(command, amended):
    assert amend(command) == amended


@given(st.text())
def test_amending_twice_is_amending_once(text):
    command = f"{text}\napt-get update; mvn package"
    once = amend(command.encode(errors="replace").decode(), retry=True)
    assert amend(once, retry=True) == once


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_command_without_those_tools_stays_as_it_is(text):
    command = text.replace("mvn", "").replace("apt", "").replace("conda", "").replace("mamba", "")
    assert amend(command, retry=True) == command


def test_messages_are_asked_for_in_english_and_no_tool_may_ask_back():
    environment = load_amendments().environment
    assert environment["LC_ALL"].startswith("C")
    assert {"DEBIAN_FRONTEND", "GIT_TERMINAL_PROMPT", "PIP_NO_INPUT"} <= environment.keys()


@pytest.mark.skipif(not shutil.which("apt-get"), reason="install apt")
def test_apt_itself_fails_with_the_words_and_passes_without(tmp_path):
    (tmp_path / "lists/partial").mkdir(parents=True)
    (tmp_path / "sources").write_text("deb http://127.0.0.1:9/debian bookworm main\n")
    own = f"-o Dir::Etc::SourceList={tmp_path}/sources -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists={tmp_path}/lists"
    command = f"apt-get {own} -o Acquire::Retries=0 -o Dir::Cache={tmp_path} -o Dir::Log={tmp_path} update"
    before = subprocess.run(["bash", "-c", command], check=False, capture_output=True)
    after = subprocess.run(["bash", "-c", amend(command)], check=False, capture_output=True)
    assert (before.returncode, after.returncode) == (0, 100)


def test_a_line_longer_than_anybody_writes_stays_as_it_is():
    command = "apt-get update" + "|a" * LONGEST
    assert amend(command) == command


def test_characters_of_any_plane_are_read_where_the_shell_expects_an_operator():
    for character in map(chr, range(0x10000, 0x110000, 0x1000)):
        command = f"apt-get update; {{{character}j; mvn {character}"
        assert amend(command, retry=True) == f"{UPDATE}; {{{character}j; mvn -U {character}"
