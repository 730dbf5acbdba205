"""The function that an evaluation calls: the evaluator's, or the candidate's."""

from __future__ import annotations

from evograft.api import UserError
from evograft_program.options import EvaluatorStyle
from evograft_program.requests.request import EvolveRequest
from evograft_program.styles.functions import find_candidate_function
from evograft_program.styles.recognition import Recognition
from evograft_program.task.candidates import read_text
from evograft_program.task.layout import TaskFiles


def find_function(request: EvolveRequest, files: TaskFiles, recognition: Recognition) -> str:
    """Return the function that is called: the evaluator's, or the candidate's where an evaluator is given it.

    Raises:
        UserError: the program cannot be parsed, or has several functions.
    """
    given = str(request.settings.get("function", ""))
    if given or recognition.style is not EvaluatorStyle.FUNCTION or files.program is None:
        return given or recognition.function
    try:
        found = find_candidate_function(read_text(files.program), parameter=recognition.parameter)
    except SyntaxError as err:
        raise UserError(f"program {str(files.program)!r}, line {err.lineno}: {err.msg}") from err
    if not found:
        raise UserError(
            f"{str(files.program)!r} has several functions: say which one is evaluated with --function NAME"
        )
    return found
