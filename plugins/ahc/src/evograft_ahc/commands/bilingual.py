"""Commands whose help knows English and Japanese: both stand where the option stands, as with messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from evograft_ahc.commands.language import find_language

F = TypeVar("F", bound=Callable[..., Any])
HELP, HELP_JA = "Show this message and exit.", "この説明を表示して終了します。"
"""Of the option that click itself adds."""


class BilingualOption(click.Option):
    """An option that is explained in both languages.

    Args:
        names: as click takes them.
        en: what it is for.
        ja: the same.
        settings: of click.
    """

    def __init__(self, *names: Any, en: str, ja: str, **settings: Any) -> None:
        super().__init__(*names, **{**settings, "help": en})
        self.ja = ja

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or self.help is None or find_language() != "ja":
            return record
        # Behind it click says what may be given, and the default.
        return record[0], self.ja + record[1].removeprefix(self.help)


class BilingualCommand(click.Command):
    """A command that is explained in both languages: in English by the docstring of its function.

    Args:
        given: what click takes.
        ja: the explanation in Japanese, whose first line is the short one.
        settings: of click.
    """

    def __init__(self, *given: Any, ja: str, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.ja = ja

    def get_short_help_str(self, limit: int = 45) -> str:
        return self.ja.partition("\n")[0] if find_language() == "ja" else super().get_short_help_str(limit)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        english = self.help
        try:
            self.help = self.ja if find_language() == "ja" else english
            super().format_help_text(ctx, formatter)
        finally:
            self.help = english

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:  # click makes it once for all calls
            option.help = HELP_JA if find_language() == "ja" else HELP
        return option


class BilingualGroup(BilingualCommand, click.Group):
    """A group of such commands."""

    command_class = BilingualCommand


def option(*names: str, en: str, ja: str, **settings: Any) -> Callable[[F], F]:
    """Work as `click.option`, explained in both languages."""
    return click.option(*names, cls=BilingualOption, en=en, ja=ja, **settings)


def command(name: str | None = None, *, ja: str, **settings: Any) -> Callable[[Callable[..., Any]], BilingualCommand]:
    """Work as `click.command`; English is the docstring."""
    return click.command(name, cls=BilingualCommand, ja=ja, **settings)


def group(*, ja: str) -> Callable[[Callable[..., Any]], BilingualGroup]:
    """Work as `click.group`; English is the docstring."""
    return click.group(cls=BilingualGroup, ja=ja)


AS_JSON = option("--json", "as_json", is_flag=True, en="Print JSON.", ja="JSON で出力します。")
