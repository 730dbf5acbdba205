"""What the documentation says is so: its code runs, its commands exist, its tables match the models, its links resolve."""

import ast
import builtins
import importlib
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import closing
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import click
import pytest
import yaml
from pydantic import BaseModel

import evograft_hookspecs
from evograft.cli import cli
from evograft.cli.export import COLUMNS
from evograft.config.loading import resolve_pipeline
from evograft.config.pipeline import (
    Budget,
    Deadlines,
    DriverSection,
    EmbeddingSection,
    LlmSection,
    ModelSection,
    Novelty,
    Pipeline,
    PluginSection,
    StrongModels,
)
from evograft.config.user_settings import Settings
from evograft.errors import EvograftError
from evograft.plugin.entry_points import installed
from evograft.plugin.loading import preset_data
from evograft.session.settings_changes import AT_ONCE, BY_WINDOW
from evograft_hookspecs import SandboxLimits, hooks
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox
from evograft_sandbox.functions import FunctionLimits
from evograft_sandbox.functions.layers import LAYERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
READMES = tuple(ROOT / name for name in ("README.md", "README.ja.md", "core/README.md", "hookspecs/README.md"))
PROJECTS = (ROOT / "core/pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml"))
PAGES = (*sorted(DOCS.rglob("*.md")), *READMES)
ALL_PAGES = (*PAGES, ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("plugins/*/README*.md")))
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text, *languages):
    return [match[3] for match in BLOCK.finditer(text) if not languages or match[1] in languages]


def write_titled_blocks(text, folder):
    files = {match[2]: match[3] for match in BLOCK.finditer(text) if match[2]}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return files


