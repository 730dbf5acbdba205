"""Places that reports go to, as users name them: a file, or an issue or merge request."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from evograft.api import UserError
from evograft_env_setup.reporting.forge import ForgeComment, GitHub, GitLab
from evograft_env_setup.reporting.markdown import MarkdownFile
from evograft_env_setup.reporting.reporter import Reporter

GITHUB = re.compile(r"github:(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>[0-9]{1,9})", re.ASCII)
GITLAB = re.compile(r"gitlab:(?P<project>[\w.-]+(?:/[\w.-]+)+)(?P<kind>[#!])(?P<number>[0-9]{1,9})", re.ASCII)


def open_reporter(place: str, environment: Mapping[str, str] = os.environ) -> Reporter:
    """Open a reporter to a place.

    Places are `FILE`, `github:OWNER/NAME#NUMBER`, `gitlab:GROUP/NAME#NUMBER` or `gitlab:GROUP/NAME!NUMBER`.

    Tokens and servers are those that the pipelines of both forges know by the same variables.

    Raises:
        UserError: there is no such place, or its token is missing.
    """
    if found := GITHUB.fullmatch(place):
        api = environment.get("GITHUB_API_URL", "https://api.github.com")
        forge = GitHub(found["repository"], int(found["number"]))
        return ForgeComment(forge, api, _token("GITHUB_TOKEN", place, environment))
    if found := GITLAB.fullmatch(place):
        api = environment.get("CI_API_V4_URL", "https://gitlab.com/api/v4")
        request = GitLab(found["project"], int(found["number"]), merge_request=found["kind"] == "!")
        return ForgeComment(request, api, _token("GITLAB_TOKEN", place, environment))
    if place.startswith(("github:", "gitlab:")):
        raise UserError(
            f"report: {place!r} is no place: github:OWNER/NAME#NUMBER, gitlab:GROUP/NAME#NUMBER for an issue, "
            "gitlab:GROUP/NAME!NUMBER for a merge request"
        )
    return MarkdownFile(_check(Path(place)))


def _check(path: Path) -> Path:
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"report: {str(path)!r}: its folder does not exist")
    # It may be the repository's, and lead out of it; who names a file from the root knows where it is.
    link = next((each for each in (folder, *folder.parents) if each.is_symlink()), None)
    if link and not path.is_absolute():
        raise UserError(f"report: {str(path)!r}: {str(link)!r} is a link: name the file by its path from the root")
    return path


def _token(name: str, place: str, environment: Mapping[str, str]) -> str:
    token = environment.get(name, "").strip()
    if not token or not token.isascii() or not token.isprintable():
        raise UserError(f"report: {place!r} needs a token in the environment variable {name}")
    return token
