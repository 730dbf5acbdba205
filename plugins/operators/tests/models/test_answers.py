"""What becomes of every kind of answer: a candidate, or a rejection that says what is wrong and holds the answer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_hookspecs import CandidateRejected, LlmAnswer, LlmRefused, LlmUnavailable
from evograft_operators.models.answer import AnswerBase, AnswerRules, read_answer
from evograft_operators.models.fences import write_fence

PARENT = "def f(x):\n    return x\n"
CHILD = "def f(x):\n    return x * x\n"
CPP = '#include <cstdio>\n\nint main() {\n    std::printf("%d", 1);\n}\n'


def said(text, finish="stop"):
    return LlmAnswer.model_construct(text=text, model="m", finish=finish, usage=None)


def edit(search, replace):
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def read(text, program=PARENT, *, language="python", **rules):
    ground = AnswerBase({"main": program}, known=({"main": program},))
    return read_answer(said(text), ground, AnswerRules(language, **rules))["main"]


def reason(text, program=PARENT, *, language="python"):
    with pytest.raises(CandidateRejected) as caught:
        read(text, program, language=language)
    return caught.value.reason


def outcome_of(text, language):
    """The program, or the reason, which is one line."""
    try:
        return read(text, language=language)
    except CandidateRejected as err:
        return err.reason.replace("\n", "MORE THAN ONE LINE")


# -- answers that are candidates --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{CHILD}```",
        f"```\n{CHILD}```",
        f"~~~py\n{CHILD}~~~",
        f"Here it is.\n\n```Python\n{CHILD}```\n\nIt squares x.",
        f"```python\n{CHILD}```\n\nRun it:\n\n```bash\npython f.py --with many --more options and words\n```",
        f"```python\nf(2)\n```\nis wrong; better:\n```python\n{CHILD}```",
        f"```python\n{CHILD}```\nUse it so:\n```python\nf(2)\n```",
        f"```python\n{CHILD.replace('x * x', '2 * x')}```\nNo, better:\n```python\n{CHILD}```",
        f"```text\n{'an explanation ' * 20}\n```\n```python\n{CHILD}```",
        f"### main\n```python\n{CHILD}```",
        f"### solution.py\n```python\n{CHILD}```",
        f"```python solution.py\n{CHILD}```",
        f"### main\n```python\n{CHILD}```\nand an example\n```python\n{CHILD.replace('x * x', '7')}f(1)\n```",
        CHILD,
        f"\n\n{CHILD}\n",
        f"<think>\nMaybe\n```python\nf = 1\n```\n</think>\n```python\n{CHILD}```",
        f"\ufeff```python\n{CHILD}```",
        f"```python\n{CHILD}```".replace("\n", "\r\n"),
        f"```python\n{CHILD}```".replace("\n", "\r"),
        edit("    return x", "    return x * x"),
        f"```python\n{edit('    return x', '    return x * x')}```",
        edit("    return x", "    return x * x").replace("\n", "\r\n"),
        f"```python\n{edit('    return x', '    return x * x')}",
    ],
)
def test_an_answer_with_the_program_in_it_is_the_program(answer):
    assert read(answer) == CHILD


def test_of_several_blocks_the_last_substantial_one_in_the_right_language_wins():
    long = CHILD + "# " + "x" * 200 + "\n"
    answer = "\n".join(write_fence(text, tag) for text, tag in [(long, "python"), (CHILD, "python"), (CPP * 9, "cpp")])
    assert read(answer) == long


def test_the_block_with_marks_wins_where_the_program_has_marks():
    program = f"# EVOLVE-BLOCK-START\n{PARENT}# EVOLVE-BLOCK-END\n"
    child = program.replace("return x", "return 7")
    assert read(f"{write_fence(child)}\nThe idea:\n{write_fence(PARENT * 2)}", program) == child


def test_the_lines_end_as_those_of_the_parent():
    assert read(f"```\n{CHILD}```", PARENT.replace("\n", "\r\n")) == CHILD.replace("\n", "\r\n")


def test_a_block_quoted_in_the_program_belongs_to_it():
    program = f'"""Say:\n```python\nf(1)\n```\n"""\n{CHILD}'
    assert read(f"```python\n{program}```") == program
    assert read(write_fence(program, "python")) == program


def test_cpp_without_a_fence_is_read():
    assert read(CPP, "int main() {}\n", language="cpp") == CPP


def test_c_is_taken_for_cpp():
    assert read(f"```c\n{CPP}```", "int main() {}\n", language="cpp") == CPP


def test_an_odd_escape_in_a_program_is_no_fault_of_it():
    program = 'pattern = "\\d+"\n'
    assert read(f"```python\n{program}```") == program


def test_without_a_known_language_any_tag_will_do():
    assert read("```json\n[1, 2]\n```", "[1]\n", language="") == "[1, 2]\n"


def test_syntax_is_not_looked_at_where_that_is_switched_off(desk):
    newer = "type Point = tuple[float, float] if 1\n"
    at = desk(write_fence(newer), write_fence(newer), syntax="ignore")
    assert at.mutate("rewrite", at.trial(0, PARENT)).source == newer
    with pytest.raises(CandidateRejected, match="not valid Python"):
        desk(write_fence(newer)).mutate("rewrite", at.trial(0, PARENT))


# -- answers that are not ---------------------------------------------------------------------------------------------

OUTCOMES = {
    "an apology": ("I'm sorry, but I can't help with that.", "no code block (it begins \"I'm sorry, but I can't"),
    "one word": ("Sorry", "no code block"),
    "prose": ("The loop is slow.\nUse a table instead.", "put the program between ```python and ```"),
    "prose before code without fence": (f"Here it is:\n{CHILD}", "no code block"),
    "nothing": ("", "the answer is empty"),
    "blanks": (" \n\t\n", "the answer is empty"),
    "an empty block": ("```python\n\n```", "the code block of main is empty"),
    "no end": (f"```python\n{CHILD}", "a fenced code block has no end"),
    "no end of a second block": (f"```python\n{CHILD}```\n```python\nf(", "a fenced code block has no end"),
    "the parent": (f"```python\n{PARENT}```", "there already, unchanged"),
    "the parent with other blanks": ("```python\ndef f(x):  \n    return x\n\n\n```", "there already, unchanged"),
    "edits that change nothing": (edit("    return x", "    return x"), "there already, unchanged"),
    "cpp by its tag": (f"```cpp\n{CPP}```", "main is in cpp, python was asked for"),
    "cpp without a tag": (f"```\n{CPP}```", "main is not valid Python: line 3"),
    "only a command": ("```bash\npython f.py\n```", "main is in bash, python was asked for"),
    "a unified diff": ("```diff\n-    return x\n+    return x * x\n```", "main is in diff, python"),
    "broken python": ("```python\ndef f(x:\n    return\n```", "line 1: '(' was never closed: 'def f(x:'; mend"),
    "brackets without end": (f"```python\n{'(' * 5000}\n```", "main is not valid Python"),
    "nested too deeply": (f"```python\nx = {'-' * 90_000}1\n```", "main cannot be parsed as Python"),
    "thoughts without end": ("<think>\nLet me see\n```python\nx = 1\n```", "ends within the model's thoughts"),
    "only thoughts": ("<think>\nLet me see\n</think>\n", "the answer is empty"),
    "the file twice": (f"### main\n```\n{CHILD}```\n### main\n```\n{CHILD}```", "gives main more than once"),
    "files that are not there": (f"### a.py\n```\n{CHILD}```\n### b.py\n```\nx\n```", "'a.py' is not a file"),
    "a file beside it": (f"```\n{CHILD}```\n### b.py\n```\nx\n```", "'b.py' is not a file of the program"),
    "a path upwards": (f"### ../../etc/passwd\n```python\n{CHILD}```", "'../../etc/passwd' is not one inside"),
    "an absolute path": (f"```python /etc/passwd\n{CHILD}```", "'/etc/passwd' is not one inside"),
    "a path of Windows": (f"### C:\\temp\\f.py\n```python\n{CHILD}```", "is not one inside the program's folder"),
    "a path of somebody's home": (f"### ~/.ssh/id.py\n```python\n{CHILD}```", "is not one inside"),
    "a NUL": ("```python\nx = 1\0\n```", "line 2 of the answer holds the control character U+0000"),
    "an escape sequence": (
        "\x1b[31mred\n```python\nx = 1\n```",
        "line 1 of the answer holds the control character U+001B",
    ),
    "a lone surrogate": ("```python\nx = '\ud800'\n```", "U+D800, which UTF-8 cannot store"),
    "two megabytes": (
        "```python\n" + "x = 1  # and on it goes\n" * 90_000 + "```",
        "2160013 characters, more than 1000000",
    ),
    "a megabyte on a line": (f"```python\nx = '{'a' * 990_000}'\n```", "a line of the answer has 990006 characters"),
    "fences without end": ("```python\n" * 100_000, "a fenced code block has no end"),
    "backquotes": ("`" * 99_000, "no end"),
    "marks without end": ("<<<<<<< SEARCH\n" * 60_000, "block 1 has no line >>>>>>> REPLACE"),
    "marks of another form": (
        "```\n<<<<<<< ORIGINAL\n    return x\n=======\n    return 1\n>>>>>>> UPDATED\n```",
        "main holds the mark of an edit, '<<<<<<< ORIGINAL': give the whole file, or blocks",
    ),
    "an edit that leaves nothing": (edit(PARENT.rstrip(), ""), "blocks leave nothing of main"),
    "an edit that does not apply": (edit("    return y", "    return 1"), "nearest line is 2: 'return x'"),
}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_an_answer_that_is_no_candidate_is_rejected_soon_with_the_reason_and_the_answer(desk, kind):
    answer, words = OUTCOMES[kind]
    at = desk(said(answer))
    started = time.process_time()
    rejection = at.rejection("rewrite", at.trial(0, PARENT))
    assert time.process_time() - started < 2
    assert words in rejection.reason
    assert rejection.draft == (answer.encode("utf-8", "replace").decode() if answer.strip() else "(empty)")


@pytest.mark.parametrize(("finish", "words"), [("length", "cut off at max_tokens"), ("filter", "withheld the answer")])
def test_an_answer_that_was_cut_off_or_withheld_is_rejected_even_if_code_is_in_it(desk, finish, words):
    answer = f"```python\n{CHILD}```"
    at = desk(said(answer, finish))
    rejection = at.rejection("rewrite", at.trial(0, PARENT))
    assert words in rejection.reason
    assert rejection.draft == answer


@pytest.mark.parametrize("answer", [f"```python\n{CHILD}```", f"```\n{CHILD}```", f"```cpp\n{CHILD}```"])
def test_python_where_cpp_was_asked_for_is_recognised(answer):
    assert "main is in python, cpp was asked for" in reason(answer, "int main() {}\n", language="cpp")


def test_prose_with_braces_is_no_cpp():
    assert "no code block" in reason("Use {a, b} here.\nThat is all.", "int main() {}\n", language="cpp")


def test_an_unchanged_second_parent_is_no_child(desk):
    at = desk(f"```python\n{CHILD}```")
    assert "there already" in at.rejection("crossover", at.trial(0, PARENT), at.trial(1, CHILD)).reason


def test_a_refused_request_rejects_the_candidate(desk):
    at = desk(LlmRefused("prompt of 300000 tokens:\ntoo long"))
    rejection = at.rejection("rewrite", at.trial(0, PARENT))
    assert rejection.reason == "the model refused the request: prompt of 300000 tokens: too long"
    assert rejection.draft == ""


@pytest.mark.parametrize("error", [LlmUnavailable("no credit"), RuntimeError("the budget is used up")])
def test_other_troubles_of_the_service_are_not_the_candidates(desk, error):
    at = desk(error)
    with pytest.raises(type(error)):
        at.mutate("rewrite", at.trial(0, PARENT))


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from(["python", "cpp", ""]))
def test_whatever_is_answered_there_is_a_new_program_or_a_reason(answer, language):
    outcome = outcome_of(answer, language)
    assert outcome.strip() not in ("", PARENT.strip())
    assert "MORE THAN ONE LINE" not in outcome


# -- several files ----------------------------------------------------------------------------------------------------

FILES = {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n", "Makefile": "all:\n\ttrue\n"}


def files(answer, ground=FILES, **rules):
    return read_answer(said(answer), AnswerBase(ground, known=(ground,)), AnswerRules("python", **rules))


def no_files(answer, **rules):
    with pytest.raises(CandidateRejected) as caught:
        files(answer, **rules)
    return caught.value.reason


@pytest.mark.parametrize(
    "answer",
    [
        "### src/b.py\n```python\nb = 2\n```",
        "```python src/b.py\nb = 2\n```",
        "```src/b.py\nb = 2\n```",
        "An example:\n```python\nb = 3\n```\n### src/b.py\n```python\nb = 2\n```",
        "### src/b.py\n" + edit("b = 1", "b = 2"),
        edit("b = 1", "b = 2"),
    ],
)
def test_a_file_that_is_not_mentioned_stays_as_it_is(answer):
    assert files(answer) == {**FILES, "src/b.py": "b = 2\n"}


def test_several_files_change_at_once_each_in_its_language():
    answer = "### src/a.py\n```python\na = 2\n```\n### Makefile\n```make\nall:\n\tfalse\n```"
    assert files(answer) == {**FILES, "src/a.py": "a = 2\n", "Makefile": "all:\n\tfalse\n"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            "```python\na = 2\n```",
            "no code block says which file it is: put a heading `### path` before each (src/a.py",
        ),
        ("a = 2\n", "no code block"),
        ("### c.py\n```python\nc = 1\n```", "'c.py' is not a file of the program: its files are src/a.py, src/b.py"),
        ("### src/a.py\n```\na = 2\n```\n### ./src/a.py\n```\na = 3\n```", "gives src/a.py more than once"),
        ("### src/a.py\n```cpp\nint a;\n```", "src/a.py is in cpp, python was asked for"),
        ("### src/a.py\n```python\na = = 1\n```", "src/a.py is not valid Python: line 1"),
        ("### src/../../a.py\n```python\na = 2\n```", "is not one inside the program's folder"),
        ("### src//a.py\n```python\na = 2\n```", "is not one inside the program's folder"),
        ("### src/a.py\n```python\na = 1\n```", "there already, unchanged"),
        ("### src/a.py\n```python\n\n```", "the code block of src/a.py is empty"),
    ],
)
def test_answers_about_files_that_are_rejected(answer, words):
    assert words in no_files(answer)


@pytest.mark.parametrize(
    "path", ["../x.py", "/x.py", "a/./b.py", "~/x.py", "x" * 300 + ".py", "a\u202eb.py", "\\\\srv\\x.py"]
)
def test_even_where_new_files_are_allowed_none_leaves_the_folder(path):
    assert "is not one inside the program's folder" in no_files(f"### {path}\n```python\nx = 1\n```", new_files=True)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/a.py/x.py", "cannot be there beside 'src/a.py': one is a folder"),
        ("src", "cannot be there beside 'src/a.py'"),
        (".git/hooks/x.py", "is a hidden one"),
    ],
)
def test_a_new_file_stands_in_no_other_ones_way(path, words):
    assert words in no_files(f"```python path={path}\nx = 1\n```", new_files=True)


def test_new_files_are_taken_where_the_option_allows_them(desk):
    answer = "### src/c.py\n```python\nc = 1\n```"
    at = desk(answer, answer, new_files=True)
    parent = at.trial(0, FILES)
    assert at.mutate("rewrite", parent).files == {**FILES, "src/c.py": "c = 1\n"}
    assert "not a file of the program" in desk(answer).rejection("rewrite", parent).reason


def test_a_program_of_one_file_gets_a_second_one_where_that_is_allowed():
    answer = f"```python\n{CHILD}```\n### lib.py\n```python\ny = 1\n```"
    assert files(answer, {"main": PARENT}, new_files=True) == {"main": CHILD, "lib.py": "y = 1\n"}


# -- fresh programs ---------------------------------------------------------------------------------------------------


def test_a_fresh_program_has_the_file_of_the_seeds(desk):
    at = desk(f"```python\n{CHILD}```", problem={"seeds": ({"sort.py": PARENT},)})
    assert at.mutate("fresh").files == {"sort.py": CHILD}


def test_a_fresh_program_without_seeds_is_one_file(desk):
    child = desk(f"```python\n{CHILD}```").mutate("fresh")
    assert child.source == CHILD
    assert child.parents == ()


def test_a_fresh_program_of_several_files_has_all_of_them(desk):
    at = desk("### src/a.py\n```python\na = 2\n```", problem={"seeds": (FILES,)})
    assert "the file src/b.py is missing in the answer" in at.rejection("fresh").reason


def test_a_file_that_is_empty_in_the_seeds_need_not_be_written(desk):
    seed = {"pkg/__init__.py": "", "pkg/a.py": "a = 1\n"}
    written = "### pkg/a.py\n```python\na = 2\n```"
    empty = "\n### pkg/__init__.py\n```python\n```"
    at = desk(written, written + empty, problem={"seeds": (seed,)})
    assert at.mutate("fresh").files == at.mutate("fresh").files == {**seed, "pkg/a.py": "a = 2\n"}


def test_a_fresh_program_cannot_be_edits(desk):
    assert "give whole files" in desk(edit("a", "b")).rejection("fresh").reason


# -- threads ----------------------------------------------------------------------------------------------------------


def test_many_calls_at_a_time_come_out_as_one_after_the_other(desk):
    answers = [f'```python\nx = {number}\ny = "\\d"\n```' for number in range(64)]
    at = desk()

    def child(answer):
        own = desk(answer)
        own.plugin = at.plugin
        return own.mutate("rewrite", own.trial(0, PARENT)).source

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(child, answers)) == [f'x = {number}\ny = "\\d"\n' for number in range(64)]
