"""`evo apply` in real git repositories: what is not committed, branches, and repositories that are hostile or odd."""

import subprocess

import pytest


def git(folder, *words):
    identity = ("-c", "user.name=Me", "-c", "user.email=me@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *identity, *words], cwd=folder, text=True, capture_output=True, check=True)
    return done.stdout.strip()


def evolve(runs, task, halving):
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "-n", "20", *halving)
    assert done.returncode == 0, done.stderr


def commit_all(folder):
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "start")


@pytest.fixture
def repository(task, monkeypatch):
    """The folder of a task as a repository with one commit; the user has an identity."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Me")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "me@example.org")
    home = task.with_name("作業 one")
    task.rename(home)
    git(home, "init", "-q", "-b", "main")
    commit_all(home)
    return home


def append(path, text):
    with path.open("a", newline="") as file:
        file.write(text)


def test_a_clean_file_is_written_and_others_that_are_not_committed_stay(runs, repository, halving):
    evolve(runs, repository, halving)
    append(repository / "evaluate.py", "# mine\n")
    done = runs.evo("apply", "--yes")
    assert done.returncode == 0, done.stderr
    assert git(repository, "diff", "--name-only").splitlines() == ["evaluate.py", "program.py"]
    assert (repository / "evaluate.py").read_text().endswith("# mine\n")


@pytest.mark.parametrize("staged", [True, False])
def test_what_was_not_committed_when_the_run_began_is_not_written_over(runs, repository, halving, staged):
    append(repository / "program.py", "# mine\n")
    if staged:
        git(repository, "add", "program.py")
    evolve(runs, repository, halving)
    before = (repository / "program.py").read_text()
    refused = runs.evo("apply", "--yes")
    assert refused.returncode == 2
    assert f"'{repository / 'program.py'}' was changed and not committed: commit or stash" in refused.stderr
    assert (repository / "program.py").read_text() == before
    assert runs.evo("apply", "--yes", "--force").returncode == 0
    assert (repository / "program.py").read_text() != before


def test_a_file_that_git_does_not_have_is_written(runs, repository, halving):
    git(repository, "rm", "-q", "--cached", "program.py")
    git(repository, "commit", "-qm", "without it")
    evolve(runs, repository, halving)
    assert runs.evo("apply", "--yes").returncode == 0


def test_a_branch_follows_the_commit_that_the_run_began_with(runs, repository, halving):
    evolve(runs, repository, halving)
    began = git(repository, "rev-parse", "HEAD")
    (repository / "program.py").write_text("X = 1\n")
    git(repository, "commit", "-qam", "meanwhile")
    refused = runs.evo("apply", "--yes")
    assert refused.returncode == 2
    assert "program.py' was changed since the run began: --patch prints" in refused.stderr
    done = runs.evo("apply", "--branch", "faster")
    assert done.returncode == 0, done.stderr
    assert git(repository, "rev-parse", "faster^") == began
    assert "-X = 3.5" in git(repository, "diff", began, "faster")
    assert (repository / "program.py").read_text() == "X = 1\n"


def test_a_detached_head_and_a_linked_worktree_get_a_branch_too(runs, repository, halving, tmp_path):
    git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    evolve(runs, tmp_path / "linked", halving)
    done = runs.evo("apply", "--branch", "faster")
    assert done.returncode == 0, done.stderr
    assert git(repository, "diff", "--name-only", "main", "faster") == "program.py"
    assert git(tmp_path / "linked", "status", "--porcelain") == ""
    assert runs.evo("apply", "--yes").returncode == 0
    assert git(repository, "status", "--porcelain") == ""


def test_a_repository_without_a_commit_is_written_to_and_has_no_branch(runs, task, halving):
    git(task, "init", "-q")
    evolve(runs, task, halving)
    refused = runs.evo("apply", "--branch", "faster")
    assert refused.returncode == 2
    assert "has no commit that a branch could follow: commit the start program first" in refused.stderr
    assert runs.evo("apply", "--yes").returncode == 0


def test_a_submodule_gets_its_own_branch(runs, repository, halving, tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    git(whole, "init", "-q")
    git(whole, "submodule", "--quiet", "add", str(repository), "part")
    commit_all(whole)
    evolve(runs, whole / "part", halving)
    done = runs.evo("apply", "--branch", "faster")
    assert done.returncode == 0, done.stderr
    assert git(whole / "part", "diff", "--name-only", "HEAD", "faster") == "program.py"
    assert git(whole, "branch", "--list", "faster") == ""


def test_line_ends_and_byte_order_marks_stay(runs, repository, halving):
    program = repository / "program.py"
    program.write_bytes(b"\xef\xbb\xbf" + program.read_bytes().replace(b"\n", b"\r\n"))
    (repository / ".gitattributes").write_text("*.py text\n")
    commit_all(repository)
    evolve(runs, repository, halving)
    patch = runs.evo("apply", "--patch").stdout
    assert runs.evo("apply", "--branch", "faster").returncode == 0
    assert runs.evo("apply", "--yes").returncode == 0
    content = program.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf#")
    assert content.count(b"\n") == content.count(b"\r\n") > 3
    assert git(repository, "diff", "--stat", "faster") == ""
    assert "\r" not in git(repository, "show", "faster:program.py")
    assert "\n-X = 3.5\r\n" in patch


def test_nothing_that_a_repository_brings_is_run(runs, repository, halving, tmp_path):
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho $0 >> '{tmp_path}/sprung'\ncat\n")
    trap.chmod(0o755)
    hooks = repository / ".git" / "hooks"
    for name in ("reference-transaction", "post-index-change", "pre-commit", "post-commit", "fsmonitor-watchman"):
        (hooks / name).write_text(trap.read_text())
        (hooks / name).chmod(0o755)
    (repository / ".gitattributes").write_text("*.py filter=a=b diff=trap\n")
    commit_all(repository)
    for name in ("core.fsmonitor", "core.pager", "filter.a=b.clean", "filter.a=b.process", "diff.trap.textconv"):
        git(repository, "config", name, str(trap))
    git(repository, "config", "filter.a=b.required", "true")
    evolve(runs, repository, halving)
    (tmp_path / "sprung").unlink(missing_ok=True)
    assert runs.evo("apply", "--branch", "faster").returncode == 0
    (repository / "program.py").touch()
    done = runs.evo("apply", "--yes")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "sprung").exists()


def test_variables_of_another_repository_lead_nowhere(runs, repository, halving, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    evolve(runs, repository, halving)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    done = runs.evo("apply", "--branch", "faster")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert done.returncode == 0, done.stderr
    assert git(repository, "branch", "--list", "faster")
    assert not (other / "index").exists()
