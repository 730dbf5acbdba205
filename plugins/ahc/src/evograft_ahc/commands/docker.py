"""`evo ahc docker`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import AS_JSON, group, option
from evograft_ahc.text.messages import ContestServiceError, ContestUserError

if TYPE_CHECKING:
    from evograft_ahc.workspace.folder import Workspace

STDERR = 2
LABEL = "evograft.ahc.workspace"
PROFILE = option(
    "--profile",
    en="For the judge of 201907, 202301 or 202510; else the image to work in.",
    ja="201907、202301、202510 のジャッジ用のイメージ。なければ開発用のイメージ。",
)


@group(ja="作業フォルダーの開発用イメージと、その中のシェル。")
def docker() -> None:
    """Work with the workspace's development image, and a shell in it."""


@docker.command(ja="作業フォルダーの Dockerfile からイメージをビルドします。")
@PROFILE
@option(
    "--base",
    en="The image that it is built on, instead of that of the settings or the profile.",
    ja="土台にするイメージ。設定やジャッジ設定のものの代わりに使います。",
)
@AS_JSON
def build(profile: str | None, base: str | None, *, as_json: bool) -> None:
    """Build the image from the workspace's Dockerfile."""
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.judging.profiles import get_profile
    from evograft_ahc.settings.model import load_settings

    workspace = _workspace()
    settings = load_settings(workspace).values
    if base is None:
        base = get_profile(profile).image if profile else settings.docker.image
    _require_engine()
    image = _image(workspace, profile)
    labels = ("--label", f"{LABEL}={workspace.folder}")
    _call("build", "--tag", image, "--build-arg", f"BASE_IMAGE={base}", *labels, str(workspace.folder))
    if as_json:
        click.echo(json.dumps({"image": image, "base": base}))
        return
    following = f"evo ahc config docker.image {image}" if profile else "evo ahc docker build --profile 202301"
    make_printer(settings.language)(
        f"{image} on {base}; to judge programs in {'it' if profile else 'an image of the judge'}: {following}",
        ja=f"{image} (土台: {base})。{'このイメージ' if profile else 'ジャッジ用のイメージ'}で採点するには: "
        f"{following}",
    )


@docker.command(
    ja="イメージをシェルか COMMAND とともに起動します。作業フォルダーがマウントされ、ネットワークはありません。",
    context_settings={"ignore_unknown_options": True},
)
@PROFILE
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def run(profile: str | None, command: tuple[str, ...]) -> None:
    """Start the image with an interactive shell, or with COMMAND; the workspace is mounted, there is no network."""
    from evograft_ahc.settings.model import load_settings

    workspace = _workspace()
    image, place = _image(workspace, profile), load_settings(workspace).values.docker.mount_path
    if not _lines("images", "--quiet", image):
        wanted = f" --profile {profile}" if profile else ""
        raise ContestUserError(
            f"there is no image {image!r} yet: evo ahc docker build{wanted}",
            ja=f"イメージ {image!r} がまだありません: evo ahc docker build{wanted}",
        )
    sys.exit(
        _docker(
            *("run", "--rm", "--interactive", *(["--tty"] if sys.stdin.isatty() else [])),
            *("--label", f"{LABEL}={workspace.folder}", "--user", f"{os.getuid()}:{os.getgid()}"),
            *("--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pids-limit", "512"),
            *("--volume", f"{workspace.folder}:{place}", "--workdir", place),
            *(image, *(command or ("bash",))),
        ).returncode
    )


@docker.command(ja="この作業フォルダーのコンテナとイメージを削除します。")
@AS_JSON
def cleanup(*, as_json: bool) -> None:
    """Remove this workspace's containers and images."""
    from evograft_ahc.commands.language import find_language, make_printer

    mark = f"label={LABEL}={_workspace().folder}"
    containers = _lines("ps", "--all", "--quiet", "--filter", mark)
    if containers:
        _call("rm", "--force", *containers)
    images = _lines("images", "--filter", mark, "--format", "{{.Repository}}:{{.Tag}}")
    if images:
        _call("rmi", "--force", *images)
    if as_json:
        click.echo(json.dumps({"containers": containers, "images": images}))
        return
    named = f": {' '.join(images)}" if images else ""
    make_printer(find_language())(
        f"removed {len(containers)} containers, {len(images)} images{named}",
        ja=f"コンテナ {len(containers)} 個とイメージ {len(images)} 個を削除しました{named}",
    )


def _workspace() -> Workspace:
    from evograft_ahc.workspace.folder import find_workspace

    return find_workspace(Path.cwd())


def _image(workspace: Workspace, profile: str | None) -> str:
    """Named as the workspace's compose file names it."""
    name = f"ahc-{workspace.task.contest_id.lower()}"
    return f"{name}:{profile}" if profile else f"{name}:latest"


def _require_engine() -> None:
    """Asked first, because a build without an engine says a lot, and not what to do."""
    done = _docker("version", "--format", "{{.Server.Version}}", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise ContestServiceError(
            f"no Docker engine answers: {reason}; start Docker and run this again. Programs are judged without it "
            "too, by the "
            "compiler of this machine",
            ja=f"Docker エンジンが応答しません: {reason}。Docker を起動してからもう一度実行してください。Docker "
            "がなくても、このマシンの"
            "コンパイラーで採点できます",
        )


def _call(*arguments: str) -> None:
    """Call docker; what it says on the way goes to stderr."""
    done = _docker(*arguments, stdout=STDERR)
    if done.returncode != 0:
        raise _failed(arguments, f"exit status {done.returncode}")


def _lines(*arguments: str) -> Sequence[str]:
    done = _docker(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise _failed(arguments, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    return done.stdout.split()


def _docker(*arguments: str, stdout: int | None = None, stderr: int | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - no shell
            ["docker", *arguments],  # noqa: S607 - the user's own
            stdout=stdout,
            stderr=stderr,
            text=True,
            check=False,
        )
    except OSError as err:
        raise ContestServiceError(
            f"the program 'docker' cannot be started ({err.strerror}): install Docker",
            ja=f"docker コマンドを実行できません ({err.strerror})。Docker をインストールしてください",
        ) from err


def _failed(arguments: Sequence[str], reason: str) -> ContestServiceError:
    return ContestServiceError(
        f"docker {arguments[0]} failed: {reason}", ja=f"docker {arguments[0]} が失敗しました: {reason}"
    )
