"""What plugins reported of the environment at the newest start of a run, kept next to its log.

It is not in the log: it says what the machine was like, which no trial follows from, and is written anew at
each start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from evograft.errors import LogDamaged
from evograft.runs.storage import open_storage
from evograft.text.masking import Keys
from evograft_hookspecs import EnvironmentReport
from evograft_hookspecs.drivers.shared_store import RunStorage

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
    data = {plugin: report.model_dump(mode="json") for plugin, report in telling.items()}
    content = f"{keys.masked_lines(json.dumps(data))}\n".encode() if telling else None
    with open_storage(folder) as storage:
        storage.write_document(FILE, content)


def read_reports(storage: RunStorage) -> dict[str, EnvironmentReport]:
    """Return the reports by plugin; of a run that has none, or whose file is damaged, nothing."""
    try:
        return REPORTS.validate_json(storage.read_document(FILE) or b"")
    except (LogDamaged, ValidationError):
        return {}
