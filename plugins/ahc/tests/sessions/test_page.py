"""The page on sessions says what the code does."""

import re
from pathlib import Path

import yaml

from evograft_ahc.records.results import COLUMNS
from evograft_ahc.sessions.batch.file import AhcBatch
from evograft_ahc.settings.model import AhcSettings, flatten, validate_settings
from evograft_hookspecs.values import thaw

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-solving.md").read_text(encoding="utf-8")
TEMPLATE = Path(__file__).parents[2] / "src" / "evograft_ahc" / "workspace" / "templates" / "ahc_config.yaml"


def table(heading):
    text = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip(" `"): row[1].strip() for row in rows}


def value(cell):
    return yaml.safe_load(cell.strip("`"))


def test_every_setting_is_listed_with_its_default():
    listed = {key: value(cell) for key, cell in table("Settings").items()}
    assert listed == dict(flatten(AhcSettings().model_dump(mode="json")))


def test_every_key_of_a_batch_is_listed_with_its_default():
    listed = {key: None if cell == "required" else value(cell) for key, cell in table("Batches").items()}
    fields = AhcBatch.model_fields.items()
    defaults = {name: None if field.is_required() else thaw(field.default) for name, field in fields}
    assert listed == {
        name: list(default) if isinstance(default, tuple) else default for name, default in defaults.items()
    }


def test_the_columns_of_the_table_of_sessions_are_listed():
    sentence = PAGE.partition("The columns of `results.csv` are ")[2].partition(".\n")[0]
    assert tuple(re.findall(r"`(\w+)`", sentence)) == COLUMNS


def test_the_table_of_a_new_workspace_has_these_columns():
    assert (TEMPLATE.parent / "results.csv").read_text().strip() == ",".join(COLUMNS)


def test_the_batch_that_is_shown_is_one():
    shown = PAGE.partition('```yaml title="sweep.yaml"\n')[2].partition("```")[0]
    assert AhcBatch.model_validate(yaml.safe_load(shown)).parallel == 2


def test_the_settings_that_a_new_workspace_has_are_the_defaults():
    written = validate_settings(yaml.safe_load(TEMPLATE.read_text().replace("@LANGUAGE@", "en")), source="template")
    assert AhcSettings.model_validate(written) == AhcSettings()
