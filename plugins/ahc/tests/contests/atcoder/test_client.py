"""The polite visitor, against a server that misbehaves in every way."""

import gzip
import os
import time

import pytest

from evograft_ahc.contests.atcoder.client import ARCHIVE, CONTEST_PAGE, PAGE, FetchKind, PoliteClient
from evograft_ahc.contests.atcoder.errors import FetchFailed, LoginRequired, PageMissing, RetryableFailure

PATH = "/contests/ahc999/tasks_print"


def text(client, played, path=PATH, kind=PAGE):
    return client.fetch(f"{played.url}{path}", kind).read_text()


def test_it_says_who_it_is_and_reads_robots_first(client, played):
    played.lays(PATH, "hello")
    assert text(client, played) == "hello"
    assert played.visits == ["/robots.txt", PATH]
    (agent,) = played.agents
    assert agent.startswith("evograft-ahc/")
    assert "https://" in agent


def test_what_was_fetched_is_used_again_until_it_is_old(client, played):
    played.lays(PATH, "first", "second")
    assert text(client, played) == text(client, played) == "first"
    kept = client.fetch(f"{played.url}{PATH}", PAGE)
    yesterday = time.time() - PAGE.max_age - 1
    os.utime(kept, (yesterday, yesterday))
    assert text(client, played) == "second"


def test_the_page_that_tells_the_end_is_always_fetched_anew(client, played):
    played.lays(PATH, "first", "second")
    assert [text(client, played, kind=CONTEST_PAGE) for _ in range(2)] == ["first", "second"]


def test_there_is_a_pause_between_requests(client, played, waits):
    played.lays("/a", "a")
    played.lays("/b", "b")
    for path in ("/a", "/b"):
        text(client, played, path)
    assert len(waits) == 2  # before /a, since robots.txt was a request too, and before /b
    assert all(0.5 < wait <= 1 for wait in waits)


def test_a_longer_pause_is_kept_where_robots_asks_for_one(client, played, waits):
    played.lays("/robots.txt", "User-agent: *\nCrawl-delay: 7\n")
    played.lays("/a", "a")
    text(client, played, "/a")
    assert 6 < waits[-1] <= 7


def test_what_robots_forbids_is_not_visited(client, played):
    played.lays("/robots.txt", "User-agent: *\nDisallow: /contests/*/tasks_print\nAllow: /contests/\n")
    played.lays(PATH, "hello")
    with pytest.raises(FetchFailed, match=r"robots.txt asks not to visit"):
        text(client, played)
    assert PATH not in played.visits


def test_a_redirect_to_what_robots_forbids_is_not_followed(client, played, reply):
    played.lays("/robots.txt", "User-agent: *\nDisallow: /private\n")
    played.lays(PATH, reply(b"", 302, headers={"Location": "/private"}))
    played.lays("/private", "hello")
    with pytest.raises(FetchFailed, match=r"robots.txt asks not to visit"):
        text(client, played)
    assert "/private" not in played.visits


def test_robots_that_cannot_be_read_forbid_everything(client, played, reply):
    played.lays("/robots.txt", reply(b"", 503))
    played.lays(PATH, "hello")
    with pytest.raises(RetryableFailure, match="503"):
        text(client, played)
    assert PATH not in played.visits


@pytest.mark.parametrize(
    ("status", "kind"), [(404, PageMissing), (410, PageMissing), (403, FetchFailed), (401, FetchFailed)]
)
def test_an_answer_that_is_final_is_not_asked_for_again(client, played, reply, status, kind):
    played.lays(PATH, reply(b"no", status))
    with pytest.raises(kind) as caught:
        text(client, played)
    assert caught.value.ja
    assert played.visits.count(PATH) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_in_trouble_is_asked_again(client, played, reply, status):
    played.lays(PATH, reply(b"", status), reply(b"", status), reply(b"hello"))
    assert text(client, played) == "hello"
    assert played.visits.count(PATH) == 3


def test_a_server_that_stays_in_trouble_is_left_alone_after_four_attempts(client, played, reply, waits):
    played.lays(PATH, reply(b"", 500))
    with pytest.raises(RetryableFailure, match="it answers 500"):
        text(client, played)
    assert played.visits.count(PATH) == 4
    assert max(waits) <= 30


