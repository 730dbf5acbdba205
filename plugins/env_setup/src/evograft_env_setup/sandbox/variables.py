"""The variables that commands of a set-up run under."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml

from evograft_env_setup.failures import load_amendments

MAVEN = "maven"


def build_tool_variables(home: str, path: str, cache_folder: str) -> dict[str, str]:
    """Return variables by which tools behave.

    They make tools speak English and ask nothing, keep packages in the cache, and install for one user.

    Args:
        home: folder of the user that commands run as.
        path: where programs are found so far.
        cache_folder: where packages are kept between set-ups.
    """
    return {
        **load_amendments().environment,
        **{name: f"{cache_folder}/{folder}" for name, folder in _caches().items()},
        # The only way to move Maven's folder that all its versions know.
        "MAVEN_OPTS": f"-Dmaven.repo.local={cache_folder}/{MAVEN}",
        # Poetry keeps environments in its cache, where they would not be part of what is set up.
        "POETRY_VIRTUALENVS_PATH": f"{home}/.virtualenvs",
        "NPM_CONFIG_PREFIX": f"{home}/.local",
        "HOME": home,
        "PATH": f"{home}/.local/bin:{path}",
    }


@cache
def _caches() -> Mapping[str, str]:
    loaded: dict[str, str] = yaml.safe_load((files(__package__) / "caches.yaml").read_text(encoding="utf-8"))
    return loaded
