"""The trials of a run as a table."""

from __future__ import annotations

from itertools import starmap
from pathlib import Path
from typing import Any

from evograft.cli.export import columns_of, flat_row, with_spending
from evograft.runs.reader import open_journal


def read_trials(folder: Path) -> Any:
    """Return the trials of a run in the order in which they were finished, with the columns of `evo export`.

    Returns:
        A pandas DataFrame where pandas is installed, else a list of dicts.
    """
    with open_journal(folder) as journal:
        rows = list(starmap(flat_row, with_spending(journal.records())))
    try:
        import pandas as pd
    except ImportError:
        return rows
    return pd.DataFrame(rows, columns=list(columns_of(rows)))
