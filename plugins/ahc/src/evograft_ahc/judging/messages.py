"""Messages about cases and the sandbox, in the user's language.

Records are in English, regardless of who reads them and of later settings.
"""

from __future__ import annotations

from collections.abc import Iterable

from evograft.text.i18n import Catalog
from evograft_ahc.judging.outcome import CaseOutcome, MessagePart
from evograft_ahc.text.messages import Language
from evograft_hookspecs import SandboxLayer

DRIVER = "driver"
"""The layer whose detail is the name of the sandbox that was chosen."""


def get_message_text(outcome: CaseOutcome, language: Language) -> str:
    """Return the message of an outcome. What the contest's tester says of an answer stays as the tester said it."""
    return outcome.message if language == "en" or not outcome.parts else render_message(outcome.parts, language)


def render_message(parts: Iterable[MessagePart], language: Language) -> str:
    """Return the parts as one text."""
    t = Catalog(language, __package__)
    return "".join(t(f"case.{part.code}", **part.values) for part in parts)


def describe_layers(layers: Iterable[SandboxLayer], t: Catalog) -> tuple[str, ...]:
    """Return one line: the sandbox, what isolates programs in it, and what is missing here."""
    every = tuple(layers)
    driver = " ".join(layer.detail for layer in every if layer.name == DRIVER)
    active = ", ".join(layer.name for layer in every if layer.active and layer.name != DRIVER)
    missing = ", ".join(f"{layer.name} ({layer.detail})" for layer in every if not layer.active)
    line = t("walls", driver=driver, active=active)
    return (line + t("missing_walls", missing=missing) if missing else line,)
