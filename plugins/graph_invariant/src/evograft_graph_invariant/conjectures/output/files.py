"""The files of a study: JSON, a page, and statements in LaTeX, Lean 4 and SageMath."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from evograft.api import write_atomically
from evograft_graph_invariant.conjectures.output.lean import write_lean
from evograft_graph_invariant.conjectures.output.notation import write_latex
from evograft_graph_invariant.conjectures.output.page import write_page
from evograft_graph_invariant.conjectures.output.sage import write_sage
from evograft_graph_invariant.conjectures.study import ConjectureStudyResult


def write_study(result: ConjectureStudyResult, folder: Path) -> Iterator[Path]:
    """Write all files into a folder, which is made where it is missing, and yield their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "conjectures.json": json.dumps(result.to_json(), ensure_ascii=False, indent=1),
        "conjectures.html": write_page(result),
        "conjectures.tex": write_latex(result.conjectures),
        "Conjectures.lean": write_lean(result.conjectures),
        "conjectures.sage": write_sage(result.conjectures),
    }
    for name, text in texts.items():
        path = folder / name
        write_atomically(path, f"{text.rstrip()}\n".encode())
        yield path
