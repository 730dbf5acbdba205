"""What the model is asked."""

import pytest


def first(server):
    """The system prompt and the request of the first question."""
    system, request = server.seen[0].body["messages"]
    return system["content"], request["content"]


@pytest.fixture
def asked(explain, model, server):
    def ask(*arguments):
        model.completes("done")
        done = explain.ask(*arguments)
        assert done.code == 0, done.err
        return first(server)

    return ask


def test_the_system_prompt_says_what_to_do_and_shows_every_tool(asked, repository):
    system, request = asked("what does it do?", repository)
    assert request == "what does it do?"
    assert system.startswith("You are an agent that reads code and explains it.")
    assert "<complete>" in system
    assert "<read_file>" in system
    for rule in ("is data", "One call at a time", "`path:line`", "Answer in English"):
        assert rule in system


def test_without_a_question_the_whole_repository_is_explained(asked, repository):
    assert asked(repository)[1].startswith("Explain this repository to a developer who is new to it.")


def test_the_current_folder_is_meant_where_none_is_named(asked, repository, monkeypatch, explain, model, server):
    monkeypatch.chdir(repository)
    model.says(model.READ)
    asked("what?")
    assert "sys.exit(0)" in server.seen[1].prompt


def test_an_only_word_that_names_no_folder_is_a_question(asked, repository):
    assert asked("repo", "--set", f"plugins.code_explainer.with.root={repository}")[1] == "repo"


def test_an_empty_question_is_none_and_means_no_folder(explain, repository, monkeypatch, server):
    monkeypatch.chdir(repository)
    done = explain.ask("")
    assert (done.code, done.out, server.seen) == (2, "", [])
    assert "the question is empty: leave it out" in done.err


def test_a_question_may_be_longer_than_any_name(asked, repository):
    question = "what about this? " * 400
    assert asked(question, "--set", f"plugins.code_explainer.with.root={repository}")[1] == question.strip()


def test_documents_are_asked_for_with_the_wishes_of_the_user(asked, repository):
    request = asked("for beginners", repository, "--readme")[1]
    assert request.startswith("Draft a README.md")
    assert request.endswith("Wishes of the user: for beginners")


def test_an_overview_of_the_api_is_asked_for(asked, repository):
    assert asked(repository, "--api")[1].startswith("Write an overview of the public API")


def test_a_map_goes_with_the_question(asked, repository):
    question, _, code_map = asked("what does it do?", repository, "--deep")[1].partition("\n\n")
    assert question == "what does it do?"
    assert code_map.startswith("The map below was made by a program")
    assert "app/" in code_map


@pytest.mark.parametrize(("options", "locale"), [(("--language=ja",), "C.UTF-8"), ((), "ja_JP.UTF-8")])
def test_the_language_is_that_of_the_option_or_of_the_locale(asked, repository, monkeypatch, options, locale):
    monkeypatch.setenv("LANG", locale)
    system, request = asked(repository, *options)
    assert "あなたはコードを読んで説明するエージェントです" in system
    assert "# ツール" in system
    assert request.startswith("このリポジトリを")


def test_figures_are_in_the_language_of_the_answer(explain, model, repository):
    model.completes("`app/main.py:77` を参照")
    done = explain.ask("何?", repository, "--language=ja")
    assert done.out == "`app/main.py:77` (見つかりません) を参照\n"
    assert "1 手順  出典 1 件, うち見つからないもの 1 件" in done.err


def test_the_question_is_normalised(asked, repository):
    assert asked("  cafe\u0301?\r\nreally?\n", repository)[1] == "café?\nreally?"


@pytest.mark.parametrize("question", ["", "  \n", "a\udce9b"])
def test_a_question_that_says_nothing_or_is_no_text_is_refused(explain, repository, server, question):
    done = explain.ask(question, repository)
    assert done.code == 2
    assert "the question is" in done.err
    assert not server.seen


@pytest.mark.parametrize("path", ["nowhere", "README.md", "x" * 300])
def test_a_path_that_is_no_folder_is_refused(explain, repository, server, path):
    done = explain.ask("what?", repository / path)
    assert done.code == 2
    assert done.err.startswith("Error: cannot explain")
    assert not server.seen


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--list", "--steps=3"), ("--list", "--steps")),
        (("--list", "--show=a"), ("--list", "--show")),
        (("--list", "why?"), ("--list", "QUESTION")),
        (("--show=a", "--delete=b"), ("--show", "--delete")),
        (("--show=a", "--output=x"), ("--show", "--output")),
        (("--delete=a", "--json"), ("--delete", "--json")),
        (("--continue=a", "why?", "."), ("--continue", "PATH")),
        (("--continue=a", "--config=x"), ("--continue", "--config")),
        (("--continue=a", "--deep"), ("--continue", "--deep")),
        (("--readme", "--api"), ("--readme", "--api")),
    ],
)
def test_options_that_do_not_go_together_are_named_in_one_line(explain, server, arguments, named):
    done = explain(*arguments)
    assert done.code == 2
    assert done.err == f"Error: {named[0]} and {named[1]} do not go together: leave one of them out\n"


@pytest.mark.parametrize("setting", ["asking.steps=0", "asking.stepz=3", "allow=['!x']"])
def test_wrong_options_are_refused_before_anything_is_asked(explain, repository, server, shelf, setting):
    done = explain.ask("what?", repository, "--set", f"plugins.code_explainer.with.{setting}")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert not shelf.list_ids()
    assert not server.seen
