"""What statements say by rule, in both languages; what they do not say clearly stays unknown."""

import pytest

from evograft_ahc.contests.statement.facts import StatementLimits, find_direction, find_limits, find_score_kind
from evograft_ahc.contests.statement.links import find_archives
from evograft_ahc.contests.statement.samples import find_input_format, find_samples, write_samples


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("実行時間制限: 2 sec / メモリ制限: 1024 MB", StatementLimits(2.0, 1024)),
        ("実行時間制限: 5 sec / メモリ制限: 1024 MiB", StatementLimits(5.0, 1024)),
        ("Time Limit: 1.8 sec / Memory Limit: 2 GB", StatementLimits(1.8, 2048)),
        ("Time limit: 500 ms", StatementLimits(0.5, None)),
        ("実行時間制限：3秒", StatementLimits(3.0, None)),
        ("there is a limit of time", StatementLimits()),
    ],
)
def test_limits_are_read(text, limits):
    assert find_limits(text) == limits


@pytest.mark.parametrize("language", ["en", "ja"])
def test_limits_that_are_written_are_read_again(language):
    assert find_limits(StatementLimits(1.5, 512).describe(language)) == StatementLimits(1.5, 512)


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("得点が高いほど良い。", "max"),
        ("得られる得点の合計を最大化せよ。", "max"),
        ("スコアは大きければ大きいほど良い。", "max"),
        ("絶対スコアは小さければ小さいほど良い。", "min"),
        ("コストが低いほど良いとは限らない。得点ができるだけ大きくなるようにせよ。", "max"),
        ("Maximize the total score.", "max"),
        ("The higher the score, the better.", "max"),
        ("The lower the absolute score, the better.", "min"),
        ("Make the score as small as possible.", "min"),
        ("More is better. The score is a sum.\n\nA wrong answer scores 0: more is better of a score.", "max"),
        ("## Scoring\n\nYou earn money. More is better.\n\n## Input\n\nLess is better.\n", "max"),
        ("You gain a score for each case.", None),
        ("Maximize the distance.", None),
        ("The lower the absolute score, the better. The higher the relative score, the better.", None),
    ],
)
def test_the_direction_is_told_by_sentences_about_the_score(text, direction):
    assert find_direction(text) == direction


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("各テストケースの得点の合計が提出の得点となる。", "absolute_sum"),
        ("The sum of the scores of all test cases is the score of the submission.", "absolute_sum"),
        ("相対評価スコアの和が得点となる。", "relative"),
        ("the relative score round(10^9 × MIN / YOURS); the sum of the scores of all cases", "relative"),
        ("各テストケースの順位に基づく得点の合計", "rank"),
        ("The average of the scores of the cases", "absolute_mean"),
        ("The score of a submission is the sum over all cases.", "absolute_sum"),
        ("You get points.", None),
    ],
)
def test_the_kind_of_scoring_is_told(text, kind):
    assert find_score_kind(text) == kind


@pytest.mark.parametrize(
    ("links", "chosen"),
    [
        (["ローカル版 a.zip", "Windows用 a_windows.zip"], ["a.zip"]),
        (["Local version a.zip", "samples b_sample.zip"], ["a.zip"]),
        (["ローカル版 a.zip", "ローカル版 a_v2.zip", "ローカル版 a_v3.zip"], ["a_v3.zip"]),
        (["ローカル版 a_v10.zip", "ローカル版 a_v9.zip"], ["a_v10.zip"]),
        (["tools a.zip", "Local version b.zip"], ["b.zip"]),
        (["tools a.zip"], ["a.zip"]),
        (["tools a.zip", "more b.zip"], ["a.zip", "b.zip"]),
        (["Windows用のローカル版 a_win.zip", "visualizer a.html"], []),
    ],
)
def test_the_archive_of_tools_is_chosen_among_links(links, chosen):
    home = "https://img.atcoder.jp/ahc999/"
    text = " and ".join("[{}]({}{})".format(*link.rsplit(" ", 1)[:1], home, link.rsplit(" ", 1)[1]) for link in links)
    assert find_archives(text) == tuple(home + name for name in chosen)


STATEMENT = """# Echo

## Input

It stands in one line.

```
# N
```

## Sample Input 1

```
3
# no heading
```

## Sample Output 1

```
4
```

### 入力例 2

```
5
```
"""


def test_samples_and_the_form_of_the_input_are_cut_out(tmp_path):
    assert find_samples(STATEMENT) == {"1.in": "3\n# no heading\n", "1.out": "4\n", "2.in": "5\n"}
    assert find_input_format(STATEMENT) == "It stands in one line.\n\n```\n# N\n```\n"
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "1.in").write_text("mine")
    write_samples(STATEMENT, tmp_path)
    assert (tmp_path / "samples" / "1.in").read_text() == "mine"
    assert (tmp_path / "samples" / "2.in").read_text() == "5\n"
    assert (tmp_path / "input_format.txt").read_text().startswith("It stands")


def test_a_statement_without_them_has_none(tmp_path):
    write_samples("Only text.", tmp_path)
    assert list(tmp_path.iterdir()) == []
