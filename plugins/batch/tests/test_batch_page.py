"""What docs/batch.md says is so."""

import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from evograft_batch.jobs.job_runner import WORST_FIRST
from evograft_batch.plan.batch_file import BatchFile, parse_batch
from evograft_batch.results.run_results import RunRow

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (DOCS / "batch.md").read_text(encoding="utf-8")


def titled(text):
    return {match[2]: match[3] for match in BLOCK.finditer(text) if match[2]}


def cells(heading):
    """The first two or three cells of the table's rows below a heading."""
    below = PAGE.partition(f"\n{heading}\n")[2].partition("\n\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in below.splitlines() if line.startswith("| `")]


@pytest.fixture
def coin(tmp_path, monkeypatch):
    """The plugin of another page, its option in use as this page says."""
    files = titled((DOCS / "writing-a-plugin.md").read_text(encoding="utf-8"))
    source = files["coin.py"].replace("Options = NoOptions", "Options = CoinOptions")
    source = source.replace("self.scores = {}", "self.scores, self.options = {}, options")
    for old, new in (("range(1, 100)", "range(1, self.options.below)"), ("/ 99", "/ (self.options.below - 1)")):
        assert new.strip("/ ()") in PAGE
        assert old in source
        source = source.replace(old, new)
    options = "class CoinOptions(NoOptions):\n    below: int = 100\n\n\n"
    (tmp_path / "coin.py").write_text(source.replace("class Coin:", f"{options}class Coin:"))
    metadata = tmp_path / "evograft_coin-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: evograft-coin\nVersion: 0.1\n")
    (entry,) = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]["evograft.plugins"].items()
    (metadata / "entry_points.txt").write_text("[evograft.plugins]\n{} = {}\n".format(*entry))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.long
def test_the_example_runs_and_finds_what_the_page_shows(coin, runs, tmp_path):
    files = titled(PAGE)
    (tmp_path / "compare.yaml").write_text(files["compare.yaml"])
    done = runs.evo("batch", "compare.yaml")
    assert done.returncode == 0, done.stderr
    assert timeless(done.stdout) == timeless(files["output"])
    assert "complete     small_window-4_seed-0: 300/300 trials, best -4" in done.stderr
    assert done.stderr.splitlines()[1:3] == ["started      small_window-4_seed-0", "started      small_window-4_seed-1"]


def timeless(text):
    """Lines of words, without times and without where the runs are."""
    shortened = re.sub(r"batch = .*/runs/", "batch = /runs/", re.sub(r"[\d.]+ s  ", "", text))
    return [line.split() for line in shortened.splitlines()]


def test_every_key_is_documented_with_its_default():
    rows = {row[0].strip("`"): row for row in cells("## The file")}
    assert set(rows) == {field.alias or name for name, field in BatchFile.model_fields.items()}
    assert rows["parallel"][2] == f"`{BatchFile.model_fields['parallel'].default}`"
    assert rows["name"][2] == f"`{BatchFile.model_fields['name'].default}`"


def test_the_files_that_are_shown_are_valid():
    for block in (match[3] for match in BLOCK.finditer(PAGE) if match[1] == "yaml"):
        data = yaml.safe_load(block)
        parse_batch({**data, "pipeline": {"plugins": ["coin"]}} if "pipeline" in data else data, source="page")


def test_every_column_is_documented():
    documented = {name for row in cells("## The folder") for name in re.findall(r"`(\w+)`", row[0])}
    assert set(RunRow.__dataclass_fields__) - {"settings"} <= documented


def test_the_order_of_exit_codes_is_that_of_the_code():
    assert f"| {', '.join(str(code) for code in WORST_FIRST if code != 130)} |" in PAGE
