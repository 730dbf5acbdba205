"""HTML of a statement to Markdown: formulas as TeX between dollars, tables, examples, details, absolute addresses."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Set as AbstractSet
from urllib.parse import quote, urljoin, urlsplit

from bs4 import Tag
from markdownify import ATX, MarkdownConverter

from evograft_ahc.text.messages import ContestUserError

INLINE_TEX = re.compile(r"\\\(\s*(.{1,1000}?)\s*\\\)", re.DOTALL)
DISPLAYED_TEX = re.compile(r"\\\[\s*(.{1,4000}?)\s*\\\]", re.DOTALL)
URL_SAFE = "/:?#@!$&'*+,;=%-._~"
LITERAL = "_noformat"
"""What the converter calls the inside of `pre` and `code`."""


def convert_to_markdown(element: Tag, base: str) -> str:
    """Return the Markdown of an element.

    Args:
        element: is changed: addresses in it become absolute.
        base: the address of its page.
    """
    for name, attribute in (("a", "href"), ("img", "src")):
        for link in element.find_all(name):
            _make_absolute(link, attribute, base)
    converter = StatementConverter(
        heading_style=ATX, bullets="-", escape_asterisks=False, escape_underscores=False, autolinks=False
    )
    try:
        text = converter.convert_soup(element)
    except RecursionError as err:
        raise ContestUserError(
            "the statement's HTML is nested too deeply to be one; bring another file with: --statement FILE",
            ja="問題文の HTML の入れ子が深すぎます。--statement FILE で別のファイルを指定してください",
        ) from err
    return str(text).strip() + "\n"


class StatementConverter(MarkdownConverter):
    """What a statement has next to usual HTML."""

    def convert_var(self, _element: Tag, text: str, parent_tags: AbstractSet[str]) -> str:
        if LITERAL in parent_tags:
            return text
        return f"${text.strip()}$" if text.strip() else ""

    def convert_details(self, _element: Tag, text: str, parent_tags: AbstractSet[str]) -> str:  # noqa: ARG002
        return f"\n\n<details>\n\n{text.strip()}\n\n</details>\n\n"

    def convert_summary(self, _element: Tag, text: str, parent_tags: AbstractSet[str]) -> str:  # noqa: ARG002
        return f"\n\n<summary>{text.strip()}</summary>\n\n"

    def convert_pre(self, _element: Tag, text: str, parent_tags: AbstractSet[str]) -> str:  # noqa: ARG002
        # A fence is longer than any that the text itself holds.
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
        content = text.strip("\r\n")
        return f"\n\n{fence}\n{content}\n{fence}\n\n" if content else ""

    def escape(self, text: str, parent_tags: AbstractSet[str]) -> str:
        text = DISPLAYED_TEX.sub(r"$$\1$$", INLINE_TEX.sub(r"$\1$", text))
        # A bar within a cell would end it.
        return text.replace("|", r"\|") if parent_tags & {"td", "th"} else text


def _make_absolute(link: Tag, attribute: str, base: str) -> None:
    given = str(link.attrs.pop(attribute, "")).strip()
    link.attrs.pop("title", None)
    # What is no address stays out.
    with contextlib.suppress(ValueError):
        address = urljoin(base, given)
        if given and urlsplit(address).scheme in ("http", "https"):
            link[attribute] = quote(address, safe=URL_SAFE)
