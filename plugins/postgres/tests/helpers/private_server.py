"""A PostgreSQL server of a test's own: a cluster in a temporary folder, on a free port of loopback and a socket."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "30",
    "lc_messages": "'C'",
    "timezone": "'UTC'",
}


def find_programs() -> Path | None:
    """The newest installed PostgreSQL's folder of programs; Debian keeps them off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class PrivateServer:
    """Runs as the user `postgres` where the tests run as root, which the server refuses to."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs = programs
        self.folder = folder
        self.port = free_port()
        self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []

    def make(self) -> None:
        self.folder.mkdir(parents=True)
        if self.as_user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.call("initdb", "-D", self.data, "-U", "evo", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        settings = {**SETTINGS, "port": str(self.port), "unix_socket_directories": f"'{self.folder}'"}
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        self.call("pg_ctl", "-D", self.data, "-l", self.folder / "server.log", "-w", "-t", "60", "start")

    def stop(self, mode: str = "fast") -> None:
        self.call("pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", "60", "stop")

    def call(self, program: str, *arguments: object) -> None:
        command = [*self.as_user, str(self.programs / program), *map(str, arguments)]
        # No pipes: the server would inherit them, and whoever reads them would wait for it.
        with (self.folder / "calls.log").open("ab") as log:
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")

    def sql(self, statement: str, database: str = "postgres", user: str = "evo") -> list[tuple]:
        import psycopg

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=user, dbname=database, autocommit=True
        ) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def url(self, database: str, user: str = "evo", port: int | None = None) -> str:
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
