"""Options in messages, as Python names them."""

import pytest

import evograft
from evograft.errors import UserError
from evograft_program.python.option_names import in_python


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("--llm 'x': write each model as DRIVER:MODEL", "llm='x': write each model as DRIVER:MODEL"),
        ("add --llm DRIVER:MODEL, or name a program", 'add llm="DRIVER:MODEL", or name a program'),
        ("--api-base: the llm driver", "api_base=: the llm driver"),
        ("not Python; correct it, or give --style", "not Python; correct it, or give style="),
        ("a path (--style openevolve), or", 'a path (style="openevolve"), or'),
        ("--python names the Python that evaluates", "python= names the Python that evaluates"),
        ("this is meant: --set sandbox.driver=process", 'this is meant: settings={"sandbox.driver": "process"}'),
        ("a script with --program_path and --results_dir", "a script with --program_path and --results_dir"),
    ],
)
def test_an_option_is_an_argument(message, expected):
    assert in_python(message) == expected


def test_errors_of_evolve_and_study_name_arguments(halved, program):
    with pytest.raises(UserError, match=r"^llm='qwen3': no driver is called that;.* too: llm=\"openai:qwen3\"$"):
        evograft.study(program, llm="qwen3")
    with pytest.raises(UserError, match=r'add llm="DRIVER:MODEL", or name a program too'):
        evograft.evolve(None, "def evaluate(program_path):\n    return 1.0\n", statement="Find a number.")
