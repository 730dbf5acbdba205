"""Asking a tool that ends with the same words whatever happened."""

import shutil
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from labelled import Answer, load

from evograft_env_setup.failures import classify, probe

END = "ERROR: Could not find a version that satisfies the requirement a (from versions: none)\nERROR: No matching distribution found for a\n"
FAILURE = classify("pip install a", 1, "", END)


def after(log, exit_code=1):
    return probe(FAILURE, "pip install a", lambda _: Answer(exit_code, log, END))


@pytest.mark.parametrize(
    ("log", "kind"),
    [
        ("Could not fetch URL https://i.example.org/simple/a/: 503 Server Error: x - skipping", "server"),
        ("Could not fetch URL https://i.example.org/simple/a/: 429 Client Error: x - skipping", "server"),
        ("Could not fetch URL https://i.example.org/simple/a/: connection error: x - skipping", "network"),
        ("Could not fetch URL https://i.example.org/simple/a/: 401 Client Error: x - skipping", "credentials"),
        ("Could not fetch URL https://i.example.org/simple/a/: 404 Client Error: x - skipping", "name"),
        ("Skipping link: none of the wheel's tags (cp27-cp27m-win32) are compatible", "version"),
    ],
)
def test_the_log_of_pip_tells_what_its_last_lines_hide(log, kind):
    assert after(log).kind == kind


def test_what_the_tool_said_first_stays_in_the_excerpt_with_one_line_of_its_log():
    noise = "\n".join(["Getting page https://i.example.org/simple/a/", "Exception information:"] * 30)
    line = "Could not fetch URL https://i.example.org/simple/a/: 404 Client Error: x - skipping"
    excerpt = after(f"{noise}\n{line}\n{noise}").excerpt
    assert "ERROR: No matching distribution found for a" in excerpt
    assert excerpt.endswith(line)
    assert "Getting page" not in excerpt


def test_a_command_that_works_when_asked_had_failed_for_a_moment():
    assert after("Successfully installed a", exit_code=0).error_class == "retryable"


def test_an_answer_that_says_no_more_leaves_the_failure_as_it_was():
    assert after("") == FAILURE


def test_nothing_is_asked_about_what_is_clear():
    clear = classify("npm install", 1, "", "npm error code E404")
    assert probe(clear, "npm install", lambda _: pytest.fail("asked")) == clear


def test_the_question_reaches_the_tool_from_within_a_script():
    asked = []
    probe(FAILURE, "cd app && make deps", lambda command: asked.append(command) or Answer(1, "", ""))
    shown = subprocess.run(
        ["bash", "-c", asked[0].replace("cd app && make deps", "env")], check=True, capture_output=True
    )
    assert b"PIP_VERBOSE=2" in shown.stdout


def test_four_recorded_failures_of_pip_with_the_same_last_lines_are_told_apart():
    kinds = {message.id: message.told().kind for message in load() if message.answer and message.tool == "pip"}
    assert [kinds[f"pip-{code}"] for code in ("404", "403", "429", "503")] == [
        "name",
        "credentials",
        "server",
        "server",
    ]


class _Down(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_): ...


@contextmanager
def index_that_is_down():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Down)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()


def run(command):
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(not shutil.which("pip"), reason="install pip")
def test_pip_itself_does_not_say_that_its_index_is_down_until_it_is_asked(tmp_path):
    with index_that_is_down() as index:
        command = f"PIP_CONFIG_FILE=/dev/null pip install --retries 0 --no-cache-dir -i {index} --target {tmp_path} a"
        first = run(command)
        failure = classify(command, first.exit_code, first.stdout, first.stderr)
        assert (failure.kind, failure.probe) == ("name", "pip")
        assert probe(failure, command, run).kind == "server"
