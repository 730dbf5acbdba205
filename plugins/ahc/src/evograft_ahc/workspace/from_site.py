"""The workspace of a contest of the site.

What is missing is brought by the user, else fetched; what is there is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evograft.api import write_atomically
from evograft_ahc.contests.atcoder.site import Site, UnknownContestError
from evograft_ahc.contests.past import Contest, find_end, find_packaged
from evograft_ahc.contests.statement.links import find_archives
from evograft_ahc.contests.statement.pages import LANGUAGES, UNREAD, ContestPage, TaskPage
from evograft_ahc.contests.statement.reader import find_contests, read_saved_page, read_statement
from evograft_ahc.contests.statement.samples import write_samples
from evograft_ahc.contests.statement.sections import mark_headings
from evograft_ahc.contests.task import ContestTask, read_task
from evograft_ahc.files.user_file import read_text
from evograft_ahc.text.messages import ChoicePrompt, ContestServiceError, ContestUserError, Language, ProgressReporter
from evograft_ahc.workspace.end_check import (
    ONGOING,
    ContestEnd,
    find_latest_ahead,
    format_japan_time,
    is_remembered,
    remember_brought_end,
    remember_end,
    require_begun,
    require_over,
    settle_end,
)
from evograft_ahc.workspace.end_record import ContestEndRecord, find_end_record, save_end_record
from evograft_ahc.workspace.folder import TASK_FILE, Workspace
from evograft_ahc.workspace.known_material import find_material, forget_material, remember_material
from evograft_ahc.workspace.overrides import UserOverrides
from evograft_ahc.workspace.task_from_tools import build_task, find_facts
from evograft_ahc.workspace.tools.archive import unpack_archive
from evograft_ahc.workspace.tools.builder import ensure_built

LONG_AGO = datetime.min.replace(tzinfo=UTC)
MOST_OTHERS = 5
"""Contests that nobody knows, in a statement: a task leads to one or two, and each costs the site a visit."""


@dataclass(frozen=True)
class SettledContest:
    """What is known of a contest before its workspace is written."""

    page: ContestPage
    end: ContestEnd
    contests: tuple[str, ...]
    """Its id, and those of other contests that the statement names."""


@dataclass(frozen=True)
class WorkspaceBuild:
    """A workspace that is being made: for whom, from where."""

    workspace: Workspace
    overrides: UserOverrides
    site: Site
    language: Language
    tell: ProgressReporter
    choose: ChoicePrompt

    @property
    def contest_id(self) -> str:
        return self.workspace.folder.name

    @property
    def packaged(self) -> Contest | None:
        return find_packaged(self.contest_id)


def settle_contest(build: WorkspaceBuild) -> SettledContest:
    """Return whether the contest is over or on, before anything is written.

    Raises:
        ContestUserError: it has not begun, there is no such contest, nobody knows, or a statement leads to too many
            others.
    """
    saved = read_saved_page(build.overrides.statement) if build.overrides.statement else UNREAD
    if saved.end is not None:
        remember_brought_end(build.contest_id, saved.end)
    if recorded := _find_recorded(build):
        return recorded
    over = build.packaged and build.packaged.over_at()
    page = _read_page(build, build.contest_id) if over is None or not _is_all_there(build) else UNREAD
    require_begun(build.contest_id, page.start)
    others = _other_contests(build)
    # Before a page is remembered, which may correct what it has told before.
    brought = find_latest_ahead(saved.end, *_noted_ends(build, others))
    ends = [
        _end_of(build, build.contest_id, page, brought=brought),
        *(_end_of(build, other, _read_page(build, other) if find_end(other) is None else UNREAD) for other in others),
    ]
    # A statement may be another contest's, whatever id was given with it: one that is on is enough.
    ahead = [end for end in ends if end.is_ahead]
    end = max(ahead, key=lambda end: end.moment or LONG_AGO, default=ends[0])
    return SettledContest(page if page.end else saved, end, (build.contest_id, *others))


def _find_recorded(build: WorkspaceBuild) -> SettledContest | None:
    """Return what an earlier `init` recorded of a workspace that exists; `None`: nothing that still holds."""
    if not (build.workspace.folder / TASK_FILE).exists():
        return None
    _require_own_id(build)
    ended = find_end_record(build.workspace)
    if ended is None:
        return None
    require_over(build.workspace)
    return SettledContest(UNREAD, ContestEnd(ended.source, ended.end), ended.contests)


def write_site_workspace(build: WorkspaceBuild, settled: SettledContest) -> None:
    """Write what is not there yet.

    Raises:
        ContestUserError: something is missing that the user can bring.
        ContestServiceError: the site or a toolchain is at fault.
    """
    statements = _ensure_statement(build)
    target = build.workspace.folder / TASK_FILE
    # What the user has to state is asked for before the tools, which take minutes to build.
    facts = None if target.exists() else find_facts(statements, settled.page, build.overrides, _known(build))
    _ensure_tools(build, statements)
    for name, why in ensure_built(build.workspace.tools, build.tell).items():
        build.tell(f"not built: {name}: {why}", ja=f"ビルドできませんでした: {name}: {why}")
    if facts is not None:
        task = build_task(build.workspace, statements, facts, settled.end)
        _write_task(target, task)
        if task.format is None:
            _tell_of_format(build)
    elif (task := read_task(target)).end_source == ONGOING or settled.end.is_ahead:
        _write_task(target, task.model_copy(update={"end": settled.end.moment, "end_source": settled.end.source}))
    made = Workspace(build.workspace.folder)
    if settled.end.is_ahead:
        if settled.end.moment:
            remember_material(made, build.overrides.statement, settled.end.moment)
        _tell_of_contest(build, settled.end)
        return
    forget_material(made, build.overrides.statement)
    get_notice_file(build.workspace).unlink(missing_ok=True)
    end_record = ContestEndRecord(contests=settled.contests, source=settled.end.source, end=settled.end.moment)
    save_end_record(made, end_record)


def _known(build: WorkspaceBuild) -> Contest:
    return build.packaged or Contest(contest_id=build.contest_id)


def get_notice_file(workspace: Workspace) -> Path:
    """Return the file that says that the contest is on; it exists as long as `init` has not seen the end."""
    return workspace.folder / "CONTEST_IS_ON.txt"


def _write_task(target: Path, task: ContestTask) -> None:
    write_atomically(target, f"{task.model_dump_json(indent=2)}\n".encode())


def _tell_of_contest(build: WorkspaceBuild, end: ContestEnd) -> None:
    """Say what may be done during a contest, now and in the workspace."""
    until = format_japan_time(end.moment) if end.moment else ""
    contest_id, root = build.contest_id, build.workspace.folder.parent
    again = f"evo ahc init {contest_id} --workspace-root {root}"
    en = (
        f"contest {contest_id!r} is on until {until} Japan time: this workspace is for a person who takes part. You "
        "can score "
        "your own programs (evo ahc test, evo ahc compare, make test); evo ahc searches nothing and asks no model, "
        "because "
        "AtCoder's rules forbid it; other tools, such as evo explain, do not look at this. "
        f"When it is over, open it for evo ahc solve with: {again}"
    )
    ja = (
        f"コンテスト {contest_id!r} は {until} (日本時間) まで開催中です。"
        "この作業フォルダーは参加者本人が手で取り組むためのものです。自分のプログラムの"
        "採点 (evo ahc test、evo ahc compare、make test) はできますが、AtCoder のルールにより、evo ahc "
        "は自動探索もモデルへの質問も行いません。evo explain "
        "などの他のツールはこの制限を確認しないので注意してください。"
        f"終了後に evo ahc solve を使うには: {again}"
    )
    build.tell(en, ja=ja)
    said = ja if build.language == "ja" else en
    get_notice_file(build.workspace).write_text(f"{said}\n", encoding="utf-8")


def _tell_of_format(build: WorkspaceBuild) -> None:
    build.tell(
        "nobody knows whether this contest was a short one, in which one failed case makes a submission worth 0: write "
        '"format": "short" or "long" into task.json, or state it with: --contest-format',
        ja="短期コンテスト (1 ケースでも失敗すると提出全体が 0 点) かどうか分かりません。"
        'task.json の "format" に "short" か "long" を'
        "書くか、--contest-format で指定してください",
    )


def _require_own_id(build: WorkspaceBuild) -> None:
    named = build.workspace.task.contest_id
    if named.lower() != build.contest_id.lower():
        folder = str(build.workspace.folder)
        raise ContestUserError(
            f"{folder!r} is the workspace of contest {named!r}: rename it, or choose another --workspace-root",
            ja=f"{folder!r} はコンテスト {named!r} のワークスペースです。名前を変えるか、別の --workspace-root "
            "を指定してください",
        )


def _other_contests(build: WorkspaceBuild) -> tuple[str, ...]:
    """Return the contests that a brought statement leads to: it may be theirs, whatever id was given with it."""
    kept, brought = build.workspace.statement, build.overrides.statement
    file = kept if kept.exists() else brought
    found = find_contests(file) if file else ()
    others = tuple(each for each in found if each != build.contest_id.lower())
    unknown = [each for each in others if find_end(each) is None]
    if file and len(unknown) > MOST_OTHERS:
        raise ContestUserError(
            f"the statement {str(file)!r} leads to {len(unknown)} contests that are not among the packaged ones, "
            "such as "
            f"{unknown[0]!r}: {MOST_OTHERS} at most are looked up; bring the statement of one task alone",
            ja=f"問題文 {str(file)!r} は同梱データにない {len(unknown)} 個のコンテスト ({unknown[0]!r} など) "
            "にリンクしています。確認するのは "
            f"{MOST_OTHERS} 個までです。1 つの問題だけの問題文を指定してください",
        )
    return others


def _noted_ends(build: WorkspaceBuild, others: tuple[str, ...]) -> Iterator[datetime]:
    """Yield the ends by a workspace that is there, and by its material, unless a page that told one is remembered.

    What is remembered speaks for itself, and the site that told it may correct it.
    """
    noted = [each.end for each in find_material(build.workspace, build.overrides.statement)]
    if (build.workspace.folder / TASK_FILE).exists() and build.workspace.task.end:
        noted.append(build.workspace.task.end)
    yield from (end for end in noted if not is_remembered(end, build.contest_id, *others))


def _end_of(
    build: WorkspaceBuild, contest_id: str, page: ContestPage, *, brought: datetime | None = None
) -> ContestEnd:
    """When a contest ends or ended, by its page and all else; what the page says is remembered."""
    if page.end is not None:
        remember_end(contest_id, page.end, host=build.site.host)
    stated = build.overrides.contest_is_over
    return settle_end(contest_id, page.end, stated=stated, brought=brought, host=build.site.host)


def _read_page(build: WorkspaceBuild, contest_id: str) -> ContestPage:
    """Read the page of a contest; if it can't be read, that is reported, and the end has to be known from elsewhere."""
    try:
        return build.site.contest(contest_id)
    except UnknownContestError as err:
        if find_packaged(contest_id) is None and not build.overrides.contest_is_over:
            raise
        build.tell(str(err), ja=err.in_language("ja"))
    except ContestServiceError as err:
        build.tell(str(err), ja=err.in_language("ja"))
    return UNREAD


