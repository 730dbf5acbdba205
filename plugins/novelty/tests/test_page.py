"""What the page says is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "novelty.md"
EXAMPLE = re.compile(
    r'^```python title="([^"]+)"\n(.*?)^```\n\n^```text title="output"\n(.*?)^```$', re.MULTILINE | re.DOTALL
)
EXAMPLES = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_examples():
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize(("name", "code", "output"), EXAMPLES, ids=[name for name, *_ in EXAMPLES])
def test_an_example_prints_what_the_page_shows(name, code, output, tmp_path):
    (tmp_path / name).write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == output
