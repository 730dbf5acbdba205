"""The tools that a section of pytest's asks for, in whichever file it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft_env_setup.manifests.manifest import Dependency
from evograft_env_setup.manifests.readers.bounded import text, texts
from evograft_env_setup.manifests.readers.python_requirement import dependencies

BY_OPTION = {"--cov": "pytest-cov", "-n": "pytest-xdist", "--dist": "pytest-xdist", "--timeout": "pytest-timeout"}
"""The plugin that an option among addopts belongs to."""
BY_KEY = {
    "asyncio_mode": "pytest-asyncio",
    "timeout": "pytest-timeout",
    "DJANGO_SETTINGS_MODULE": "pytest-django",
    "django_find_project": "pytest-django",
    "env": "pytest-env",
}


def test_tools(section: Mapping[str, Any]) -> list[Dependency]:
    """Pytest itself, and the plugins without which it would refuse the section's keys and options."""
    given = section.get("addopts", "")
    options = texts(given) or text(given).split()
    names = ["pytest", *(BY_KEY[key] for key in section if key in BY_KEY)]
    names += [plugin for option in options if (plugin := BY_OPTION.get(option.partition("=")[0]))]
    required = section.get("required_plugins", "")
    found, _ = dependencies([*dict.fromkeys(names), *(texts(required) or text(required).split())], "tool")
    return found
