"""The manual driver: prompts as files, and whoever answers them."""

import os
import re
import shutil
import subprocess
import sys
import threading

import pytest

from evograft.config.pipeline import DriverSection
from evograft.drivers.llm import manual
from evograft.drivers.llm.manual import ManualLlm
from evograft.drivers.llm.prompt_files import (
    find_misnamed,
    find_prompt,
    find_waiting,
    name_of,
    write_answer,
    write_prompt,
)
from evograft.errors import UserError
from evograft.plugin.loading import load_driver
from evograft_hookspecs import LlmCall, LlmRequest, LlmUnavailable, Message, NoOptions, Usage
from evograft_hookspecs.drivers.llm import Price


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(manual, "EVERY", 0.01)


@pytest.fixture
def make_driver(tmp_path):
    made = []

    def make():
        driver = ManualLlm(NoOptions())
        driver.open(tmp_path)
        made.append(driver)
        return driver

    yield make
    for driver in made:
        driver.close()


@pytest.fixture
def driver(make_driver):
    return make_driver()


def make_call(text="Write a program.", *, trial=7, occurrence=0, messages=None, path="mutate/operators/0"):
    said = messages or (("system", "You write programs."), ("user", text))
    request = LlmRequest(
        messages=tuple(Message(role=role, content=each) for role, each in said), max_tokens=500, model="me"
    )
    place = f"{'-' if trial is None else trial}/{path}"
    return LlmCall(request=request, key=f"{place}:{request.digest()}:{occurrence}", trial=trial)


class Asking(threading.Thread):
    """A call that waits on a thread of its own."""

    def __init__(self, driver, call):
        super().__init__()
        self.driver, self.call = driver, call
        self.answer = self.error = None
        self.start()

    def run(self):
        try:
            self.answer = self.driver.complete(self.call, timeout=0.0)
        except LlmUnavailable as err:
            self.error = err

    def result(self):
        self.join(60)
        assert not self.is_alive()
        return self.answer


@pytest.fixture
def until():
    """Waits for something to become true, a minute at most."""

    def wait(condition):
        for _ in range(6000):
            if condition():
                return
            threading.Event().wait(0.01)
        raise AssertionError("it did not come to pass")

    return wait


def test_a_prompt_appears_and_its_answer_is_taken(driver, tmp_path, until):
    asking = Asking(driver, make_call("Write a program that sorts."))
    until(lambda: find_waiting(tmp_path))
    (prompt,) = find_waiting(tmp_path)
    assert re.fullmatch(r"00007-mutate-[0-9a-f]{8}", prompt.name)
    assert prompt.path == tmp_path / "prompts" / f"{prompt.name}.md"
    assert prompt.first_line == "You write programs."
    write_answer(tmp_path, prompt.name, "print(sorted(x))\n")
    answer = asking.result()
    estimated = Usage(prompt_tokens=12, completion_tokens=5, estimated=True)
    assert (answer.text, answer.finish, answer.usage) == ("print(sorted(x))\n", "stop", estimated)
    assert find_waiting(tmp_path) == ()


def test_the_file_says_how_to_answer_and_then_only_what_is_to_be_pasted(tmp_path):
    prompt = write_prompt(tmp_path, make_call("Sort <!-- this --> please.\n"))
    comment, _, pasted = prompt.path.read_text(encoding="utf-8").partition("-->\n\n")
    assert comment.startswith("<!--\n")
    assert f"{prompt.name}.answer.md" in comment
    assert f"evo answer {tmp_path} {prompt.name} --file FILE" in comment
    assert "at most 500 tokens" in comment
    assert pasted == prompt.text == "You write programs.\n\nSort <!-- this --> please.\n"


def test_a_conversation_says_who_said_what(tmp_path):
    said = (("user", "Sort."), ("assistant", "How?"), ("user", "By size."))
    assert write_prompt(tmp_path, make_call(messages=said)).text == (
        "## user\n\nSort.\n\n## assistant\n\nHow?\n\n## user\n\nBy size.\n"
    )


def test_names_are_the_same_after_a_restart_and_differ_between_calls():
    calls = [
        make_call(),
        make_call("Another program."),
        make_call(occurrence=1),
        make_call(trial=8),
        make_call(path="mutate/operators/1"),
        make_call(path="mutate/other/0"),
        make_call(trial=None, path="analyze/ahc/0"),
        make_call(path="mutate/operators/0/tool_call/think/0"),
    ]
    names = [name_of(call) for call in calls]
    assert len(set(names)) == len(calls)
    assert names == [name_of(call) for call in calls]
    assert names[-2].startswith("start-analyze-")
    assert names[-1].startswith("00007-tool_call-")
    # A name that changed with a version would lose the answers of runs that are under way.
    assert names[0] == "00007-mutate-56162272"


