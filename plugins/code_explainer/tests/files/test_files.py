"""Nothing outside of the root is read, nothing that is no file, and no secrets; by any tool."""

import os
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_code_explainer.files import walk
from evograft_code_explainer.files.descent import Descent
from evograft_code_explainer.files.patterns import GitignorePatterns
from evograft_code_explainer.files.printable import escape_name, escape_unprintable
from evograft_code_explainer.files.root import RepositoryRoot
from evograft_code_explainer.files.secrets import Secrets
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.plugin import CodeExplainerPlugin
from evograft_hookspecs import ToolCall

MARK = "outside-7f3a"
"""What stands in no file that may be read."""


@pytest.fixture
def project(tmp_path):
    """A code base beside a file that is none of it."""
    (tmp_path / "outside.txt").write_text(MARK)
    (tmp_path / "project-2").mkdir()
    (tmp_path / "project-2" / "near.txt").write_text(MARK)
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text("def main():\n    pass\n")
    (root / "README.md").write_text("# A project\n")
    return root


def ask(root, tool, options=None, /, **arguments):
    plugin = CodeExplainerPlugin(CodeExplainerOptions(root=str(root), **(options or {})))
    return plugin.tool_call(ctx=None, call=ToolCall(id="1", tool=tool, arguments=arguments))


def every_answer(root, path, **options):
    """What the tools say of a path, whatever it is."""
    calls = [("list_file", {"recursive": True, "hidden": True}), ("read_file", {}), ("outline", {})]
    calls += [("search", {"pattern": ".", "hidden": True})]
    return [ask(root, tool, options, path=path, **arguments) for tool, arguments in calls]


WAYS_OUT = [
    "../outside.txt",
    "src/../../outside.txt",
    "./src/./.././../outside.txt",
    "src/main.py/../../../outside.txt",
    "/etc/passwd",
    "//etc/passwd",
    "../project-2/near.txt",
    "..",
    "/",
    "~/outside.txt",
    "src\\..\\..\\outside.txt",
    "..\u2215outside.txt",
    "%2e%2e/outside.txt",
    "README.md\0/../../outside.txt",
    "a/" * 3000,
    "a" * 300,
    "file:///etc/passwd",
]


@pytest.mark.parametrize("path", WAYS_OUT, ids=lambda path: repr(path)[:30])
def test_no_path_leads_out_of_the_root(project, path):
    for answer in every_answer(project, path):
        assert not answer.ok
        assert MARK not in answer.content
        assert "root:x" not in answer.content
        assert len(answer.content) < 1000


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["..", ".", "", "src", "main.py", "link", "up", "project", "outside.txt"]), max_size=8))
def test_no_combination_of_steps_leads_out(tmp_path_factory, parts):
    root = tmp_path_factory.mktemp("w") / "project"
    (root / "src").mkdir(parents=True)
    (root.parent / "outside.txt").write_text(MARK)
    (root / "src" / "main.py").write_text("inside")
    (root / "link").symlink_to("src")
    (root / "src" / "up").symlink_to("../..")
    answer = ask(root, "read_file", path="/".join(parts))
    assert MARK not in answer.content
    if answer.ok:
        assert "inside" in answer.content


@pytest.mark.parametrize("target", ["../outside.txt", "/etc/passwd", "../project-2", "..", "/", "loop"])
def test_links_to_the_outside_are_not_followed(project, target):
    (project / "loop").symlink_to("loop")
    (project / "link").symlink_to(target)
    (project / "second").symlink_to("link")
    for path in ("link", "second", "link/near.txt", "link/outside.txt"):
        assert not any(answer.ok for answer in every_answer(project, path))
    assert MARK not in ask(project, "list_file", recursive=True).content
    assert ask(project, "search", pattern=MARK).content == "no matches"


def test_links_within_the_root_are_followed_and_named_as_what_they_are(project):
    (project / "link").symlink_to("src")
    (project / "absolute").symlink_to(project / "src" / "main.py")
    assert "src/main.py: lines 1 to 2" in ask(project, "read_file", path="link/main.py").content
    assert "src/main.py: lines 1 to 2" in ask(project, "read_file", path="absolute").content
    assert "link -> src" in ask(project, "list_file").content


def test_a_path_may_be_absolute_if_it_lies_in_the_root(project, tmp_path):
    (tmp_path / "other-name").symlink_to(project)
    assert ask(project, "read_file", path=str(project / "README.md")).ok
    assert ask(tmp_path / "other-name", "read_file", path=str(tmp_path / "other-name" / "README.md")).ok


