"""What is installed is read once, and again when it has changed."""

import os
import shutil
import sys
from importlib import metadata

import pytest

from evograft.plugin import entry_points
from evograft.plugin.entry_points import installed, installed_versions


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder in which packages are looked for."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def install(site, version):
    info = site / f"late-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: late\nVersion: {version}\n")
    (info / "entry_points.txt").write_text("[evograft.plugins]\nlate = late:Late\n")
    happened_after_the_last_look(site)


def uninstall(site):
    shutil.rmtree(next(site.glob("*.dist-info")))
    happened_after_the_last_look(site)


def happened_after_the_last_look(site):
    """Two changes within a tick of the file system's clock have one time."""
    now = site.stat().st_mtime_ns
    os.utime(site, ns=(now + 10**9, now + 10**9))


def test_what_is_installed_and_removed_while_a_process_runs_is_seen_by_it(site):
    assert "late" not in installed()
    install(site, "1.0")
    assert [entry.value for entry in installed()["late"]] == ["late:Late"]
    assert installed_versions()["late"] == "1.0"
    uninstall(site)
    assert ("late" in installed(), "late" in installed_versions()) == (False, False)
    install(site, "2.0")
    assert installed_versions()["late"] == "2.0"


def test_packages_are_read_once_while_nothing_changes(site, monkeypatch):
    reads = []
    monkeypatch.setattr(entry_points, "entry_points", lambda: reads.append(1) or metadata.entry_points())
    for _ in range(3):
        installed()
        installed("evograft.llm")
        installed_versions()
    assert len(reads) == 1
