"""What a workspace knows of its contest: written once by `init`, readable and editable by people."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from evograft_ahc.files.user_file import read_bytes
from evograft_ahc.text.validation_errors import make_invalid_data_error

Direction = Literal["max", "min"]
ScoreKind = Literal["absolute_sum", "absolute_mean", "relative", "rank"]
ContestFormat = Literal["short", "long"]
EndSource = Literal["page", "data", "stated", "practice", "ongoing"]

WRONG = "(?i)wrong answer|invalid|illegal|out of range|parse error|unexpected|broken ?pipe"
"""What scorers say of an output that is none, or of a program that ended too early."""


def sign_of(direction: Direction) -> int:
    """1 where more is better, else -1."""
    return 1 if direction == "max" else -1


class TaskPart(BaseModel):
    """The base of what stands in the file: a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ToolCommand(TaskPart):
    """How one of the contest's own programs is called."""

    program: str
    """Path within the workspace, such as `tools/bin/score`."""
    arguments: tuple[str, ...] = ()
    """`{input}` and `{output}` stand for the files of a case, `{candidate}` for the program that is judged, `{seeds}`
    for a file of seeds and `{folder}` for the folder that inputs are written to."""
    stdin: Literal["", "input", "seeds"] = ""
    """What it reads from its standard input."""


class Scorer(ToolCommand):
    """The contest's judge: what it prints is the score, once the case is known not to have failed."""

    channel: Literal["stdout", "stderr"]
    """Where it prints the score."""
    pattern: str
    """A regular expression with one group, the score; of several matches the last one counts."""
    wrong: str = WRONG
    """A regular expression that tells a wrong answer, whatever score is printed next to it."""


class ContestTask(TaskPart):
    """The task of a contest."""

    contest_id: str
    title: str = ""
    interactive: bool
    """Whether the scorer runs the program; else it reads the program's output."""
    direction: Direction
    score_kind: ScoreKind = "absolute_sum"
    format: ContestFormat | None = None
    """In a short contest one failed case makes the whole submission worth 0; `None`: not known, and no case makes
    others worthless."""
    failed_score: float | None = None
    """What the contest counts for a failed case, in its own units; `None` where its statement names nothing."""
    time_limit_seconds: float
    memory_limit_mb: int
    end: AwareDatetime | None = None
    """When the contest ended or will end; `None` where its end was only stated, or for a contest to practise on."""
    end_source: EndSource
    """Where it is known from that the contest is over; `ongoing`: it was on when `init` looked last."""
    scorer: Scorer
    generator: ToolCommand | None = None
    visualizer: ToolCommand | None = None

    @property
    def sign(self) -> int:
        """Times a score of the contest, more is better."""
        return sign_of(self.direction)


def read_task(file: Path) -> ContestTask:
    """Read the file of a workspace.

    Raises:
        ContestUserError: it is not there or not in order; the message says what is wrong where.
    """
    try:
        return ContestTask.model_validate_json(read_bytes(file))
    except ValidationError as err:
        raise make_invalid_data_error(file, err) from err
