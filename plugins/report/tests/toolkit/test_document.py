"""Pages of other packages: their templates within the document that all pages share, and files written whole."""

import base64
import hashlib
import re

import pytest

from evograft.files import write_atomically
from evograft.text.i18n import Catalog
from evograft_report.toolkit.document import render


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a page of its own."""
    root = tmp_path / "moonpage"
    for folder in ("templates", "words"):
        (root / folder).mkdir(parents=True)
    (root / "__init__.py").touch()
    (root / "words" / "en.yaml").write_text("moon.title: The moon, {name}\n")
    (root / "templates" / "moon.css").write_text(".moon { color: var(--best); }\n")
    (root / "templates" / "moon.html").write_text(
        '{% extends "document.html" %}{% block title %}{{ t("moon.title", name=name) }}{% endblock %}'
        "{% block body %}<p>{{ name }}</p>{% endblock %}"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "moonpage"


def test_a_page_of_another_package_is_styled_escaped_and_may_run_nothing(package):
    html = render(package, "moon.html", Catalog("en", package), css=("moon.css",), name="<script>")
    style = re.search("<style>(.*)</style>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert ".moon" in style
    assert ".chart text" in style
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in html
    assert "<title>The moon, &lt;script&gt;</title>" in html
    assert "<script" not in html


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(OSError, match=r"page\.html"):
        write_atomically(tmp_path / "page.html", b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_file_takes_the_place_of_the_one_before(tmp_path):
    path = tmp_path / "new folder" / "page.html"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert len(list(path.parent.iterdir())) == 1
