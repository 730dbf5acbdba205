"""The services of a context: what hooks are handed as `ctx.llm`, `ctx.tools`, `ctx.history` and so on."""

from __future__ import annotations

from evograft_hookspecs.services import evaluation, history, llm, sandbox, tools

MODULES = (llm, tools, evaluation, history, sandbox)
