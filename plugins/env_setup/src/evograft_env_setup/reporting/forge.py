"""Reports to an issue or a merge request, as one comment that is edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from urllib.parse import quote

import httpx
from pydantic import AliasChoices, BaseModel, Field, TypeAdapter

from evograft.text.escapes import sanitize
from evograft_env_setup.reporting.markdown import format_status
from evograft_env_setup.reporting.phases import PhaseStatus
from evograft_env_setup.reporting.reporter import ReportingFailed

MARK = "<!-- evograft environment setup -->"
"""By which our comment is known; it does not show."""
SECONDS = 20.0
PER_PAGE = 100
MOST_PAGES = 50
MOST_BYTES = 20_000_000
"""Of one answer."""


class ForgeUser(BaseModel):
    """A user, as both forges describe one."""

    id: int
    type: str = ""


class Comment(BaseModel):
    """A comment, as both forges describe one."""

    id: int
    body: str | None = None
    author: ForgeUser | None = Field(None, validation_alias=AliasChoices("author", "user"))
    """`None`: somebody who is not there any more."""


class Forge(Protocol):
    """The way in which a server is asked about comments."""

    name: str
    comments: str
    """Path of the list of comments."""
    edit_method: str

    def comment(self, number: int) -> str:
        """Return the path of one comment."""

    def headers(self, token: str) -> dict[str, str]:
        """Return the headers that say who asks."""

    def is_ours(self, author: ForgeUser, user: ForgeUser | None) -> bool:
        """Return whether the author holds the token; `None`: the token may not ask who does."""


class GitHub:
    """An issue or pull request.

    Args:
        repository: `OWNER/NAME`.
        number: of the issue or pull request.
    """

    name = "github"
    edit_method = "PATCH"

    def __init__(self, repository: str, number: int) -> None:
        self._repository = f"/repos/{quote(repository)}"
        self.comments = f"{self._repository}/issues/{number}/comments"

    def comment(self, number: int) -> str:
        return f"{self._repository}/issues/comments/{number}"

    def headers(self, token: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}

    def is_ours(self, author: ForgeUser, user: ForgeUser | None) -> bool:
        """Compare as GitHub tells users: a workflow's token may not ask who it is, and writes as a bot."""
        return author.type == "Bot" if user is None else author.id == user.id


class GitLab:
    """An issue or merge request.

    Args:
        project: `GROUP/NAME`, with more groups where there are.
        number: of the issue or merge request within the project.
        merge_request: which of both it is.
    """

    name = "gitlab"
    edit_method = "PUT"

    def __init__(self, project: str, number: int, *, merge_request: bool) -> None:
        kind = "merge_requests" if merge_request else "issues"
        self.comments = f"/projects/{quote(project, safe='')}/{kind}/{number}/notes"

    def comment(self, number: int) -> str:
        return f"{self.comments}/{number}"

    def headers(self, token: str) -> dict[str, str]:
        return {"PRIVATE-TOKEN": token}

    def is_ours(self, author: ForgeUser, user: ForgeUser | None) -> bool:
        return user is not None and author.id == user.id


class ForgeComment:
    """A comment that is kept up to date; it is written anew if there is none of ours.

    Args:
        forge: the place.
        api: address of the server's API.
        token: of a user who may comment; it goes to that server alone.
    """

    def __init__(self, forge: Forge, api: str, token: str) -> None:
        self._forge = forge
        self._api = api.rstrip("/")
        self._headers = {**forge.headers(token), "User-Agent": "evograft"}
        self._tried = ""
        self._number: int | None = None

    def report(self, status: PhaseStatus, news: str) -> None:  # noqa: ARG002 - the protocol's
        text = f"{MARK}\n{format_status(status)}"
        if text == self._tried:
            return
        self._tried = text  # worth one attempt, because a server that is silent takes its time
        try:
            self._write(text)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as err:
            self._number = None  # somebody may have removed it
            raise ReportingFailed(sanitize(f"{self._forge.name}: {self._api}: {_reason(err)}", 300)) from err

    def _write(self, text: str) -> None:
        if self._number is None:
            self._number = self._find()
        if self._number is None:
            self._number = Comment.model_validate_json(self._ask("POST", self._forge.comments, {"body": text})).id
        else:
            self._ask(self._forge.edit_method, self._forge.comment(self._number), {"body": text})

    def _find(self) -> int | None:
        """Our comment of an earlier set-up. A stranger's that has our mark is left alone."""
        marked = [each for each in self._comments() if each.author and (each.body or "").startswith(MARK)]
        user = self._user() if marked else None
        return next((each.id for each in marked if each.author and self._forge.is_ours(each.author, user)), None)

    def _comments(self) -> Iterator[Comment]:
        form = TypeAdapter(list[Comment])
        for page in range(1, MOST_PAGES + 1):
            found = form.validate_json(self._ask("GET", f"{self._forge.comments}?per_page={PER_PAGE}&page={page}"))
            yield from found
            if len(found) < PER_PAGE:
                return

    def _user(self) -> ForgeUser | None:
        try:
            return ForgeUser.model_validate_json(self._ask("GET", "/user"))
        except httpx.HTTPStatusError as err:
            if err.response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
                return None
            raise

    def _ask(self, method: str, path: str, data: Mapping[str, Any] | None = None) -> bytes:
        with (
            httpx.Client(headers=self._headers, timeout=SECONDS) as client,
            client.stream(method, self._api + path, json=data) as response,
        ):
            response.raise_for_status()
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError("the answer is too long")
            return bytes(body)


def _reason(err: Exception) -> str:
    """Return the reason in a line: what an answer lacks is told in many."""
    if isinstance(err, httpx.HTTPStatusError):
        return f"{err.request.method} is answered with {err.response.status_code}"
    return " ".join(f"{type(err).__name__}: {err}".split())
