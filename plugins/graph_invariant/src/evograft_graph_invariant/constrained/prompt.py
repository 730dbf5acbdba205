"""Constrained generation with a model: the request, and the program in its answer."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from string import Template

from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.proposal_facts import ProposalFacts
from evograft_graph_invariant.formulas.parser import FUNCTION
from evograft_hookspecs import Advice, Attempt, CandidateRejected, LlmRequest, Message, Proposal

FOLDERS = {"en": "prompts", "ja": "prompts/ja"}
FENCE = "```"
EMPTY = "(empty)"
MOST_SHOWN = 8000
"""Characters of a rejected answer that its model is shown again."""
LONGEST_ADVICE = 1000
"""Characters of a piece of advice that are shown."""
PIECES = 8
MOST_ADVICE = PIECES * (LONGEST_ADVICE + len("- \n"))
"""Bytes of all advice in a prompt: so many long pieces, in plain letters."""


def get_constraint(language: str) -> str:
    """Return what constrained generation demands, with pool and skeleton."""
    return _template(language, "constrained").template.strip()


def build_request(statement: str, proposal: Proposal, options: FallbackOptions) -> LlmRequest:
    """Build the request for a proposal of constrained generation, or for a repair if its answer was rejected."""
    parts = [statement, proposal.instruction]
    if told := select_advice(proposal):
        entries = "".join(map(_entry, told))
        parts.append(_template(options.language, "advice").substitute(entries=entries).strip())
    if proposal.failed:
        parts.append(_correction(proposal.failed[-1], options.language))
    message = Message(role="user", content="\n\n".join(parts))
    return LlmRequest(messages=(message,), max_tokens=options.max_tokens, temperature=_heat(proposal, options))


def select_advice(proposal: Proposal) -> tuple[Advice, ...]:
    """Return the advice that a prompt has room for; the newest goes in first."""
    shown: list[Advice] = []
    room = MOST_ADVICE
    for each in reversed(proposal.advice):
        room -= len(_entry(each).encode())
        if room < 0:
            break
        shown.insert(0, each)
    return tuple(shown)


def fill_advice(proposal: Proposal) -> Proposal:
    """Return the proposal with as much advice as there is room for: its real advice is unknown before it is drawn."""
    return proposal.model_copy(update={"advice": (Advice(id="any", text="x" * LONGEST_ADVICE),) * PIECES})


def _entry(advice: Advice) -> str:
    return f"- {' '.join(advice.text[:LONGEST_ADVICE].split())}\n"


def extract_program(answer: str) -> str:
    """Return the program in an answer: the last code block that defines the function, or the answer if it is code.

    Raises:
        CandidateRejected: there is none; the answer goes back as a draft.
    """
    texts = [block for block in _blocks(answer) if FUNCTION in block]
    if texts:
        return texts[-1]
    if f"def {FUNCTION}(" in answer and FENCE not in answer:
        return answer
    raise CandidateRejected(
        f"the answer holds no code block with a function {FUNCTION}(G)", draft=answer.strip() or EMPTY
    )


def _blocks(answer: str) -> list[str]:
    """Return the fenced code blocks; the last one may have been cut off."""
    blocks: list[list[str]] = []
    is_open = False
    for line in answer.splitlines():
        if line.lstrip().startswith(FENCE):
            is_open = not is_open
            if is_open:
                blocks.append([])
        elif is_open:
            blocks[-1].append(f"{line}\n")
    return ["".join(block) for block in blocks]


def _correction(failed: Attempt, language: str) -> str:
    answer = failed.candidate.source if failed.candidate else failed.draft
    words = {"answer": answer[:MOST_SHOWN], "reason": failed.reason}
    return _template(language, "correction").substitute(words).strip()


def _heat(proposal: Proposal, options: FallbackOptions) -> float | None:
    facts = ProposalFacts.read(proposal)
    if facts is None or options.temperature is None:
        return None
    low, high = options.temperature
    return min(max(facts.temperature, low), high)


@lru_cache(maxsize=8)
def _template(language: str, name: str) -> Template:
    file = files("evograft_graph_invariant.constrained") / FOLDERS[language] / f"{name}.md"
    return Template(file.read_text(encoding="utf-8"))
