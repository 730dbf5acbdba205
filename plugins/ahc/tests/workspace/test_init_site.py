"""`init` of a contest that the site shows, from its pages to inputs that were made."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from python_process import run_evo

from evograft.cli import cli
from evograft.errors import UserError
from evograft_ahc.commands import ahc
from evograft_ahc.text.messages import ContestServiceError, ContestUserError
from evograft_ahc.workspace.end_check import remember_end, require_over
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.init import initialize_workspace
from evograft_ahc.workspace.overrides import UserOverrides

pytestmark = pytest.mark.usefixtures("confined", "impatient")
ENDED = datetime.now(UTC) - timedelta(days=30)
ID = "future-contest"
HOME = f"/contests/{ID}"
STATEMENT = """# Echo

Time limit: 2 sec

The higher the score, the better. It is the sum of the scores of all cases.

"""
NOTHING = UserOverrides()
ARCHIVE = f"/{ID}/abc_v2.zip"


def contest_page(start, end):
    return f"""<title>Future Contest - AtCoder</title><script>
    var startTime = moment("{start.isoformat()}"); var endTime = moment("{end.isoformat()}");</script>"""


def task_html(label="A", title="Echo", links=None):
    links = links or f'<a href="{ARCHIVE}">LINKTEXT</a> <a href="/{ID}/abc_windows.zip">Windows</a>'
    return f"""<div><span class="h2">{label} - {title}</span><p>実行時間制限: 2 sec / メモリ制限: 1024 MiB</p>
    <div id="task-statement"><span class="lang">
    <span class="lang-ja"><h3>問題文</h3><p><var>N</var> 以下の整数を答えよ。</p><h3>得点</h3><p>各テストケースの得点の合計が高いほど良い。</p>
    <h3>入力例 1</h3><pre>100
