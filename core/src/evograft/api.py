"""The names of the core that plugins may use, next to `evograft.cli_kit` and `evograft.text`.

Everything else may change with any version.

A name is imported from where it lives when it is first asked for: a command's help needs none of what its work does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evograft.cli.start import StartedRun, print_started, resume, start, start_with_files
    from evograft.config.explain import explain_validation
    from evograft.config.generations import Generations
    from evograft.config.loading import pipeline_from, resolve_pipeline, validate
    from evograft.config.overrides import with_overrides
    from evograft.config.pipeline import DriverSection, Pipeline
    from evograft.config.user_settings import load_settings
    from evograft.config.yaml_file import parse_yaml, read_yaml
    from evograft.drivers.llm.prompt_files import find_waiting
    from evograft.errors import (
        BudgetSpent,
        EvograftError,
        LogDamaged,
        PluginError,
        RunStopping,
        ServiceError,
        UserError,
        did_you_mean,
        nearest,
    )
    from evograft.files import write_atomically
    from evograft.llm.ledger import price_of_usage, upper_bound
    from evograft.log.attribution import is_for_candidate
    from evograft.log.case_front import CaseFront, CaseFrontTrial
    from evograft.log.front import FrontTrial, ParetoFront
    from evograft.log.history import Commit, LoggedRecord, RunHistory, operator_of
    from evograft.log.journal import Journal
    from evograft.log.population import Best, IslandBests
    from evograft.log.records import (
        BillableCall,
        CompletedCall,
        FailedCharge,
        FinalEvaluation,
        Finished,
        Header,
        Record,
    )
    from evograft.log.spending import LoggedCall, RunSpending, Spending
    from evograft.plugin.loading import activate, active_plugins, load_driver, preset_data
    from evograft.python.options import EvaluatorSource, EvolveOptions, ProgramSource, StudyOptions
    from evograft.python.prepared_run import PreparedRun
    from evograft.python.work import to_overrides
    from evograft.runs.index import find_run, open_run
    from evograft.runs.instructions import Reception, send_instruction
    from evograft.runs.lock_file import LOCK_FILE, RunFolder, read_lock_file
    from evograft.runs.mailbox import InFlightTrial, send_message
    from evograft.runs.reader import open_journal
    from evograft.runs.status import Approach, RunStatus, Watcher
    from evograft.runs.storage import open_storage, writer_of
    from evograft.session.compose import compose_pipeline, llm_settings
    from evograft.session.lazy_sandbox import LazySandbox
    from evograft.session.resolved_run import require_model
    from evograft.session.standalone import (
        StandaloneContext,
        begin_conversation,
        find_conversation,
        open_standalone,
        open_temporary,
    )
    from evograft.store.hash_chain import GENESIS, SCHEMA_VERSION, chain_rows, first_line_of, hash_row, row_of
    from evograft.user_folders import ensure_cache_folder, user_folder

__all__ = [
    "GENESIS",
    "LOCK_FILE",
    "SCHEMA_VERSION",
    "Approach",
    "Best",
    "BillableCall",
    "BudgetSpent",
    "CaseFront",
    "CaseFrontTrial",
    "Commit",
    "CompletedCall",
    "DriverSection",
    "EvaluatorSource",
    "EvograftError",
    "EvolveOptions",
    "FailedCharge",
    "FinalEvaluation",
    "Finished",
    "FrontTrial",
    "Generations",
    "Header",
    "InFlightTrial",
    "IslandBests",
    "Journal",
    "LazySandbox",
    "LogDamaged",
    "LoggedCall",
    "LoggedRecord",
    "ParetoFront",
    "Pipeline",
    "PluginError",
    "PreparedRun",
    "ProgramSource",
    "Reception",
    "Record",
    "RunFolder",
    "RunHistory",
    "RunSpending",
    "RunStatus",
    "RunStopping",
    "ServiceError",
    "Spending",
    "StandaloneContext",
    "StartedRun",
    "StudyOptions",
    "UserError",
    "Watcher",
    "activate",
    "active_plugins",
    "begin_conversation",
    "chain_rows",
    "compose_pipeline",
    "did_you_mean",
    "ensure_cache_folder",
    "explain_validation",
    "find_conversation",
    "find_run",
    "find_waiting",
    "first_line_of",
    "hash_row",
    "is_for_candidate",
    "llm_settings",
    "load_driver",
    "load_settings",
    "nearest",
    "open_journal",
    "open_run",
    "open_standalone",
    "open_storage",
    "open_temporary",
    "operator_of",
    "parse_yaml",
    "pipeline_from",
    "preset_data",
    "price_of_usage",
    "print_started",
    "read_lock_file",
    "read_yaml",
    "require_model",
    "resolve_pipeline",
    "resume",
    "row_of",
    "send_instruction",
    "send_message",
    "start",
    "start_with_files",
    "to_overrides",
    "upper_bound",
    "user_folder",
    "validate",
    "with_overrides",
    "write_atomically",
    "writer_of",
]

HOMES = {
    "evograft.cli.start": ("StartedRun", "print_started", "resume", "start", "start_with_files"),
    "evograft.config.explain": ("explain_validation",),
    "evograft.config.loading": ("pipeline_from", "resolve_pipeline", "validate"),
    "evograft.config.overrides": ("with_overrides",),
    "evograft.config.pipeline": ("DriverSection", "Pipeline"),
    "evograft.config.yaml_file": ("parse_yaml", "read_yaml"),
    "evograft.config.user_settings": ("load_settings",),
    "evograft.drivers.llm.prompt_files": ("find_waiting",),
    "evograft.errors": (
        "RunStopping",
        "BudgetSpent",
        "EvograftError",
        "LogDamaged",
        "PluginError",
        "ServiceError",
        "UserError",
        "did_you_mean",
        "nearest",
    ),
    "evograft.files": ("write_atomically",),
    "evograft.llm.ledger": ("price_of_usage", "upper_bound"),
    "evograft.log.attribution": ("is_for_candidate",),
    "evograft.log.journal": ("Journal",),
    "evograft.log.records": (
        "CompletedCall",
        "FailedCharge",
        "Finished",
        "Header",
        "FinalEvaluation",
        "BillableCall",
        "Record",
    ),
    "evograft.config.generations": ("Generations",),
    "evograft.log.case_front": ("CaseFront", "CaseFrontTrial"),
    "evograft.log.front": ("FrontTrial", "ParetoFront"),
    "evograft.log.history": ("Commit", "LoggedRecord", "RunHistory", "operator_of"),
    "evograft.log.spending": ("LoggedCall", "RunSpending", "Spending"),
    "evograft.log.population": ("Best", "IslandBests"),
    "evograft.plugin.loading": ("activate", "active_plugins", "load_driver", "preset_data"),
    "evograft.python.options": ("EvaluatorSource", "EvolveOptions", "ProgramSource", "StudyOptions"),
    "evograft.python.prepared_run": ("PreparedRun",),
    "evograft.python.work": ("to_overrides",),
    "evograft.runs.index": ("find_run", "open_run"),
    "evograft.runs.lock_file": ("LOCK_FILE", "RunFolder", "read_lock_file"),
    "evograft.runs.storage": ("open_storage", "writer_of"),
    "evograft.runs.instructions": ("Reception", "send_instruction"),
    "evograft.runs.mailbox": ("InFlightTrial", "send_message"),
    "evograft.runs.reader": ("open_journal",),
    "evograft.runs.status": ("Approach", "RunStatus", "Watcher"),
    "evograft.session.compose": ("compose_pipeline", "llm_settings"),
    "evograft.session.lazy_sandbox": ("LazySandbox",),
    "evograft.session.resolved_run": ("require_model",),
    "evograft.session.standalone": (
        "StandaloneContext",
        "begin_conversation",
        "open_standalone",
        "find_conversation",
        "open_temporary",
    ),
    "evograft.store.hash_chain": (
        "GENESIS",
        "SCHEMA_VERSION",
        "chain_rows",
        "first_line_of",
        "hash_row",
        "row_of",
    ),
    "evograft.user_folders": ("ensure_cache_folder", "user_folder"),
}
"""By module, the names that live there."""
_HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return found
