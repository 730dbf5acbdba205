"""The protocols of drivers.

A driver is chosen by name in the pipeline (`llm: {driver: ollama}`) and found through the entry point group of its
kind, such as `evograft.llm`. The entry point names a class with an `Options` model, called with an instance of it: the
other keys of its section of the pipeline.
"""

from __future__ import annotations

from evograft_hookspecs.drivers import embedding, executor, llm, novelty, sandbox, shared_store, store

MODULES = (llm, embedding, novelty, executor, sandbox, store, shared_store)
