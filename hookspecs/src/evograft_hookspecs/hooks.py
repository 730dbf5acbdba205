"""The seven verbs and `observe`: everything a plugin can take part in.

A plugin is a class with a `manifest`, an `Options` model and some of these methods, marked with `hookimpl`:

    class Coin:
        manifest = Manifest(name="coin", contract=CONTRACT)
        Options = NoOptions

        def __init__(self, options: NoOptions) -> None:
            self.options = options

        @hookimpl
        def select(self, ctx: Context, committed: tuple[Trial, ...]) -> Selection: ...

An implementation may leave out arguments that it does not need. All hooks are plain functions: `async def` is refused.
Whatever a hook answers is checked against the types given here, and a failure is blamed on plugin and hook by name.
"""

from __future__ import annotations

import pluggy

from evograft_hookspecs.contexts import Context, EvalContext
from evograft_hookspecs.events import Event
from evograft_hookspecs.types import (
    Advice,
    Candidate,
    EnvironmentReport,
    Evaluation,
    Problem,
    Proposal,
    Selection,
    ToolCall,
    ToolResult,
    Trial,
)

PROJECT = "evograft"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def setup_env(ctx: Context) -> EnvironmentReport | None:
    """Make sure that the plugin can work here: look for tools, build data, start what it needs.

    Called: at every start and resume, before anything else, and once in each worker process (`ctx.role`). It must be
    idempotent, and it must leave the same state whether it built something or found it.
    Returns: a report; `failed` keeps the run from starting, `degraded` is printed and the run continues.
    None: nothing to set up.
    Who else answers: every active plugin, in the order of the pipeline.
    Units and shapes: `facts` is JSON; later hooks find it as `ctx.environment[plugin].facts`.

    Example:
        @hookimpl
        def setup_env(self, ctx):
            found = shutil.which("g++")
            if found is None:
                return EnvironmentReport(status="failed", errors=("no C++ compiler: install g++",))
            return EnvironmentReport(done=(f"compiler {found}",), facts={"compiler": found})
    """


@hookspec
def analyze(ctx: Context) -> Problem:
    """State what is to be solved.

    Called: once in a run's life, after `setup_env`; the answer is logged, so a resumed run does not ask again.
    Returns: the problem, with seed programs if there are any.
    None: not allowed, because a run has exactly one problem.
    Who else answers: nobody; the owner of the verb (`owners.analyze`, else the only implementer).
    Units and shapes: `objective` names the quantity of every score; each seed program maps paths to texts.

    Example:
        @hookimpl
        def analyze(self):
            return Problem(
                name="sphere",
                statement="Find x and y with the smallest x*x + y*y.",
                kind="python",
                objective="minus the sum of squares",
                seeds=({"main": "def point(): return 3, 4"},),
            )
    """


@hookspec
def select(ctx: Context, committed: tuple[Trial, ...]) -> Selection:
    """Choose the parents of the next trial.

    Called: once a trial, in trial order, on the kernel's thread, after the commit that completes the trial's view.
    After a failure and on resume it may be called again, and the kernel may discard an answer: the state may depend on
    the rows of `committed` only, folded one by one, and a row that was handed over before is passed over.
    Returns: parents from among the trials committed so far, the island, the temperature, and the incumbent.
    None: not allowed; `Selection()` starts afresh.
    Who else answers: nobody; the owner of the verb.
    Units and shapes: `committed` holds the trials committed since the last call, in commit order, in chunks of any
    size; `incumbent` is the number of a trial among them, or of one before. Random choices come from `ctx.rng`, never
    while folding.

    Example:
        @hookimpl
        def select(self, ctx, committed):
            for trial in committed:
                if trial.score is not None:
                    self.scores[trial.number] = trial.score
            best = sorted(self.scores, key=self.scores.__getitem__)[-5:]
            return Selection(parents=(ctx.rng.choice(best),)) if best else Selection()
    """


@hookspec
def propose(ctx: Context, selection: Selection) -> tuple[Proposal | Advice, ...] | None:
    """Offer ways to continue from a selection, and what is worth knowing whichever is taken.

    Called: once a trial, in trial order, on the kernel's thread, right after `select`. It must be quick: thinking that
    costs a model call belongs in `analyze` or `mutate`.
    Returns: alternatives, of which the kernel draws one by weight, and advice, all of which goes to whichever is drawn.
    None: nothing to offer this time.
    Who else answers: every active plugin, in the order of the pipeline; at least one must offer a proposal.
    Units and shapes: `Proposal.weight` is multiplied with the pipeline's weight of the operator; 0 is never drawn.
    Ids are unique among the answers of all plugins for the trial.

    Example:
        @hookimpl
        def propose(self, ctx, selection):
            if not selection.parents:
                return (Proposal(id="fresh", operator="mine.fresh"),)
            return (Proposal(id="tweak", operator="mine.tweak", weight=2.0), Advice(id="a1", text="Prefer integers."))
    """


