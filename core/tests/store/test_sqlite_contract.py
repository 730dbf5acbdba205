"""The store of one folder keeps the laws of all stores."""

from __future__ import annotations

from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import NoOptions
from evograft_hookspecs.drivers.store_contract import StoreContract


class TestSqlite(StoreContract):
    def make_store(self):
        return SqliteStore(NoOptions())
