"""What plugins reported of the environment at the newest start of a run, kept in its folder.

It is next to the log, not in it: it says what the machine was like, which no trial follows from, and is written anew at
each start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from evograft.files import write_atomically
from evograft.text.masking import Keys
from evograft_hookspecs import EnvironmentReport

FILE = "environment.json"
REPORTS = TypeAdapter(dict[str, EnvironmentReport])


def keep_reports(folder: Path, reports: Mapping[str, EnvironmentReport], keys: Keys) -> None:
    """Write down the reports of what is missing or was set up, without keys; without any there is no file.

    Args:
        folder: of the run.
        reports: by plugin.
        keys: what must not be seen.
    """
    telling = {plugin: report for plugin, report in reports.items() if report.facts or report.status != "ready"}
    if not telling:
        (folder / FILE).unlink(missing_ok=True)
        return
    data = {plugin: report.model_dump(mode="json") for plugin, report in telling.items()}
    write_atomically(folder / FILE, f"{keys.masked_lines(json.dumps(data))}\n".encode())


def read_reports(folder: Path) -> dict[str, EnvironmentReport]:
    """Return the reports by plugin; of a run that has none, or whose file is damaged, nothing."""
    try:
        return REPORTS.validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return {}
