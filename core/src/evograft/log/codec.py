"""Records as rows of the store, and rows as records. What is written once stays readable, whatever version wrote it.

A row is JSON. Those of calls and trials have two lines: what is asked for often stands in the first one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from evograft.log.contract_1 import upgrade_control, upgrade_problem
from evograft.log.records import (
    CompletedCall,
    EvaluatedBefore,
    FailedCharge,
    FinalEvaluation,
    Header,
    Record,
    ReplayedTrial,
    ToolUsed,
)
from evograft_hookspecs import Control, Evaluation, LlmAnswer, LlmRequest, Problem, Usage
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind


def header_row(header: Header) -> NewRow:
    """Return the first row of every log."""
    return NewRow(kind="header", key=header.id, body=json.dumps(asdict(header)))


def control_row(control: Control) -> NewRow:
    """Return a control as the log keeps it."""
    return NewRow(kind="control", key=str(control.commits), body=control.model_dump_json())


def encode_call(call: CompletedCall, request: LlmRequest, answer: LlmAnswer | None) -> str:
    """Return the body of a call's row; its key is the call's."""
    charged = call.charged.model_dump(exclude_defaults=True)
    first = {**vars(call), "usage": call.usage.model_dump(), "charged": charged}
    del first["key"]
    given = answer.model_dump_json(exclude={"charged"}) if answer else "null"
    return f'{json.dumps(first)}\n{{"request":{request.model_dump_json()},"answer":{given}}}'


def encode_charge(charge: FailedCharge) -> str:
    """Return the body of a charge's row; its key is the charge's."""
    body = {**vars(charge), "usage": charge.usage.model_dump()}
    del body["key"]
    return json.dumps(body)


def decode(row: Row) -> Record:
    """Return the record of a row that is not a trial's; a row that is not what was written is any error."""
    return _DECODERS[row.kind](row)


def decode_header(row: Row) -> Header:
    """Return the header in the first row of a log."""
    data = json.loads(row.body)
    follows = data.pop("follows", None)
    return Header(**data, follows=None if follows is None else tuple(ReplayedTrial(**each) for each in follows))


def decode_control(row: Row) -> Control:
    """Return the control in a row, in the words of today's contract."""
    return Control.model_validate_json(upgrade_control(row.body))


def decode_exchange(row: Row) -> tuple[CompletedCall, LlmRequest, LlmAnswer | None]:
    """Return the call in a row with its texts; no answer: it was refused."""
    first, _, rest = row.body.partition("\n")
    texts = json.loads(rest)
    answer = LlmAnswer.model_validate(texts["answer"]) if texts["answer"] else None
    return _call(row.key, json.loads(first)), LlmRequest.model_validate(texts["request"]), answer


def _call(key: str, first: dict[str, Any]) -> CompletedCall:
    usage, charged = Usage.model_validate(first["usage"]), Usage.model_validate(first.get("charged", {}))
    return CompletedCall(**{**first, "key": key, "usage": usage, "charged": charged})


def _decode_charge(row: Row) -> FailedCharge:
    body = json.loads(row.body)
    return FailedCharge(**{**body, "key": row.key, "usage": Usage.model_validate(body["usage"])})


def _decode_final_evaluation(row: Row) -> FinalEvaluation:
    body = json.loads(row.body)
    evaluation = Evaluation.model_validate_json(body["evaluation"])
    return FinalEvaluation(int(row.key), body["commits"], evaluation, body.get("durations", {}))


_DECODERS: dict[RowKind, Callable[[Row], Record]] = {
    "header": decode_header,
    "problem": lambda row: Problem.model_validate_json(upgrade_problem(row.body)),
    "control": decode_control,
    "answer": lambda row: _call(row.key, json.loads(row.body.partition("\n")[0])),
    "charge": _decode_charge,
    "tool": lambda row: ToolUsed(row.key),
    "preliminary": lambda row: EvaluatedBefore(row.key),
    "final": _decode_final_evaluation,
}
