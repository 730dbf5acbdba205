"""The tools of an agent: those of its workspace, a metered evaluation, the hand-in, and what plugins offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evograft_hookspecs import Candidate, CandidateRejected, Evaluation, FrozenDict, Tool, ToolCall, ToolResult
from evograft_hookspecs.services.evaluation import EvaluationService
from evograft_hookspecs.services.tools import ToolService
from evograft_operators.agent.workspace import AgentWorkspace
from evograft_operators.models.answer_text import extract_idea
from evograft_operators.models.memory import list_metrics
from evograft_operators.models.text import cut

HAND_IN = "hand_in"
EVALUATE = "evaluate"
MOST_SHOWN = 8_000
"""Characters of what an evaluation says."""


def _tool(name: str, description: str, *, optional: tuple[str, ...] = (), **parameters: tuple[str, str]) -> Tool:
    schemas = {key: {"type": kind, "description": text} for key, (kind, text) in parameters.items()}
    required = [key for key in parameters if key not in optional]
    schema = {"type": "object", "properties": schemas, "required": required}
    return Tool(name=name, description=description, parameters=FrozenDict(schema))


BLOCKS = (
    "One or more blocks: a line <<<<<<< SEARCH, the lines as they are, a line =======, the new lines, and a line "
    ">>>>>>> REPLACE. With several files, a line `### path` before each block."
)
PATH = ("string", "The file's path in the program.")
OWN = (
    _tool("list_files", "Lists the program's files."),
    _tool(
        "read",
        "Shows lines of a file with their numbers, at most 400 at a time.",
        optional=("first", "last"),
        path=PATH,
        first=("integer", "The first line; 1 if left out."),
        last=("integer", "The last line."),
    ),
    _tool("write", "Replaces a whole file.", path=PATH, text=("string", "The whole new text of the file.")),
    _tool(
        "patch",
        "Changes lines of the program. Searched lines have to stand in it exactly once.",
        edits=("string", BLOCKS),
    ),
    _tool(
        EVALUATE,
        "Evaluates the program as it is, and says its score. The number of evaluations is limited; one of a program "
        "that was evaluated before is free.",
    ),
    _tool(HAND_IN, "Ends the work: the program as it is becomes the candidate.", idea=("string", "What was changed.")),
)


class CandidateTools:
    """All that an agent may call, as a service for its loop.

    Args:
        workspace: what it works on.
        build: makes a candidate of checked files.
        evaluation: of the trial.
        others: the tools of plugins.
        most: the greatest number of evaluations.
        most_calls: the greatest number of calls of plugins' tools.
    """

    def __init__(
        self,
        workspace: AgentWorkspace,
        build: Callable[[Mapping[str, str]], Candidate],
        evaluation: EvaluationService,
        others: ToolService,
        *,
        most: int,
        most_calls: int,
    ) -> None:
        self._workspace = workspace
        self._build = build
        self._evaluation = evaluation
        self._others = others
        self._left = most
        self._calls_left = most_calls
        self._evaluated: dict[str, tuple[Candidate, Evaluation]] = {}
        self.handed_in: Candidate | None = None
        self.idea = ""
        own = {tool.name for tool in OWN}
        given = (*others.for_candidates, *others.offered)
        self._for_candidates = {tool.name for tool in others.for_candidates}
        self.offered = (*(each for each in OWN if most or each.name != EVALUATE), *_without(given, own))
        self.for_candidates: tuple[Tool, ...] = ()

    @property
    def best(self) -> Candidate | None:
        """The candidate with the best score of those that were evaluated; `None`: none has a score."""
        scored = [
            (evaluation.score, candidate)
            for candidate, evaluation in self._evaluated.values()
            if evaluation.status == "ok" and evaluation.score is not None
        ]
        return max(scored, key=lambda each: each[0])[1] if scored else None

    def call(self, call: ToolCall) -> ToolResult:
        """Carry out a tool; what the agent does wrong is a result that says so."""
        own = self._find_own(call.tool)
        if own is not None:
            try:
                return ToolResult(ok=True, content=own(call.arguments))
            except CandidateRejected as err:
                return ToolResult(ok=False, content=err.reason)
        if not self._calls_left:
            return ToolResult(
                ok=False, content=f"no calls of {call.tool} are left: measure with {EVALUATE}, or hand in"
            )
        self._calls_left -= 1
        if call.tool in self._for_candidates:
            call = call.model_copy(update={"files": FrozenDict(self._workspace.files)})
        return self._others.call(call)

    def _find_own(self, name: str) -> Callable[[Mapping[str, Any]], str] | None:
        workspace = self._workspace
        own: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "list_files": lambda _: workspace.list_files(),
            "read": lambda given: workspace.read_file(given["path"], given.get("first", 1), given.get("last")),
            "write": lambda given: workspace.write_file(given["path"], given["text"]),
            "patch": lambda given: workspace.patch(given["edits"]),
            EVALUATE: lambda _: self._evaluate(),
            HAND_IN: self._hand_in,
        }
        return own.get(name)

    def _evaluate(self) -> str:
        candidate = self._build(self._workspace.checked())
        if candidate.id not in self._evaluated:
            if not self._left:
                raise CandidateRejected(f"no evaluations are left: hand in what you have, with {HAND_IN}")
            self._left -= 1
            self._evaluated[candidate.id] = candidate, self._evaluation.evaluate(candidate)
        _, evaluation = self._evaluated[candidate.id]
        return f"{describe_evaluation(evaluation)}\n\nevaluations left: {self._left}"

    def _hand_in(self, given: Mapping[str, Any]) -> str:
        self.handed_in = self._build(self._workspace.checked())
        self.idea = extract_idea(str(given["idea"]))
        return str(given["idea"])


def describe_evaluation(evaluation: Evaluation) -> str:
    """Return what an evaluation says, as an agent reads it."""
    head = evaluation.status if evaluation.score is None else f"{evaluation.status}, score {evaluation.score:.6g}"
    parts = (head, evaluation.reason, "\n".join(list_metrics(evaluation, 20)), evaluation.feedback)
    return cut("\n".join(filter(None, parts)), MOST_SHOWN, lambda count: f"({count} characters are left out)")


def _without(tools: tuple[Tool, ...], names: set[str]) -> tuple[Tool, ...]:
    return tuple(tool for tool in tools if tool.name not in names)
