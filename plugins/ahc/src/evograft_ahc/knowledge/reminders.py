"""What the next session of a contest is shown of earlier ones."""

from __future__ import annotations

from pathlib import Path

from evograft_ahc.files.user_file import read_text
from evograft_ahc.knowledge.lesson import Kind, Lesson
from evograft_ahc.knowledge.store import KnowledgeBase, get_knowledge_file, open_knowledge_base
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Advice

MOST_FRAGMENTS = 3
LONGEST = 1200
"""Characters of a change that is shown."""
HEADS: dict[Kind, tuple[str, str]] = {
    "result": ("An earlier session", "以前のセッション"),
    "fragment": ("A change that made the best program better by {gain:.2%}", "最良解を {gain:.2%} 改善した変更"),
    "prompt": ("An instruction that led to better programs", "より良い解につながった指示"),
}


def find_known_lessons(contest_id: str, language: Language) -> tuple[Advice, ...]:
    """Return what the user's knowledge base says of a contest; nothing if there is none yet.

    Call it in `analyze` and keep the answer in the problem's analysis: what is known changes, and a run's advice must
    not.
    """
    if not get_knowledge_file().exists():
        return ()
    with open_knowledge_base() as base:
        return build_reminders(base, contest_id, language)


def build_reminders(base: KnowledgeBase, contest_id: str, language: Language) -> tuple[Advice, ...]:
    """Advice from earlier sessions of a contest: their results, and the changes that gained most."""
    kinds: tuple[tuple[Kind, int], ...] = (("result", 1), ("fragment", MOST_FRAGMENTS))
    lessons = [
        lesson for kind, most in kinds for lesson in base.search("", contest_id=contest_id, kind=kind, most=most)
    ]
    return tuple(
        Advice(id=f"ahc.lesson.{number}", text=_told(lesson, language)) for number, lesson in enumerate(lessons)
    )


def load_earlier_programs(workspace_folder: Path, *, most: int = 3) -> dict[Path, str]:
    """Return the best programs of the newest sessions of a workspace by their files, the newest first."""
    files = sorted(workspace_folder.glob("*/best_solution.cpp"), key=lambda file: -file.stat().st_mtime_ns)
    sources = {read_text(file): file for file in reversed(files[:most])}
    return {file: source for source, file in reversed(sources.items())}


def _told(lesson: Lesson, language: Language) -> str:
    head = HEADS[lesson.kind][1 if language == "ja" else 0].format(gain=lesson.gain)
    return f"{head} ({lesson.session}, {lesson.title}):\n{lesson.text[:LONGEST]}"