def test_a_link_that_is_swapped_while_files_are_opened_leads_nowhere(project, tmp_path):
    """A folder, a link to the outside and nothing take turns, as fast as they can, under the name that is read."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "main.py").write_text(MARK)
    done = threading.Event()

    def swap():
        kept, link, name = project / "kept", project / "link", project / "src"
        link.symlink_to(tmp_path / "elsewhere")
        while not done.is_set():
            name.rename(kept)
            link.rename(name)
            name.rename(link)
            kept.rename(name)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        answers = [ask(project, "read_file", path="src/main.py") for _ in range(300)]
        answers += [ask(project, "search", pattern=MARK) for _ in range(5)]
    finally:
        done.set()
        swapping.join()
    assert not any(MARK in answer.content for answer in answers)
    # The race did take place: some came when the folder was there, some when it was not.
    assert {answer.ok for answer in answers} == {True, False}


def test_a_folder_that_became_a_link_after_it_was_looked_at_is_not_entered(project, tmp_path, monkeypatch):
    root = RepositoryRoot(project, Secrets())
    look = os.stat

    def look_then_swap(path, **options):
        seen = look(path, **options)
        if path == "src":
            (project / "src").rename(project / "gone")
            (project / "src").symlink_to(tmp_path)
        return seen

    monkeypatch.setattr(os, "stat", look_then_swap)
    with (
        pytest.raises(Exception, match=r"changed while it was opened|a file stands where"),
        root.file("src/outside.txt"),
    ):
        pass


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_is_not_opened(project, kind):
    place = project / "thing"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            place_in = os.open(project, os.O_RDONLY)
            server.bind(f"/proc/self/fd/{place_in}/thing")
            os.close(place_in)
    else:
        place.symlink_to("/dev/zero")
    for answer in every_answer(project, "thing"):
        assert not answer.ok
    assert ask(project, "search", pattern="def").content.startswith("1 match")
    assert "thing" in ask(project, "list_file").content


SECRETS = [
    ".env",
    ".ENV",
    ".env.production",
    "\uff0eenv",
    "config/.Env.Local",
    "server.pem",
    "tls/private.KEY",
    "id_rsa",
    "id_ed25519.old",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "credentials",
    "credentials.json",
    ".aws/config",
    ".ssh/config",
    ".docker/config.json",
    "deploy/.git-credentials",
    "store.p12",
    ".git/config",
    ".bash_history",
    "passwords.txt",
]


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_read_by_no_tool(project, name):
    secret = project / name
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text(MARK)
    (project / "notes.txt").symlink_to(name)
    (project / "here").symlink_to(secret.parent)
    for path in (name, "notes.txt", f"here/{secret.name}"):
        assert not any(answer.ok for answer in every_answer(project, path))
    listing = ask(project, "list_file", recursive=True, hidden=True).content
    assert "1 secret" in listing
    assert secret.name not in listing.replace("notes.txt -> " + name, "").replace(f"here -> {secret.parent}", "")
    assert ask(project, "search", pattern=MARK, hidden=True).content == "no matches"
    assert "passwords and keys" in ask(project, "read_file", path=name).content


def test_a_secret_with_a_name_that_is_no_text_is_passed_over(project):
    (project / "\udcff.pem").write_text(MARK)
    assert ask(project, "search", pattern=MARK, hidden=True).content == "no matches"
    assert "1 secret" in ask(project, "list_file", hidden=True).content


@pytest.mark.parametrize("name", [".env.example", "src/credentials.py", "environment.py", "keys.md", "tokenizer.json"])
def test_files_about_secrets_are_read(project, name):
    (project / name).write_text("text")
    assert ask(project, "read_file", path=name).ok


def test_what_the_user_allows_is_read_and_nothing_else(project):
    (project / "tests").mkdir()
    for name in ("tests/a.pem", "b.pem"):
        (project / name).write_text("text")
    allowed = {"allow": ("tests/*.pem",)}
    assert ask(project, "read_file", allowed, path="tests/a.pem").ok
    assert not ask(project, "read_file", allowed, path="b.pem").ok


@pytest.mark.parametrize("pattern", ["", "#", "!*.pem", "[z-a]"])
def test_what_allows_nothing_is_an_error(pattern):
    with pytest.raises(ValueError, match="no pattern"):
        CodeExplainerOptions(allow=(pattern,))


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_nothing_is_left_open(project):
    for path in ["src/main.py", "src", "../outside.txt", "nothing", ".env", *WAYS_OUT]:
        every_answer(project, path)
    before = open_files()
    for path in ["src/main.py", "src", "../outside.txt", "nothing", ".env", *WAYS_OUT]:
        every_answer(project, path)
    assert open_files() == before


def test_nothing_is_written(project):
    before = {path: path.stat().st_mtime_ns for path in [project, *project.rglob("*")]}
    for path in (".", "src/main.py"):
        every_answer(project, path)
    assert {path: path.stat().st_mtime_ns for path in [project, *project.rglob("*")]} == before


def test_a_name_that_does_not_exist_is_answered_with_those_that_do(project):
    (project / "src" / ".env").write_text(MARK)
    assert "did you mean src/main.py?" in ask(project, "read_file", path="src/mian.py").content
    assert ".env" not in ask(project, "read_file", path="src/.enw").content.partition(";")[2]


def test_the_root_must_be_a_folder(project):
    for root in (project / "README.md", project / "nothing"):
        report = CodeExplainerPlugin(CodeExplainerOptions(root=str(root))).setup_env(ctx=None)
        assert report.status == "failed"
        assert str(root) in report.errors[0]
        assert "can't be opened" in ask(root, "list_file").content


@given(st.text(st.characters(), max_size=60))
def test_no_name_steers_a_terminal(name):
    text = escape_name(name)
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or 0x202A <= ord(char) <= 0x202E for char in text)
    assert text.encode() or not name
    assert escape_unprintable("a\tbé 日本\u3000語") == "a\tbé 日本\u3000語"


def test_a_descent_that_is_refused_closes_what_it_opened(project):
    before = open_files()
    with pytest.raises(FileNotFoundError), Descent(str(project), lambda path: path.split("/")) as way:
        way.go("src/../src/nothing")
    assert open_files() == before


NAMES = st.sampled_from(
    ["\udcff.env", "a", "b.py", "é.txt", "x\n.py", "build/", "deep/a.py", "deep/build/", ".env", "\udcff.py", "*"]
)


@settings(max_examples=30)
@given(st.lists(NAMES, max_size=10), st.lists(st.sampled_from(["*.py", "build/", "/a", "!b.py", "**/a.py", "é*", "*"])))
def test_looking_at_many_names_at_once_misses_none(names, lines):
    patterns = GitignorePatterns(lines)
    assert {name for name in names if patterns.include(name) is not None} <= patterns.touched(names)


def test_no_gitignore_is_too_hard_or_too_odd(project):
    hostile = ["*a" * 200 + "b", "[z-a]", "[[:alpha:]]", "!", "\\", "a\\", "**/" * 100 + "x", "[", "é[]"]
    (project / ".gitignore").write_bytes("\n".join([*hostile, "*.md", "x" * 100_000]).encode() + b"\n\xff\xfe\0\n")
    (project / ("a" * 200)).write_text("")
    listing = ask(project, "list_file").content
    assert "README.md" not in listing
    assert "src/" in listing
    assert Path(project / "README.md").exists()


def test_no_number_of_gitignores_is_too_much(project, monkeypatch):
    """Lines are counted over the whole walk, and those that are too many are passed over."""
    monkeypatch.setattr(walk, "MOST_LINES", 3)
    (project / ".gitignore").write_text("*.a\n*.b\n")
    (project / "src" / ".gitignore").write_text("*.c\n*.d\n")
    for ending in "abcd":
        (project / "src" / f"x.{ending}").write_text("")
    listing = ask(project, "list_file", recursive=True).content
    assert [ending for ending in "abcd" if f"src/x.{ending}" in listing] == ["d"]


def test_a_folder_that_is_too_wide_is_said_to_be(project, monkeypatch):
    monkeypatch.setattr(walk, "WIDEST", 1)
    assert "1 too wide" in ask(project, "list_file").content


def test_what_vanishes_while_it_is_listed_is_no_trouble(project, monkeypatch):
    (project / "link").symlink_to("src")
    kind = walk._kind

    def look_then_remove(entry):
        found = kind(entry)
        if entry.name in ("link", "README.md"):
            (project / entry.name).unlink()
        return found

    monkeypatch.setattr(walk, "_kind", look_then_remove)
    assert "src/main.py" in ask(project, "list_file", recursive=True, hidden=True).content


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_said_to_be(project):
    (project / "src").chmod(0)
    try:
        assert "may not be read" in ask(project, "list_file", path="src").content
        assert "1 unreadable" in ask(project, "list_file", recursive=True).content
    finally:
        (project / "src").chmod(0o755)
