"""The contract does not change by accident, and its documents are complete."""

import ast
import inspect
import json
import re
from pathlib import Path

import pytest

from evograft_hookspecs import CONTRACT, contract, hooks

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
SECTIONS = ("Called:", "Returns:", "None:", "Who else answers:", "Units and shapes:", "Example:")
VERBS = [name for name, function in vars(hooks).items() if hasattr(function, "evograft_spec")]


def test_the_committed_snapshot_is_the_contract():
    committed = json.loads(contract.committed())
    assert committed == json.loads(contract.to_json(contract.snapshot())), (
        "the contract changed: raise CONTRACT if plugins can notice, write a note in the changelog, then "
        "python -m evograft_hookspecs.contract > hookspecs/src/evograft_hookspecs/contract.json"
    )


def test_the_changelog_has_a_note_on_just_this_contract():
    note = f"Contract {CONTRACT} (`{contract.digest(contract.committed())}`)"
    assert note in CHANGELOG.read_text(encoding="utf-8"), f"the changelog lacks: {note}"


def test_there_are_seven_verbs_and_observe():
    expected = ["setup_env", "analyze", "select", "propose", "mutate", "evaluate", "tool_call", "observe"]
    assert expected == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_every_hook_is_documented_in_the_same_order(verb):
    text = inspect.getdoc(getattr(hooks, verb))
    places = [text.find(f"\n{section}") for section in SECTIONS]
    assert -1 not in places, f"missing: {SECTIONS[places.index(-1)]}"
    assert places == sorted(places)


@pytest.mark.parametrize("verb", VERBS)
def test_every_hook_has_an_example_that_is_valid_and_of_that_hook(verb):
    text = inspect.getdoc(getattr(hooks, verb))
    example = inspect.cleandoc("\n" + text.partition("\nExample:\n")[2])
    (function,) = ast.parse(example).body
    assert function.name == verb
    known = set(inspect.signature(getattr(hooks, verb)).parameters)
    assert {argument.arg for argument in function.args.args} - {"self"} <= known


def test_hookspecs_depends_on_pluggy_and_pydantic_only():
    folder = Path(hooks.__file__).parent
    imports = {
        match[1]
        for path in folder.glob("*.py")
        for match in re.finditer(r"^\s*(?:from|import) ([a-z_]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    import sys

    foreign = {name for name in imports if name not in sys.stdlib_module_names}
    assert foreign <= {"evograft_hookspecs", "pluggy", "pydantic", "pydantic_core"}
