"""Why a program has no number to tune, where that is not plain to see."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from evograft.text.evolve_blocks import END, START
from evograft_program.options import ProgramOptions
from evograft_program.task.candidates import file_name
from evograft_program.task.languages import find_language
from evograft_program.tuning.family import find_family
from evograft_program.tuning.literals.placed import LiteralRole
from evograft_program.tuning.program_literals import read_program

MOST_NAMES = 3
PYTHON = "python"


def explain_untunable(start: Mapping[str, str], options: ProgramOptions) -> str:
    """Return the reason in a few words; empty: there are no numbers.

    Args:
        start: the files of the start program, none of whose numbers is a choice.
        options: of the task.
    """
    language = options.candidate.language or find_language(file_name(options.candidate))
    for path, text in start.items():
        if (find_language(path) or language) == PYTHON and (error := _find_syntax_error(text)):
            return error
    unmarked = {path: text.replace(START, "").replace(END, "") for path, text in start.items()}
    if unmarked != start and find_family(unmarked, (), language=language, most=options.tuning.most_literals).chosen:
        return "its numbers are outside of the EVOLVE-BLOCK marks"
    placed = read_program(start, language).placed
    names = list(dict.fromkeys(each.name for each in placed if each.name and each.role is LiteralRole.VALUE))
    return f"{', '.join(names[:MOST_NAMES])}: times, seeds, sizes and 0 are left as they are" if names else ""


def _find_syntax_error(text: str) -> str:
    try:
        ast.parse(text)
    except SyntaxError as err:
        return f"line {err.lineno}: {err.msg}"
    except ValueError as err:
        return str(err)
    return ""