def _is_all_there(build: WorkspaceBuild) -> bool:
    """Return whether the site need not be asked for anything."""
    has_statement = build.overrides.statement is not None or build.workspace.statement.exists()
    return has_statement and (build.overrides.tools is not None or build.workspace.tools.exists())


def _ensure_statement(build: WorkspaceBuild) -> Mapping[Language, str]:
    folder = build.workspace.statement.parent
    if not build.workspace.statement.exists():
        _write_statement(folder, _task_page(build), build)
    elif build.overrides.statement is not None:
        _tell_kept(build, build.workspace.statement)
    files = {language: folder / f"problem.{language}.md" for language in LANGUAGES}
    texts = {language: mark_headings(read_text(file)) for language, file in files.items() if file.exists()}
    return texts or {build.language: mark_headings(read_text(build.workspace.statement))}


def _write_statement(folder: Path, page: TaskPage, build: WorkspaceBuild) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for language, text in page.texts.items():
        (folder / f"problem.{language}.md").write_text(text, encoding="utf-8")
    if build.language not in page.texts:
        build.tell("the statement is in another language only", ja="問題文は英語版のみです")
    chosen = page.texts.get(build.language) or next(iter(page.texts.values()))
    write_samples(chosen, folder)
    build.workspace.statement.write_text(chosen, encoding="utf-8")


