"""The tools that the plugin offers to agents. What carries them out is imported when it is needed."""

from __future__ import annotations

from evograft_hookspecs import FrozenDict, Tool
from evograft_hookspecs.values import Json

MOST_CASES = 10
"""That are run by one call: an evaluation is what runs all of them."""
CASE = "0007"


def _tool(
    name: str, description: str, ja: str, parameters: dict[str, Json], *required: str, for_candidates: bool = True
) -> Tool:
    schema = {
        "type": "object",
        "properties": parameters,
        "required": list(required),
        "x-descriptions": {"ja": ja},
    }
    return Tool(name=name, description=description, parameters=FrozenDict(schema), for_candidates=for_candidates)


def _parameter(kind: str, description: str, ja: str, **more: Json) -> dict[str, Json]:
    return {"type": kind, "description": description, "x-descriptions": {"ja": ja}, **more}


COMPILE = _tool(
    "compile",
    "Compiles the program as it is with the judge's compiler, and says what is wrong with it. It is not run.",
    "今のプログラムをジャッジのコンパイラでコンパイルし、誤りを示します。実行はしません。",
    {},
)
RUN_CASES = _tool(
    "run_cases",
    f"Runs the program as it is on at most {MOST_CASES} training cases, and says of each: score, the best score so far,"
    " seconds, what it printed as key=value, and how it failed. An evaluation runs all cases.",
    f"今のプログラムを訓練ケース (最大 {MOST_CASES} 件) で実行し、得点、これまでの最高得点、秒数、key=value の出力、"
    "失敗の理由を示します。全ケースの実行は evaluate です。",
    {
        "cases": _parameter(
            "array",
            "Names of cases; the first five if left out.",
            "ケースの名前。省略すると最初の 5 件。",
            items={"type": "string"},
            minItems=1,
            maxItems=MOST_CASES,
            examples=[[CASE, "0012"]],
        )
    },
)
SHOW_CASE = _tool(
    "show_case",
    "Runs the program as it is on a training case, and shows lines of the input, of its answer, or of its errors.",
    "今のプログラムを訓練ケースで実行し、入力、回答、標準エラー出力の行を示します。",
    {
        "case": _parameter("string", "The case's name.", "ケースの名前。", examples=[CASE]),
        "part": _parameter(
            "string",
            "What is shown: input, output or errors.",
            "示すもの: input、output、errors。",
            enum=["input", "output", "errors"],
            examples=["input"],
        ),
        "first": _parameter("integer", "The first line; 1 if left out.", "最初の行。省略すると 1。", minimum=1),
    },
    "case",
    "part",
)
READ_BLOCK = _tool(
    "read_block",
    "Shows a block of the library of tested algorithms, to be pasted into the program: its code and how it is used. "
    "Without a name, all blocks with a line on each.",
    "検証済みアルゴリズムのライブラリのブロック (コードと使い方) を示します。名前を省略すると一覧を示します。",
    {"name": _parameter("string", "The block's name.", "ブロックの名前。", examples=["simulated_annealing"])},
    for_candidates=False,
)
TOOLS = (COMPILE, RUN_CASES, SHOW_CASE, READ_BLOCK)
"""For the manifest."""
