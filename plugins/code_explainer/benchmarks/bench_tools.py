"""Cost of the tools on a code base of 100,000 files.

Seconds are those on the clock, and of processor time in this process and others.

python plugins/code_explainer/benchmarks/bench_tools.py
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.map.code_map import build_map
from evograft_code_explainer.map.text import format_map
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.plugin import TOOLS
from evograft_hookspecs import ToolCall

FOLDERS, FILES = 1000, 100
IGNORED = [
    "*.pyc",
    "build/",
    "/dist",
    "__pycache__/",
    "*.egg-info",
    ".venv",
    "*.log",
    "!keep.log",
    "**/tmp/",
    "/runs/*",
]


def write_tree(root: Path) -> None:
    (root / ".gitignore").write_text("\n".join(IGNORED))
    for folder in range(FOLDERS):
        place = root / f"package{folder:03}" / "inner"
        place.mkdir(parents=True)
        for file in range(FILES):
            text = f"import os\nfrom package000.inner import module{file}\n\ndef f{file}(x):\n    return {folder}\n"
            (place / f"module{file}.py").write_text(text)


def processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(name: str, work: Callable[[], str]) -> None:
    clock, used = time.perf_counter(), processor()
    answer = work()
    clock, used = time.perf_counter() - clock, processor() - used
    print(f"{name:<42} {clock:6.2f} s  processor {used:6.2f} s  answer {len(answer):6,} characters")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder))
        options = CodeExplainerOptions(root=folder, search_seconds=600)

        def ask(tool: str, **arguments: object) -> Callable[[], str]:
            call = ToolCall(id="1", tool=tool, arguments=arguments)
            return lambda: TOOLS[tool].answer(Repository(options), call)

        print(f"{FOLDERS * FILES:,} files, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}")
        measure("list_file, recursive, first time", ask("list_file", recursive=True))
        measure("list_file, recursive, again", ask("list_file", recursive=True))
        measure("read_file", ask("read_file", path="package500/inner/module50.py"))
        measure("outline of a file", ask("outline", path="package500/inner/module50.py"))
        measure("search with ripgrep", ask("search", pattern="return 777$"))
        measure("the map", lambda: format_map(build_map(Repository(options))))
        os.environ["PATH"] = ""
        measure("search without ripgrep", ask("search", pattern="return 777$"))


if __name__ == "__main__":
    main()