def test_it_waits_for_as_long_as_it_is_told(client, played, reply, waits):
    played.lays(PATH, reply(b"", 429, headers={"Retry-After": "17"}), reply(b"hello"))
    assert text(client, played) == "hello"
    assert 17.0 in waits


@pytest.mark.parametrize("value", ["86400", "Fri, 31 Dec 2999 23:59:59 GMT"])
def test_it_gives_up_where_nobody_would_wait(client, played, reply, value):
    played.lays(PATH, reply(b"", 429, headers={"Retry-After": value}))
    with pytest.raises(FetchFailed, match=r"asks to come back in \d+ minutes"):
        text(client, played)
    assert played.visits.count(PATH) == 1


def test_a_wait_that_is_nonsense_is_none(client, played, reply):
    played.lays(PATH, reply(b"", 503, headers={"Retry-After": "soon"}), reply(b"hello"))
    assert text(client, played) == "hello"


def test_a_redirect_within_the_site_is_followed(client, played, reply):
    played.lays(PATH, reply(b"", 302, headers={"Location": "/moved"}))
    played.lays("/moved", "hello")
    assert text(client, played) == "hello"


@pytest.mark.parametrize(
    ("location", "kind", "reason"),
    [
        ("/login?continue=x", LoginRequired, "asks for a login"),
        ("http://localhost/a", FetchFailed, "http://localhost/a is not https"),
        ("https://example.com/a", FetchFailed, "is another site's"),
        ("file:///etc/passwd", FetchFailed, "is not https"),
        ("https://[", FetchFailed, "is no address"),
        (PATH, FetchFailed, "redirects for ever"),
    ],
)
def test_a_redirect_elsewhere_is_not_followed(client, played, reply, location, kind, reason):
    played.lays(PATH, reply(b"", 302, headers={"Location": location}))
    with pytest.raises(kind, match=reason):
        text(client, played)


@pytest.mark.parametrize(
    "url", ["http://localhost/a", "https://example.com/a", "https://localhost.example.com/a", "ftp://x/y", "a.zip"]
)
def test_only_addresses_of_the_site_are_visited(client, url):
    with pytest.raises(FetchFailed):
        client.fetch(url, PAGE)


def test_an_answer_that_breaks_off_is_asked_for_again_and_never_kept(client, played, reply, tmp_path):
    played.lays(PATH, reply(b"hel", declared=5), reply(b"hello"))
    assert text(client, played) == "hello"
    assert not list((tmp_path / "kept").glob("*.part"))


def test_a_page_of_another_type_is_refused(client, played, reply):
    played.lays(PATH, reply(b"%PDF", type="application/pdf"))
    with pytest.raises(FetchFailed, match="it is 'application/pdf'"):
        text(client, played)
    played.lays("/tools.zip", reply(b"<html>", type="text/html"))
    with pytest.raises(FetchFailed, match="it is 'text/html'"):
        text(client, played, "/tools.zip", ARCHIVE)


def test_a_huge_answer_is_given_up_also_where_it_is_compressed(client, played, reply):
    small = FetchKind(("text/html",), 10_000, 0)
    played.lays("/plain", reply(b"x" * 10_001))
    played.lays("/packed", reply(gzip.compress(b"x" * 1_000_000), headers={"Content-Encoding": "gzip"}))
    for path in ("/plain", "/packed"):
        with pytest.raises(FetchFailed, match="larger than 10000 bytes"):
            text(client, played, path, small)


def test_what_claims_to_be_compressed_and_is_not_fails(client, played, reply):
    played.lays(PATH, reply(b"plain", headers={"Content-Encoding": "gzip"}))
    with pytest.raises(RetryableFailure):
        text(client, played)


def test_an_answer_has_to_be_there_in_time(played, reply, tmp_path, waits):
    hasty = PoliteClient(played.url, tmp_path / "kept", timeout=1e-9, sleep=waits.append)
    played.lays(PATH, "hello")
    with pytest.raises(RetryableFailure):
        hasty.fetch(f"{played.url}{PATH}", PAGE)
    hasty.close()


def test_a_certificate_of_an_unknown_authority_is_not_trusted(played, tmp_path, waits, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    stranger = PoliteClient(played.url, tmp_path / "kept", sleep=waits.append)
    with pytest.raises(RetryableFailure, match="CERTIFICATE_VERIFY_FAILED"):
        stranger.fetch(f"{played.url}{PATH}", PAGE)
    assert played.visits == []
    stranger.close()
