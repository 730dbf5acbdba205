"""What is imported before evaluations."""

import subprocess
import sys

SCRIPT = """
import sys
from evograft_program.worker.imports import import_all
import_all(sys.argv[1:])
print(*sorted(name for name in sys.modules if name.startswith("heavy")))
"""


def test_a_name_that_is_a_module_is_imported_and_one_that_is_something_else_is_not(tmp_path):
    package = tmp_path / "heavy"
    package.mkdir()
    (package / "__init__.py").write_text("def chart(): ...\n")
    for name in ("signal", "chart", "stats", "other"):
        (package / f"{name}.py").touch()
    (tmp_path / "heavy_too.py").write_text("1 / 0")
    entries = ["heavy:signal", "heavy:chart", "heavy:nothing", "heavy.stats", "heavy_too", "nobody:has"]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), *entries], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["heavy", "heavy.signal", "heavy.stats"]
