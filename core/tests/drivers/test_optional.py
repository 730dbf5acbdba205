"""What a missing package is said to need."""

import re

import pytest

from evograft.drivers.optional import import_optional, requirements_of
from evograft_hookspecs import LlmUnavailable


@pytest.mark.parametrize(
    "extra", ["evograft-models[litellm]", "evograft-models[ollama]", "evograft-sandbox[docker]", "evograft[parquet]"]
)
def test_an_extra_is_told_as_what_it_stands_for(extra):
    assert re.fullmatch(r"'[a-z-]+>=[\d.]+'", requirements_of(extra))


def test_a_missing_package_is_named_with_a_command_that_installs_it():
    with pytest.raises(LlmUnavailable, match=r"needs the package no_such_library.*: pip install 'litellm>="):
        import_optional("no_such_library", extra="evograft-models[litellm]")
