"""The copy of a task: what belongs to it, what is noticed later."""

import pytest

from evograft.api import UserError
from evograft_program.options import EvaluatorOptions, EvaluatorStyle, ProgramOptions, TaskOptions
from evograft_program.task.copy import copy_task, describe_changes, list_task, require_whole
from evograft_program.task.files import MOST_FILES, list_files
from evograft_program.task.layout import TaskFiles, TaskLayout, lay_out_task


def options_of(copy, layout, *, read=()):
    return ProgramOptions(
        task=TaskOptions(
            folder=str(copy.folder),
            digest=copy.digest,
            origins={place: str(path) for place, path in layout.sources.items()},
        ),
        evaluator=EvaluatorOptions(path="evaluate.py", style=EvaluatorStyle.OPENEVOLVE, read=tuple(map(str, read))),
    )


@pytest.fixture
def layout(task):
    return TaskLayout({".": task})


@pytest.fixture
def options(layout, tmp_path):
    return options_of(copy_task(list_task(layout), tmp_path / "copy"), layout)


@pytest.mark.parametrize(
    "name",
    [
        *(".git/HEAD", "__pycache__/evaluate.pyc", "old.pyc", ".venv/a.py", "env/pyvenv.cfg"),
        *("runs/valley-1/pipeline.lock.yaml", "openevolve_output/best.py", "results/evolution_db.sqlite"),
    ],
)
def test_caches_environments_and_what_engines_have_written_are_no_part_of_a_task(task, name):
    (task / name).parent.mkdir(parents=True, exist_ok=True)
    (task / name).write_text("")
    assert set(list_files(task)) == {"evaluate.py", "program.py"}


def test_files_in_folders_and_links_to_files_are_copied(task, layout, tmp_path):
    (task / "data").mkdir()
    (task / "data" / "cases.json").write_text("[]")
    (tmp_path / "shared.py").write_text("x = 1")
    (task / "shared.py").symlink_to(tmp_path / "shared.py")
    copy = copy_task(list_task(layout), tmp_path / "copy")
    assert (copy.folder / "data" / "cases.json").read_text() == "[]"
    assert not (copy.folder / "shared.py").is_symlink()
    assert (copy.folder / "shared.py").read_text() == "x = 1"


def test_what_is_read_where_it_is_has_a_link_in_the_copy(task, layout, tmp_path):
    (task / "data").mkdir()
    (task / "data" / "large.bin").write_text("0")
    left_out = frozenset({task / "data"})
    copy = copy_task(list_task(layout, left_out=left_out), tmp_path / "copy", left_out=left_out)
    assert (copy.folder / "data").readlink() == task / "data"
    options = options_of(copy, layout, read=[task / "data"])
    require_whole(options.task)
    assert describe_changes(options) == ""


def test_more_files_than_can_be_copied_are_refused(task):
    for number in range(MOST_FILES):
        (task / f"{number}.txt").touch()
    with pytest.raises(UserError, match=r"more than 2000 files.*--read PATH"):
        list_files(task)


def test_a_copy_has_the_digest_of_its_names_and_contents(task, layout, tmp_path):
    first = copy_task(list_task(layout), tmp_path / "a").digest
    assert copy_task(list_task(layout), tmp_path / "b").digest == first
    (task / "program.py").rename(task / "other.py")
    assert copy_task(list_task(layout), tmp_path / "c").digest != first


def test_a_copy_as_it_was_made_is_whole_and_nothing_has_changed(options):
    require_whole(options.task)
    assert describe_changes(options) == ""


@pytest.mark.parametrize("damage", ["change", "remove", "add"])
def test_a_copy_that_is_not_what_was_copied_is_refused(options, tmp_path, damage):
    file = tmp_path / "copy" / ("new.py" if damage == "add" else "evaluate.py")
    if damage == "remove":
        file.unlink()
    else:
        file.write_text("x = 1")
    with pytest.raises(UserError, match="is not what the run began with"):
        require_whole(options.task)


def test_a_run_that_was_moved_is_to_be_moved_back(options, tmp_path):
    (tmp_path / "copy").rename(tmp_path / "moved")
    with pytest.raises(UserError, match="if it was moved, move it back"):
        require_whole(options.task)


def test_changes_of_the_user_are_named_and_many_are_counted(options, task):
    (task / "evaluate.py").write_text("x = 1")
    (task / "program.py").unlink()
    assert (
        "changed since this run began, which goes on with its own copy: evaluate.py, program.py;"
        in describe_changes(options)
    )
    for number in range(4):
        (task / f"a{number}.txt").touch()
    assert "a0.txt, a1.txt, a2.txt and 3 more" in describe_changes(options)


def test_of_files_that_are_gone_altogether_nothing_is_said(options, task):
    task.rename(task.with_name("elsewhere"))
    assert describe_changes(options) == ""


def test_a_program_that_holds_its_evaluator_is_the_whole_task(tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "evaluate.py").touch()
    files = TaskFiles(tmp_path / "bench", tmp_path / "bench" / "evaluate.py", tmp_path)
    layout = lay_out_task(files)
    assert layout.sources == {".": tmp_path}
    assert layout.place_of(files.evaluator) == "bench/evaluate.py"


def test_what_is_elsewhere_gets_a_place_that_nothing_else_has(task, tmp_path):
    (task / "program").mkdir()
    start, final = tmp_path / "start.py", tmp_path / "held_out.py"
    files = TaskFiles(task, task / "evaluate.py", start, {"final": final})
    layout = lay_out_task(files)
    assert layout.sources == {".": task, "program_/start.py": start, "final/held_out.py": final}
    assert layout.place_of(start) == "program_/start.py"
