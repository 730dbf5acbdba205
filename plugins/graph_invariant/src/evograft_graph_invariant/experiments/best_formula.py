"""The best formula of an experiment or of any run, evaluated finally."""

from __future__ import annotations

from pathlib import Path

from evograft.api import LOCK_FILE, RunFolder, RunHistory, UserError, find_run, load_settings, open_journal, open_run
from evograft_graph_invariant.experiments.folder import RUN
from evograft_graph_invariant.experiments.pipeline import PLUGIN
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.records.recorder import get_summary_name
from evograft_graph_invariant.records.summary.final_record import add_final_scores
from evograft_graph_invariant.records.summary.model import BestFormula
from evograft_graph_invariant.records.summary.reader import read_summary
from evograft_graph_invariant.run_context import RunContext
from evograft_hookspecs import Problem, Trial


def find_best_formula(word: str) -> BestFormula:
    """Return the best formula with its scores.

    Args:
        word: an artifacts folder, whose summary is told, or a run, whose best candidate is judged.

    Raises:
        UserError: there is no such thing, or it has no valid candidate yet.
    """
    artifacts = Path(word)
    for phase in (2, 1):
        file = artifacts / get_summary_name(phase)
        if file.is_file():
            best = read_summary(file).best
            if best is None or best.test is None:
                raise _unfinished(artifacts)
            return best
    if (artifacts / RUN / LOCK_FILE).is_file():
        raise _unfinished(artifacts)
    return _judged(find_run(word, runs=Path(load_settings().runs_dir)))


def _unfinished(artifacts: Path) -> UserError:
    return UserError(
        f"{artifacts} holds no final judgement, since the experiment has not ended; its best so far is judged by: "
        f"evo graph ood {artifacts / RUN}"
    )


def _judged(folder: Path) -> BestFormula:
    run = open_run(folder)
    problem, trial = _best_of(run)
    if problem is None or problem.name != PLUGIN:
        raise UserError(f"{folder} is no run about graph invariants")
    if trial is None or trial.candidate is None:
        raise UserError(f"{folder} has no valid candidate yet")
    context = RunContext(_options(run), int(problem.analysis["master_seed"]))
    try:
        known = BestFormula(trial=trial.number, score=trial.score, code=trial.candidate.source)
        return add_final_scores(known, context.get_final_result(trial.candidate.source))
    finally:
        context.close()


def _best_of(run: RunFolder) -> tuple[Problem | None, Trial | None]:
    """Return the problem and the trial that was judged, or, where none was, the best so far."""
    with open_journal(run.path) as journal:
        history = RunHistory.follow(journal, run.pipeline)
        final = history.final_evaluation
        if final is None or (history.best and history.best.number == final.trial):
            return history.problem, history.best
        return history.problem, next(
            each.trial for each in history.in_commit_order() if each.trial.number == final.trial
        )


def _options(run: RunFolder) -> GraphInvariantOptions:
    sections = {section.name: section.with_ for section in run.pipeline.plugins}
    options = GraphInvariantOptions.model_validate(dict(sections[PLUGIN]))
    if options.mode != "approximate":
        raise UserError(f"{run.path} looks for a bound, which has no rank correlation: see its report with evo report")
    # Only the formula is asked about, and methods for comparison cost minutes.
    return options.model_copy(update={"baselines": ()})
