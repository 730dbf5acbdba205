"""Whatever is in a file, its reader answers with a manifest or says why not."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evograft_env_setup.manifests.formats import FORMATS, find_format
from evograft_env_setup.manifests.manifest import ProjectManifest, UnreadableManifest

SEEDS = {
    "requirements.txt": "-r a.txt\nb[c]>=1; os_name == 'x' # d\n-e .\n",
    "pyproject.toml": '[project]\nname = "x"\ndependencies = ["a"]\n[tool.poetry.group.dev.dependencies]\na = {version = 1}\n',
    "setup.py": "N = ['a']\nsetup(install_requires=N, extras_require={'dev': ['b']})\n",
    "setup.cfg": "[metadata]\n[options]\ninstall_requires =\n  a\n[tool:pytest]\naddopts = -n 2\n",
    "tox.ini": "[testenv]\ndeps =\n  py3: a\n",
    "Pipfile": '[packages]\na = {version = "1", markers = "x"}\n[requires]\npython_version = "3"\n',
    "environment.yml": "dependencies:\n- a=1\n- pip: [b, -r c]\n- {d: e}\n",
    "package.json": '{"dependencies": {"a": "1"}, "engines": {"node": 1}, "packageManager": "a@1"}',
    "pom.xml": "<project><dependencies><dependency><artifactId>a</artifactId></dependency></dependencies></project>",
    "gradle/libs.versions.toml": '[versions]\na = "1"\n[libraries]\nb = {module = "c:d", version.ref = "a"}\n[bundles]\ne = ["b"]\n',
    "build.gradle": "implementation('a:b:1')\nsourceCompatibility = 17\n",
    "go.mod": "module a\nrequire (\n  b v1 // indirect\n)\ngo 1.2\n",
    "Cargo.toml": '[dependencies]\na = {package = "b"}\n[target.x.dependencies]\nc = "1"\n',
    "Gemfile": "ruby '3'\ngroup :test do\n  gem 'a', '1'\nend\n",
    "composer.json": '{"require": {"php": "8", "a/b": "1"}}',
    "Dockerfile": "ARG V=1\nFROM a:${V} AS b\nENV C=$V\nRUN x \\\n y\n",
    "docker-compose.yml": "services: {a: {image: 'b:1'}, c: null}\n",
    "devcontainer.json": '{/* a */ "image": "b:1",}',
    ".tool-versions": "python 3\nnodejs\n",
    ".python-version": "3.11\n",
}
PIECES = st.one_of(
    st.sampled_from(
        [
            *"[]{}()<>:=,;#\"'\\\n\t $@&*!|-%",
            "\r\n",
            "\u2028",
            "\0",
            "- ",
            "<<: ",
            '"""',
            "null",
            "1",
            "[[",
            "-r ",
            "FROM ",
        ]
    ),
    st.text(max_size=5),
)


@pytest.mark.parametrize("path", SEEDS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_reader_answers_or_says_why_not(path, data):
    seed = SEEDS[path]
    place, end = sorted((data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, len(seed)))))
    text = seed[:place] + "".join(data.draw(st.lists(PIECES, max_size=8))) + seed[end:]
    # A `ValidationError` is for what no value can hold, such as a name without an end.
    with suppress(UnreadableManifest, ValidationError):
        assert isinstance(find_format(path).read(text, path), ProjectManifest)


def test_every_reader_is_tried():
    tried = {find_format(path).reader for path in SEEDS}
    assert {each.reader for each in FORMATS.values() if not each.reader.startswith("syntax")} - tried == {""}
