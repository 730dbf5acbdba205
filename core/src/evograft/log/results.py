"""What hooks were handed in the middle of their work, as rows of the log: results of tools, evaluations on the way."""

from __future__ import annotations

import json

from evograft.text.masking import Keys
from evograft_hookspecs import Evaluation, ToolCall, ToolResult
from evograft_hookspecs.drivers.store import NewRow, Store


class ResultRows:
    """Writes results before they are used, and reads them back. For any thread.

    Args:
        store: keeps the rows.
        keys: are kept nowhere.
    """

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys

    def write_tool_result(self, key: str, call: ToolCall, result: ToolResult) -> int:
        """Log the result of a tool, and return the place of the row."""
        # The files of a candidate are known from the calls that made them.
        body = f'{{"call":{call.model_dump_json(exclude={"files"})},"result":{result.model_dump_json()}}}'
        row = NewRow.model_construct(kind="tool", key=key, body=self._keys.masked_lines(body))
        return self._store.append((row,))

    def tool_result(self, seq: int) -> ToolResult:
        """Return the result in a row of the log."""
        return ToolResult.model_validate(json.loads(self._store.get(seq).body)["result"])

    def write_preliminary(self, key: str, evaluation: Evaluation) -> int:
        """Log the evaluation of a candidate that is not finished, and return the place of the row."""
        body = self._keys.masked_lines(evaluation.model_dump_json())
        return self._store.append((NewRow.model_construct(kind="preliminary", key=key, body=body),))

    def preliminary(self, seq: int) -> Evaluation:
        """Return the evaluation of a candidate that was not finished, in a row of the log."""
        return Evaluation.model_validate_json(self._store.get(seq).body)