@hookspec
def mutate(ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
    """Make the candidate of a trial.

    Called: once a trial, concurrently with other trials; it must not read state that other calls change. When its
    candidate is rejected, here or by `evaluate`, and the plugin has an operator that `repairs`, it is called again in
    the same trial with that operator and with `proposal.failed`; rejecting without a draft then means that there is
    nothing to repair, and the trial ends with its first reason.
    Returns: a candidate with `operator=proposal.operator`, `trial=ctx.trial` and `parents` among those given.
    None: not allowed; raise `CandidateRejected` when no valid candidate can be made, which ends the trial as rejected.
    Who else answers: nobody; the plugin whose manifest lists the operator.
    Units and shapes: `parents` in the order of the selection, each with its candidate and evaluation; a parent's
    evaluation carries the feedback that a prompt may show.

    Example:
        @hookimpl
        def mutate(self, ctx, proposal, parents):
            source = parents[0].candidate.source.replace("1", str(ctx.rng.randrange(10)), 1)
            return Candidate.of(
                source, kind="python", operator=proposal.operator, trial=ctx.trial, parents=(parents[0].number,)
            )
    """


@hookspec
def evaluate(
    ctx: EvalContext, candidate: Candidate, incumbent: Evaluation | None, parents_kept: tuple[bytes, ...]
) -> Evaluation:
    """Measure what a candidate is worth.

    Called: once for every new candidate, concurrently, maybe in another process or on another machine, where the plugin
    is built anew from the run's lock file; and once after the end for the best one, with `ctx.purpose == "final"`.
    Returns: an evaluation; the score is higher for better candidates and depends on nothing but the arguments.
    None: not allowed; raise `CandidateRejected` for an invalid candidate. Anything else raised counts as the plugin's
    failure: the call is repeated with the same arguments, then the run stops.
    Who else answers: nobody; the owner of the verb.
    Units and shapes: scores, cases and metrics are finite floats; `seconds` are CPU seconds, `cost` is in US dollars.
    `incumbent` is the evaluation to beat, with its cases: a candidate that clearly will not reach it may end as
    `pruned`. `parents_kept` is what the evaluations of the candidate's parents returned as `Evaluation.kept`, in the
    order of `candidate.parents`. An implementation leaves out the arguments it does not need.

    Example:
        @hookimpl
        def evaluate(self, ctx, candidate, incumbent):
            try:
                x, y = run_in_sandbox(candidate.source)
            except SandboxError as err:
                raise CandidateRejected(f"point() failed: {err}") from err
            return Evaluation(status="ok", score=-(x * x + y * y))
    """


@hookspec
def tool_call(ctx: Context, call: ToolCall) -> ToolResult:
    """Carry out a tool for an agent.

    Called: whenever an agent asks, concurrently.
    Returns: the result as the agent will read it; wrong arguments are a result that is not `ok`.
    None: not allowed.
    Who else answers: nobody; the plugin whose manifest lists the tool.
    Units and shapes: `call.arguments` fits the tool's JSON Schema only as far as the model followed it: check it.

    Example:
        @hookimpl
        def tool_call(self, ctx, call):
            path = self.root / str(call.arguments.get("path", ""))
            if not path.is_file():
                return ToolResult(ok=False, content=f"no such file: {path.name}")
            return ToolResult(ok=True, content=path.read_text())
    """


@hookspec
def observe(ctx: Context, event: Event) -> None:
    """Watch the run: keep statistics, write files, show progress.

    Called: after every event, in order, on the kernel's thread. On resume the committed events are sent again with
    `replayed=True` and the same `seq`, so that memory is rebuilt; an observer that writes to disk skips what it already
    has.
    Returns: nothing.
    None: the only answer.
    Who else answers: every active plugin, in the order of the pipeline. One that raises is reported once and left out;
    but `StartRefused`, raised at a `ProblemAnalyzed` that is not replayed, ends a run whose problem cannot be
    worked on.
    Units and shapes: see `events.py`; match on the event's class and ignore those you do not know.

    Example:
        @hookimpl
        def observe(self, ctx, event):
            if isinstance(event, TrialCommitted) and event.trial.score is not None:
                self.best = max(self.best, event.trial.score)
    """