def _task_page(build: WorkspaceBuild) -> TaskPage:
    overrides = build.overrides
    if overrides.statement is not None:
        pages = read_statement(overrides.statement, build.site.tasks_url(build.contest_id))
    else:
        build.tell("fetching the statement", ja="問題文を取得しています")
        pages = build.site.tasks(build.contest_id)
    fitting = [page for page in pages if page.label.lower() == overrides.task.lower()] if overrides.task else pages
    if len(fitting) == 1:
        return fitting[0]
    titles = {f"{page.label} ({page.title})": page for page in pages}
    chosen = build.choose(tuple(titles), "which task?", ja="どの問題ですか?")
    if chosen:
        return titles[chosen]
    labels = ", ".join(titles)
    raise ContestUserError(
        f"contest {build.contest_id!r} has the tasks {labels}; choose one with: --task LETTER",
        ja=f"コンテスト {build.contest_id!r} には {labels} があります。--task で 1 つ選んでください",
    )


def _ensure_tools(build: WorkspaceBuild, statements: Mapping[Language, str]) -> None:
    if build.workspace.tools.exists():
        if build.overrides.tools is not None:
            _tell_kept(build, build.workspace.tools)
        return
    if build.overrides.tools is not None:
        unpack_archive(build.overrides.tools, build.workspace.tools)
        return
    url = build.overrides.tools_url or _archive_url(build, statements)
    build.tell(f"fetching the tools: {url}", ja=f"ツールを取得しています: {url}")
    unpack_archive(build.site.archive(url), build.workspace.tools)


def _tell_kept(build: WorkspaceBuild, path: Path) -> None:
    build.tell(
        f"kept: {path} (remove it, and task.json, to make them anew)",
        ja=f"そのまま使います: {path} (作り直すには task.json と共に削除してください)",
    )


def _archive_url(build: WorkspaceBuild, statements: Mapping[Language, str]) -> str:
    found = next((urls for text in statements.values() if (urls := find_archives(text))), ())
    if not found and build.packaged and build.packaged.tools_url:
        found = (build.packaged.tools_url,)
    if len(found) == 1:
        return found[0]
    chosen = build.choose(found, "which of these are the tools?", ja="公式ツールはどれですか?") if found else None
    if chosen:
        return chosen
    if found:
        raise ContestUserError(
            f"the statement links to several archives: {', '.join(found)}; choose the tools with: --tools URL",
            ja=f"問題文に複数のアーカイブがあります: {', '.join(found)}。--tools URL で選んでください",
        )
    raise ContestUserError(
        "the statement links to no archive of tools (often called Local version); bring it with: --tools ZIP",
        ja="問題文に公式ツール (ローカル版) へのリンクがありません。--tools ZIP で指定してください",
    )
