"""Which of a statement's links leads to the official tools."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

LINK = re.compile(r"\[(?P<text>[^\[\]\n]{0,300})\]\((?P<url>https?://[^)\s]{1,500})\)")
LOCAL = re.compile(r"ローカル版|local version|local tester|ローカルテスタ", re.IGNORECASE)
NEVER = re.compile(r"_(windows|win|sample|samples|linux|mac)\b|windows|サンプル", re.IGNORECASE)
VERSION = re.compile(r"_v(\d+)$")


def find_archives(markdown: str) -> tuple[str, ...]:
    """Find addresses of archives that may be the tools, without those of other kinds: one if it is clear which.

    Of several versions of one archive, only the last is left; a link called the local version wins over others.
    """
    links = [(hit["text"], hit["url"]) for hit in LINK.finditer(markdown) if _is_archive(hit["url"])]
    links = [(text, url) for text, url in links if not NEVER.search(_stem(url)) and not NEVER.search(text)]
    named = [(text, url) for text, url in links if LOCAL.search(text)]
    return _newest([url for _, url in named or links])


def _newest(urls: list[str]) -> tuple[str, ...]:
    newest: dict[str, str] = {}
    for url in urls:
        family = VERSION.sub("", _stem(url))
        if family not in newest or _version(url) > _version(newest[family]):
            newest[family] = url
    return tuple(newest.values())


def _is_archive(url: str) -> bool:
    return urlsplit(url).path.lower().endswith(".zip")


def _stem(url: str) -> str:
    return urlsplit(url).path.rpartition(".")[0]


def _version(url: str) -> int:
    found = VERSION.search(_stem(url))
    return int(found[1]) if found else 1
