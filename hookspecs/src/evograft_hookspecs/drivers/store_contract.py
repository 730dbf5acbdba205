"""The laws of a store, as tests: a driver's own test module inherits them, and runs them with pytest.

    class TestMyStore(StoreContract):
        def make_store(self):
            return MyStore(MyOptions(url="…"))

A store of several machines overrides `make_folder`, too, and puts the `SharedPlace` of the run there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from evograft_hookspecs.drivers.store import NewRow, RowKind, Store

RUN = "0123456789ab"
HEADER = NewRow(kind="header", key=RUN, body=json.dumps({"id": RUN, "name": "law", "seed": 0}))
TEXTS = (
    "",
    "a line",
    "two\nlines",
    "\n",
    "naïve 日本語 🧬",
    "a\0b",
    "x" * 512,
    "y" * 513,
    "first\n" + "z" * 100_000,
    "q" * 70_000 + "\nrest",
)
"""Bodies and keys that stores have lost something of."""


class StoreContract:
    """Every store keeps what it was given, in order, whole, and for whoever opens it later."""

    def make_store(self) -> Store:
        """Return a new store, which has nothing open; each call means another process."""
        raise NotImplementedError

    def make_folder(self, folder: Path, run: str) -> Path:  # noqa: ARG002 - for stores that go by the run
        """Return the folder that is handed to the store for a run."""
        return folder

    def test_rows_come_back_as_they_were_given(self, tmp_path: Path) -> None:
        """Bodies, keys and places are those that were written, in the session that wrote them and later."""
        given = [NewRow(kind="answer", key=f"{number} {text[:40]}", body=text) for number, text in enumerate(TEXTS)]
        folder, store = self._created(tmp_path)
        with closing(store):
            assert [store.append([row]) for row in given] == list(range(1, len(given) + 1))
            before = list(store.rows())
        assert [(row.seq, row.kind, row.key, row.body) for row in before] == [
            (seq, row.kind, row.key, row.body) for seq, row in enumerate([HEADER, *given])
        ]
        with closing(self._opened(folder)) as later:
            assert list(later.rows()) == before
            assert list(later.rows(after=3)) == before[4:]
            assert later.get(2) == before[2]

    def test_rows_of_one_append_are_written_together(self, tmp_path: Path) -> None:
        """What `append` returns is the place of the last one; one that fails on the way leaves nothing."""
        folder, store = self._created(tmp_path)

        def failing() -> Iterable[NewRow]:
            yield NewRow(kind="trial", key="7", body="{}")
            raise ZeroDivisionError

        with closing(store):
            assert store.append(NewRow(kind="trial", key=str(number), body="{}") for number in range(3)) == 3  # noqa: PLR2004
            with suppress(ZeroDivisionError):
                store.append(failing())
            assert store.append([NewRow(kind="trial", key="3", body="{}")]) == 4  # noqa: PLR2004
        with closing(self._opened(folder)) as later:
            assert [key for _, key in later.keys("trial")] == ["0", "1", "2", "3"]

    def test_kinds_are_told_apart_without_reading_the_rows(self, tmp_path: Path) -> None:
        """Keys and first lines come in the order of the log."""
        kinds: tuple[RowKind, ...] = ("trial", "control", "trial", "final")
        folder, store = self._created(tmp_path)
        with closing(store):
            store.append(
                NewRow(kind=kind, key=str(number), body=f"head {number}\n{'tail' * 500}")
                for number, kind in enumerate(kinds)
            )
        with closing(self._opened(folder)) as later:
            assert list(later.keys("trial")) == [(1, "0"), (3, "2")]
            assert [(row.seq, row.body) for row in later.heads("trial")] == [(1, "head 0"), (3, "head 2")]
            assert list(later.keys("charge")) == []

    def test_texts_are_found_by_what_they_say(self, tmp_path: Path) -> None:
        """An artifact is there at once, equal ones are one, and later sessions find those that a row names."""
        folder, store = self._created(tmp_path)
        with closing(store):
            digests = [store.put_artifact(text) for text in TEXTS]
            assert [store.put_artifact(text) for text in TEXTS] == digests
            assert [store.get_artifact(digest) for digest in digests] == list(TEXTS)
            store.append([NewRow(kind="trial", key="0", body=json.dumps(digests))])
        with closing(self._opened(folder)) as later:
            assert [later.get_artifact(digest) for digest in digests] == list(TEXTS)

    def test_a_reader_sees_what_is_added_while_it_is_open(self, tmp_path: Path) -> None:
        """A reader needs no new start, and gets no row twice."""
        folder, store = self._created(tmp_path)
        with closing(store), closing(self._opened(folder)) as reader:
            seen = list(reader.rows())
            for number in range(3):
                store.append([NewRow(kind="trial", key=str(number), body="{}")])
                new = list(reader.rows(after=seen[-1].seq))
                assert [row.key for row in new] == [str(number)]
                seen += new

    def test_threads_take_turns(self, tmp_path: Path) -> None:
        """No row is lost and none is written twice, while another thread reads."""
        folder, store = self._created(tmp_path)

        def write(number: int) -> None:
            for each in range(20):
                store.append([NewRow(kind="answer", key=f"{number}/{each}", body="x" * each * 100)])
                assert list(store.rows())[-1].seq > each

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        with closing(store):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        with closing(self._opened(folder)) as later:
            keys = [key for _, key in later.keys("answer")]
        assert sorted(keys) == sorted(f"{number}/{each}" for number in range(4) for each in range(20))

    def test_a_later_session_writes_behind_the_end(self, tmp_path: Path) -> None:
        """Sessions follow each other without gaps."""
        folder, store = self._created(tmp_path)
        store.close()
        for number in range(3):
            with closing(self._opened(folder, writable=True)) as session:
                assert session.append([NewRow(kind="trial", key=str(number), body="{}")]) == number + 1

    def test_a_row_that_is_not_there_is_a_key_error(self, tmp_path: Path) -> None:
        """`get` says so in the words of a mapping."""
        _, store = self._created(tmp_path)
        with closing(store), suppress(KeyError):
            store.get(99)
            raise AssertionError("there is no such row")

    def _created(self, folder: Path) -> tuple[Path, Store]:
        """Return a new log with a header, open for writing."""
        made = self.make_folder(folder, RUN)
        self.make_store().create(made, [HEADER])
        return made, self._opened(made, writable=True)

    def _opened(self, folder: Path, *, writable: bool = False) -> Store:
        store = self.make_store()
        store.open(folder, durable=True, writable=writable)
        return store
