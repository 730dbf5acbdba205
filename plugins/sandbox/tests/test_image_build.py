"""Images from a folder with a Dockerfile, at a real engine."""

from __future__ import annotations

import subprocess
import uuid
from contextlib import closing

import pytest

from evograft_hookspecs import SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_sandbox.docker_engine import is_engine_running
from evograft_sandbox.image_build import BuiltImage, ensure_image

BASE_IMAGE = "evograft-test:bookworm"


@pytest.fixture
def name():
    """The name of an image that is gone after the test."""
    if not is_engine_running():
        pytest.skip("no Docker engine answers")
    name = f"evograft-image-test:{uuid.uuid4().hex}"
    yield name
    subprocess.run(["docker", "rmi", name], capture_output=True, check=False)


@pytest.fixture
def build(tmp_path, name):
    """Builds an image of a Dockerfile's lines after its first."""

    def run(*lines: str, base: str = BASE_IMAGE) -> BuiltImage:
        (tmp_path / "Dockerfile").write_text("\n".join((f"FROM {base}", *lines)))
        return ensure_image(name, tmp_path)

    return run


@pytest.mark.docker
def test_an_image_says_where_it_works_and_with_what_variables(build):
    image = build("WORKDIR /benchmark", "ENV A=1=2 B=")
    assert image.working_folder == "/benchmark"
    assert (image.environment["A"], image.environment["B"]) == ("1=2", "")


@pytest.mark.docker
def test_an_image_that_is_there_is_not_built_again(build):
    build("WORKDIR /first")
    assert build("WORKDIR /second").working_folder == "/first"


@pytest.mark.docker
def test_commands_have_a_temporary_folder_of_their_own(build, name):
    build("RUN echo left >/tmp/file", "USER nobody")
    with closing(DockerSandbox(DockerOptions(scratch_mb=16))) as driver, closing(driver.open(image=name)) as session:
        write = SandboxCommand(arguments=("/bin/sh", "-c", "ls /tmp/; echo here >/tmp/file; cat /tmp/file"))
        assert [session.run(write).stdout for _ in range(2)] == [b"here\n", b"here\n"]


@pytest.mark.docker
@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (["RUN echo fine; echo error: no such package; echo more; false"], r"'RUN echo .*' failed: error: no such pa"),
        (["RUN echo on line 3 all ended; false"], r"'RUN echo .*' failed: on line 3 all ended$"),
        (["COPY missing ."], r"'COPY missing \.' failed: .*missing"),
        (["RUNN true"], "unknown instruction: RUNN"),
    ],
)
def test_a_build_that_fails_is_told_with_its_step_and_its_decisive_line(build, lines, cause):
    with pytest.raises(SandboxUnavailable, match=cause) as raised:
        build(*lines)
    assert "\n" not in str(raised.value)


@pytest.mark.docker
def test_an_image_that_nobody_has_is_named(build):
    with pytest.raises(
        SandboxUnavailable, match=r"does not have the image of 'FROM evograft\.invalid/none' and cannot"
    ):
        build(base="evograft.invalid/none")


@pytest.mark.docker
def test_a_folder_without_a_dockerfile_is_refused(tmp_path, name):
    with pytest.raises(SandboxUnavailable, match="Cannot locate specified Dockerfile"):
        ensure_image(name, tmp_path)


def test_without_an_engine_nothing_is_built(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert not is_engine_running()
    with pytest.raises(SandboxUnavailable, match="no Docker engine answers"):
        ensure_image("evograft-image-test:none", tmp_path)