def section(text, heading):
    """The text below a heading, up to the next one that is not below it."""
    level = heading.index(" ")
    _, _, rest = text.partition(f"\n{heading}\n")
    assert rest, f"no heading {heading!r}"
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def table_rows(text):
    """The cells of all tables, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    ruled = [index for index, row in enumerate(rows) if set(row[0]) == {"-"}]
    return [row for index, row in enumerate(rows) if index not in ruled and index + 1 not in ruled]


# -- the reference of hooks -------------------------------------------------------------------------------------------


def test_the_reference_of_hooks_is_what_the_generator_prints():
    done = subprocess.run(
        [sys.executable, DOCS / "generate_hooks.py"], capture_output=True, check=True, encoding="utf-8"
    )
    assert page("hooks.md") == done.stdout, "run: python docs/generate_hooks.py > docs/hooks.md"


def test_every_hook_and_every_exported_class_has_a_section():
    sections = set(re.findall(r"^### (\w+)$", page("hooks.md"), re.MULTILINE))
    specified = {name for name, each in vars(hooks).items() if hasattr(each, "evograft_spec")}
    exported = {name for name in evograft_hookspecs.__all__ if isinstance(getattr(evograft_hookspecs, name), type)}
    assert len(specified) == 8
    assert specified | exported <= sections


def test_every_hook_says_when_it_is_called_and_what_it_returns():
    for name in (name for name, each in vars(hooks).items() if hasattr(each, "evograft_spec")):
        text = section(page("hooks.md"), f"### {name}")
        for label in ("Called", "Returns", "None", "Who else answers", "Units and shapes"):
            assert f"- **{label}:** " in text, f"{name}: {label}"
        assert "@hookimpl" in text, f"{name} has no example"


# -- the plugin that is written step by step --------------------------------------------------------------------------


@pytest.fixture
def coin(runs, tmp_path, monkeypatch):
    """The files of the page, and the metadata that installing them would make."""
    folder = tmp_path / "coin"
    folder.mkdir()
    files = write_titled_blocks(page("writing-a-plugin.md"), folder)
    metadata = folder / "evograft_coin-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: evograft-coin\nVersion: 0.1\n")
    (entry,) = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]["evograft.plugins"].items()
    (metadata / "entry_points.txt").write_text("[evograft.plugins]\n{} = {}\n".format(*entry))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    )
    return folder


def test_the_plugin_of_the_page_runs_and_finds_what_the_page_shows(coin, runs):
    done = runs.evo_apart("run", "--plugin", "coin", "--trials", "1000", "--seed", "1")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()[:2]
    assert len(shown) == 2
    for text in (page("writing-a-plugin.md"), *(readme.read_text(encoding="utf-8") for readme in READMES[:2])):
        assert shown[0] in text.splitlines()
    assert shown[1] in page("writing-a-plugin.md").splitlines()
    best = runs.evo_apart("show", "latest", "--trial", "best")
    assert best.stdout.strip() in page("writing-a-plugin.md")


def test_the_plugin_of_the_page_has_at_most_40_lines_with_its_project_file():
    files = {match[2]: match[3] for match in BLOCK.finditer(page("writing-a-plugin.md"))}
    lines = [line for name in ("pyproject.toml", "coin.py") for line in files[name].splitlines() if line.strip()]
    assert len(lines) <= 40


def test_the_tests_of_the_page_pass(coin):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_coin.py"]
    done = subprocess.run(command, cwd=coin, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_a_misspelt_option_is_refused_as_the_page_shows(coin, runs):
    source = (coin / "coin.py").read_text()
    options = next(block for block in blocks(page("writing-a-plugin.md"), "python") if "CoinOptions" in block)
    changed = source.replace("Options = NoOptions", "Options = CoinOptions")
    (coin / "coin.py").write_text(changed.replace("class Coin:", f"{options.partition('class Coin:')[0]}class Coin:"))
    done = runs.evo_apart("run", "--plugin", "coin", "--set", "plugins.coin.with.belw=50")
    assert done.returncode == 2
    assert done.stderr.strip() in page("writing-a-plugin.md")


def test_a_failure_of_the_plugin_is_said_as_the_page_shows(coin, runs):
    source = (coin / "coin.py").read_text()
    anchor = "        coins, pieces = "
    failing = "        if candidate.trial == 9:\n            raise OSError('prices.csv is missing')\n"
    (coin / "coin.py").write_text(source.replace(anchor, failing + anchor))
    done = runs.evo_apart("run", "--plugin", "coin")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] in page("running.md").splitlines()


def test_a_resume_answers_as_the_pages_show(coin, runs):
    assert runs.evo_apart("run", "--plugin", "coin", "--trials", "20").returncode == 0
    refused = runs.evo_apart("resume", "coin-1", "--set", "seed=8")
    assert refused.returncode == 2
    assert refused.stderr.strip() in page("pipeline.md").splitlines()
    metadata = coin / "evograft_coin-0.1.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 0.1", "Version: 0.2"))
    noted = runs.evo_apart("resume", "coin-1")
    assert noted.returncode == 0
    assert noted.stderr.splitlines()[1] in page("running.md").splitlines()


@pytest.mark.parametrize("readme", READMES[:2], ids=lambda path: path.name)
def test_the_readme_shows_the_plugin_of_the_page(readme):
    files = {match[2]: match[3] for match in BLOCK.finditer(page("writing-a-plugin.md"))}
    text = readme.read_text(encoding="utf-8")
    assert files["coin.py"] in text
    assert files["pyproject.toml"] in text


def test_both_readmes_show_the_same_commands_and_code():
    english, japanese = (
        [re.sub(r" *# .*", "", block) for block in blocks(readme.read_text(encoding="utf-8"))] for readme in READMES[:2]
    )
    assert english == japanese


# -- the program of the page ---------------------------------------------------------------------------------------


def install(folder, name, files, monkeypatch):
    """Makes the metadata of an installation of what lies in the folder."""
    metadata = folder / f"{name}-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    lines = []
    for group, entries in tomllib.loads(files["pyproject.toml"])["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{entry} = {place}" for entry, place in entries.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))


ANSWER = """import numpy as np
# EVOLVE-BLOCK-START
def place(count):
    return np.column_stack([np.arange(count) / (count - 1), np.arange(count) % 2])
