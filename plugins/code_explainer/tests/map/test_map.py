"""The map of a code base: which files, what imports what, where programs begin."""

import pytest

from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.map import code_map
from evograft_code_explainer.map.code_map import build_map
from evograft_code_explainer.map.entry_points import find_in_manifest
from evograft_code_explainer.map.text import format_map
from evograft_code_explainer.options import CodeExplainerOptions

FILES = {
    "pyproject.toml": '[project.scripts]\nshop = "shop.cli:main"\n',
    "src/shop/__init__.py": "",
    "src/shop/cli.py": "import os\nfrom shop.cart import Cart\nfrom . import money\nfrom .deep.tax import rate as r\n",
    "src/shop/cart.py": "import shop.money as m\nfrom shop import deep\n",
    "src/shop/money.py": "if __name__ == '__main__':\n    pass\n",
    "src/shop/deep/__init__.py": "from ..money import pay\n",
    "src/shop/deep/tax.py": "",
    "web/package.json": '{"main": "app.js", "bin": {"serve": "bin/serve.js"}, "scripts": {"start": "node app.js"}}',
    "web/app.ts": "import { x } from './lib/x.js'\nimport React from 'react'\nexport * from './lib'\n",
    "web/lib/x.ts": "const y = require('./y')\n",
    "web/lib/y.js": "import('./x')\n",
    "web/lib/index.tsx": "",
    "native/main.c": '#include <stdio.h>\n#include "util.h"\n#include <native/io.h>\nint main(void) { return 0; }\n',
    "native/util.h": "",
    "native/include/native/io.h": "",
    "java/src/a/b/Main.java": (
        "package a.b;\nimport a.c.Other;\nclass Main {\n  public static void main(String[] x) {}\n}\n"
    ),
    "java/src/a/c/Other.java": "package a.c;\nclass Other {}\n",
    "go/go.mod": "module example.com/shop\n\ngo 1.22\n",
    "go/main.go": 'package main\n\nimport (\n\t"fmt"\n\t"example.com/shop/stock"\n)\n\nfunc main() {}\n',
    "go/stock/stock.go": "package stock\n",
    "rust/Cargo.toml": '[[bin]]\nname = "tool"\npath = "src/main.rs"\n',
    "rust/src/main.rs": "mod shelf;\nuse crate::shelf::item::Item;\nfn main() {}\n",
    "rust/src/shelf/mod.rs": "mod item;\n",
    "rust/src/shelf/item.rs": "",
    "ruby/run.rb": "require_relative 'lib/part'\nrequire 'json'\n",
    "ruby/lib/part.rb": "",
    "Dockerfile": 'FROM x\nCMD ["shop"]\n',
    "tests/test_cli.py": "import shop.cli\n",
    ".env": "KEY=1\n",
}

IMPORTS = {
    ("src/shop/cli.py", "src/shop/cart.py"),
    ("src/shop/cli.py", "src/shop/money.py"),
    ("src/shop/cli.py", "src/shop/__init__.py"),
    ("src/shop/cli.py", "src/shop/deep/tax.py"),
    ("src/shop/cart.py", "src/shop/money.py"),
    ("src/shop/cart.py", "src/shop/__init__.py"),
    ("src/shop/cart.py", "src/shop/deep/__init__.py"),
    ("src/shop/deep/__init__.py", "src/shop/money.py"),
    ("web/app.ts", "web/lib/x.ts"),
    ("web/app.ts", "web/lib/index.tsx"),
    ("web/lib/x.ts", "web/lib/y.js"),
    ("web/lib/y.js", "web/lib/x.ts"),
    ("native/main.c", "native/util.h"),
    ("native/main.c", "native/include/native/io.h"),
    ("java/src/a/b/Main.java", "java/src/a/c/Other.java"),
    ("go/main.go", "go/stock/"),
    ("rust/src/main.rs", "rust/src/shelf/mod.rs"),
    ("rust/src/main.rs", "rust/src/shelf/item.rs"),
    ("rust/src/shelf/mod.rs", "rust/src/shelf/item.rs"),
    ("ruby/run.rb", "ruby/lib/part.rb"),
    ("tests/test_cli.py", "src/shop/cli.py"),
}

POINTS = [
    'Dockerfile: CMD ["shop"]',
    "pyproject.toml: shop = shop.cli:main",
    "rust/Cargo.toml: bin tool: src/main.rs",
    "web/package.json: main: app.js",
    "web/package.json: bin serve: bin/serve.js",
    "web/package.json: start: node app.js",
    "go/main.go:8: func main() {}",
    "native/main.c:4: int main(void) { return 0; }",
    "rust/src/main.rs:3: fn main() {}",
    "src/shop/money.py:1: if __name__ == '__main__':",
    "java/src/a/b/Main.java:4: public static void main(String[] x) {}",
]