@pytest.mark.parametrize("key", ["x", "7/../../../etc/passwd:0:0", "日本 語/a/b/c", "/" * 50, "a" * 200])
def test_any_key_gives_a_name_that_stays_in_the_folder(tmp_path, key):
    call = make_call().model_copy(update={"key": key})
    prompt = write_prompt(tmp_path, call)
    assert prompt.path.parent == tmp_path / "prompts"
    assert [each.name for each in find_waiting(tmp_path)] == [prompt.name]


def test_an_answer_of_another_process_is_taken(driver, tmp_path, until):
    asking = Asking(driver, make_call())
    until(lambda: find_waiting(tmp_path))
    (prompt,) = find_waiting(tmp_path)
    code = f"import pathlib; pathlib.Path({str(prompt.answer_path)!r}).write_text('from afar')"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert asking.result().text == "from afar"


def test_an_answer_that_is_still_being_written_is_not_taken(driver, tmp_path, until, monkeypatch):
    looks = []
    state_of = manual._state_of

    def look(path):
        # Between any two of the first looks the editor saves once more.
        if len(looks) < 20:
            with prompt.answer_path.open("a", encoding="utf-8") as file:
                file.write(f"line {len(looks)}\n")
        looks.append(state_of(path))
        return looks[-1]

    call = make_call()
    prompt = write_prompt(tmp_path, call)
    monkeypatch.setattr(manual, "_state_of", look)
    answer = Asking(driver, call).result()
    assert answer.text == "".join(f"line {number}\n" for number in range(20))


@pytest.mark.parametrize("content", [b"", b" \n\t\n"])
def test_a_blank_file_is_no_answer_yet(driver, tmp_path, until, content):
    call = make_call()
    prompt = write_prompt(tmp_path, call)
    prompt.answer_path.write_bytes(content)
    asking = Asking(driver, call)
    assert [each.name for each in find_waiting(tmp_path)] == [prompt.name]
    write_answer(tmp_path, prompt.name, "now")
    assert asking.result().text == "now"


@pytest.mark.parametrize(
    ("content", "text"),
    [(b"\xef\xbb\xbfwith a mark\r\n", "with a mark\n"), (b"latin \xe9", "latin \N{REPLACEMENT CHARACTER}")],
)
def test_what_editors_make_of_text_is_read(driver, tmp_path, content, text):
    call = make_call()
    write_prompt(tmp_path, call).answer_path.write_bytes(content)
    assert driver.complete(call).text == text


def test_closing_wakes_all_who_wait_at_once(make_driver, tmp_path, until, monkeypatch):
    monkeypatch.setattr(manual, "EVERY", 600.0)
    driver = make_driver()
    asking = [Asking(driver, make_call(f"Question {number}")) for number in range(5)]
    until(lambda: len(find_waiting(tmp_path)) == 5)
    driver.close()
    for each in asking:
        each.result()
        assert str(each.error) == "the run has stopped"
    with pytest.raises(LlmUnavailable, match="the run has stopped"):
        driver.complete(make_call())
    assert len(find_waiting(tmp_path)) == 5


def test_an_answer_that_came_while_the_run_was_down_is_found(make_driver, tmp_path, until):
    call = make_call()
    first = make_driver()
    asking = Asking(first, call)
    until(lambda: find_waiting(tmp_path))
    first.close()
    asking.result()
    write_answer(tmp_path, name_of(call), "in the meantime")
    assert make_driver().complete(call).text == "in the meantime"