</pre><p>{links.replace("LINKTEXT", "ローカル版")}</p></span>
    <span class="lang-en"><h3>Problem</h3><p>Answer at most <var>N</var>.</p><h3>Scoring</h3><p>The higher the score, the better.
    It is the sum of the scores of all cases.</p><p>{links.replace("LINKTEXT", "Local version")}</p></span></span></div></div>"""


@pytest.fixture
def contest(played, reply, archive):
    """The site with a contest that is over."""
    played.lays("/robots.txt", "User-agent: *\nDisallow: /contests/*/submit\n")
    played.lays(HOME, contest_page(ENDED - timedelta(hours=4), ENDED))
    played.lays(f"{HOME}/tasks_print", task_html())
    played.lays(ARCHIVE, reply(archive("cpp", built=True).read_bytes(), type="application/zip"))
    return played


@pytest.fixture
def init(contest, tmp_path):
    def make(contest_id=ID, brought=NOTHING, **options):
        return initialize_workspace(contest_id, tmp_path / "workspace", brought, site=contest.url, **options)

    return make


def test_a_workspace_is_made_of_the_sites_pages(init, contest):
    workspace = init(language="ja")
    assert workspace.statement.read_text().startswith(
        "# Echo\n\n実行時間制限: 2 sec / メモリ制限: 1024 MB\n\n### 問題文\n\n$N$ 以下の"
    )
    assert (workspace.folder / "problem" / "problem.en.md").read_text().startswith("# Echo\n\nTime limit: 2 sec")
    assert (workspace.folder / "problem" / "samples" / "1.in").read_text() == "100\n"
    task = workspace.task
    assert (task.end, task.end_source, task.format) == (ENDED, "page", "short")
    assert (task.title, task.direction, task.score_kind, task.memory_limit_mb) == ("Echo", "max", "absolute_sum", 1024)
    assert len(workspace.cases()) == 5
    assert contest.visits == ["/robots.txt", HOME, f"{HOME}/tasks_print", ARCHIVE]


def test_a_second_init_of_a_workspace_that_is_complete_asks_the_site_nothing(init, contest):
    init()
    contest.visits.clear()
    init()
    assert contest.visits == []


def test_a_second_workspace_of_the_same_contest_is_made_from_the_cache(contest, tmp_path, init):
    init()
    contest.visits.clear()
    initialize_workspace(ID, tmp_path / "other", site=contest.url)
    assert contest.visits == [HOME]


@pytest.fixture
def ongoing(contest):
    """The contest is on."""
    now = datetime.now(UTC)
    contest.lays(HOME, contest_page(now - timedelta(hours=1), now + timedelta(hours=3)))


@pytest.mark.usefixtures("ongoing")
@pytest.mark.parametrize("stated", [False, True])
def test_a_person_gets_the_workspace_of_a_contest_that_is_on_and_nothing_is_searched_in_it(init, stated):
    told = []
    workspace = init(brought=UserOverrides(contest_is_over=stated), tell=lambda en, ja: told.append(en))
    assert (workspace.task.title, workspace.task.end_source, len(workspace.cases())) == ("Echo", "ongoing", 5)
    notice = (workspace.folder / "CONTEST_IS_ON.txt").read_text()
    assert "evo ahc searches nothing and asks no model" in notice
    assert notice.strip() in told
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(workspace)


@pytest.mark.long
@pytest.mark.usefixtures("ongoing")
def test_programs_are_scored_and_compared_by_hand_while_the_contest_is_on(init, monkeypatch):
    monkeypatch.chdir(init().folder)
    Path("mine.cpp").write_text(
        "#include <iostream>\nint main() { long n; std::cin >> n; std::cout << n << std::endl; }\n"
    )
    for command in (["test", "mine.cpp"], ["compare", "mine.cpp", "mine.cpp"]):
        done = CliRunner().invoke(ahc, [*command, "--seeds", "0-1"], standalone_mode=False)
        assert done.exception is None, done.exception


@pytest.mark.usefixtures("ongoing")
@pytest.mark.parametrize(
    "words",
    [
        ("ahc", "solve"),
        ("ahc", "solve", "--foreground"),
        ("ahc", "solve", "--interactive"),
        ("ahc", "batch", "sweep.yaml"),
        ("run", "--plugin", "ahc", "--set", "plugins.ahc.with.workspace={folder}"),
        ("run", "--plugin", "ahc", "--background", "--set", "plugins.ahc.with.workspace={folder}"),
    ],
)
@pytest.mark.parametrize("edited", [False, True])
def test_no_command_searches_while_the_contest_is_on_whatever_the_file_says(init, monkeypatch, words, edited):
    workspace = init()
    monkeypatch.chdir(workspace.folder)
    if edited:
        task = workspace.task.model_copy(update={"end": ENDED, "end_source": "page"})
        (workspace.folder / "task.json").write_text(task.model_dump_json())
    Path("ahc_config.yaml").write_text("llm: {provider: none}\n")
    Path("start.cpp").write_text("int main() {}\n")
    Path("sweep.yaml").write_text("problems: ['.']\n")
    before = {path.name for path in workspace.folder.iterdir()}
    command = [word.format(folder=workspace.folder) for word in words]
    done = CliRunner().invoke(cli, command, standalone_mode=False)
    assert isinstance(done.exception, UserError), done.output
    assert "rules forbid" in str(done.exception)
    assert {path.name for path in workspace.folder.iterdir()} - before <= {"runs", "sweep"}


@pytest.mark.usefixtures("ongoing")
def test_a_workspace_is_open_for_a_search_once_init_has_seen_the_end(init, contest):
    workspace = init()
    (workspace.folder / "notes.txt").write_text("mine")
    contest.lays(HOME, contest_page(ENDED - timedelta(hours=4), ENDED))
    # The end that was seen first lies ahead, also when the file is edited: the page has to be read anew.
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(Workspace(workspace.folder))
    opened = init()
    require_over(opened)
    assert (opened.task.end, opened.task.end_source) == (ENDED, "page")
    assert not (opened.folder / "CONTEST_IS_ON.txt").exists()
    assert (opened.folder / "notes.txt").exists()


@pytest.mark.usefixtures("ongoing")
def test_the_command_says_how_to_work_in_a_contest_that_is_on(contest, tmp_path):
    command = ["ahc", "init", ID, "--site", contest.url, "--workspace-root", str(tmp_path / "w")]
    done = CliRunner().invoke(cli, command, standalone_mode=False)
    assert done.exception is None, done.exception
    assert done.output.rstrip().endswith("evo ahc test FILE")


def test_an_init_that_gets_nothing_leaves_nothing(init, contest, tmp_path, reply):
    contest.lays(f"{HOME}/tasks_print", reply(b"", 404))
    with pytest.raises(ContestServiceError):
        init()
    assert not (tmp_path / "workspace" / ID).exists()


def test_an_end_that_was_seen_holds_when_the_page_is_gone(init, contest, reply):
    now = datetime.now(UTC)
    contest.lays(HOME, contest_page(now - timedelta(hours=1), now + timedelta(hours=3)), reply(b"", 500))
    for _ in range(2):
        assert init(brought=UserOverrides(contest_is_over=True)).task.end_source == "ongoing"


def test_a_contest_that_has_not_begun_says_so(init, contest):
    contest.lays(HOME, contest_page(datetime(2999, 1, 1, tzinfo=UTC), datetime(2999, 1, 2, tzinfo=UTC)))
    with pytest.raises(ContestUserError, match="has not begun"):
        init()


def test_a_page_without_an_end_leaves_it_unknown_until_it_is_stated(init, contest):
    contest.lays(HOME, "<title>Future Contest - AtCoder</title>")
    with pytest.raises(ContestUserError, match="--contest-is-over"):
        init()
    assert init(brought=UserOverrides(contest_is_over=True)).task.end_source == "stated"


def test_an_own_server_shortens_no_contest_that_the_official_site_has_told_of(init):
    remember_end(ID, datetime.now(UTC) + timedelta(hours=1))
    assert init().task.end_source == "ongoing"


def test_a_statement_is_held_to_the_contest_that_it_leads_to(contest, tmp_path, init, archive):
    now = datetime.now(UTC)
    contest.lays("/contests/ahc999", contest_page(now - timedelta(hours=1), now + timedelta(hours=3)))
    (tmp_path / "saved.md").write_text(f"{STATEMENT}[Local version](https://img.atcoder.jp/ahc999/abc.zip)")
    made = init("ahc010", UserOverrides(statement=tmp_path / "saved.md", tools=archive("cpp", built=True)))
    assert made.task.end_source == "ongoing"
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(made)


def test_a_statement_that_leads_to_more_contests_than_are_looked_up_is_refused(contest, tmp_path, init, archive):
    now = datetime.now(UTC)
    ids = [f"own{number:03}" for number in range(6)]
    for each in ids[:-1]:
        contest.lays(f"/contests/{each}", contest_page(ENDED - timedelta(hours=4), ENDED))
    contest.lays(f"/contests/{ids[-1]}", contest_page(now - timedelta(hours=1), now + timedelta(hours=3)))
    saved, tools = tmp_path / "saved.md", archive("cpp", built=True)
    links = [f"[task](https://atcoder.jp/contests/{each}/tasks/a)" for each in (*ids, "ahc001", "ahc002")]
    saved.write_text(STATEMENT + "\n".join(links))
    with pytest.raises(ContestUserError, match=r"leads to 6 contests that are not .* 'own000': 5 at most"):
        init("ahc010", UserOverrides(statement=saved, tools=tools))
    assert contest.visits == []
    saved.write_text(STATEMENT + "\n".join(links[1:]))
    made = init("ahc010", UserOverrides(statement=saved, tools=tools))
    assert made.task.end_source == "ongoing"


def test_a_workspace_whose_statement_was_changed_is_looked_at_anew(init, contest):
    workspace = init()
    workspace.statement.write_text(workspace.statement.read_text() + "My notes.\n")
    with pytest.raises(ContestUserError, match="nothing shows"):
        require_over(workspace)
    contest.visits.clear()
    init()
    assert contest.visits == [HOME]
    require_over(workspace)


def test_a_folder_that_holds_another_contest_is_not_taken_for_this_one(init, tmp_path):
    init().folder.rename(tmp_path / "workspace" / "ahc010")
    with pytest.raises(ContestUserError, match=f"is the workspace of contest '{ID}'"):
        init("ahc010")


def test_the_packaged_data_knows_the_end_where_the_page_cannot_be_read(init, contest, reply):
    told = []
    contest.lays("/contests/ahc010", reply(b"", 403))
    contest.lays("/contests/ahc010/tasks_print", task_html())
    workspace = init("ahc010", tell=lambda en, ja: told.append(en))
    assert workspace.task.end_source == "data"
    assert "can't be read: it answers 403" in told[0]


def test_a_contest_that_does_not_exist_is_told_with_the_nearest_one(init):
    with pytest.raises(ContestUserError, match=r"the site has no contest 'ahc0100'; did you mean 'ahc010'"):
        init("ahc0100")


def test_statements_are_taken_task_by_task_where_the_page_of_all_is_missing(init, contest, reply):
    contest.lays(f"{HOME}/tasks_print", reply(b"", 404))
    contest.lays(f"{HOME}/tasks", f'<a href="{HOME}/tasks/{ID}_a">A</a><a href="{HOME}/tasks/{ID}_a">Echo</a>')
    contest.lays(f"{HOME}/tasks/{ID}_a", task_html())
    assert init().task.title == "Echo"


def test_a_statement_behind_a_login_is_to_be_brought_by_hand(init, contest, reply):
    for path in (f"{HOME}/tasks_print", f"{HOME}/tasks"):
        contest.lays(path, reply(b"", 302, headers={"Location": "/login?continue=x"}))
    with pytest.raises(
        ContestServiceError, match=r"tasks_print can't be fetched: the site asks for a login; save .* --statement FILE"
    ):
        init()


def test_a_page_without_statements_is_told(init, contest):
    for path in (f"{HOME}/tasks_print", f"{HOME}/tasks"):
        contest.lays(path, "<p>soon</p>")
    with pytest.raises(ContestServiceError, match="it holds no statement"):
        init()


def test_one_of_several_tasks_is_to_be_chosen(init, contest):
    contest.lays(f"{HOME}/tasks_print", task_html() + task_html("B", "Sums"))
    with pytest.raises(ContestUserError, match=r"has the tasks A \(Echo\), B \(Sums\); choose one with: --task LETTER"):
        init()
    with pytest.raises(ContestUserError, match="--task LETTER"):
        init(brought=UserOverrides(task="C"))
    assert init(brought=UserOverrides(task="b")).task.title == "Sums"


def test_one_of_several_archives_is_to_be_chosen(init, contest):
    links = f'<a href="{ARCHIVE}">one</a> <a href="/other.zip">two</a>'
    contest.lays(f"{HOME}/tasks_print", task_html(links=links))
    with pytest.raises(ContestUserError, match=r"links to several archives: .*abc_v2.zip, .*other.zip; .* --tools URL"):
        init()
    assert init(brought=UserOverrides(tools_url=f"{contest.url}{ARCHIVE}")).task.title == "Echo"


def test_a_statement_without_tools_asks_for_them(init, contest):
    contest.lays(f"{HOME}/tasks_print", task_html(links="<p>none</p>"))
    with pytest.raises(ContestUserError, match=r"links to no archive of tools .* --tools ZIP"):
        init()


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        ({"status": 404}, ContestUserError, "there is no such page"),
        ({"status": 500}, ContestServiceError, "it answers 500"),
        ({"body": b"<html>", "type": "text/html"}, ContestUserError, "it is 'text/html'"),
        ({"body": b"no zip", "type": "application/zip"}, ContestUserError, "it is no ZIP archive"),
        ({"status": 302, "headers": {"Location": "http://localhost/a.zip"}}, ContestUserError, "is not https"),
    ],
)
def test_tools_that_cannot_be_fetched_are_to_be_brought_by_hand(init, contest, reply, archive, answer, kind, reason):
    contest.lays(ARCHIVE, reply(**answer))
    with pytest.raises(kind, match=f"{reason}.*--tools ZIP"):
        init()
    # What was fetched before that is there, and a second init goes on from it.
    contest.visits.clear()
    assert init(brought=UserOverrides(tools=archive("cpp", built=True))).task.title == "Echo"
    assert f"{HOME}/tasks_print" not in contest.visits


def test_an_archive_that_was_none_is_asked_for_once_more(init, contest, reply, archive):
    good = reply(archive("cpp", built=True).read_bytes(), type="application/zip")
    contest.lays(ARCHIVE, reply(b"busy", type="application/zip"), good)
    with pytest.raises(ContestUserError, match="it is no ZIP archive"):
        init()
    assert init().task.title == "Echo"


def test_tools_of_another_site_are_not_fetched(init, contest):
    contest.lays(f"{HOME}/tasks_print", task_html(links='<a href="https://example.com/a.zip">LINKTEXT</a>'))
    with pytest.raises(ContestUserError, match="is another site's; download them and give the file with: --tools ZIP"):
        init()


def test_the_command_speaks_japanese_to_the_end(contest, tmp_path):
    words = ("ahc", "init", ID, "--language", "ja", "--site", contest.url, "--workspace-root", tmp_path / "w")
    done = run_evo(*words, "--json", env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == "問題文を取得しています"
    assert json.loads(done.stdout)["task"]["end_source"] == "page"


SEVERAL = f'<a href="/{ID}/abc.zip">LINKTEXT</a> <a href="/{ID}/other.zip">LINKTEXT</a>'


def test_at_a_terminal_the_user_is_asked_which_archive_holds_the_tools(contest, tmp_path, reply, archive, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    contest.lays(f"{HOME}/tasks_print", task_html(links=SEVERAL))
    contest.lays(f"/{ID}/other.zip", reply(archive("cpp", built=True).read_bytes(), type="application/zip"))
    command = [sys.executable, "-m", "evograft", "ahc", "init", ID, "--site", contest.url, "--language", "ja"]
    said, code = at_terminal([*command, "--workspace-root", str(tmp_path / "asked")], answer=b"2\n")
    assert code == 0, said
    assert f"2. {contest.url}/{ID}/other.zip" in said
    assert "公式ツールはどれですか?" in said
    assert f"/{ID}/abc.zip" not in contest.visits


def at_terminal(command, *, answer):
    """What a command says at a terminal where somebody types one answer, and how it ends."""
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # as a terminal ends when nobody writes to it
            while piece := os.read(ours, 4096):
                said += piece
    os.close(ours)
    return said.decode(), process.returncode


def test_what_is_chosen_of_several_tasks_is_the_task(init, contest):
    contest.lays(f"{HOME}/tasks_print", task_html("A", "First") + task_html("B", "Second"))
    asked = []
    workspace = init(choose=lambda options, en, ja: asked.append((options, en)) or options[1])
    assert (workspace.task.title, asked) == ("Second", [(("A (First)", "B (Second)"), "which task?")])
