import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.analysis.runtime_version import choose_version

PYTHON = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
NODE = ("18", "20", "22", "24")


@pytest.mark.parametrize(
    ("asked", "version"),
    [
        ("3.14", "3.14"),
        ("3.12.4", "3.12"),
        (">=3.12", "3.12"),
        (">=3.9", "3.11"),
        (">=3.8,<3.11", "3.10"),
        ("^3.9", "3.11"),
        ("~3.12", "3.12"),
        ("~=3.12", "3.12"),
        ("==3.13.*", "3.13"),
        (">3.11", "3.12"),
        (">3.11.2", "3.11"),
        ("<=3.10.9", "3.10"),
        ("3.12-dev", "3.12"),
        ("3", "3.11"),
        ("whatever", "3.11"),
        (">=4", None),
        ("2.7", None),
    ],
)
def test_a_version_of_python_is_the_usual_one_or_the_nearest_that_will_do(asked, version):
    assert choose_version(PYTHON, "3.11", [asked]) == version


@pytest.mark.parametrize(
    ("asked", "version"),
    [
        ("v20.11.0", "20"),
        ("lts/*", "22"),
        (">=18", "22"),
        (">=24", "24"),
        ("^20.9 || >=24", "24"),
        ("20.x", "20"),
        ("20-alpine", "20"),
        (">=18.0.0 <21", "20"),
        ("16", None),
    ],
)
def test_a_version_of_node_may_be_asked_for_as_npm_does(asked, version):
    assert choose_version(NODE, "22", [asked]) == version


def test_what_is_asked_for_first_counts_most():
    assert choose_version(PYTHON, "3.11", [">=3.12", "3.13"]) == "3.13"
    assert choose_version(PYTHON, "3.11", ["3.12", "3.13"]) == "3.12"
    assert choose_version(PYTHON, "3.11", []) == "3.11"


@given(st.lists(st.text(alphabet="<>=~^!0123456789.x*| v-", max_size=30), max_size=4))
def test_whatever_is_asked_for_a_known_version_or_none_comes_of_it(asked):
    assert choose_version(PYTHON, "3.11", asked) in {*PYTHON, None}
