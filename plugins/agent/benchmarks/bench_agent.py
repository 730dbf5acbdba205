"""Cost of reading calls from messages, and which are read as meant: python plugins/agent/benchmarks/bench_agent.py.

CPU is that of this process, of several rounds the fastest, which a busy machine disturbs least.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import yaml

from evograft_agent.calls.tool_calls import ParsedCall
from evograft_agent.xml import XmlCalls
from evograft_hookspecs import LlmAnswer, Tool

MEGABYTE = 1_000_000
ROUNDS = 5
MESSAGES = Path(__file__).parents[1] / "tests" / "messages"
TOOLS = [Tool(**each) for each in yaml.safe_load((MESSAGES / "tools.yaml").read_text("utf-8"))]

Outcome = list[dict[str, Any]]


def main() -> None:
    report_accuracy()
    report_costs()


def report_accuracy() -> None:
    for half in ("first", "second"):
        messages = yaml.safe_load((MESSAGES / f"{half}.yaml").read_text("utf-8"))
        for name, reader in {"the scanner": scanned, "ElementTree on what a pattern finds": parsed}.items():
            outcomes = [(reader(message), message["asks"]) for message in messages]
            right = sum(outcome == asks for outcome, asks in outcomes)
            wrong = sum(any(call not in asks for call in calls(outcome)) for outcome, asks in outcomes)
            print(f"{half} half, {name}: {right} of {len(messages)} right, {wrong} with a call that was not meant")


def calls(outcome: Outcome) -> Outcome:
    return [each for each in outcome if "tool" in each]


def scanned(message: dict[str, Any]) -> Outcome:
    answer = LlmAnswer(text=message["text"], model="m", finish=message.get("finish", "stop"))
    return [
        {"tool": asked.tool, "arguments": dict(asked.arguments)}
        if isinstance(asked, ParsedCall)
        else {"unclear": asked.tool}
        for asked in XmlCalls().read(answer, TOOLS)
    ]


def parsed(message: dict[str, Any]) -> Outcome:
    """What most agents do: a regular expression finds elements, and an XML parser reads them."""
    found = re.finditer(rf"<({'|'.join(tool.name for tool in TOOLS)})>.*?</\1>", message["text"], re.DOTALL)
    return [_parsed(match[0], match[1]) for match in found]


def _parsed(text: str, tool: str) -> dict[str, Any]:
    try:
        element = ET.fromstring(text)  # noqa: S314 - our own files
    except ET.ParseError:
        return {"unclear": tool}
    return {"tool": tool, "arguments": {child.tag: _typed((child.text or "").strip()) for child in element}}


def _typed(text: str) -> Any:
    return {"true": True, "false": False}.get(text, int(text) if text.isdigit() else text)


def report_costs() -> None:
    for name, text in hostile().items():
        answer = LlmAnswer(text=text, model="m")
        half = LlmAnswer(text=text[: len(text) // 2], model="m")
        whole, part = cost(answer), cost(half)
        print(f"{name}, {len(text) / MEGABYTE:.2f} MB: {whole:.3f} s, its first half {part:.3f} s")


def cost(answer: LlmAnswer) -> float:
    return min(_seconds(answer) for _ in range(ROUNDS))


def _seconds(answer: LlmAnswer) -> float:
    before = time.process_time()
    XmlCalls().read(answer, TOOLS)
    return time.process_time() - before


def hostile() -> dict[str, str]:
    """Messages of a megabyte: what models write, and what would take a careless reader hours."""
    page = "x" * (MEGABYTE // 10_000 - 40)
    return {
        "prose": filled("The server reads its settings, then it waits for connections. \n"),
        "a summary of code": f"<complete><summary>{filled('if (a < b && c > d) x = y<z>(w); ')}</summary></complete>",
        "10,000 nested calls": "<read_file><path>" * 10_000 + filled("x", 600_000) + "</path></read_file>" * 10_000,
        "10,000 calls, none closed": f"<read_file>\n<path>\n{page}" * 10_000,
        "10,000 tags in prose": f"<read_file> {page}" * 10_000,
        "10,000 unknown tools": f"\n<a_b>\n<c>{page}" * 10_000,
        "10,000 code blocks": f"```\n{page}\n```\n\n" * 10_000,
        "10,000 calls cut off in code blocks": f"```xml\n<read_file>\n<path>\n{page[:20]}\n```\n" * 10_000,
        "10,000 summaries in code blocks": "```xml\n<complete><summary>\n```\n" * 10_000 + "</summary></complete> x",
        "10,000 braces": f"{{\n{page}\n" * 10_000,
        "10,000 JSON texts cut off": f'{{"tool":\n{page}\n' * 10_000,
        "10,000 code spans": f"` {page}" * 10_000,
        "a megabyte of <": filled("<"),
        "a megabyte of <read_file>": filled("<read_file>"),
        "a megabyte of </path> in a path": f"<read_file><path>{filled('</path> ')}</read_file>",
        "a megabyte of <![CDATA[": filled("<![CDATA["),
        "a megabyte of lines": filled("\n"),
        "a megabyte of lines of code blocks": filled("```\n"),
        "a megabyte of backticks": filled("` "),
    }


def filled(piece: str, size: int = MEGABYTE) -> str:
    return (piece * (size // len(piece) + 1))[:size]


if __name__ == "__main__":
    main()
