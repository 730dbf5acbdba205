"""What is said of a database before it is asked: no password is ever written down, and faults say what to do."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import errors
from pydantic import ValidationError

from evograft.api import DriverSection, ServiceError, UserError, load_driver
from evograft_postgres.faults import complaint, refusal
from evograft_postgres.options import PostgresOptions
from evograft_postgres.storage import channel_of, lock_of

PASSWORD = "geheim/ナイショ"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db.example.org/runs",
        "postgresql://evo@db.example.org:5433/runs?sslmode=verify-full",
        "postgresql:///runs?host=/run/postgresql",
        "postgresql://%E6%97%A5@[::1]/größe",
        "postgresql:///?service=lab",
    ],
)
def test_an_address_stays_as_it_was_given(url):
    assert PostgresOptions(url=url).url == url
    assert PostgresOptions(url=url.replace("postgresql:", "postgres:", 1)).url == url


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://evo:{PASSWORD}@db/runs",
        f"postgresql://:{PASSWORD}@db/runs",
        "postgresql://evo:@db/runs",
        f"postgresql://db/runs?user=evo&password={PASSWORD}",
        f"postgresql:///runs?password={PASSWORD}",
    ],
)
def test_a_password_is_refused_and_not_repeated(url):
    with pytest.raises(UserError, match="PGPASSWORD") as refused:
        load_driver("store", DriverSection(driver="postgres", url=url))
    assert "geheim" not in str(refused.value)
    assert "ナイショ" not in str(refused.value)


@pytest.mark.parametrize("url", ["db.example.org", "mysql://db/runs", "", "postgresql://db/runs#run", "file:///runs"])
def test_what_is_no_address_of_a_database_is_refused(url):
    with pytest.raises(ValidationError):
        PostgresOptions(url=url)


@given(st.text(max_size=40))
def test_any_word_is_an_address_or_refused(word):
    try:
        url = PostgresOptions(url=f"postgresql://{word}").url
    except ValidationError:
        return
    assert url.startswith("postgresql:")


@pytest.mark.parametrize(
    ("said", "kind", "advice"),
    [
        ('FATAL:  password authentication failed for user "evo"', UserError, "PGPASSWORD"),
        ("fe_sendauth: no password supplied", UserError, "~/.pgpass"),
        ('FATAL:  database "x" does not exist', UserError, "create it"),
        ('FATAL:  permission denied for database "x"', UserError, "right to connect"),
        ("Connection refused\n\tIs the server running?", ServiceError, "start the server"),
        ("connection timeout expired", ServiceError, "start the server"),
    ],
)
def test_a_refused_connection_says_what_to_do(said, kind, advice):
    err = psycopg.OperationalError(f'connection failed: connection to server at "db" failed: {said}')
    refused = refusal(err, "postgresql://db/runs")
    assert type(refused) is kind
    assert advice in str(refused)
    assert "\n" not in str(refused)
    assert "?" not in str(refused), "no guesses"


@pytest.mark.parametrize(
    ("err", "code", "words"),
    [
        (errors.DiskFull("could not extend file"), 4, "free some space, then: evo resume x"),
        (errors.InsufficientPrivilege("permission denied for table rows"), 2, "let the owner of schema evograft grant"),
        (errors.ReadOnlySqlTransaction("cannot execute INSERT"), 2, "or use another user"),
        (errors.UndefinedTable('relation "evograft.rows" does not exist'), 2, "holds no runs yet"),
        (errors.QueryCanceled("statement timeout"), 4, "then: evo resume x"),
    ],
)
def test_a_statement_that_fails_says_what_to_do(err, code, words):
    found = complaint(err, "postgresql://db/runs", hint="evo resume x")
    assert (found.exit_code, words in str(found)) == (code, True), found


@given(st.text(min_size=1))
def test_locks_and_channels_are_ones_that_the_server_takes(run):
    assert 0 <= lock_of(run) < 2**63
    assert len(channel_of(run)) < 64
