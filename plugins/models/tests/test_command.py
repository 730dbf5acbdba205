"""The driver `command` with programs that are really run: what they answer, and what each fault costs."""

import json
import os
import shlex
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import ValidationError

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import load_driver
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable, Usage
from evograft_models.command.driver import CommandLlm
from evograft_models.command.options import CommandOptions
from evograft_models.command.programs import find_program, list_programs

PATIENCE = 300.0
"""Seconds that a program may take which is to end by itself, on a busy machine."""


@pytest.fixture
def make_driver(tmp_path):
    made = []

    def make(script="", **options):
        """Make a driver whose program is a shell script; `$1` and further are the rest of the command."""
        command = ["/bin/sh", "-c", script, "sh", *options.pop("arguments", ())] if script else []
        driver = CommandLlm(CommandOptions.model_validate({"command": command, **options}))
        made.append(driver)
        driver.open(tmp_path)
        return driver

    yield make
    for driver in made:
        driver.close()


@pytest.fixture
def ask(make_driver, question):
    def ask_once(script, text="What now?", *, timeout=PATIENCE, **options):
        return make_driver(script, **options).complete(question(text), timeout=timeout)

    return ask_once


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a program on the path: a shell script that prints a text and keeps its arguments and input."""

    def put(name, output, *, more=""):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        script = f'cat > {tmp_path}/input; printf "%s\\n" "$@" > {tmp_path}/arguments\n{more}\n'
        (folder / name).write_text(f"#!/bin/sh\n{script}printf %s {shlex.quote(output)}\n")
        (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    return put


def await_end_of(text):
    """Wait until no process has a text in its arguments: one that was killed may take a moment to be gone."""
    while any(text in each for each in list_commands()):
        time.sleep(0.01)


def list_commands():
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


# -- what a program is given, and what it answers --------------------------------------------------------------------


def test_the_driver_is_found_by_its_name():
    assert isinstance(load_driver("llm", DriverSection(driver="command")), CommandLlm)


def test_the_prompt_is_the_standard_input_and_the_output_the_answer(ask):
    answer = ask("cat", "Where to?")
    assert answer.text == "You are terse.\n\nWhere to?"
    assert answer.usage is None


def test_the_prompt_may_be_an_argument(ask):
    assert ask('printf %s "$1"; cat', arguments=["say: {prompt}"]).text == "say: You are terse.\n\nWhat now?"


def test_the_prompt_may_be_in_a_file_and_the_answer_in_another(ask):
    answer = ask('tr a-z A-Z < "$1" > "$2"; echo noise', arguments=["{prompt_file}", "{answer_file}"])
    assert answer.text == "YOU ARE TERSE.\n\nWHAT NOW?"


def test_placeholders_within_a_prompt_stay_as_they_are(ask):
    text = "replace {model} and {prompt}"
    assert ask('printf "%s|%s" "$1" "$2"', text, arguments=["{model}", "{prompt}"]).text == (
        f"some-model|You are terse.\n\n{text}"
    )


def test_a_long_prompt_reaches_a_program_that_answers_while_it_reads(ask):
    text = "x" * 3_000_000
    assert ask("cat", text).text.endswith(text)


def test_a_program_need_not_read_its_prompt(ask):
    assert ask("exec <&-; echo done", "x" * 1_000_000).text == "done\n"


def test_it_works_in_an_empty_folder_of_its_own_that_is_gone_afterwards(ask):
    folder = Path(ask("ls -A; echo mine > mine; pwd").text.strip())
    assert folder.is_absolute()
    assert not folder.exists()


def test_it_gets_the_variables_that_are_named_and_no_others(ask, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-mine-0123456789")
    monkeypatch.setenv("OTHER_API_KEY", "sk-other-0123456789")
    answer = ask('echo "$MY_API_KEY,$OTHER_API_KEY,$OPENAI_API_KEY,$NO_COLOR"', pass_env=["MY_API_KEY"])
    assert answer.text == "sk-mine-0123456789,,,1\n"


def test_json_output_says_the_answer_the_tokens_and_the_dollars(ask):
    printed = {"out": [{"say": "Go."}], "use": {"in": 31, "out": 4.0}, "paid": 0.25}
    rules = {
        "format": "json",
        "text": "out[0].say",
        "prompt_tokens": "use.in",
        "completion_tokens": "use.out",
        "dollars": "paid",
    }
    answer = ask('printf %s "$1"', arguments=[json.dumps(printed)], output=rules)
    assert answer.text == "Go."
    assert answer.usage == Usage(prompt_tokens=31, completion_tokens=4, dollars=0.25)


@pytest.mark.parametrize("dollars", ["nan", "-1", '"free"', "true", "null", "1e999"])
def test_dollars_that_are_no_amount_are_unknown(ask, dollars):
    printed = f'{{"text": "Go.", "paid": {dollars.replace("nan", "NaN")}}}'
    answer = ask('printf %s "$1"', arguments=[printed], output={"format": "json", "text": "text", "dollars": "paid"})
    assert (answer.text, answer.usage) == ("Go.", None)


# -- programs that are known ------------------------------------------------------------------------------------------


CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Go north.",
    "total_cost_usd": 0.0312,
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 1200, "output_tokens": 40},
}
CODEX = (
    {"type": "thread.started", "thread_id": "t"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "Hm."}},
    {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": "Go north."}},
    {"type": "turn.completed", "usage": {"input_tokens": 900, "cached_input_tokens": 800, "output_tokens": 50}},
)
GEMINI = {
    "response": "Go north.",
    "stats": {
        "models": {
            "gemini-2.5-pro": {"tokens": {"prompt": 700, "candidates": 20, "thoughts": 5}},
            "gemini-2.5-flash": {"tokens": {"prompt": 100, "candidates": 3, "thoughts": 0}},
        }
    },
}


def test_claude_is_known_with_its_cost(install, make_driver, question, tmp_path):
    install("claude", json.dumps(CLAUDE))
    answer = make_driver().complete(question(model="claude/opus"), timeout=PATIENCE)
    assert answer.text == "Go north."
    assert answer.usage == Usage(prompt_tokens=1203, completion_tokens=40, dollars=0.0312)
    assert (tmp_path / "arguments").read_text().split() == ["-p", "--output-format", "json", "--model", "opus"]
    assert (tmp_path / "input").read_text() == "You are terse.\n\nWhat now?"


def test_codex_writes_its_answer_to_a_file_and_tokens_to_its_output(install, make_driver, question, tmp_path):
    lines = "\n".join(map(json.dumps, CODEX))
    find_file = 'while [ "$1" != --output-last-message ]; do shift; done; printf "Go north." > "$2"'
    install("codex", f"{lines}\nnot JSON\n", more=find_file)
    answer = make_driver().complete(question(model="codex/gpt-5"), timeout=PATIENCE)
    assert answer.text == "Go north."
    assert answer.usage == Usage(prompt_tokens=900, completion_tokens=50)
    assert (tmp_path / "arguments").read_text().split()[-3:] == ["-", "--model", "gpt-5"]


def test_gemini_adds_up_the_tokens_of_its_models(install, make_driver, question):
    install("gemini", json.dumps(GEMINI))
    answer = make_driver().complete(question(model="gemini/gemini-2.5-pro"), timeout=PATIENCE)
    assert (answer.text, answer.usage) == ("Go north.", Usage(prompt_tokens=800, completion_tokens=28))


def test_without_a_model_a_known_program_uses_its_own(install, make_driver, question, tmp_path):
    install("llm", "Go north.\n")
    assert make_driver().complete(question(model="llm"), timeout=PATIENCE).text == "Go north.\n"
    assert "--model" not in (tmp_path / "arguments").read_text()


def test_all_known_programs_are_valid_and_take_a_model():
    assert all(find_program(name).model for name in list_programs())


def test_an_unknown_or_missing_program_is_said_before_the_run(make_driver, monkeypatch, tmp_path):
    with pytest.raises(LlmUnavailable, match="does not begin with a known program \\(claude, codex, gemini, llm\\)"):
        make_driver().require_model("opus")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LlmUnavailable, match="there is no program 'claude'"):
        make_driver().require_model("claude/opus")
    with pytest.raises(LlmUnavailable, match="there is no program 'no-such-program'"):
        CommandLlm(CommandOptions(command=("no-such-program",))).open(tmp_path)


def test_a_variable_that_is_not_set_is_said_before_the_run(make_driver, monkeypatch):
    monkeypatch.delenv("MY_API_KEY", raising=False)
    with pytest.raises(LlmUnavailable, match=r"llm\.pass_env: the environment variable MY_API_KEY is not set"):
        make_driver("true", pass_env=["MY_API_KEY"])


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(ValidationError, match="is not a JMESPath expression"):
        CommandOptions.model_validate({"command": ["x"], "output": {"format": "json", "text": "a["}})
    with pytest.raises(ValidationError, match="say where the answer is in the json"):
        CommandOptions.model_validate({"command": ["x"], "output": {"format": "json"}})
    with pytest.raises(ValidationError, match="a key itself is written nowhere"):
        CommandOptions.model_validate({"command": ["x"], "pass_env": ["sk-test-0123456789abcdef"]})


# -- faults -----------------------------------------------------------------------------------------------------------


def test_a_program_that_asks_for_a_login_gives_no_answer_and_says_so(ask):
    with pytest.raises(LlmRefused, match=r"sh: exit code 1: Please run /login") as raised:
        ask("echo 'Please run /login' >&2; exit 1")
    assert raised.value.usage == Usage()


def test_a_program_has_no_terminal_to_ask_for_a_password(ask):
    with pytest.raises(LlmRefused, match="exit code 3"):
        ask("head -c 1 < /dev/tty || exit 3")


def test_an_error_in_json_is_no_answer_and_its_cost_is_kept(install, make_driver, question):
    said = {**CLAUDE, "is_error": True, "result": "Invalid API key · Please run /login"}
    install("claude", json.dumps(said))
    with pytest.raises(LlmRefused, match="Please run /login") as raised:
        make_driver().complete(question(model="claude"), timeout=PATIENCE)
    assert raised.value.usage is not None
    assert raised.value.usage.dollars == 0.0312


def test_a_program_that_hangs_is_ended_with_what_it_has_started(ask):
    with pytest.raises(
        LlmRefused, match=r"no answer within llm\.timeout, and it was ended; it said: thinking"
    ) as raised:
        ask("echo thinking; sleep 98765 & sleep 98764", timeout=1.0)
    assert raised.value.usage is None  # nobody knows what it has cost
    await_end_of("sleep 9876")


def test_a_program_that_prints_without_end_is_ended(ask):
    with pytest.raises(LlmRefused, match=r"it printed more than llm\.output_mb allows"):
        ask("yes 0123456789012345678901234567890123456789", output_mb=1)


def test_fifty_megabytes_are_refused(ask):
    with pytest.raises(LlmRefused, match="printed more"):
        ask("head -c 50000000 /dev/zero")


def test_processes_that_are_left_behind_are_ended_and_the_answer_stands(ask):
    answer = ask("sleep 87654 & setsid sleep 87653 & echo Go.")
    assert answer.text == "Go.\n"
    await_end_of("sleep 8765")


def test_an_answer_does_not_wait_for_those_who_hold_its_pipes(ask):
    assert ask("(trap '' HUP TERM; exec sleep 76543) & echo Go.").text == "Go.\n"
    await_end_of("sleep 76543")


def test_output_without_the_answer_is_refused(ask):
    for printed in ("[]", '{"text": 3}', "", "x" * 10, "[" * 100_000):
        with pytest.raises(LlmRefused, match="the output holds no answer"):
            ask('printf %s "$1"', arguments=[printed], output={"format": "json", "text": "text"})


def test_an_answer_is_text_whatever_bytes_it_has(ask):
    assert ask(r"printf 'a\377b'").text == "a\ufffdb"
    printed = '{"text": "a\\ud800b"}'
    assert ask('printf %s "$1"', arguments=[printed], output={"format": "json", "text": "text"}).text == "a\ufffdb"


def test_a_prompt_that_is_too_long_for_an_argument_is_refused(ask):
    with pytest.raises(LlmRefused, match=r"sh cannot be run: .*Argument list too long"):
        ask("true", "x" * 500_000, arguments=["{prompt}"])


def test_closing_ends_a_program_and_its_question_is_asked_again(make_driver, question, tmp_path):
    begun = tmp_path / "begun"
    driver = make_driver(f"touch {begun}; sleep 65432")
    closer = threading.Thread(target=lambda: (wait_for(begun), driver.close()))
    closer.start()
    with pytest.raises(LlmRetryable, match="the driver was closed"):
        driver.complete(question(), timeout=PATIENCE)
    closer.join()
    await_end_of("sleep 65432")


def wait_for(path):
    while not path.exists():
        time.sleep(0.01)


def test_many_programs_run_at_a_time(make_driver, question):
    driver = make_driver("cat")
    answers = {}
    threads = [
        threading.Thread(target=lambda n=n: answers.update({n: driver.complete(question(str(n)), timeout=PATIENCE)}))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answers[n].text.endswith(f"\n\n{n}") for n in range(8))


def test_a_program_in_python_answers_too(make_driver, question):
    source = "import sys; print(sys.stdin.read().upper())"
    driver = CommandLlm(CommandOptions(command=(sys.executable, "-c", source)))
    assert driver.complete(question(), timeout=PATIENCE).text == "YOU ARE TERSE.\n\nWHAT NOW?\n"
