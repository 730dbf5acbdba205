"""Japanese, cut into words by a dictionary: the extra `ja`."""

from __future__ import annotations

from evograft.api import UserError
from evograft_playbook.search.tokens import Cut, split_characters

_GRAMMAR = frozenset({"助詞", "助動詞", "補助記号", "空白"})
"""Particles, auxiliaries and signs: they are in every sentence."""


def cut_by_dictionary() -> Cut:
    """Cut into words in their dictionary's form, and into characters in addition.

    Raises:
        UserError: SudachiPy or its dictionary is not installed.
    """
    try:
        import sudachipy

        tokenizer = sudachipy.Dictionary().tokenizer(mode=sudachipy.SplitMode.A)
    except ModuleNotFoundError as err:
        raise UserError(
            f"search.japanese: 'sudachi' needs the package {err.name}: pip install 'evograft-playbook[ja]'"
        ) from err

    def cut(run: str) -> list[str]:
        words = (each for each in tokenizer.tokenize(run) if each.part_of_speech()[0] not in _GRAMMAR)
        return [*(each.normalized_form() for each in words), *split_characters(run)]

    return cut
