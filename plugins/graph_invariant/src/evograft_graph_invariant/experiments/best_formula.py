"""The best formula of an experiment or of any run, judged."""

from __future__ import annotations

from pathlib import Path

from evograft.api import LOCK_FILE, Best, FinalEvaluation, Finished, UserError, find_run, load_settings, open_journal
from evograft_graph_invariant.experiments.folder import RUN
from evograft_graph_invariant.experiments.pipeline import PLUGIN
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.records.recorder import get_summary_name
from evograft_graph_invariant.records.summary.final_record import add_final_scores
from evograft_graph_invariant.records.summary.parts import BestFormula
from evograft_graph_invariant.records.summary.reader import read_summary
from evograft_graph_invariant.run_context import RunContext
from evograft_hookspecs import Problem, Trial


def find_best_formula(word: str) -> BestFormula:
    """The best formula with its scores.

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
    problem, trial = _best_of(folder)
    if problem is None or problem.name != PLUGIN:
        raise UserError(f"{folder} is no run about graph invariants")
    if trial is None or trial.candidate is None:
        raise UserError(f"{folder} has no valid candidate yet")
    context = RunContext(_options(folder), int(problem.analysis["master_seed"]))
    try:
        known = BestFormula(trial=trial.number, score=trial.score, code=trial.candidate.source)
        return add_final_scores(known, context.get_final_result(trial.candidate.source), seed=context.master_seed)
    finally:
        context.close()


def _best_of(folder: Path) -> tuple[Problem | None, Trial | None]:
    """The trial that was judged, or, where none was, the best so far."""
    problem, trials, judged, best = None, dict[int, Trial](), None, Best()
    with open_journal(folder) as journal:
        for record in journal.records():
            if isinstance(record, Problem):
                problem = record
            elif isinstance(record, Finished):
                trials[record.trial.number] = record.trial
            elif isinstance(record, FinalEvaluation):
                judged = record.trial
    for number in sorted(trials):
        best.see(trials[number])
    return problem, best.trial if judged is None else trials[judged]


def _options(folder: Path) -> GraphInvariantOptions:
    from evograft.api import open_run

    sections = {section.name: section.with_ for section in open_run(folder).pipeline.plugins}
    options = GraphInvariantOptions.model_validate(dict(sections[PLUGIN]))
    if options.mode != "approximate":
        raise UserError(f"{folder} looks for a bound, which has no rank correlation: see its report with evo report")
    # Only the formula is asked about, and methods for comparison cost minutes.
    return options.model_copy(update={"baselines": ()})