@pytest.fixture
def repository(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Repository(CodeExplainerOptions(root=str(tmp_path)))


def test_imports_lead_to_the_files_they_mean(repository):
    assert set(build_map(repository).imports) == IMPORTS


def imported(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return set(build_map(Repository(CodeExplainerOptions(root=str(tmp_path)))).imports)


def test_a_module_within_a_package_is_not_what_its_bare_name_means(tmp_path):
    files = {
        "src/web/__init__.py": "import typing\nimport json\nfrom .typing import Route\n",
        "src/web/typing.py": "",
        "src/web/json/__init__.py": "",
        "src/web/app.py": "from web import typing\n",
        "tests/apps/inner/__init__.py": "",
        "tests/apps/inner/web.py": "",
        "tests/test_app.py": "import web\nfrom web.app import run\nimport logging\n",
    }
    assert imported(tmp_path, files) == {
        ("src/web/__init__.py", "src/web/typing.py"),
        ("src/web/app.py", "src/web/__init__.py"),
        ("src/web/app.py", "src/web/typing.py"),
        ("tests/test_app.py", "src/web/__init__.py"),
        ("tests/test_app.py", "src/web/app.py"),
    }


def test_scripts_import_what_lies_next_to_them_and_others_what_is_near_the_root(tmp_path):
    files = {
        "lib/shapes/__init__.py": "",
        "lib/use.py": "",
        "examples/one/shapes.py": "",
        "examples/one/run.py": "import shapes\n",
        "examples/two/run.py": "import shapes\n",
        "one/tests/helpers.py": "",
        "one/tests/test_a.py": "from tests.helpers import a\n",
        "two/tests/helpers.py": "",
        "two/tests/test_a.py": "from tests.helpers import a\n",
    }
    assert imported(tmp_path, files) == {
        ("examples/one/run.py", "examples/one/shapes.py"),
        ("examples/two/run.py", "lib/shapes/__init__.py"),
        ("one/tests/test_a.py", "one/tests/helpers.py"),
        ("two/tests/test_a.py", "two/tests/helpers.py"),
    }


def test_a_relative_import_above_the_root_means_nothing(tmp_path):
    assert imported(tmp_path, {"a.py": "from ... import b\nfrom . import b\n", "b.py": ""}) == {("a.py", "b.py")}


def test_of_go_folders_are_imported_and_shown(repository):
    assert "- go/stock/: 1 files import it" in format_map(build_map(repository))


def test_entry_points_are_found_in_manifests_and_sources(repository):
    lines = format_map(build_map(repository)).splitlines()
    start = lines.index("## Entry points") + 1
    assert [line.removeprefix("- ") for line in lines[start : start + len(POINTS)]] == POINTS


def test_what_a_manifest_says_again_and_again_is_one_entry_point():
    (point,) = find_in_manifest("Dockerfile", 'FROM a\nCMD ["x"]\n' * 1000)
    assert point.text == 'CMD ["x"]'


def test_the_text_says_what_there_is_and_what_was_looked_at(repository):
    text = format_map(build_map(repository))
    assert text.startswith(f"# Map of the code base: {len(FILES) - 1} files, ")
    assert "- Python: 7 files" in text
    assert "- src/shop/: 6" in text
    assert "read from 23 of 23 source files" in text
    assert "- src/shop/money.py: 3 files import it" in text
    assert "- tests/ -> src/shop/: 1 imports" in text
    assert ".env" not in text


def test_a_map_is_no_longer_than_is_asked_for(repository):
    found = build_map(repository)
    for length in (100, 500, 1000):
        assert len(format_map(found, characters=length)) <= length + 2


def test_of_too_many_sources_the_nearest_are_read_and_the_map_says_so(repository, monkeypatch):
    monkeypatch.setattr(code_map, "MOST_SOURCES", 5)
    found = build_map(repository)
    assert (found.parsed, found.sources) == (5, 23)
    assert {path for path, _ in found.imports} <= {"go/main.go", "ruby/run.rb", "native/main.c", "web/app.ts"}


@pytest.mark.parametrize("name", ["pyproject.toml", "package.json", "Cargo.toml"])
@pytest.mark.parametrize(
    "text", ["", "[", "[]", "7", '{"bin": 7, "scripts": []}', "project = 3", "bin = 'x'", "[" * 100_000]
)
def test_a_broken_manifest_names_no_entry_points_and_raises_nothing(name, text):
    assert all(point.path == name for point in find_in_manifest(name, text))


def test_a_code_base_without_anything_has_a_map(tmp_path):
    assert format_map(build_map(Repository(CodeExplainerOptions(root=str(tmp_path))))).startswith(
        "# Map of the code base: 0 files"
    )
