"""`evo ahc scores`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.text.plurals import counted
from evograft_ahc.commands.bilingual import AS_JSON, command, option
from evograft_ahc.commands.columns import print_columns, print_rest
from evograft_ahc.commands.language import make_printer
from evograft_ahc.commands.rank import describe_rank, print_rank

if TYPE_CHECKING:
    from evograft_ahc.scores.table import ProgramResult, ScoreTable
    from evograft_ahc.scores.view import ScoreView
    from evograft_ahc.text.messages import Language, ProgressReporter


@command(
    ja="これまでの得点: 各プログラム、各ケースの最良値、入力の変数ごとの損失。\n\n"
    "PROGRAM を省くと、最後にテストしたプログラムについて表示します。"
)
@click.argument("program", required=False)
@option(
    "--most",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    en="So many programs and cases at most.",
    ja="表示するプログラムとケースの最大の数。",
)
@option(
    *("--output", "-o"),
    type=click.Path(path_type=Path, dir_okay=False),
    en="Write a page with all of it, and the history, to this HTML file.",
    ja="すべてと履歴を載せたページを、この HTML ファイルに書き出します。",
)
@AS_JSON
def scores(program: str | None, *, most: int, output: Path | None, as_json: bool) -> None:
    """Show all scores so far: of each program, the best of each case, what is lost by input variable.

    Without PROGRAM, losses are those of the program that was tested last.
    """
    from evograft_ahc.scores.view import load_score_view
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    settings = load_settings(workspace).values
    view = load_score_view(workspace, settings.scores, program)
    if output is not None:
        from evograft_ahc.files.user_file import write_file
        from evograft_ahc.reporting.score_page import render_scores

        write_file(output, render_scores(view, workspace.task, settings.language).encode())
    if as_json:
        click.echo(json.dumps(_as_data(view), ensure_ascii=False))
    elif output is not None:
        click.echo(str(output))
    else:
        _print(view, most, settings.language)


def _print(view: ScoreView, most: int, language: Language) -> None:
    say = make_printer(language)
    _print_programs(view, most, language, say)
    if view.program is not None:
        if view.rank:
            say(f"\n{view.program.label}:", ja=f"\n{view.program.label}:")
            print_rank(view.rank, say)
        _print_groups(view, view.program, language, say)
        _print_cases(view, view.program, most, language, say)


def _as_data(view: ScoreView) -> dict[str, Any]:
    table, program = view.table, view.program
    return {
        "runs": len(table.runs),
        "programs": [_program_data(table, each) for each in table.programs],
        "best": {case: {"score": best.score, "program": best.program} for case, best in table.best.items()},
        "program": program.label if program else None,
        "rank": describe_rank(view.rank),
        "groups": [
            {"variable": group.variable, "low": group.low, "high": group.high, "cases": list(group.cases)}
            | {"loss": view.sum_loss(group.cases) / len(group.cases)}
            for group in view.groups
        ],
    }


def _program_data(table: ScoreTable, program: ProgramResult) -> dict[str, Any]:
    return {
        "program": program.label,
        "runs": len(program.runs),
        "pruned": program.is_pruned,
        "failed": program.failed,
        "mean": program.mean,
        "sum": program.total,
        "relative": table.relative(program),
        "best_on": table.count_best(program),
        "comment": program.comment,
        "cases": program.scores,
    }


def _print_programs(view: ScoreView, most: int, language: Language, say: ProgressReporter) -> None:
    from evograft_ahc.scores.texts import PROGRAM_WORDS, PROGRAMS, format_program

    table, whole = view.table, view.whole
    say(
        f"{counted(len(table.runs), 'run')} of {counted(len(table.programs), 'program')} on "
        f"{counted(len(table.best), 'case')}",
        ja=f"{len(table.programs)} プログラム、{len(table.runs)} 回の実行、{len(table.best)} ケース",
    )
    if not whole:
        say(
            "no program was run on all cases that it was meant for: evo ahc test FILE",
            ja="最後まで実行されたプログラムがありません: evo ahc test ファイル",
        )
        return
    click.echo()
    print_columns(PROGRAMS[language], map(partial(format_program, table), whole[:most]), left=PROGRAM_WORDS)
    print_rest(len(whole) - most, say)


def _print_groups(view: ScoreView, program: ProgramResult, language: Language, say: ProgressReporter) -> None:
    from evograft_ahc.scores.texts import GROUP_WORDS, GROUPS, format_group

    if view.groups:
        say(
            f"\n{program.label} by input variable; loss: what it lacks of the best score",
            ja=f"\n{program.label} の入力変数ごとの成績。損失: 最良値に対する不足",
        )
        print_columns(GROUPS[language], map(partial(format_group, view), view.groups), left=GROUP_WORDS)


def _print_cases(view: ScoreView, program: ProgramResult, most: int, language: Language, say: ProgressReporter) -> None:
    from evograft_ahc.scores.texts import CASE_WORDS, CASES, format_case

    weakest = [case for case in view.table.list_weakest(program) if view.loss(case) > 0]
    if not weakest:
        say(f"\n{program.label} has the best score of every case", ja=f"\n{program.label} が全ケースで最良です")
        return
    say(
        f"\n{program.label} is behind on {counted(len(weakest), 'case')}; most on:",
        ja=f"\n{program.label} は {len(weakest)} ケースで最良に届きません。差の大きい順:",
    )
    print_columns(CASES[language], map(partial(format_case, view), weakest[:most]), left=CASE_WORDS)
