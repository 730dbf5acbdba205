"""A question, and what comes of it."""


def test_an_answer_is_printed_with_its_figures_beside_it(explain, model, repository, server):
    model.says(model.LIST, model.READ)
    model.completes("It **exits** at `app/main.py:5`.")
    done = explain.ask("what does it do?", repository)
    assert (done.code, done.out) == (0, "It **exits** at `app/main.py:5`.\n")
    assert "3 steps  1 citation  54 tokens  price unknown" in done.err.splitlines()
    assert len(server.seen) == 3
