"""Feedback on its way into a playbook: what it is about, a model where one is asked, and the curator."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click
from pydantic import TypeAdapter, ValidationError

from evograft.api import Pipeline, UserError, explain_validation
from evograft.text.escapes import sanitize
from evograft.text.i18n import usual_language
from evograft_hookspecs.values import Value
from evograft_playbook.commands.options import open_store
from evograft_playbook.commands.output import load_words, say
from evograft_playbook.commands.settings import open_pipeline_model, read_options
from evograft_playbook.language_model import build_pipeline
from evograft_playbook.learning.curator import Curator
from evograft_playbook.learning.deltas import DroppedDelta
from evograft_playbook.learning.reflector import AnswerFeedback, Reflector
from evograft_playbook.learning.revision import DeltaOutcome
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import BulletId, StrictText, Trajectory

LARGEST_FILE = 10_000_000
"""Bytes of a trajectory."""
SOURCE = "feedback"

_BULLET_ID: TypeAdapter[str] = TypeAdapter(BulletId)


@dataclass(frozen=True)
class FeedbackArguments:
    """Arguments and options, named as click names them."""

    what: tuple[str, ...]
    helpful: bool | None
    text: str
    llm: str | None
    overrides: tuple[str, ...]
    language: str | None
    max_tokens: int
    path: Path | None
    as_json: bool

    @cached_property
    def pipeline(self) -> Pipeline:
        return build_pipeline(self.overrides, llm=self.llm)

    @property
    def asks_model(self) -> bool:
        return self.llm is not None or self.pipeline.llm.driver != "none"


class FeedbackOutcome(Value):
    """The outcome of feedback."""

    bullets: tuple[BulletId, ...]
    """That it was about."""
    outcome: DeltaOutcome
    dropped: tuple[DroppedDelta, ...] = ()
    """What was proposed and is not a delta, and bullets that are not there."""
    skipped: tuple[StrictText, ...] = ()


def reflect(given: FeedbackArguments) -> FeedbackOutcome:
    """Change the playbook by what the feedback teaches.

    Raises:
        UserError: the feedback says nothing, or it is about nothing that is there; nothing was changed.
    """
    if given.helpful is None and not (given.asks_model and given.text.strip()):
        raise UserError("feedback: say --helpful or --harmful, or give --text to a model that --llm names")
    options = read_options(given.pipeline, read=("bounds",))
    with open_store(given.path) as store:
        feedback, missing = _feedback(store, given)
        with _reflector(given) as reflector:
            reflection = reflector.on_feedback(feedback)
        outcome = Curator(store, options.bounds).apply(reflection.deltas, source=SOURCE)
    ids = tuple(bullet.id for bullet in feedback.bullets)
    return FeedbackOutcome(
        bullets=ids, outcome=outcome, dropped=(*missing, *reflection.dropped), skipped=reflection.skipped
    )


def print_feedback(taught: FeedbackOutcome) -> None:
    """Print what changed on standard output, and what did not on standard error."""
    t, outcome = load_words(), taught.outcome
    for name, ids in (("added", outcome.added), ("counted", outcome.counted), ("edited", outcome.edited)):
        for bullet_id in ids:
            click.echo(t(name, id=bullet_id))
    for bullet_id in (*outcome.retired, *outcome.made_room):
        click.echo(t("retired_now", id=bullet_id))
    for younger, older in outcome.merged:
        click.echo(t("merged", id=younger, older=older))
    for each in (*taught.dropped, *outcome.dropped):
        say(t("dropped", what=each.delta, reason=each.reason))
    for reason in taught.skipped:
        say(reason)
    if outcome == DeltaOutcome(dropped=outcome.dropped):
        say(t("nothing_learned"))


def _feedback(store: PlaybookStore, given: FeedbackArguments) -> tuple[AnswerFeedback, list[DroppedDelta]]:
    """Return what the feedback is about, and the bullets of an answer that no longer exist."""
    files = [each for each in given.what if not _is_bullet_id(each)]
    if len(files) > 1:
        raise UserError(
            f"feedback: {files[0]!r} and {files[1]!r} are two answers: give feedback to one after the other"
        )
    bullets = {each: store.get(each) for each in given.what if each not in files}
    # A terminal may pass bytes that are not text.
    text = given.text.encode("utf-8", "backslashreplace").decode()
    playbook, missing = store.load(), list[DroppedDelta]()
    sections = frozenset(bullet.section for bullet in playbook.bullets)
    if not files:
        return AnswerFeedback(tuple(bullets.values()), given.helpful, text, sections=sections), []
    trajectory = _trajectory(files[0])
    for bullet_id in dict.fromkeys(trajectory.used_bullet_ids):
        bullet = playbook.find(bullet_id)
        if bullet is None:
            missing.append(DroppedDelta(delta=sanitize(bullet_id, 100), reason="there is no such bullet"))
        else:
            bullets[bullet_id] = bullet
    query, answer = trajectory.query, trajectory.generated_answer
    feedback = AnswerFeedback(
        tuple(bullets.values()), given.helpful, text, query=query, answer=answer, sections=sections
    )
    return feedback, missing


def _is_bullet_id(word: str) -> bool:
    """Return whether a word has the form of an id; any other is taken for a file."""
    try:
        _BULLET_ID.validate_python(word)
    except ValidationError:
        return False
    return True


def _trajectory(name: str) -> Trajectory:
    try:
        content = sys.stdin.buffer.read(LARGEST_FILE + 1) if name == "-" else _content(Path(name))
        trajectory = Trajectory.model_validate_json(content.decode("utf-8-sig"))
    except OSError as err:
        raise UserError(f"{name!r} is no bullet's id, and cannot be read as a file: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise UserError(f"{name!r} is not UTF-8 text: byte {err.start}") from err
    except ValidationError as err:
        raise UserError(
            f"{name!r} is no answer of evo playbook run --json: {sanitize(explain_validation(err, Trajectory), 200)}"
        ) from err
    if trajectory.status == "failure":
        raise UserError(f"{name!r} is of an answer that failed: it says nothing of its bullets")
    return trajectory


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise UserError(f"{str(path)!r} is larger than {LARGEST_FILE:,} bytes")
    return content


@contextmanager
def _reflector(given: FeedbackArguments) -> Iterator[Reflector]:
    """Yield a reflector with the model that is named, if one is."""
    if not given.asks_model:
        yield Reflector(None)
        return
    with open_pipeline_model(given.pipeline) as model:
        yield Reflector(model, language=given.language or usual_language(), max_tokens=given.max_tokens)