# EVOLVE-BLOCK-END
"""


def test_the_python_program_of_the_page_is_evolved_as_shown(runs, tmp_path, monkeypatch):
    files = write_titled_blocks(page("evolving-python.md"), tmp_path)
    install(tmp_path, "evograft_points", files, monkeypatch)
    first = runs.evo_apart("run", "points.yaml", "--trials", "1")
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines()[0] in page("evolving-python.md").splitlines()

    driver = tmp_path / "driver"
    driver.mkdir()
    install(driver, "evograft_pipe_llm", write_titled_blocks(page("writing-a-driver.md"), driver), monkeypatch)
    command = [sys.executable, "-c", f"print('```python\\n' + {ANSWER!r} + '```')"]
    llm = json.dumps({"driver": "pipe", "command": command})
    off = "operators={operators.diff: 0, operators.fresh: 0}"
    done = runs.evo_apart(
        "run", "points.yaml", "--set", f"llm={llm}", "--set", off, "--trials", "2", "--run-dir", "second"
    )
    assert done.returncode == 0, done.stderr
    (_, answered) = runs.trials(tmp_path / "second")
    assert answered["evaluation"]["status"] == "ok"
    assert set(answered["evaluation"]["metrics"]) == {"mean distance", "cpu seconds"}
    program = answered["candidate"]["files"]["program.py"]
    assert "np.arange(count) % 2" in program
    assert program.endswith("np.savetxt(sys.stdout, place(int(sys.argv[1])))\n")


# -- the driver of the page -------------------------------------------------------------------------------------------


@pytest.fixture
def command_driver(runs, tmp_path, monkeypatch):
    """The driver of the page, and a pipeline whose plugin asks models through it."""
    folder = tmp_path / "driver"
    folder.mkdir()
    files = write_titled_blocks(page("writing-a-driver.md"), folder)
    install(folder, "evograft_pipe_llm", files, monkeypatch)

    def run(*command, **settings):
        llm = {"driver": "pipe", "command": command, "retries": 0, **settings}
        pipeline = {"name": "asked", "plugins": ["asker"], "budget": {"trials": 3}, "llm": llm}
        (tmp_path / "asked.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(pipeline))))
        return runs.evo_apart("run", "asked.yaml", "--json")

    return run


def test_the_driver_of_the_page_answers_with_what_its_command_prints(command_driver, tmp_path):
    script = "import sys; assert 'trial' in sys.stdin.read(); print(len(sys.argv[1]))"
    done = command_driver(sys.executable, "-c", script, "{model}", models=["twenty-nine-letters-are-here!"])
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["best"]["candidate"]["files"]["main"] == "29.0"
    assert result["best"]["evaluation"]["score"] == -1.0


def test_the_driver_of_the_page_says_what_is_missing(command_driver):
    done = command_driver("no-such-program")
    assert done.returncode == 4
    assert "there is no program 'no-such-program': install it, or change llm.command" in done.stderr


def test_a_misspelt_option_of_the_driver_of_the_page_is_refused(command_driver):
    done = command_driver("true", comand="true")
    assert done.returncode == 2
    assert "unknown key 'comand'; did you mean 'command'?" in done.stderr


def test_the_kinds_of_drivers_of_the_page_are_all_there_are_with_all_that_ship():
    rows = table_rows(section(page("writing-a-driver.md"), "## The other kinds"))
    listed = {row[1].strip("`"): set(re.findall(r"`(\w+)`", row[4])) for row in rows}
    shipped = [project_of(path.parent).get("entry-points", {}) for path in PROJECTS]
    assert listed == {group: {name for groups in shipped for name in groups.get(group, ())} for group in listed}
    assert set(listed) == {
        f"evograft.{kind}" for kind in ("llm", "embedding", "novelty", "executor", "sandbox", "store")
    }


# -- the sandbox ------------------------------------------------------------------------------------------------------


def test_the_sandbox_example_prints_what_the_page_shows(tmp_path):
    files = write_titled_blocks(page("sandbox.md"), tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "squares.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == files["output"]


def test_the_sandbox_page_names_every_limit_with_its_default_and_every_mechanism():
    limits = {row[0].strip("`"): float(row[1]) for row in table_rows(section(page("sandbox.md"), "## Limits"))}
    assert limits == FunctionLimits().model_dump()
    layers = section(page("sandbox.md"), "## Isolation")
    assert tuple(row[0].strip("`") for row in table_rows(layers)) == LAYERS


def test_the_sandbox_page_names_every_limit_of_commands_with_its_default():
    rows = table_rows(section(page("sandbox.md"), "### What a command gets"))
    stated = {row[0].strip("`"): None if row[1] == "none" else float(row[1]) for row in rows}
    assert stated == SandboxLimits().model_dump()


def test_the_commands_of_the_sandbox_page_compile_and_judge(tmp_path):
    files = write_titled_blocks(page("sandbox.md"), tmp_path)
    judging, interactive = ({}, {})
    exec(files["judging.py"], judging)
    exec(files["interactive.py"], interactive)
    doubles = '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d\\n", 2 * n); }\n'
    tester = b"#!/bin/sh\nread n; echo $n | $1 > out; echo Score = $(cat out) >&2\n"
    with closing(ProcessSandbox(ProcessOptions())) as sandbox, closing(sandbox.open()) as session:
        assert judging["compile_program"](session, doubles).exit_code == 0
        assert judging["run_case"](session, b"21").stdout == b"42\n"
        session.write({"tester": tester})
        assert interactive["run_interactive"](session, b"21\n")[1].stderr == b"Score = 42\n"


def test_the_python_candidates_of_the_sandbox_page_are_scored(tmp_path):
    python_judging = {}
    exec(write_titled_blocks(page("sandbox.md"), tmp_path)["python_judging.py"], python_judging)
    computes = "import numpy\nopen('score.txt', 'w').write(str(numpy.arange(5).sum()))\n"
    with (
        closing(ProcessSandbox(ProcessOptions())) as sandbox,
        closing(python_judging["open_session"](sandbox)) as session,
    ):
        assert python_judging["score"](session, computes) == (10.0, "")
        score, reason = python_judging["score"](session, "raise ValueError('none')")
        assert score is None
        assert "ValueError: none" in reason


# -- commands ---------------------------------------------------------------------------------------------------------


def commands():
    """Every command line with `evo` in a console or shell block, or in the text between backquotes."""
    for path in ALL_PAGES:
        text = path.read_text(encoding="utf-8")
        found = [line.removeprefix("$ ") for block in blocks(text, "console", "sh") for line in block.splitlines()]
        found += re.findall(r"`(evo [^`\n]+)`", BLOCK.sub("", text))
        for line in found:
            if line.startswith("evo "):
                yield pytest.param(line, id=f"{path.relative_to(ROOT)}: {line}")


COMMANDS = list(commands())


def words_of(line):
    words = shlex.split(line, comments=True)[1:]
    return words[: words.index(">")] if ">" in words else words


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_exists_with_its_options(line):
    name, *arguments = words_of(line)
    if name.startswith("-"):
        assert name in {option for parameter in cli.get_params(click.Context(cli)) for option in parameter.opts}
        return
    command = cli.get_command(click.Context(cli), name)
    assert command is not None, f"there is no command {name!r}"
    if isinstance(command, click.Group) and not arguments:
        return  # a group is named, and nothing is called
    command.make_context(name, [argument for argument in arguments if argument != "--help"])


@pytest.mark.parametrize("line", [line for line in COMMANDS if "--set " in line.values[0]])
def test_every_override_is_one_of_the_pipeline(line):
    given = re.findall(r"--set (\S+=\S+)", line)
    # Of another plugin's options only that plugin knows.
    overrides = [override for override in given if not override.startswith(("plugins.coin", "KEY="))]
    resolve_pipeline(preset_data("graph_invariant"), overrides, source="preset")


def test_the_page_shows_every_command_at_least_once():
    shown = {words_of(line.values[0])[0] for line in COMMANDS if line.id.startswith("docs/running.md")}
    assert shown >= set(cli.list_commands(click.Context(cli)))


def test_the_cores_own_page_names_its_commands_drivers_and_extras():
    text = (ROOT / "core" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    project = project_of(ROOT / "core")
    drivers = {name for group, names in project["entry-points"].items() for name in names}
    own = {name for name in cli.list_commands(click.Context(cli)) if cli.get_command(click.Context(cli), name)}
    own -= {
        name
        for path in ROOT.glob("plugins/*")
        for name in project_of(path).get("entry-points", {}).get("evograft.commands", {})
    }
    assert named >= own | drivers | set(project["optional-dependencies"])


def test_the_exit_codes_are_those_of_the_errors():
    codes = {int(row[0]) for row in table_rows(section(page("running.md"), "## Exit codes"))}
    classes = [EvograftError, *EvograftError.__subclasses__()]
    assert codes == {each.exit_code for each in classes} | {0, 130}


def test_every_message_about_a_log_is_one_of_the_code():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "core" / "src").rglob("*.py"))
    faults = section(page("running.md"), "## When something is wrong with a log")
    messages = [message for row in table_rows(faults) for message in re.findall(r"`([^`]+)`", row[0])]
    assert len(messages) > 10
    for message in messages:
        # Files, numbers and processes are filled in; SQLite itself says that a disk is full.
        filled_in = r"\b[a-z.]+\.(?:sqlite|yaml)\b|\b[NMP]\b|…|database or disk is full"
        for fragment in re.split(filled_in, message):
            assert fragment in code, message


def test_every_extra_is_listed_where_it_can_be_installed():
    listed = re.findall(r"^\| `(\w+)` \| ([\w/]+) \|", page("installing.md"), re.MULTILINE)
    extras = {
        str(path.parent.relative_to(ROOT)): project_of(path.parent).get("optional-dependencies", {})
        for path in PROJECTS
    }
    assert set(listed) == {(extra, folder) for folder, names in extras.items() for extra in names}


def project_of(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def test_every_setting_of_the_user_is_shown():
    shown = section(page("running.md"), "## Plugins and settings")
    for name, field in Settings.model_fields.items():
        assert f"{name} = {field.default}" in shown
        assert field.description in shown


# -- the pipeline -----------------------------------------------------------------------------------------------------


def keys_of(model, prefix=""):
    return {f"{prefix}{field.alias or name}": field for name, field in model.model_fields.items()}


SECTIONS = {
    "plugins": PluginSection,
    "budget": Budget,
    "deadlines": Deadlines,
    "llm": LlmSection,
    "llm.models": ModelSection,
    "llm.strong": StrongModels,
    "novelty": Novelty,
    "novelty.embedding": EmbeddingSection,
    "executor": DriverSection,
    "sandbox": DriverSection,
    "store": DriverSection,
}


def all_keys():
    found = keys_of(Pipeline)
    for name, model in SECTIONS.items():
        found |= keys_of(model, f"{name}.")
    for kind in ("executor", "sandbox", "store"):
        for entries in installed(f"evograft.{kind}").values():
            for entry in entries:
                found |= keys_of(entry.load().Options, f"{kind}.")
    return found


def documented_keys():
    return {row[0].strip("`"): row for row in table_rows(section(page("pipeline.md"), "## Keys"))}


def test_every_key_of_the_pipeline_is_documented_and_no_other():
    assert set(documented_keys()) == set(all_keys())


def test_every_limit_of_the_budget_is_among_the_stops():
    assert set(Budget.model_fields) <= set(re.findall(r"`(\w+)`", section(page("running.md"), "### Stops")))


def test_every_column_of_an_export_is_named():
    assert set(COLUMNS) <= set(re.findall(r"`(\w+)`", section(page("running.md"), "## Export")))


def test_the_defaults_are_those_of_the_model():
    compared = set()
    for key, field in all_keys().items():
        default = documented_keys()[key][2]
        if field.is_required():
            # The driver's name is required in its section, and the section has a default.
            assert default == "required" or key.endswith(".driver"), key
        elif not isinstance(field.default, BaseModel) and (default.startswith("`") or default == "null"):
            assert yaml.safe_load(default.strip("`")) == field.default, key
            compared.add(key)
    assert len(compared) > 20
    for kind in ("llm", "executor", "sandbox", "store"):
        usual = Pipeline.model_fields[kind].default.driver
        assert documented_keys()[kind][2] == documented_keys()[f"{kind}.driver"][2] == f"`{usual}`"
    assert documented_keys()["budget"][2] == f"`trials: {Pipeline.model_fields['budget'].default.trials}`"


def driver_options(kind):
    return {name: entries[0].load().Options for name, entries in installed(f"evograft.{kind}").items()}


def test_every_driver_of_models_and_vectors_is_listed_with_its_options_and_their_defaults():
    models, vectors = page("models.md"), section(page("models.md"), "## Embeddings")
    listed = {row[0].strip("`") for row in table_rows(models.partition("## Keys")[0])}
    assert listed == set(driver_options("llm"))
    assert {row[0].strip("`") for row in table_rows(vectors)[:2]} == set(driver_options("embedding"))
    tables = {
        name: (section(models, f"## {name}"), each) for name, each in driver_options("llm").items() if name != "none"
    }
    tables["vectors"] = (vectors, driver_options("embedding")["openai"])
    for name, (text, options) in tables.items():
        rows = {row[0].strip("`"): row for row in table_rows(text) if len(row) == 4}
        assert set(rows) == set(options.model_fields), name
        for key, field in options.model_fields.items():
            shown = rows[key][2].strip("`")
            if field.is_required():
                assert shown == "required", key
            else:
                read = options.model_validate({key: yaml.safe_load({"empty": '""'}.get(shown, shown))})
                assert getattr(read, key) == field.default, key


def test_what_may_change_on_resume_is_what_the_code_lets_change():
    rows = table_rows(section(page("pipeline.md"), "## Changing settings of a run"))
    at_once, by_window, fixed = (set(re.findall(r"`(\w+)`", row[0])) for row in rows)
    assert at_once == AT_ONCE
    assert by_window == BY_WINDOW
    assert fixed == set(Pipeline.model_fields) - AT_ONCE - BY_WINDOW


def test_the_pipelines_that_are_shown_are_valid():
    found = [
        block
        for name in ("pipeline.md", "writing-a-plugin.md", "writing-a-driver.md", "evolving-python.md", "models.md")
        for block in blocks(page(name), "yaml")
    ]
    assert len(found) >= 2
    for block in found:
        resolve_pipeline(yaml.safe_load(block), [], source="page")


# -- links ------------------------------------------------------------------------------------------------------------


def anchors(text):
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_resolves(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", path.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked.read_text(encoding="utf-8")), target


def test_the_navigation_lists_pages_that_exist_and_the_map_links_all_of_them():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    listed = list(pages_of(nav))
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    assert [next(iter(group)) for group in nav] == re.findall(r"^## ([\w-]+)$", page("index.md"), re.MULTILINE)[
        : len(nav)
    ]
    for group in nav:
        ((title, pages),) = group.items()
        linked = re.findall(r"\((\S+\.md)\)", section(page("index.md"), f"## {title}"))
        assert [name for name in pages_of(pages) if name != "index.md" and "/" not in name] == linked


@pytest.mark.parametrize("name", ["benchmarks", "decisions"])
def test_a_page_with_a_folder_links_all_of_its_pages(name):
    assert {path.name for path in (DOCS / name).glob("*.md")} == set(
        re.findall(rf"\({name}/([\w-]+\.md)", page(f"{name}.md"))
    )


def pages_of(nav):
    """The files of a navigation, of all of its sections."""
    for entry in nav:
        for inside in entry.values():
            yield from [inside] if isinstance(inside, str) else pages_of(inside)


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_have_as_many_cells_in_each_row_as_in_their_head(path):
    text = BLOCK.sub("", path.read_text(encoding="utf-8"))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table


# -- names ------------------------------------------------------------------------------------------------------------


FILES = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.splitlines()
FILES = [file for file in FILES if (ROOT / file).is_file()]
GROUPS = {group for path in PROJECTS for group in project_of(path.parent).get("entry-points", {})}
GROUPS |= {"evograft.graph_quantities"}  # for distributions of others alone
EXAMPLES = {
    "src/a.py",
    "src/main.py",
    "path/to/file.py",
    "pipelines/NAME.yaml",
    "plugins/NAME/src/evograft_NAME",
    "tests/certs/*.pem",
}
"""Paths in examples, of projects of yours."""


def is_named(dotted):
    """Whether a module of this name exists, or an attribute below one."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_dotted_name_of_ours_exists(path):
    text = path.read_text(encoding="utf-8")
    dotted = set(re.findall(r"(?<![\w/.-])(evograft(?:_\w+)?(?:\.[A-Za-z_]\w*)+)", text)) - GROUPS
    dotted |= {
        f"{module}.{name}"
        for module, names in re.findall(r"^ *from (evograft[\w.]*) import (.+)$", text, re.MULTILINE)
        for name in names.split(", ")
    }
    assert [name for name in sorted(dotted) if not is_named(name)] == []


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_and_folder_of_ours_exists(path):
    text = path.read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w/.:-])((?:core|docs|hookspecs|plugins|tests)/[\w./*-]*[\w*])", text))
    named |= set(re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:py|c|yaml|toml))`", text))
    named |= set(re.findall(r"`(evograft_\w+(?:/\w+)+)`", text))
    missing = [name for name in named - EXAMPLES if not any(fnmatch(f"/{file}/", f"*/{name}/*") for file in FILES)]
    assert sorted(missing) == []


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_class_that_is_named_exists(path):
    named = set(re.findall(r"`([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)`", path.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if name not in identifiers() and not hasattr(builtins, name)] == []


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_that_begins_with_an_import_uses_no_name_from_nowhere(path):
    unknown = {}
    for block in blocks(path.read_text(encoding="utf-8"), "python"):
        if block.startswith(("import ", "from ")):
            nodes = list(ast.walk(ast.parse(block)))
            used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
            missing = used - bound_names(nodes) - set(dir(builtins)) - {"__file__"}
            if missing:
                unknown[block.splitlines()[0]] = sorted(missing)
    assert unknown == {}


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_passes_arguments_that_exist(path):
    """Keywords of calls of what a block imports from us are parameters."""
    wrong = []
    for block in blocks(path.read_text(encoding="utf-8"), "python"):
        if not block.startswith(("import ", "from ")):
            continue
        nodes = list(ast.walk(ast.parse(block)))
        ours = {
            alias.asname or alias.name: getattr(importlib.import_module(node.module), alias.name, None)
            for node in nodes
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("evograft")
            for alias in node.names
        }
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and callable(ours.get(node.func.id)):
                parameters = inspect.signature(ours[node.func.id]).parameters.values()
                if not any(each.kind is each.VAR_KEYWORD for each in parameters):
                    known = {each.name for each in parameters}
                    wrong += [
                        f"{node.func.id}({each.arg}=)" for each in node.keywords if each.arg not in {None, *known}
                    ]
    assert wrong == []


def bound_names(nodes):
    """The names that code imports, defines or assigns."""
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    imports = [alias for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
    return names | {(alias.asname or alias.name).partition(".")[0] for alias in imports}


FORMER = {"run_pair"}
"""Words of contract 1, which the glossary explains."""


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_call_in_prose_is_of_something_that_exists(path):
    called = set(re.findall(r"`(?:\w+\.)*([A-Za-z_]\w+)\([^`]*`", BLOCK.sub("", path.read_text(encoding="utf-8"))))
    assert sorted(called - words() - set(dir(builtins)) - FORMER) == []


@cache
def words():
    """All words of our sources, and of the code on the pages."""
    sources = [
        (ROOT / file).read_text(encoding="utf-8") for file in FILES if file.endswith((".py", ".c", ".cpp", ".h"))
    ]
    sources += [block for page in ALL_PAGES for block in blocks(page.read_text(encoding="utf-8"))]
    return {word for source in sources for word in re.findall(r"\w+", source)}


@cache
def identifiers():
    """All capitalised names of our sources and of the code on the pages."""
    sources = [(ROOT / file).read_text(encoding="utf-8") for file in FILES if file.endswith(".py")]
    sources += [block for page in ALL_PAGES for block in blocks(page.read_text(encoding="utf-8"), "python")]
    return {name for source in sources for name in re.findall(r"\b[A-Z]\w+", source)}
