"""A conversation about a run whose model answers: questions at each step, and what the model had in mind."""

from asking import climb
from fault_server import answer
from python_process import run_evo

QUESTION = "# Question"


def converse(seen):
    """Answers questions of the person, and else climbs, with a word about it."""
    if QUESTION in seen.prompt:
        return answer("The best is weak\x1b[2J at 30.")
    return climb(seen)


def talk(asking, pipeline, words):
    done = run_evo("run", pipeline, "--interactive", "--run-dir", "run", cwd=asking.folder, input=words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_question_at_a_step_is_answered_and_the_step_asked_again(asking):
    asking.server.usual = converse
    said = talk(asking, asking.write(trials=20), "where is it weak?\n\n\n")
    assert said.count("Is that the problem?") == 2
    (asked,) = (seen.prompt for seen in asking.server.asked() if QUESTION in seen.prompt)
    assert "Get to 30." in asked
    assert "where is it weak?" in asked
    assert not any(trial["proposal"]["advice"] for trial in asking.trials(asking.folder / "run") if trial["proposal"])


def test_what_a_model_says_cannot_steer_the_terminal(asking):
    asking.server.usual = converse
    said = talk(asking, asking.write(trials=20), "where is it weak?\n\n\n")
    assert "\x1b" not in said
    assert "The best is weak\N{SYMBOL FOR ESCAPE}[2J at 30." in said


def test_a_generation_is_told_with_the_ideas_of_its_best_trials(asking):
    said = talk(asking, asking.write(trials=20, generation_size=10), "\n\n\n")
    told = said.split("generation 1: ")[1].split("generation 2: ")[0]
    best = asking.trials(asking.folder / "run")[:11]
    numbers = [int(line.split()[1].rstrip(":")) for line in told.splitlines() if line.startswith("  trial ")]
    scores = {trial["number"]: trial["evaluation"]["score"] for trial in best}
    assert len(numbers) == 3
    assert [scores[number] for number in numbers] == sorted((scores[number] for number in numbers), reverse=True)
