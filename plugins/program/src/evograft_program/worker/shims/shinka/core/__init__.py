"""The entry of ShinkaEvolve's evaluators."""

from __future__ import annotations

from .wrap_eval import run_shinka_eval

__all__ = ["run_shinka_eval"]
