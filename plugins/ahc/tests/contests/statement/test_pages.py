"""Pages of the site, as it builds them."""

from datetime import UTC, datetime

import pytest

from evograft_ahc.contests.statement.pages import detect_language, find_task_links, read_contest, read_tasks, read_whole

BASE = "https://atcoder.jp/contests/ahc999/tasks_print"
SCRIPT = """<title>Heuristic Contest 999 - AtCoder</title><script>
var startTime = moment("2024-02-09T19:00:00+09:00");
var endTime = moment("2024-02-19T19:00:00+09:00");
</script>"""


def task(label, title, japanese="整数の和を求めよ。", english="Add integers.", *, limits="2 sec / メモリ制限: 1024 MB"):
    return f"""<div class="col-sm-12"><span class="h2">{label} - {title} <a class="btn" href="/editorial">解説</a></span>
    <p>実行時間制限: {limits}</p><div id="task-statement"><span class="lang">
    <span class="lang-ja"><p>{japanese}</p></span><span class="lang-en"><p>{english}</p></span></span></div></div>"""


def test_the_script_of_a_contests_page_tells_when_it_begins_and_ends():
    page = read_contest(SCRIPT)
    assert page.title == "Heuristic Contest 999"
    assert page.start == datetime(2024, 2, 9, 10, tzinfo=UTC)
    assert page.end == datetime(2024, 2, 19, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<script>var endTime = null;</script>",
        '<script>var endTime = moment("soon");</script>',
        '<script>var endTime = moment("2024-02-19T19:00:00");</script>',  # of which zone?
        '<script>var extendTime = moment("2024-02-19T19:00:00+09:00");</script>',
    ],
)
def test_a_page_without_a_clear_end_tells_none(html):
    assert read_contest(html).end is None


def test_both_languages_of_a_task_have_its_title_and_limits():
    (page,) = read_tasks(task("A", "Sums"), BASE)
    assert (page.label, page.title) == ("A", "Sums")
    assert page.texts == {
        "ja": "# Sums\n\n実行時間制限: 2 sec / メモリ制限: 1024 MB\n\n整数の和を求めよ。\n",
        "en": "# Sums\n\nTime limit: 2 sec / Memory limit: 1024 MB\n\nAdd integers.\n",
    }


def test_several_tasks_of_a_page_keep_their_own_limits():
    html = task("A", "Sums", limits="2 sec / メモリ制限: 1024 MB") + task(
        "B", "Mills", limits="3 sec / メモリ制限: 512 MB"
    )
    first, second = read_tasks(html, BASE)
    assert "2 sec / Memory limit: 1024 MB" in first.texts["en"]
    assert "3 sec / Memory limit: 512 MB" in second.texts["en"]
    assert (second.label, second.title) == ("B", "Mills")


def test_a_task_in_one_language_is_told_by_its_letters():
    html = '<span class="h2">A - X</span><div id="task-statement"><p>ひとつの整数が与えられます。</p></div>'
    (page,) = read_tasks(html, BASE)
    assert page.texts == {"ja": "# X\n\nひとつの整数が与えられます。\n"}


def test_a_page_that_is_none_of_the_sites_is_one_task():
    assert read_tasks("<h1>Sums</h1><p>Add.</p>", BASE) == ()
    (page,) = read_whole("<head><title>t</title></head><body><nav>menu</nav><h1>Sums</h1><p>Add.</p></body>", BASE)
    assert page.texts == {"en": "# Sums\n\nAdd.\n"}
    assert read_whole("<script>x</script>", BASE) == ()


def test_tasks_are_listed_once_in_order():
    html = "".join(
        f'<a href="{href}">x</a>'
        for href in (
            "/contests/ahc999/tasks/ahc999_b",
            "/contests/ahc999/tasks/ahc999_a",
            "/contests/ahc999/tasks/ahc999_b",
            "/contests/ahc999/tasks",
            "/contests/other/tasks/other_a",
            "https://example.com/contests/ahc999/tasks/ahc999_c",
        )
    )
    assert find_task_links(html, "ahc999") == ("/contests/ahc999/tasks/ahc999_b", "/contests/ahc999/tasks/ahc999_a")


def test_a_few_japanese_words_do_not_make_a_text_japanese():
    assert detect_language("Walk on the grid called マス, from the left to the right, and stop. " * 3) == "en"
    assert detect_language("N と M が与えられる") == "ja"
