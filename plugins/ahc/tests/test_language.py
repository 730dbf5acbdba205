"""Everything that people read is there in English and in Japanese."""

import ast
import json
import re
import string
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from python_process import run_evo

from evograft.text.i18n import load_catalog
from evograft_ahc.commands import SUMMARIES, ahc
from evograft_ahc.commands.bilingual import BilingualCommand, BilingualOption
from evograft_ahc.commands.database import LABELS_JA
from evograft_ahc.commands.knowledge import KINDS_JA
from evograft_ahc.contests.past import Contest
from evograft_ahc.contests.task import Scorer
from evograft_ahc.judging.messages import get_message_text
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.verdict import PASSED, ProgramRun, find_own_failure, judge_run
from evograft_ahc.knowledge.lesson import Lesson
from evograft_ahc.text.messages import ContestUserError, translate_errors
from evograft_ahc.text.validation_errors import suggest_in_japanese
from evograft_hookspecs import CommandResult

JAPANESE = re.compile("[ぁ-ヿ一-鿿]")
PROSE = re.compile(r"[a-z]{3,} [a-z]{2,}")
PACKAGE = Path(str(files("evograft_ahc")))
SOURCES = sorted(PACKAGE.rglob("*.py"))
CATALOGUES = sorted(PACKAGE.rglob("words"))
BILINGUAL = {"ContestUserError", "ContestServiceError", "UnknownContestError"}
OF_ONE_LANGUAGE = {"UserError", "ServiceError", "BadParameter", "UsageError", "ClickException"}


@pytest.fixture
def japanese(private_home):
    (private_home / ".ahc_agent").mkdir(parents=True)
    (private_home / ".ahc_agent" / "config.yaml").write_text("language: ja\n")


