"""Where the user's cargo gets crates from: a mirror, or a folder of vendored ones, without what is secret."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft_ahc.text.messages import ContestServiceError

TABLES: Mapping[str, frozenset[str]] = {
    "source": frozenset(
        ("registry", "replace-with", "directory", "local-registry", "git", "branch", "tag", "rev"),
    ),
    "registries": frozenset(("index", "protocol")),
}
"""The settings that say where crates are. Tokens and credential providers are none of them."""
FOLDERS = ("directory", "local-registry")


@dataclass(frozen=True)
class CargoSources:
    """Settings for a cargo home that anybody may read.

    Attributes:
        settings: The text of a `config.toml`.
        folders: Folders of this machine that it refers to.
    """

    settings: str = ""
    folders: tuple[Path, ...] = ()


def locate_user_settings() -> Path:
    """Return where cargo looks for the settings of the user, whether or not there are any."""
    return Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "config.toml"


def read_user_sources() -> CargoSources:
    """Read where the user's cargo gets crates from (https://doc.rust-lang.org/cargo/reference/source-replacement.html).

    Raises:
        ContestServiceError: the settings can't be read, or an address in them holds a password or token.
    """
    path = locate_user_settings()
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return CargoSources()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as err:
        raise _unusable(path, str(err)) from err
    lines: list[str] = []
    folders: list[Path] = []
    for table, name, entries in _sources(settings):
        lines.append(f"[{table}.{_quote(name)}]")
        for key, value in entries.items():
            if key in FOLDERS:
                # A relative one is relative to the folder that `.cargo` is in.
                folders.append(path.parent.parent / value)
                lines.append(f"{key} = {_quote(str(folders[-1]))}")
            elif _holds_secret(value):
                raise _unusable(path, f"the address of {name!r} holds a password or token, and tools could read it")
            else:
                lines.append(f"{key} = {_quote(value)}")
    return CargoSources("".join(f"{line}\n" for line in lines), tuple(folders))


def _sources(settings: Mapping[str, object]) -> Iterator[tuple[str, str, dict[str, str]]]:
    for table, keys in TABLES.items():
        named = settings.get(table)
        for name, entries in named.items() if isinstance(named, dict) else ():
            if isinstance(entries, dict):
                yield (
                    table,
                    name,
                    {key: entries[key] for key in entries if key in keys and isinstance(entries[key], str)},
                )


def _holds_secret(address: str) -> bool:
    """Return whether an address holds a password, or a name before its host, which may be a token for HTTP."""
    scheme, _, rest = address.partition("://")
    user, at, _ = rest.partition("/")[0].rpartition("@")
    return bool(at) and (":" in user or scheme.endswith(("http", "https")))


def _quote(text: str) -> str:
    # A JSON string without escaped surrogates is one of TOML too.
    return json.dumps(text, ensure_ascii=False)


def _unusable(path: Path, why: str) -> ContestServiceError:
    return ContestServiceError(
        f"cargo's settings in {str(path)!r} can't be used for the contest's tools: {why}; mend them, or set CARGO_HOME "
        "to a folder without them, then init again",
        ja=f"{str(path)!r} の cargo の設定は公式ツールのビルドに使えません: {why}。設定を直すか、CARGO_HOME に設定の"
        "ないフォルダを指定して、もう一度 init してください",
    )
