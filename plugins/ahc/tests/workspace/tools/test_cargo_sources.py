"""The user's own settings of cargo: what of them a build of a contest's tools gets."""

from __future__ import annotations

import subprocess
import tomllib

import pytest

from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.tools.builder import ensure_built
from evograft_ahc.workspace.tools.cargo_sources import CargoSources, read_user_sources

MIRROR = """
[source.crates-io]
replace-with = "mirror"
[source.mirror]
registry = "sparse+https://mirror.example/index/"
"""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """`settings(text)`: the user's cargo has these settings."""
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "home" / ".cargo"))

    def write(text):
        path = tmp_path / "home" / ".cargo" / "config.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)

    return write


def test_without_settings_crates_come_from_where_cargo_gets_them(settings):
    assert read_user_sources() == CargoSources()


def test_a_mirror_is_kept_and_a_token_is_not(settings):
    settings(
        MIRROR
        + '[registries.mirror]\nindex = "sparse+https://mirror.example/index/"\ntoken = "SECRET"\n'
        + '[registry]\ntoken = "SECRET"\n[build]\nrustc-wrapper = "/home/me/wrapper"\n'
    )
    read = tomllib.loads(read_user_sources().settings)
    assert read["source"] == tomllib.loads(MIRROR)["source"]
    assert read["registries"] == {"mirror": {"index": "sparse+https://mirror.example/index/"}}
    assert set(read) == {"source", "registries"}


def test_a_relative_folder_of_crates_is_beside_the_settings(settings, tmp_path):
    settings('[source."my \\"crates\\""]\ndirectory = "vendored"\n')
    sources = read_user_sources()
    assert sources.folders == (tmp_path / "home" / "vendored",)
    assert tomllib.loads(sources.settings) == {
        "source": {'my "crates"': {"directory": str(tmp_path / "home" / "vendored")}}
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[source", "Expected"),
        ('[source.mirror]\nregistry = "https://me:SECRET@mirror.example/"', "the address of 'mirror' holds a password"),
        ('[source.mirror]\ngit = "https://SECRET@mirror.example/crate"', "the address of 'mirror' holds a password"),
        (
            '[registries.mirror]\nindex = "sparse+https://SECRET@mirror.example/"',
            "the address of 'mirror' holds a pass",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_told_without_what_is_secret(settings, text, why):
    settings(text)
    with pytest.raises(ContestServiceError, match=why) as told:
        read_user_sources()
    assert "SECRET" not in str(told.value)


@pytest.mark.parametrize("address", ["ssh://git@mirror.example/crate", "https://mirror.example/@crate", "http://[no"])
def test_an_address_without_anything_secret_is_kept_as_it_is(settings, address):
    settings(f'[source.mirror]\ngit = "{address}"\n')
    assert tomllib.loads(read_user_sources().settings) == {"source": {"mirror": {"git": address}}}


@pytest.mark.parametrize("text", ["source = 3", "[source]\nmirror = 3", "[source.mirror]\nregistry = 3"])
def test_settings_of_another_form_are_for_cargo_to_refuse(settings, text):
    settings(text)
    assert "3" not in read_user_sources().settings


def test_tools_are_built_with_vendored_crates(rust, confined, settings, tmp_path):
    package(tmp_path / "home" / "crates" / "answer", "lib.rs", "pub fn answer() -> i32 { 42 }")
    (tmp_path / "home" / "crates" / "answer" / ".cargo-checksum.json").write_text('{"files": {}}')
    settings('[source.crates-io]\nreplace-with = "mine"\n[source.mine]\ndirectory = "crates"\n')
    tools = tmp_path / "tools"
    package(tools, "bin/vis.rs", 'fn main() { println!("{}", answer::answer()) }', '[dependencies]\nanswer = "1"\n')
    assert not ensure_built(tools, lambda en, ja: None)
    assert subprocess.check_output([tools / "bin" / "vis"], text=True) == "42\n"


def package(folder, name, source, more=""):
    (folder / "src" / name).parent.mkdir(parents=True)
    (folder / "src" / name).write_text(source)
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "{folder.name}"\nversion = "1.0.0"\nedition = "2021"\n' + more
    )
