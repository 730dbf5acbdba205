"""The store in PostgreSQL keeps the laws of all stores, and its rows are those of a folder, hash by hash."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evograft.api import GENESIS, chain_rows
from evograft_hookspecs.drivers.shared_store import SHARED_FILE, SharedPlace
from evograft_hookspecs.drivers.store import NewRow
from evograft_hookspecs.drivers.store_contract import HEADER, StoreContract
from evograft_postgres.options import PostgresOptions
from evograft_postgres.store import PostgresStore

pytestmark = pytest.mark.postgres


class TestPostgres(StoreContract):
    @pytest.fixture(autouse=True)
    def _database(self, database):
        self.url = database

    def make_store(self):
        return PostgresStore(PostgresOptions(url=self.url))

    def make_folder(self, folder, run):
        (folder / SHARED_FILE).write_text(SharedPlace(driver="postgres", run=run).model_dump_json())
        return folder


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=1500)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(bodies=st.lists(st.tuples(texts, texts), max_size=5))
def test_any_texts_have_the_hashes_that_they_have_in_a_folder(shared_server, tmp_path_factory, bodies):
    import uuid

    run = uuid.uuid4().hex[:12]
    shared_server.sql(
        "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'laws')"
    ) and shared_server.sql("CREATE DATABASE laws")
    store, folder = PostgresStore(PostgresOptions(url=shared_server.url("laws"))), tmp_path_factory.mktemp("law")
    (folder / SHARED_FILE).write_text(SharedPlace(driver="postgres", run=run).model_dump_json())
    header = HEADER.model_copy(update={"body": HEADER.body.replace("0123456789ab", run)})
    rows = [NewRow(kind="tool", key=key, body=body) for key, body in bodies]
    store.create(folder, [header])
    store.open(folder, durable=False)
    if rows:
        store.append(rows)
    store.close()
    kept = shared_server.sql(f"SELECT hash FROM evograft.rows WHERE run = '{run}' ORDER BY seq", "laws")
    expected, _ = chain_rows(0, GENESIS, [header, *rows])
    assert [digest for (digest,) in kept] == [each[-1] for each in expected]
