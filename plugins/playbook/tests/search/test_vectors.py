"""Vectors that are kept beside the playbook: what is embedded once is not embedded again, whoever asks."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from evograft.errors import ServiceError
from evograft_playbook.search.dense import DenseIndex
from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.search.vectors import VectorFile, get_vectors_path
from evograft_playbook.types import SearchQuery


@pytest.fixture
def file(tmp_path):
    return tmp_path / "playbook.sqlite.vectors"


@pytest.fixture
def ask(file, driver, said):
    """Asks in a search of its own, as another process would."""

    def asked(playbook, text="cat", *, model="topics"):
        dense = DenseIndex(driver, VectorFile(file, model), said.append)
        with HybridSearch(dense=dense, say=said.append) as search:
            return [each.bullet.id for each in search.search(SearchQuery(query_text=text), playbook)]

    return asked


def test_the_file_lies_beside_the_playbook(tmp_path):
    assert get_vectors_path(tmp_path / "mine.sqlite") == tmp_path / "mine.sqlite.vectors"


def test_what_was_embedded_is_not_embedded_again(ask, driver, playbook_of):
    playbook = playbook_of("a cat", "a car")
    first = ask(playbook)
    driver.asked.clear()
    assert ask(playbook) == first
    assert driver.asked == ["cat"]


def test_another_process_finds_the_vectors(file, ask, driver, playbook_of):
    playbook = playbook_of("a cat", "a car")
    ask(playbook)
    program = (
        "import json, sys; from pathlib import Path; from evograft_playbook.search.vectors import VectorFile; "
        "found = VectorFile(Path(sys.argv[1]), 'topics').read(['a cat', 'a tree']); "
        "print(json.dumps({text: vector.tolist() for text, vector in found.items()}))"
    )
    done = subprocess.run([sys.executable, "-c", program, file], capture_output=True, check=True, text=True)
    found = json.loads(done.stdout)
    assert list(found) == ["a cat"]
    assert np.allclose(found["a cat"], driver.embed(("a cat",))[0])


def test_vectors_of_another_model_are_not_seen(ask, driver, playbook_of):
    ask(playbook_of("a cat"))
    ask(playbook_of("a cat"), model="another")
    assert driver.asked.count("a cat") == 2


def test_what_came_before_a_failure_is_kept(file, driver, playbook_of):
    contents = [f"cat {number}" for number in range(450)]

    def fails_later(texts):
        if len(driver.asked) >= 400:
            raise ServiceError("embedding: the driver broke")
        return type(driver).embed(driver, texts)

    driver.embed = fails_later
    with (
        HybridSearch(dense=DenseIndex(driver, VectorFile(file, "topics"), print)) as search,
        pytest.raises(ServiceError, match="broke"),
    ):
        search.search(SearchQuery(query_text="cat"), playbook_of(*contents))
    with closing(VectorFile(file, "topics")) as kept:
        assert len(kept.read(contents)) == 400


def test_vectors_of_texts_that_are_gone_are_forgotten_once_they_are_many(file):
    with closing(VectorFile(file, "topics")) as kept:
        texts = [f"text {number}" for number in range(1100)]
        kept.write(dict.fromkeys(texts, np.ones(3, np.float32)))
        kept.forget_others(texts[:500])
        assert len(kept.read(texts)) == 1100
        kept.forget_others(texts[:10])
        assert sorted(kept.read(texts)) == sorted(texts[:10])


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 5, "text", *(np.full(*each, "<f4").tobytes() for each in ((7, 1), (4, 0), (4, np.nan), (4, 3e38)))],
)
def test_a_row_that_is_no_such_vector_is_made_again(file, ask, driver, playbook_of, content):
    playbook = playbook_of("a cat", "a car")
    ask(playbook)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE vectors SET vector = ? WHERE digest = (SELECT min(digest) FROM vectors)", (content,))
    driver.asked.clear()
    assert ask(playbook) == ["shr-00001", "shr-00002"]
    assert {"a cat", "a car"} & set(driver.asked)


def test_a_file_full_of_other_vectors_is_an_error_that_says_what_to_delete(file, ask, playbook_of):
    with closing(VectorFile(file, "topics")) as kept:
        kept.write({"a cat": np.eye(7, dtype=np.float32)[0]})
    with pytest.raises(ServiceError, match="delete the file of vectors"):
        ask(playbook_of("a cat"))


def test_a_damaged_file_is_said_and_the_search_goes_on(file, ask, said, playbook_of):
    playbook = playbook_of(*(f"cat {number}" for number in range(300)))
    expected = ask(playbook)
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xee" * (len(content) - 4096)
    file.write_bytes(content)
    assert ask(playbook) == expected
    assert len(said) == 1
    assert "vectors are not kept" in said[0]
    assert "delete it" in said[0]


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE mine (x)", "CREATE VIEW vectors AS SELECT 'topics' model, x'00' digest, x'00' vector"],
)
def test_the_database_of_another_program_is_left_as_it_is(file, statement):
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(statement)
    before = file.read_bytes()
    with pytest.raises(sqlite3.DatabaseError, match="no file of vectors"):
        VectorFile(file, "topics")
    assert file.read_bytes() == before


def test_a_file_that_processes_make_at_once_takes_the_vectors_of_all(file):
    program = (
        "import sys, numpy as np; from pathlib import Path; from evograft_playbook.search.vectors import VectorFile; "
        "VectorFile(Path(sys.argv[1]), 'topics').write({sys.argv[2]: np.ones(3, np.float32)})"
    )
    texts = [f"text {number}" for number in range(6)]
    started = [subprocess.Popen([sys.executable, "-c", program, file, text]) for text in texts]
    assert [each.wait(60) for each in started] == [0] * 6
    with closing(VectorFile(file, "topics")) as kept:
        assert sorted(kept.read(texts)) == texts


def test_without_a_file_nothing_is_written(driver, playbook_of, tmp_path):
    with HybridSearch(dense=DenseIndex(driver, None, print)) as search:
        search.search(SearchQuery(query_text="cat"), playbook_of("a cat"))
    assert list(tmp_path.iterdir()) == []