def test_an_answer_survives_a_run_that_was_killed(make_driver, tmp_path):
    call = make_call()
    code = f"""
import os, threading
from pathlib import Path
from evograft.drivers.llm.manual import ManualLlm
from evograft.drivers.llm.prompt_files import find_waiting
from evograft_hookspecs import LlmCall, NoOptions
driver = ManualLlm(NoOptions())
folder = Path({str(tmp_path)!r})
driver.open(folder)
call = LlmCall.model_validate_json({call.model_dump_json()!r})
threading.Thread(target=driver.complete, args=(call,), daemon=True).start()
while not find_waiting(folder):
    pass
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    write_answer(tmp_path, name_of(call), "in the meantime")
    assert make_driver().complete(call).text == "in the meantime"


def test_prompts_that_a_run_no_longer_asks_are_forgotten_when_it_goes_on(make_driver, tmp_path):
    stale, answered = write_prompt(tmp_path, make_call("old")), write_prompt(tmp_path, make_call("done"))
    write_answer(tmp_path, answered.name, "yes")
    make_driver()
    assert not stale.path.exists()
    assert answered.path.exists()
    assert answered.answer() == "yes"


def test_files_of_the_person_beside_prompts_are_no_prompts_and_stay(make_driver, tmp_path):
    prompt = write_prompt(tmp_path, make_call())
    copied = prompt.path.with_name("00008-mutate-0123abcd.md")
    contents = {
        prompt.path.with_name(f"{prompt.name}_answer.md"): b"print(1)",
        prompt.path.with_name("draft.md"): b"<!--\n",
        prompt.path.with_name("zzz.md"): b"latin \xe9",
        prompt.path.with_name("00007-mutate-0123abcd.md"): b"\xff",
        copied: prompt.path.read_bytes(),
    }
    for path, content in contents.items():
        path.write_bytes(content)
    os.mkfifo(prompt.path.with_name("00009-mutate-0123abcd.md"))
    assert find_waiting(tmp_path) == (prompt,)
    make_driver()
    assert not prompt.path.exists()
    assert {path: path.read_bytes() for path in contents} == contents


def test_what_was_likely_meant_as_an_answer_is_known_with_its_right_name(tmp_path):
    prompt, other = write_prompt(tmp_path, make_call()), write_prompt(tmp_path, make_call("done"))
    write_answer(tmp_path, other.name, "yes")
    wrong = {f"{prompt.name}_answer.md", f"{prompt.name}.answer.txt", f"{prompt.name}.Answer.md"}
    for name in (*wrong, "draft.md", f".{prompt.answer_path.name}.swp"):
        (tmp_path / "prompts" / name).write_text("print(1)")
    assert find_misnamed(tmp_path) == dict.fromkeys(wrong, prompt.answer_path.name)


def test_what_is_no_file_is_no_answer_and_keeps_nobody_waiting(make_driver, tmp_path):
    folder, pipe, loop = (write_prompt(tmp_path, make_call(each)) for each in ("folder", "pipe", "loop"))
    folder.answer_path.mkdir()
    os.mkfifo(pipe.answer_path)
    loop.answer_path.symlink_to(loop.answer_path)
    assert len(find_waiting(tmp_path)) == 3
    for prompt in (folder, pipe):
        with pytest.raises(UserError, match="is no file: move it away"):
            write_answer(tmp_path, prompt.name, "text")
    assert write_answer(tmp_path, loop.name, "text").read_text() == "text"
    driver = make_driver()
    asking = Asking(driver, make_call("pipe"))
    write_prompt(tmp_path, make_call("pipe"))
    pipe.answer_path.unlink()
    write_answer(tmp_path, pipe.name, "now")
    assert asking.result().text == "now"


def test_no_answer_is_overwritten_and_no_unknown_prompt_answered(tmp_path):
    prompt = write_prompt(tmp_path, make_call())
    near = f"{prompt.name[:-1]}x"
    with pytest.raises(UserError, match=f"no prompt '{near}' in .*; did you mean '{prompt.name}'"):
        write_answer(tmp_path, near, "text")
    for name in ("../prompts/" + prompt.name, str(prompt.path), "..", "", f"{prompt.name}.md"):
        with pytest.raises(UserError, match="no prompt"):
            write_answer(tmp_path, name, "text")
    with pytest.raises(UserError, match="the answer is empty"):
        write_answer(tmp_path, prompt.name, " \n")
    write_answer(tmp_path, prompt.name, "first")
    with pytest.raises(UserError, match="answered already"):
        write_answer(tmp_path, prompt.name, "second")
    assert find_prompt(tmp_path, prompt.name).answer() == "first"


def test_of_two_who_answer_at_once_one_is_told_so(tmp_path):
    name = write_prompt(tmp_path, make_call()).name
    together, outcomes = threading.Barrier(8), []

    def answer(text):
        together.wait(30)
        try:
            write_answer(tmp_path, name, text)
            outcomes.append(text)
        except UserError:
            outcomes.append("refused")

    threads = [threading.Thread(target=answer, args=(f"answer {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    (accepted,) = (outcome for outcome in outcomes if outcome != "refused")
    assert find_prompt(tmp_path, name).answer() == accepted


def test_nothing_but_prompts_and_answers_is_left_in_the_folder(driver, tmp_path):
    calls = [make_call(f"Question {number}") for number in range(3)]
    for call in calls:
        write_answer(tmp_path, write_prompt(tmp_path, call).name, "answer")
        driver.complete(call)
    names = {name_of(call) for call in calls}
    assert {path.name for path in (tmp_path / "prompts").iterdir()} == {f"{name}.md" for name in names} | {
        f"{name}.answer.md" for name in names
    }


def test_a_folder_that_cannot_be_written_to_ends_the_run(driver, tmp_path):
    (tmp_path / "prompts").write_text("a file where the folder should be")
    with pytest.raises(LlmUnavailable, match="the folder of prompts cannot be used"):
        driver.complete(make_call())


def test_the_driver_is_patient_and_costs_nothing():
    driver = load_driver("llm", DriverSection(driver="manual"))
    assert (driver.available, driver.patient) == (True, True)
    assert driver.price("anyone") == Price(prompt=0.0, completion=0.0)
    driver.close()


def test_a_run_whose_folder_is_gone_is_not_waited_for(driver, tmp_path, until):
    asking = Asking(driver, make_call())
    until(lambda: find_waiting(tmp_path))
    shutil.rmtree(tmp_path)
    assert asking.result() is None
    assert f"the run's folder {str(tmp_path)!r} is gone" in str(asking.error)
