"""Prompts as templates: `{code_snippet}` stands for code, and any other brace for itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
MUTATION = (frozenset({"code_snippet"}), frozenset({"function_code"}))
"""The placeholders of a prompt that changes a program: one or the other."""
CROSSOVER = (frozenset({"code_A", "code_B"}),)
"""Those of one that joins two."""


def find_placeholders(template: str) -> frozenset[str]:
    return frozenset(PLACEHOLDER.findall(template))


def fill_placeholders(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its placeholders replaced.

    Braces in the values do no harm, as they would with `str.format`.
    """
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def _with_one_of(*sets: frozenset[str]) -> AfterValidator:
    """Return a validator of templates that hold just the placeholders of one of these sets."""
    allowed = " or ".join(" and ".join(f"{{{name}}}" for name in sorted(names)) for names in sets)

    def check(template: str) -> str:
        found = find_placeholders(template)
        unknown = sorted(found - frozenset().union(*sets))
        if unknown:
            raise ValueError(f"{{{unknown[0]}}} is no placeholder here; this prompt has {allowed}")
        if found not in sets:
            raise ValueError(f"the prompt lacks its placeholder: it has {allowed}")
        return template

    return AfterValidator(check)


MutationPrompt = Annotated[str, _with_one_of(*MUTATION)]
CrossoverPrompt = Annotated[str, _with_one_of(*CROSSOVER)]
