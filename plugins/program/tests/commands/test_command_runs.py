"""Runs whose model is a program on this machine: what its faults cost, and what stays in the log."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

PROGRAM = """\
import json, subprocess, sys, time
from pathlib import Path

counter = Path(sys.argv[1])
number = int(counter.read_text()) if counter.exists() else 0
counter.write_text(str(number + 1))
sys.stdin.read()
if counter.with_name("hang").exists():
    subprocess.run(["sleep", "54322"])
fault = {1: "login", 2: "flood", 3: "rubbish", 4: "leave"}.get(number)
if fault == "login":
    sys.exit("Please run /login")
if fault == "flood":
    print("x" * 50_000_000)
if fault == "rubbish":
    sys.exit(print("{{{"))
if fault == "leave":
    subprocess.Popen(["sleep", "54321"], start_new_session=True)
program = f"# EVOLVE-BLOCK-START\\nX = {number}.0\\nY = 4.5\\n# EVOLVE-BLOCK-END\\n\\n\\ndef point():\\n    return X, Y\\n"
cost = 0.01 if number < 5 else 5.0
print(json.dumps({"text": f"```python\\n{program}```", "cost": cost}))
"""


@pytest.fixture
def agent(runs):
    """The options for a program that answers, and in some calls does anything else."""
    (runs.folder / "agent.py").write_text(PROGRAM)
    llm = {
        "driver": "command",
        "command": ["python3", str(runs.folder / "agent.py"), str(runs.folder / "counter")],
        "output": {"format": "json", "text": "text", "dollars": "cost"},
        "models": [{"name": "agent", "price": {"prompt": 1.0, "completion": 1.0}}],
        "concurrency": 1,
        "timeout": 600,
    }
    weights = "operators={program.tune: 0, operators.diff: 0, operators.repair: 0, operators.fresh: 0}"
    return ("--llm", "command:agent", "--set", f"llm={json.dumps(llm)}", "--set", weights)


@pytest.fixture
def evolve(runs, task, agent):
    def run(*options, name="out"):
        files = (task / "program.py", task / "evaluate.py")
        chain = ("--set", "plugins.islands.with.search=sequential", "--set", "window=1", "-j", "1")
        return runs.evo("evolve", *files, *chain, "-o", name, *agent, *options)

    return run


def test_each_fault_of_a_program_costs_one_trial(runs, evolve):
    done = evolve("-n", "6")
    assert done.returncode == 0, done.stderr
    trials = runs.trials(runs.folder / "out")
    reasons = [each["evaluation"]["reason"] for each in trials[2:5]]
    assert "exit code 1: Please run /login" in reasons[0]
    assert "printed more than llm.output_mb" in reasons[1]
    assert "the output holds no answer: {{{" in reasons[2]
    assert [each["evaluation"]["status"] for each in trials] == ["ok", "ok", *["rejected"] * 3, "ok"]


def test_a_program_that_hangs_costs_one_trial(runs, evolve):
    assert evolve("-n", "2").returncode == 0
    (runs.folder / "hang").touch()
    done = runs.evo("resume", "out", "--set", "llm.timeout=1", "--set", "budget.trials=3")
    assert done.returncode == 0, done.stderr
    hung = runs.trials(runs.folder / "out")[2]["evaluation"]
    assert hung["status"] == "rejected"
    assert "no answer within llm.timeout, and it was ended" in hung["reason"]
    assert not any(b"sleep\x0054322" in command for command in list_commands())


def list_commands():
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (folder / "cmdline").read_bytes()


def test_a_program_that_becomes_expensive_ends_the_run_at_its_limit(runs, evolve):
    done = evolve("-n", "50", "--dollars", "4")
    assert done.returncode == 0, done.stderr
    assert "4 dollars spent" in done.stdout
    status = json.loads(runs.evo("status", "out", "--json").stdout)
    assert status["dollars"] == pytest.approx(5.02, abs=0.2)  # what was flooded or unreadable counts as it was reserved


def test_a_run_with_a_program_is_repeated_without_it(runs, evolve):
    assert evolve("-n", "4").returncode == 0
    (runs.folder / "agent.py").unlink()
    done = runs.evo("run", "--run-dir", "second", "--llm", f"replay:{runs.folder / 'out'}")
    assert done.returncode == 0, done.stderr
    assert runs.trials(runs.folder / "second") == runs.trials(runs.folder / "out")
    assert json.loads(runs.evo("status", "second", "--json").stdout)["dollars"] == 0
