"""A PostgreSQL server on a host of a network; the tests reach it by its socket, hosts by its address."""

from __future__ import annotations

from pathlib import Path

import psycopg
from hosts import PREFIX, Host, wait_until
from private_server import PrivateServer

DATABASE = "runs"


class DatabaseHost:
    """A server that admits every host.

    Args:
        programs: the folder of PostgreSQL's programs.
        folder: for its data; its user may look into it.
        host: where it runs.
    """

    def __init__(self, programs: Path, folder: Path, host: Host) -> None:
        self._server = PrivateServer(programs, folder)
        self._host = host
        self.url = f"postgresql://evo@{host.address}:{self._server.port}/{DATABASE}"

    def start(self) -> None:
        """Make the database and wait until it answers."""
        server = self._server
        server.make()
        with (server.data / "postgresql.conf").open("a") as file:
            file.write("listen_addresses = '*'\n")
        with (server.data / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {PREFIX}0/24 trust\n")
        command = (*server.as_user, server.programs / "postgres", "-D", server.data)
        self._host.start(*command, log=server.folder / "server.log")
        wait_until(self._is_up)
        self._ask(f"CREATE DATABASE {DATABASE}", "postgres")

    def rows(self) -> list[tuple[int, bytes]]:
        """Return place and hash of all rows of all logs."""
        there = self._ask("SELECT to_regclass('evograft.rows') IS NOT NULL")
        return self._ask("SELECT seq, hash FROM evograft.rows ORDER BY seq") if there == [(True,)] else []

    def count_sessions(self, host: Host) -> int:
        """Return how many connections the server believes that it has with a host."""
        ((found,),) = self._ask(f"SELECT count(*) FROM pg_stat_activity WHERE client_addr = '{host.address}'")
        return int(found)

    def _is_up(self) -> bool:
        try:
            return self._ask("SELECT 1", "postgres") == [(1,)]
        except psycopg.OperationalError:
            return False

    def _ask(self, statement: str, database: str = DATABASE) -> list[tuple]:
        server = self._server
        place = {"host": str(server.folder), "port": server.port, "user": "evo", "dbname": database}
        with psycopg.connect(**place, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []
