"""Notebooks in a real kernel: that of the documentation, and cells that define what is evaluated."""

import base64
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOK = Path(__file__).parents[4] / "docs" / "notebooks" / "evolve.ipynb"
PNG = b"\x89PNG\r\n\x1a\n"


def execute(notebook, folder):
    """Executes all cells; returns the outputs of each by its name."""
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def test_the_notebook_runs_from_top_to_bottom_and_shows_what_it_says(tmp_path):
    outputs = execute(nbformat.read(NOTEBOOK, as_version=4), tmp_path)
    (progress,) = outputs["c8"]
    assert "trial 1/1  best -3.53553" in progress.data["text/html"]
    assert outputs["c9"][0].data["text/plain"].startswith("(-3.5355339059327378,\n {'combined_score': ")
    assert outputs["c10"][0].data["text/plain"] == "'complete'"
    assert '<table border="1" class="dataframe">' in outputs["c19"][0].data["text/html"]
    assert base64.b64decode(outputs["c20"][0].data["image/png"]).startswith(PNG)
    assert outputs["c11"][0].data["text/html"].startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert outputs["c15"][0].text.startswith("0 # EVOLVE-BLOCK-START")
    assert outputs["c16"][0].data["text/plain"] == "1"


def test_the_notebook_is_kept_without_outputs():
    cells = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)


CELLS = (
    "import numpy as np\nimport evograft",
    "SCALE = np.float64(2.0)\nTARGET = np.array([1.0, 2.0])",
    """
class Distance:
    scale = SCALE

    def of(self, point):
        return float(self.scale * np.abs(np.array(point) - TARGET).sum())
""",
    """
def evaluate(program_path):
    names = {}
    with open(program_path) as file:
        exec(file.read(), names)
    return {"combined_score": -Distance().of(names["point"]())}
""",
    "evograft.evolve(PROGRAM, evaluate, trials=1)",
)


def test_classes_functions_and_numpy_constants_of_cells_are_sent_and_open_is_the_built_in_one(tmp_path, program):
    sources = (f"PROGRAM = {program!r}", *CELLS)
    cells = [nbformat.v4.new_code_cell(source, id=f"n{number}") for number, source in enumerate(sources)]
    *_, shown = execute(nbformat.v4.new_notebook(cells=cells), tmp_path)["n5"]
    assert shown.data["text/plain"] == "<run evaluate-1: complete, 1 trials, best -10>"
    assert "<td>-10 (trial 0)</td>" in shown.data["text/html"]


def test_an_error_in_a_cell_says_what_python_calls_the_option(tmp_path, program):
    cell = nbformat.v4.new_code_cell(f"import evograft\nevograft.study({program!r}, llm='qwen3')")
    with pytest.raises(CellExecutionError, match=r"llm='qwen3': no driver is called that"):
        execute(nbformat.v4.new_notebook(cells=[cell]), tmp_path)
