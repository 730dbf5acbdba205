"""How commands run in an environment is read off its verification."""

import pytest

from evograft_env_setup.environments import Environments
from evograft_env_setup.sandbox import SetupSandboxUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment, SandboxArguments
from evograft_env_setup.sandbox.command_prefix import build_command_line, with_prefix, with_variables

BUILT = BuiltEnvironment(
    place="docker", image="kept", working_directory="/workspace", variables={"A": "1"}, sandbox=SandboxArguments()
)
UV = ("uv", "run", "--no-sync")
CONDA = ("conda", "run", "--no-capture-output", "-n", "project-env")


@pytest.mark.parametrize(
    ("name", "checks", "folder", "within"),
    [
        ("python", ["python -c 1", "python -c 2"], "/workspace", ()),
        ("python", ["uv run --no-sync python -c 1"], "/workspace", UV),
        ("python", ["cd web && uv run --no-sync python -c 1"], "/workspace/web", UV),
        ("python", ["uv run --no-sync python -c 1", "python -c 1"], "/workspace", ()),
        ("python", ["cd a && true", "cd b && true"], "/workspace", ()),
        ("python", ["cd 'my dir' && true", 'cd "my dir"/ && true'], "/workspace/my dir", ()),
        ("python", ["cd /workspace/sub && true"], "/workspace/sub", ()),
        ("python", ["cd sub/deep && cd ../web && uv run --no-sync python -c 1"], "/workspace/sub/web", UV),
        ("python", [" cd  sub&&\n true"], "/workspace/sub", ()),
        ("python", ["cd .. && true"], "/", ()),
        *(
            ("python", [f"cd {unclear} && true"], "/workspace", ())
            for unclear in ("$HOME", "-", "-P sub", "~", "{a,b}", "a*", '"$HOME"', "`pwd`", "a;b", "\\~", "''")
        ),
        ("miniforge", ["conda run --no-capture-output -n project-env python -c 1"], "/workspace", CONDA),
    ],
)
def test_folder_and_words_are_those_of_all_of_the_verification(kit, name, checks, folder, within):
    plan = kit.environment("install", verification=[(check, "") for check in checks], name=name)
    built = with_prefix(BUILT, plan, Environments.shipped()[name])
    assert (built.working_directory, built.within) == (folder, within)


def test_a_command_keeps_its_words():
    built = BUILT.model_copy(update={"working_directory": "/workspace/a b", "within": ("uv", "run")})
    assert (
        build_command_line(built, ("echo", "$HOME; it's")) == """cd '/workspace/a b' && uv run echo '$HOME; it'"'"'s'"""
    )


def test_variables_are_asked_for_behind_the_words(kit, tmp_path):
    built = BUILT.model_copy(update={"working_directory": str(tmp_path), "within": ("env", "PATH=/own:/usr/bin:/bin")})
    assert with_variables(built, kit.Shell(tmp_path)).variables["PATH"] == "/own:/usr/bin:/bin"
    assert with_variables(built, kit.Shell(tmp_path)).variables["A"] == "1"


def test_where_they_can_not_be_asked_for_variables_stay_as_they_are(kit, tmp_path):
    built = BUILT.model_copy(update={"working_directory": str(tmp_path), "within": ("no-such-program",)})
    assert with_variables(built, kit.Shell(tmp_path)) == built
    hostile = tmp_path / "hostile"
    hostile.write_text("#!/bin/sh\nprintf 'PATH=/a\\0b\\nHOME=/other\\nCONDA_PREFIX=\\n'\n")
    hostile.chmod(0o755)
    built = built.model_copy(update={"within": (str(hostile),)})
    assert with_variables(built, kit.Shell(tmp_path)) == built

    class Gone(kit.Sandbox):
        def run(self, command, **how):
            raise SetupSandboxUnavailable("gone")

    assert with_variables(built, Gone()) == built
