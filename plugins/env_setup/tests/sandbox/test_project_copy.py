import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_env_setup.sandbox.bwrap.own_folder import cache_folder, remove_tree
from evograft_env_setup.sandbox.project_copy import NEVER_COPIED, SECRETS, pack, unpack

OWNER = 54321
SPECIAL = {*NEVER_COPIED, *SECRETS, ".", "..", "pyvenv.cfg"}

names = (
    st.binary(min_size=1, max_size=40)
    .filter(lambda name: not {0, ord("/")} & set(name))
    .map(os.fsdecode)
    .filter(lambda name: name not in SPECIAL)
)
files = st.tuples(st.binary(max_size=200), st.booleans())
links = st.lists(names, min_size=1, max_size=4).map("/".join) | names.map("/{}".format) | names.map("../../{}".format)
trees = st.recursive(files | links, lambda inner: st.dictionaries(names, inner, max_size=4), max_leaves=10)
projects = st.dictionaries(names, trees, max_size=5)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_the_folder_of_a_run_is_not_copied_and_makes_no_other_project(project):
    run = project / "runs" / "a-1"
    run.mkdir(parents=True)
    (run / "pipeline.lock.yaml").write_text("")
    with tempfile.TemporaryFile() as archive:
        before = pack(project, archive, owner=OWNER)
        (run / "log.sqlite").write_text("secret")
        assert pack(project, archive, owner=OWNER) == before
    assert before.told == "not copied: runs/a-1"


def test_what_set_ups_keep_is_not_copied_where_it_lies_in_the_project(project, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / ".cache"))
    kept = cache_folder() / "environments" / "kept"
    kept.mkdir(parents=True)
    (project / ".cache" / "other").write_text("")
    with tempfile.TemporaryFile() as archive:
        before = pack(project, archive, owner=OWNER)
        (kept / "file").write_text("")
        assert pack(project, archive, owner=OWNER) == before
        archive.seek(0)
        with tarfile.open(fileobj=archive) as tar:
            assert tar.getnames() == [".cache", ".cache/evograft", ".cache/other"]
    assert before.told == "not copied: .cache/evograft/env"


def build(folder, tree):
    for name, what in tree.items():
        path = folder / name
        if isinstance(what, dict):
            path.mkdir()
            build(path, what)
        elif isinstance(what, str):
            path.symlink_to(what)
        else:
            content, runs = what
            path.write_bytes(content)
            path.chmod(0o755 if runs else 0o644)


def read(folder):
    return {path.name: read_one(path) for path in folder.iterdir()}


def read_one(path):
    if path.is_symlink():
        return os.readlink(path)  # noqa: PTH115 - exactly as it is
    if path.is_dir():
        return read(path)
    return path.read_bytes(), os.access(path, os.X_OK)


def copied(project, folder, owner=OWNER):
    folder.mkdir()
    archive = io.BytesIO()
    packed = pack(project, archive, owner=owner)
    archive.seek(0)
    unpack(archive, folder)
    return packed


def digest(project):
    return pack(project, io.BytesIO(), owner=OWNER).digest


@settings(max_examples=50)
@given(tree=projects)
def test_a_copy_is_the_project_and_known_by_the_same_digest(tree):
    with tempfile.TemporaryDirectory() as base:
        before, after = Path(base, "before"), Path(base, "after")
        before.mkdir()
        build(before, tree)
        packed = copied(before, after)
        assert read(after) == tree
        assert packed.left_out == ()
        assert digest(after) == packed.digest


@settings(max_examples=50)
@given(one=projects, other=projects)
def test_two_projects_have_one_digest_only_if_they_are_the_same(one, other):
    with tempfile.TemporaryDirectory() as base:
        folders = Path(base, "one"), Path(base, "other")
        for folder, tree in zip(folders, (one, other), strict=True):
            folder.mkdir()
            build(folder, tree)
        assert (digest(folders[0]) == digest(folders[1])) == (one == other)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "file").write_text("other"),
        lambda folder: (folder / "file").chmod(0o755),
        lambda folder: (folder / "file").rename(folder / "renamed"),
        lambda folder: (folder / "more").mkdir(),
        lambda folder: ((folder / "link").unlink(), (folder / "link").symlink_to("./file")),
    ],
    ids=["content", "right", "name", "folder", "link"],
)
def test_a_digest_tells_of_every_change_that_a_copy_shows(project, change):
    (project / "file").write_text("text")
    (project / "link").symlink_to("file")
    before = digest(project)
    change(project)
    assert digest(project) != before


@pytest.mark.parametrize("date", [0, -5, 2**33])
def test_dates_are_no_part_of_a_digest(project, tmp_path, date):
    (project / "file").write_text("text")
    before = digest(project)
    os.utime(project / "file", (date, date))
    assert copied(project, tmp_path / "copy").digest == before
    assert (tmp_path / "copy" / "file").stat().st_mtime == date


