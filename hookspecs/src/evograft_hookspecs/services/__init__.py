"""The services of a context: what hooks are handed as `ctx.llm`, `ctx.tools`, `ctx.history` and `ctx.sandbox`."""

from __future__ import annotations

from evograft_hookspecs.services import history, llm, sandbox, tools

MODULES = (llm, tools, history, sandbox)
