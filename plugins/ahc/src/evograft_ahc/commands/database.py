"""`evo ahc database`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import AS_JSON, group, option
from evograft_ahc.commands.language import find_language, make_printer
from evograft_ahc.commands.location import load_current_settings
from evograft_ahc.contests.past import Contest, SolutionApproach
from evograft_ahc.text.messages import ProgressReporter

if TYPE_CHECKING:
    from evograft_ahc.contests.search import ContestQuery


def _paths(_context: click.Context, _option: click.Parameter, given: tuple[Path, ...]) -> tuple[Path, ...]:
    settings, folder = load_current_settings()
    return given or settings.past_contest_db.beside(folder)


DATA = option(
    *("--data", "paths"),
    multiple=True,
    type=click.Path(path_type=Path),
    callback=_paths,
    en="A JSON or SQLite file, or a folder of them, with more, instead of those of the settings.",
    ja="コンテストを追加する JSON か SQLite のファイル、またはそのフォルダー。設定のものの代わりに使います。",
)
LABELS_JA = {
    "contest_id": "コンテスト ID",
    "title": "コンテスト名",
    "problem_title": "問題名",
    "keywords": "キーワード",
    "date": "開催日",
    "problem_url": "問題の URL",
    "problem_summary": "問題の概要",
    "tags": "タグ",
    "official_editorial_url": "公式解説",
    "editorials": "解説の数",
    "start": "開始",
    "end": "終了",
    "duration_minutes": "時間 (分)",
    "format": "形式",
    "interactive": "インタラクティブ",
    "whole_input_possible": "入力の一括提供",
    "score_direction": "スコアの向き",
    "score_kind": "採点方式",
    "provisional_cases": "暫定テスト数",
    "system_cases": "システムテスト数",
    "time_limit_seconds": "実行時間制限 (秒)",
    "tools_url": "公式ツール",
    "ale_bench": "ALE-Bench",
}
"""What each field is called in Japanese; in English it is called by its name."""


@group(ja="過去のコンテストについて分かっていること。")
def database() -> None:
    """Show what is known about past contests."""


@database.command(ja="指定したすべてに当てはまるコンテストを一覧します。")
@option(
    "--problem",
    default="",
    en="A part of the contest's id, of a title or of a keyword.",
    ja="コンテスト ID、題名、キーワードの一部。",
)
@option(
    "--tag", default="", en="A tag, such as simulated_annealing.", ja="simulated_annealing や 焼きなまし などのタグ。"
)
@option(
    "--algorithm",
    default="",
    en="A part of the name of an algorithm that was used.",
    ja="使われたアルゴリズムの名前の一部。",
)
@option("--keyword", default="", en="Words that are mentioned anywhere.", ja="どこかに現れる語。")
@DATA
@AS_JSON
def search(*, paths: tuple[Path, ...], as_json: bool, **query: str) -> None:
    """List the contests for which everything given holds."""
    from evograft_ahc.contests.search import ContestQuery, open_database

    # What a terminal hands over need not be text.
    wanted = ContestQuery(**{name: part.encode("utf-8", "replace").decode() for name, part in query.items()})
    with open_database(paths) as opened:
        found, tags = opened.search(wanted), opened.tags()
    if as_json:
        click.echo(json.dumps([_known(contest) for contest in found], ensure_ascii=False))
        return
    if not found:
        _tell_none(wanted, tags, make_printer(find_language()))
    for contest in found:
        name = " / ".join(filter(None, (contest.title, contest.problem_title)))
        click.echo(f"{contest.contest_id:18} {contest.date:10}  {name}  [{', '.join(contest.tags)}]")


@database.command(ja="コンテストについて分かっていることを、出典とともに表示します。")
@click.argument("contest_id")
@DATA
@AS_JSON
def show(*, contest_id: str, paths: tuple[Path, ...], as_json: bool) -> None:
    """Print what is known about a contest, with its sources."""
    from evograft_ahc.contests.search import open_database

    with open_database(paths) as opened:
        contest = opened.get(contest_id)
    if as_json:
        click.echo(json.dumps(_known(contest), ensure_ascii=False))
        return
    tell = make_printer(find_language())
    for field, value in _known(contest).items():
        if field not in ("solution_approaches", "sources"):
            en, ja = _in_words(value)
            tell(f"{field:22} {en}", ja=f"{LABELS_JA[field]}: {ja}")
    for approach in contest.solution_approaches:
        _tell_approach(approach, tell)
    for about, source in contest.sources.items():
        tell(f"source of {about}: {source}", ja=f"{about} の出典: {source}")


def _tell_none(wanted: ContestQuery, tags: tuple[str, ...], tell: ProgressReporter) -> None:
    asked = " ".join(f"--{name} {part!r}" for name, part in wanted if part)
    tell(
        f"no past contest fits {asked}; the tags are {', '.join(tags)}",
        ja=f"{asked} に当てはまる過去のコンテストはありません; タグ: {'、'.join(tags)}",
    )


def _in_words(value: object) -> tuple[str, str]:
    """English and Japanese."""
    if isinstance(value, bool):
        return ("yes", "はい") if value else ("no", "いいえ")
    text = ", ".join(value) if isinstance(value, list) else str(value)
    return text, text


def _tell_approach(approach: SolutionApproach, tell: ProgressReporter) -> None:
    names, rank = ", ".join(approach.algorithms_used), f" {approach.rank_range}" if approach.rank_range else ""
    hard = f" ({approach.estimated_difficulty})" if approach.estimated_difficulty else ""
    tell(
        f"approach{rank}{hard}: {names or '(algorithms not named)'}",
        ja=f"解法{rank}{hard}: {names or '(アルゴリズム名なし)'}",
    )
    for line in (*(f"- {idea}" for idea in approach.key_ideas), *approach.reference_urls):
        click.echo(f"  {line}")


def _known(contest: Contest) -> dict[str, object]:
    return contest.model_dump(mode="json", exclude_defaults=True)