def test_what_is_made_for_this_machine_or_holds_keys_stays_here_and_is_named(project, tmp_path):
    build(
        project,
        {
            "kept": (b"", False),
            "node_modules": {"package": (b"", False)},
            "part": {"__pycache__": {}, ".env": (b"KEY=1", False), "mine": {"pyvenv.cfg": (b"", False)}},
        },
    )
    packed = copied(project, tmp_path / "copy")
    assert packed.left_out == ("node_modules", "part/.env", "part/__pycache__", "part/mine")
    assert read(tmp_path / "copy") == {"kept": (b"", False), "part": {}}


def test_only_folders_are_left_out_by_the_name_of_a_folder(project, tmp_path):
    tree = {"node_modules": (b"a file", False), ".tox": "linked", ".env": {"file": (b"", False)}}
    build(project, tree)
    copied(project, tmp_path / "copy")
    assert read(tmp_path / "copy") == tree


def test_a_pipe_is_neither_opened_nor_copied(project, tmp_path):
    os.mkfifo(project / "pipe")
    assert copied(project, tmp_path / "copy").left_out == ("pipe",)
    assert read(tmp_path / "copy") == {}


def test_links_in_a_circle_are_copied_as_they_are(project, tmp_path):
    (project / "self").symlink_to(".")
    (project / "one").symlink_to("two")
    (project / "two").symlink_to("one")
    copied(project, tmp_path / "copy")
    assert read(tmp_path / "copy") == {"self": ".", "one": "two", "two": "one"}


def test_a_project_may_be_deeper_than_functions_can_call_themselves(project, tmp_path):
    deepest = project
    for _ in range(1200):
        deepest /= "d"
        deepest.mkdir()
    copied(project, tmp_path / "copy")
    assert (tmp_path / "copy" / deepest.relative_to(project)).is_dir()
    assert remove_tree(project)
    assert remove_tree(tmp_path / "copy")


def test_special_rights_are_lost(project, tmp_path):
    (project / "file").touch()
    (project / "file").chmod(0o6777)
    copied(project, tmp_path / "copy")
    assert (tmp_path / "copy" / "file").stat().st_mode & 0o7777 == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_belong_to_the_owner_that_was_asked_for(project, tmp_path):
    build(project, {"folder": {"file": (b"", False)}, "link": "/etc/passwd"})
    copied(project, tmp_path / "copy", owner=1_987_654_321)
    owners = {path.lstat().st_uid for path in (tmp_path / "copy").rglob("*")}
    assert owners == {1_987_654_321}
    assert Path("/etc/passwd").stat().st_uid == 0


def test_a_project_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match="missing"):
        digest(tmp_path / "missing")


def member(name, kind=tarfile.REGTYPE, linkname=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, linkname
    return info


@pytest.mark.parametrize(
    "hostile",
    [
        [member("../outside")],
        [member("{base}/outside")],
        [member("folder", tarfile.DIRTYPE), member("folder/../../outside")],
        [member("folder", tarfile.DIRTYPE), member("folder/..", tarfile.DIRTYPE), member("folder/../outside")],
        [member("link", tarfile.SYMTYPE, "../elsewhere"), member("link/outside")],
        [member("link", tarfile.SYMTYPE, "../elsewhere"), member("link", tarfile.DIRTYPE), member("link/outside")],
        [member("link", tarfile.SYMTYPE, "../elsewhere/outside"), member("link")],
        [member("outside", tarfile.LNKTYPE, "../secret")],
        [member("pipe", tarfile.FIFOTYPE)],
    ],
)
def test_an_archive_of_a_stranger_writes_nothing_outside(tmp_path, hostile):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "copy").mkdir()
    (tmp_path / "secret").touch()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for each in hostile:
            each.name = each.name.format(base=tmp_path)
            tar.addfile(each)
    archive.seek(0)
    with pytest.raises(tarfile.TarError):
        unpack(archive, tmp_path / "copy")
    assert {path.name for path in tmp_path.rglob("*")} <= {"elsewhere", "copy", "secret", "folder", "link"}


def test_a_checkout_keeps_its_token_and_git_does_without(project, tmp_path):
    def git(*words, folder=project):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    (project / "file").write_text("text\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    git("tag", "v1.0")
    git("config", "http.https://example.org/.extraheader", "AUTHORIZATION: basic c2VjcmV0")
    copy = tmp_path / "copy"
    copy.mkdir()
    with tempfile.TemporaryFile() as archive:
        packed = pack(project, archive, owner=os.getuid())
        assert ".git/config" in packed.told
        archive.seek(0)
        assert b"c2VjcmV0" not in archive.read()
        archive.seek(0)
        unpack(archive, copy)
    assert git("describe", "--tags", "--dirty", folder=copy) == "v1.0"


def test_what_is_left_out_is_told_whatever_its_name(project):
    os.mkfifo(os.fsencode(project) + b"/p\xe9")
    with tempfile.TemporaryFile() as archive:
        assert pack(project, archive, owner=OWNER).told == "not copied: p\\xe9"