def commands(command=ahc, path=()):
    """All commands and groups, with the words that call them."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


EVERY = dict(commands())


def fields_of(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("folder", CATALOGUES, ids=lambda folder: folder.parent.name)
def test_a_catalogue_has_the_same_texts_with_the_same_values_in_both_languages(folder):
    package = ".".join(("evograft_ahc", *folder.parent.relative_to(PACKAGE).parts))
    english, japanese = (load_catalog(language, package) for language in ("en", "ja"))
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        forms = text.values() if isinstance(text, dict) else [text]
        others = japanese[key].values() if isinstance(text, dict) else [japanese[key]]
        assert [fields_of(str(form)) for form in forms] == [fields_of(str(form)) for form in others], key


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_help_is_in_the_users_language(japanese, path):
    command = EVERY[path]
    assert isinstance(command, BilingualCommand)
    assert all(isinstance(each, (BilingualOption, click.Argument)) for each in command.params)
    told = "".join(CliRunner().invoke(ahc, [*path, "--help"]).output.split())
    for explained in (command, *(each for each in command.params if isinstance(each, BilingualOption))):
        assert JAPANESE.search(explained.ja)
        assert "".join(explained.ja.split()) in told
        assert "".join(explained.help.split()) not in told
    assert "Showthismessageandexit" not in told


def test_help_is_english_unless_something_else_is_set():
    told = CliRunner().invoke(ahc, ["solve", "--help"]).output
    assert "Search for a better program" in told
    assert "Show this message and exit." in told
    assert not JAPANESE.search(told)


def test_the_first_lines_of_commands_are_known_in_both_languages(japanese):
    assert all(JAPANESE.search(ja) and not JAPANESE.search(en) for en, ja in SUMMARIES.values())
    assert "より良いプログラムを探索します。" in CliRunner().invoke(ahc, ["--help"]).output


def calls_in(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            yield name, node


def literals_in(node):
    found = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return "|".join(each for each in found if isinstance(each, str))


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_message_stands_in_the_code_in_one_language_only(file):
    for name, call in calls_in(file):
        place = f"{file.name}:{call.lineno}"
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if name in BILINGUAL:
            assert "ja" in given, place
            assert isinstance(given["ja"], ast.Name) or JAPANESE.search(literals_in(given["ja"])), place
        if name in {"echo", "print"}:
            assert not PROSE.search(literals_in(call)), place
        assert name not in OF_ONE_LANGUAGE, place


def test_every_label_has_its_japanese():
    assert set(LABELS_JA) == set(Contest.model_fields) - {"solution_approaches", "sources"}
    assert set(KINDS_JA) == set(Lesson.model_fields["kind"].annotation.__args__)


def test_a_search_in_vain_is_told_in_japanese(japanese):
    told = CliRunner().invoke(ahc, ["database", "search", "--tag", "tps"]).output
    assert told.startswith("--tag 'tps' に当てはまる過去のコンテストはありません; タグ: assignment、")


def test_what_is_known_of_a_contest_and_a_block_is_labelled_in_japanese(japanese):
    contest = CliRunner().invoke(ahc, ["database", "show", "ahc001"]).output
    assert "開催日: 2021-03-06" in contest
    assert "の出典: " in contest
    assert "source of" not in contest
    block = CliRunner().invoke(ahc, ["library", "show", "dijkstra"]).output
    assert "時間計算量  O(" in block
    assert "使い方:" in block
    assert "how to use" not in block
    assert "llm.model = gpt-4o  (既定値)" in CliRunner().invoke(ahc, ["config"]).output


@pytest.mark.parametrize(("word", "said"), [("ahc73", "もしかして: 'ahc073'"), ("zzz", "使えるもの: ahc073")])
def test_the_nearest_name_is_told_in_japanese(word, said):
    assert suggest_in_japanese(word, ["ahc073"]) == said
    assert suggest_in_japanese(word, []) == "1 つもありません"


def test_an_error_leaves_a_hook_in_the_language_of_the_run():
    with pytest.raises(Exception, match="だめ") as caught, translate_errors(lambda: "ja"):
        raise ContestUserError("no", ja="だめ")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("contest_id", ["practice001", "own001"])
def test_a_run_refuses_a_workspace_that_was_made_by_hand_in_the_language_that_is_set(
    bare_workspace, contest_id, tmp_path
):
    file = bare_workspace.folder / "task.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "contest_id": contest_id, "end_source": "stated"}))
    given = (f"workspace={bare_workspace.folder}", "language=ja")
    options = [word for each in given for word in ("--set", f"plugins.ahc.with.{each}")]
    done = run_evo("run", "--plugin", "ahc", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(
        "同梱の 'practice001' と異なります|'own001' のもので、終了済みであることを確認できません", done.stderr
    )


ENDED = {"exit_code": 0, "stdout": b"", "stderr": b"", "cpu_seconds": 0.1, "wall_seconds": 1.0, "peak_memory_mb": 1.0}


def result(**told):
    return CommandResult(**{**ENDED, **told})


def failures():
    """One outcome of each kind that a verdict can give, but for wrong answers."""
    yield find_own_failure(ProgramRun("0000", result(wall_seconds=3.0, waited_seconds=0.1)), seconds=2.0)
    for limit in PASSED:
        yield find_own_failure(ProgramRun("0000", result(exit_code=-9, limit=limit)), seconds=2.0)
    for code in (3, -11, -64):
        yield find_own_failure(ProgramRun("0000", result(exit_code=code, stderr=b"abort")), seconds=2.0)
    scorer = Scorer(program="tools/bin/score", channel="stderr", pattern="Score = (.*)")
    for said in (result(exit_code=2, stderr=b"panic"), result(), result(exit_code=-9, limit="cpu")):
        yield judge_run(ProgramRun("0000", result()), said, scorer)
    for said, seconds in ((result(exit_code=101), 0.0), (result(exit_code=-9, limit="memory"), 1.0)):
        yield judge_run(ProgramRun("0000", result(wall_seconds=seconds), beside=said), said, scorer)


def test_how_a_case_ended_is_told_in_japanese_and_recorded_in_english():
    for outcome in failures():
        told = get_message_text(outcome, "ja")
        assert JAPANESE.search(told), outcome.message
        assert not PROSE.search(told), told
        assert get_message_text(outcome, "en") == outcome.message
        assert not JAPANESE.search(outcome.message)


def test_what_a_tester_said_is_told_as_it_said_it():
    outcome = CaseOutcome(case="0000", kind="wrong_answer", message="used more memory than is allowed")
    assert get_message_text(outcome, "ja") == outcome.message


def test_json_is_the_same_in_all_languages(japanese):
    told = CliRunner().invoke(ahc, ["database", "show", "ahc001", "--json"]).output
    assert json.loads(told)["contest_id"] == "ahc001"
