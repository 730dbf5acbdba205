"""Which records a session keeps."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_ahc.settings.model import LoggingSettings
from evograft_hookspecs import NoOptions


class SessionRecordOptions(NoOptions):
    """The section `records` of the plugin's options."""

    keep_session_files: bool = True
    """false: the files of single candidates are removed when the session ends; its log and the best solution stay."""
    max_log_size_mb: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 100.0
    """Of a log, before the next file of it begins."""
    logging: LoggingSettings = LoggingSettings()
