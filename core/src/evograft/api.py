"""What plugins may use of the core, next to `evograft.cli_kit` and `evograft.text`. Everything else may change with any version.

A name is imported from where it lives when it is first asked for: a command's help needs none of what its work does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evograft.config.pipeline import (
        DriverSection,
        Pipeline,
        explain,
        parse_yaml,
        pipeline_from,
        read_yaml,
        resolve,
        validated,
        with_overrides,
    )
    from evograft.config.user_settings import load_settings
    from evograft.errors import (
        Abandoned,
        BudgetSpent,
        EvograftError,
        PluginError,
        ServiceError,
        UserError,
        did_you_mean,
        nearest,
    )
    from evograft.files import write_whole
    from evograft.llm.ledger import Spending, priced, upper_bound
    from evograft.log.attribution import is_for_candidate
    from evograft.log.journal import Answered, Charged, Finished, Header, Journal, Judged, Paid, Record
    from evograft.log.population import Best, IslandBests
    from evograft.plugin.loading import activate, active_plugins, load_driver, preset_data
    from evograft.runs.folder import LOCK_FILE, RunFolder, find_run, open_run, read_lock_file, writer_of
    from evograft.runs.instructions import Reception, send_instruction
    from evograft.runs.mailbox import InFlightTrial, send
    from evograft.runs.reader import reading
    from evograft.runs.status import Approach, Standing, Watcher, operator_of
    from evograft.session.compose import composed, llm_settings
    from evograft.session.lazy_sandbox import LazySandbox
    from evograft.session.standalone import Desk, begin, desk, find, passing_desk, require_model
    from evograft.user_folders import ensure_cache_folder, user_folder

__all__ = [
    "LOCK_FILE",
    "Abandoned",
    "Answered",
    "Approach",
    "Best",
    "BudgetSpent",
    "Charged",
    "Desk",
    "DriverSection",
    "EvograftError",
    "Finished",
    "Header",
    "InFlightTrial",
    "IslandBests",
    "Journal",
    "Judged",
    "LazySandbox",
    "Paid",
    "Pipeline",
    "PluginError",
    "Reception",
    "Record",
    "RunFolder",
    "ServiceError",
    "Spending",
    "Standing",
    "UserError",
    "Watcher",
    "activate",
    "active_plugins",
    "begin",
    "composed",
    "desk",
    "did_you_mean",
    "ensure_cache_folder",
    "explain",
    "find",
    "find_run",
    "is_for_candidate",
    "llm_settings",
    "load_driver",
    "load_settings",
    "nearest",
    "open_run",
    "operator_of",
    "parse_yaml",
    "passing_desk",
    "pipeline_from",
    "preset_data",
    "priced",
    "read_lock_file",
    "read_yaml",
    "reading",
    "require_model",
    "resolve",
    "send",
    "send_instruction",
    "upper_bound",
    "user_folder",
    "validated",
    "with_overrides",
    "write_whole",
    "writer_of",
]

HOMES = {
    "evograft.config.pipeline": (
        "DriverSection",
        "Pipeline",
        "explain",
        "parse_yaml",
        "pipeline_from",
        "read_yaml",
        "resolve",
        "validated",
        "with_overrides",
    ),
    "evograft.config.user_settings": ("load_settings",),
    "evograft.errors": (
        "Abandoned",
        "BudgetSpent",
        "EvograftError",
        "PluginError",
        "ServiceError",
        "UserError",
        "did_you_mean",
        "nearest",
    ),
    "evograft.files": ("write_whole",),
    "evograft.llm.ledger": ("Spending", "priced", "upper_bound"),
    "evograft.log.attribution": ("is_for_candidate",),
    "evograft.log.journal": ("Answered", "Charged", "Finished", "Header", "Journal", "Judged", "Paid", "Record"),
    "evograft.log.population": ("Best", "IslandBests"),
    "evograft.plugin.loading": ("activate", "active_plugins", "load_driver", "preset_data"),
    "evograft.runs.folder": ("LOCK_FILE", "RunFolder", "find_run", "open_run", "read_lock_file", "writer_of"),
    "evograft.runs.instructions": ("Reception", "send_instruction"),
    "evograft.runs.mailbox": ("InFlightTrial", "send"),
    "evograft.runs.reader": ("reading",),
    "evograft.runs.status": ("Approach", "Standing", "Watcher", "operator_of"),
    "evograft.session.compose": ("composed", "llm_settings"),
    "evograft.session.lazy_sandbox": ("LazySandbox",),
    "evograft.session.standalone": ("Desk", "begin", "desk", "find", "passing_desk", "require_model"),
    "evograft.user_folders": ("ensure_cache_folder", "user_folder"),
}
"""By module, the names that live there."""
_HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return found
