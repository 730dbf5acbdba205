import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evograft.cli_kit.console import Display
from evograft.errors import UserError
from evograft_env_setup.reporting.forge import MARK
from evograft_env_setup.reporting.markdown import MarkdownFile
from evograft_env_setup.reporting.places import open_reporter
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.reporting.terminal import Terminal

TOKEN = "glpat-0123456789abcdefgh"
US, STRANGER = {"id": 7, "type": "User"}, {"id": 8, "type": "User"}


class Forge(ThreadingHTTPServer):
    """Keeps comments as GitHub and GitLab do."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments = []
        self.requests = []
        self.failing = 0
        self.knows_user = True
        self.answer = None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, body, author):
        self.comments.append({"id": len(self.comments) + 100, "body": body, "author": author, "user": author})
        return self.comments[-1]


class Handler(BaseHTTPRequestHandler):
    def _handle(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        self.server.requests.append((self.command, self.path))
        status, data = self._answered(body)
        content = self.server.answer if self.server.answer is not None else json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815 - the server's names

    def _answered(self, body):
        server = self.server
        if server.failing:
            server.failing -= 1
            return 503, {"message": f"token {TOKEN} came"}
        if TOKEN not in (self.headers.get("PRIVATE-TOKEN"), (self.headers.get("Authorization") or "")[7:]):
            return 401, {}
        if self.path == "/user":
            return (200, US) if server.knows_user else (403, {})
        if self.command == "POST":
            return 201, server.add(body["body"], US)
        if self.command == "GET":
            page = int(re.search(r"[?&]page=(\d+)", self.path)[1])
            return 200, server.comments[100 * (page - 1) : 100 * page]
        number = int(self.path.rpartition("/")[2])
        found = [each for each in server.comments if each["id"] == number]
        if not found:
            return 404, {}
        found[0]["body"] = body["body"]
        return 200, found[0]

    def log_message(self, *_): ...


@pytest.fixture
def forge():
    with running() as server:
        yield server


@contextmanager
def running():
    server = Forge()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PLACES = ["github:owner/name#12", "gitlab:group/sub/name#12", "gitlab:group/name!12"]


def reporter(place, server):
    environment = {"GITHUB_API_URL": server.address, "CI_API_V4_URL": server.address}
    return open_reporter(place, {**environment, "GITHUB_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN})


def told(*reporters):
    progress = SetupProgress(reporters)
    progress.set_active_phase("planning")
    progress.mark_phase_completed("planning")
    progress.set_active_phase("environment_setup")
    progress.say("pip install a")
    progress.post("## Environment setup failed\n")
    return progress.status


@pytest.mark.parametrize("place", PLACES)
def test_a_set_up_is_one_comment_that_is_edited(forge, place):
    told(reporter(place, forge))
    (comment,) = forge.comments
    assert comment["body"].startswith(MARK)
    assert "- [x] Planning" in comment["body"]
    assert comment["body"].endswith("## Environment setup failed\n")
    assert [method for method, _ in forge.requests].count("POST") == 1


@pytest.mark.parametrize(
    ("place", "listed"),
    [
        ("github:owner/name#12", "/repos/owner/name/issues/12/comments"),
        ("gitlab:group/sub/name#12", "/projects/group%2Fsub%2Fname/issues/12/notes"),
        ("gitlab:group/name!12", "/projects/group%2Fname/merge_requests/12/notes"),
    ],
)
def test_comments_are_where_the_forge_has_them(forge, place, listed):
    told(reporter(place, forge))
    assert ("POST", listed) in forge.requests


@pytest.mark.parametrize("place", PLACES)
def test_the_next_set_up_edits_the_comment_of_the_last_one(forge, place):
    for number in range(150):
        forge.add(f"comment {number}", STRANGER)
    told(reporter(place, forge))
    told(reporter(place, forge))
    assert sum(each["body"].startswith(MARK) for each in forge.comments) == 1


@pytest.mark.parametrize("place", PLACES)
def test_a_strangers_comment_with_our_mark_is_left_alone(forge, place):
    forge.add(f"{MARK}\nmine", STRANGER)
    told(reporter(place, forge))
    assert forge.comments[0]["body"] == f"{MARK}\nmine"
    assert len(forge.comments) == 2


def test_a_workflow_that_may_not_ask_who_it_is_knows_its_comments_as_a_bots(forge):
    forge.knows_user = False
    forge.add(f"{MARK}\nmine", STRANGER)
    forge.add(f"{MARK}\nold", {"id": 9, "type": "Bot"})
    told(reporter(PLACES[0], forge))
    assert len(forge.comments) == 2
    assert "Environment Setup" in forge.comments[1]["body"]


def test_a_comment_that_somebody_removes_is_written_anew(forge):
    progress = SetupProgress([reporter(PLACES[0], forge)])
    progress.set_active_phase("planning")
    forge.comments.clear()
    progress.mark_phase_completed("planning")
    progress.set_active_phase("environment_setup")
    assert "- [x] Planning" in forge.comments[0]["body"]


def test_a_server_that_fails_stops_nothing_and_gets_the_last_word(forge):
    forge.failing = 2
    status = told(reporter(PLACES[0], forge))
    assert status.warnings == (f"github: {forge.address}: GET is answered with 503",)
    assert len(forge.comments) == 1
    assert "Environment setup failed" in forge.comments[0]["body"]


@pytest.mark.long
@pytest.mark.parametrize("answer", [b"", b"<html>", b"[1]", b'{"id": "x"}', b"[" * 100_000, b'[{"id": 1e999}]'])
def test_whatever_a_server_answers_the_set_up_goes_on(forge, answer):
    forge.answer = answer
    assert len(told(reporter(PLACES[0], forge)).warnings) == 1


def test_many_warnings_are_one_request_and_leave_room_for_what_failed(forge):
    progress = SetupProgress([reporter(PLACES[0], forge)])
    progress.set_active_phase("planning")
    before = len(forge.requests)
    progress.warn(*(f"{number} \u202e" + "x\u202e" * 500 for number in range(2000)))
    assert len(forge.requests) == before + 1
    progress.post("## Environment setup failed")
    assert "## Environment setup failed" in forge.comments[0]["body"]
    assert len(forge.comments[0]["body"]) < 65_536


def test_a_server_that_fails_is_asked_once_for_each_change(forge):
    forge.failing = 1000
    progress = SetupProgress([reporter(PLACES[0], forge)])
    progress.set_active_phase("environment_setup")
    asked = len(forge.requests)
    for number in range(20):
        progress.say(f"command {number}")
    assert len(forge.requests) == asked


def test_a_server_that_is_not_there_stops_nothing():
    with running() as server:
        gone = reporter(PLACES[0], server)
    (warning,) = told(gone).warnings
    assert "ConnectError" in warning
    assert TOKEN not in warning


def test_the_token_goes_into_no_message(forge):
    forge.failing = 100
    assert TOKEN not in str(told(reporter(PLACES[1], forge)))


@pytest.mark.parametrize("place", PLACES)
def test_a_missing_token_is_named_before_anything_is_done(place):
    with pytest.raises(UserError, match=r"in the environment variable GIT(HUB|LAB)_TOKEN"):
        open_reporter(place, {})


@pytest.mark.parametrize("place", ["github:owner#1", "github:a/b", "gitlab:name#1", "gitlab:a/b#x", "github:a/b#1#2"])
def test_what_is_no_place_is_told_with_the_form_of_one(place):
    with pytest.raises(UserError, match="github:OWNER/NAME#NUMBER"):
        open_reporter(place, {})


def test_a_file_shows_the_standing(tmp_path):
    path = tmp_path / "setup.md"
    told(open_reporter(str(path)))
    assert path.read_text(encoding="utf-8") == (
        "- [ ] Pre Planning\n- [x] Planning\n- [ ] **Environment Setup** …\n- [ ] Execution\n- [ ] Reflection\n"
        "- [ ] Verification\n- [ ] Complete\n\n## Environment setup failed\n"
    )


def test_a_file_whose_folder_is_missing_is_refused_at_once(tmp_path):
    with pytest.raises(UserError, match="its folder does not exist"):
        open_reporter(str(tmp_path / "no" / "setup.md"))


def test_a_link_is_replaced_and_what_it_leads_to_is_left_alone(tmp_path):
    (tmp_path / "victim").write_text("mine")
    path = tmp_path / "setup.md"
    path.symlink_to("victim")
    told(open_reporter(str(path)))
    assert (tmp_path / "victim").read_text() == "mine"
    assert path.read_text(encoding="utf-8").startswith("- [ ] Pre Planning\n")


def test_a_folder_that_is_a_link_is_refused_unless_the_path_is_a_full_one(tmp_path, monkeypatch):
    (tmp_path / "outside").mkdir()
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "docs").symlink_to("../outside")
    monkeypatch.chdir(repository)
    with pytest.raises(UserError, match="'docs' is a link: name the file by its path from the root"):
        open_reporter("docs/setup.md")
    told(open_reporter(str(repository / "docs" / "setup.md")))
    assert (tmp_path / "outside" / "setup.md").exists()


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path):
    (warning,) = told(MarkdownFile(tmp_path)).warnings
    assert "Is a directory" in warning


def test_a_warning_cannot_pretend_to_be_markup(tmp_path):
    progress = SetupProgress([MarkdownFile(tmp_path / "setup.md")])
    progress.warn("``` @everyone ![](https://a.example/x.png)")
    assert "````\n``` @everyone" in (tmp_path / "setup.md").read_text(encoding="utf-8")


def test_where_nothing_moves_each_piece_of_news_is_a_line_of_standard_error(capsys):
    with Display("plain") as display:
        told(Terminal(display))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[:3] == ["Planning", "Planning: completed", "Environment Setup"]
    assert "pip install a" in printed.err


def test_a_live_terminal_keeps_phases_and_warnings_and_passes_over_the_rest(capsys):
    with Display("live") as display:
        terminal = Terminal(display)
        told(terminal)
        terminal.output("Downloading \x1b[2J\n\n")
    kept = capsys.readouterr().err
    assert "Planning: completed" in kept
    assert "going on with a warning" in kept
    assert "pip install a\n" not in kept
    assert "\x1b[2J" not in kept
