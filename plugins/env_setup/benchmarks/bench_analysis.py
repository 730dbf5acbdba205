"""What reading a repository costs: one of 100,000 files, and manifests that are made to be dear.

Each figure is of a process of its own, from its start to its answer. Run it from the root of the checkout.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "analysis"
FILES = 100_000
ANALYSE = r"""
import json, re, sys, time
from pathlib import Path
from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
started, used = time.perf_counter(), time.process_time()
found = EnvironmentAnalyzer(Path(sys.argv[1]), depth=int(sys.argv[2])).analyze()
print(json.dumps({
    "wall": time.perf_counter() - started,
    "cpu": time.process_time() - used,
    "whole": time.process_time(),
    "peak": int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) // 1024,
    "environment": found.environment_type,
    "findings": len(found.findings),
}))
"""
SHAPES = {
    "1,000 folders of 100": (1000, 100),
    "one folder of 100,000": (1, FILES),
    "10,000 folders of 10": (10_000, 10),
}


def measure(folder: Path, depth: int = 1) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", ANALYSE, folder, str(depth)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def grow(root: Path, folders: int, files: int) -> None:
    (root / "requirements.txt").write_text("flask\n")
    for number in range(folders):
        folder = root / f"part{number}" / "src"
        folder.mkdir(parents=True)
        for each in range(files):
            (folder / f"module{each}.py").touch()


def measure_trees() -> None:
    print("tree, levels of folders: wall s, CPU s, peak MB")
    for name, (folders, files) in SHAPES.items():
        with tempfile.TemporaryDirectory() as place:
            grow(Path(place), folders, files)
            for depth in (1, 9):
                told = measure(Path(place), depth)
                assert told["environment"] == "python"
                print(f"{name}, {depth}: {told['wall']:.2f}, {told['cpu']:.2f}, {told['peak']}")


def measure_dear_files() -> None:
    sys.path.insert(0, str(TESTS))
    from test_hostile import ACCEPTED, DEAR

    print("\nfile: CPU s of the process, of the analysis, peak MB, findings")
    for name, (path, content) in {**DEAR, **ACCEPTED}.items():
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / path).write_bytes(content.encode() if isinstance(content, str) else content)
            told = measure(Path(place))
            print(f"{name}: {told['whole']:.2f}, {told['cpu']:.2f}, {told['peak']}, {told['findings']}")


if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%B %Y')}")
    measure_trees()
    measure_dear_files()
