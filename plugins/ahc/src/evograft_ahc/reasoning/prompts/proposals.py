"""What is offered to the operators that ask a model: instructions for this kind of contest, and advice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis
from evograft_ahc.reasoning.prompts.agent_share import add_agent
from evograft_ahc.reasoning.prompts.excerpts import extract_difference, find_excerpts, reads_clock
from evograft_ahc.reasoning.prompts.observations import JudgedCases, Observations
from evograft_ahc.reasoning.prompts.pointers import can_take_over, point_at_differences, point_at_parts
from evograft_ahc.reasoning.prompts.templates import PromptTemplates, quote
from evograft_ahc.reasoning.strategies.knowledge_sources import KnowledgeSources
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.reasoning.strategy_choice import find_chosen_strategies
from evograft_ahc.search.tuning.marks import has_marks
from evograft_ahc.text.messages import Language
from evograft_ahc.text.placeholders import fill_placeholders, find_placeholders
from evograft_hookspecs import Advice, Context, Evaluation, FrozenDict, Proposal, Selection, Trial

Group = Literal["mutation", "crossover", "speed_up", "use_time", "weakness", "follow", "start_over", "marks"]
Profile = Mapping[Group, float]

PROFILES: Mapping[str, Profile] = {
    "refine": {"mutation": 3, "speed_up": 2, "use_time": 2, "weakness": 2, "crossover": 0.5, "follow": 0.3, "marks": 1},
    "combine": {
        "mutation": 0.5,
        "speed_up": 0.5,
        "use_time": 1,
        "weakness": 0.5,
        "crossover": 6,
        "follow": 0.5,
        "marks": 0.5,
    },
    "novel": {"mutation": 0.5, "use_time": 1, "weakness": 1, "crossover": 1, "follow": 4, "start_over": 2},
}
"""Weights by the selection's strategy; they are of the size of those that the plugin `operators` gives its own."""
OTHER: Profile = {
    "mutation": 2,
    "speed_up": 1,
    "use_time": 2,
    "weakness": 1.5,
    "crossover": 1,
    "follow": 1,
    "start_over": 0.25,
    "marks": 0.5,
}
"""Of every other strategy."""

CHANGES: tuple[Group, ...] = ("mutation", "speed_up", "use_time", "weakness", "follow", "marks")
"""All that ask a model to change one program."""
OF_OPERATORS: Mapping[str, tuple[float, float]] = {"refine": (7, 1), "combine": (2, 8), "novel": (5, 2)}
"""What the proposals of the plugin `operators` weigh that change a program, and those that join two, by strategy."""
OF_OPERATORS_ELSE = (4.0, 1.0)

TIME_USED = "time_used"
"""The descriptor that says which share of its time a program uses."""
MUCH = 0.5
"""From this share on there is little left."""
IDLE = 3.0
"""How much more it is worth to use the time where hardly any is used."""
MOST_INPUTS = 6000
"""Characters."""
PARENTS = 2
"""That a crossover joins."""


@dataclass(frozen=True)
class ReasoningSetup:
    """What offers are made from; the same for a whole run."""

    prompts: PromptTemplates
    knowledge: KnowledgeSources
    """Whose blocks' code is shown."""
    mutations: tuple[str, ...] = ()
    """Templates with `{code_snippet}` or `{function_code}`: the only ones that change a program; none: all of ours."""
    crossovers: tuple[str, ...] = ()
    """Templates with `{code_A}` and `{code_B}`: the only ones that join two; none: ours."""
    language: Language = "en"
    """Of what no template holds."""


@dataclass(frozen=True)
class UnweightedProposal:
    """A proposal that has no weight yet."""

    group: Group
    operator: Literal["diff", "rewrite", "crossover", "fresh"]
    instruction: str
    share: float = 1.0
    """Of the group's weight."""
    name: str = ""
    """Within its group."""


def offer_proposals(
    ctx: Context,
    selection: Selection,
    setup: ReasoningSetup,
    cases: JudgedCases | None = None,
    *,
    agent: float = 0.0,
) -> tuple[Proposal | Advice, ...]:
    """Return the proposals and advice of a trial. Call it in `propose`; without a model there are none.

    Every proposal goes to an operator of the plugin `operators`. Its prompts show the task, programs, scores, feedback
    and all advice, so an instruction only says what to do about them. The code of library blocks is in the one proposal
    that needs it, because advice goes to all.

    Args:
        ctx: of `propose`.
        selection: the parents, and what is wanted of them.
        setup: templates and knowledge.
        cases: where observations come from; `None`: prompts hold none, as in runs that were recorded without them.
        agent: the share of an agent in all that changes a program, if there is one to be changed.
    """
    if not ctx.llm.available or ctx.problem is None:
        return ()
    problem_analysis = ProblemAnalysis.within(ctx.problem.analysis)
    strategies = find_chosen_strategies(problem_analysis.strategies, ctx.instructions)
    parents = [ctx.history.trial(number) for number in selection.parents]
    profile = get_profile(selection, setup)
    if cases is None:
        strategy = ctx.rng.choice(strategies) if strategies else None
        ways = [
            *_changes(ctx, parents, problem_analysis, setup),
            *_joins(parents, setup),
            *_ways_of(strategy, parents, setup),
        ]
        advice = build_advice(problem_analysis, strategies, setup.prompts)
        weighed = tuple(_weighed(ways, profile, selection.temperature))
        return (*add_agent(weighed, agent if parents else 0.0, setup.prompts["agent"]), *advice)
    parent = parents[0] if parents else None
    seen = Observations(ctx, ctx.problem, parent, cases, setup.prompts, setup.language)
    strategy = choose_in_turn(strategies, ctx.trial or 0)
    told = tuple(_observed(seen, parents, strategy, setup))
    weighed = tuple(_weighed(told, profile, selection.temperature))
    instruction = seen.extend(setup.prompts["agent"], "agent")
    advice = build_advice(problem_analysis, strategies, setup.prompts, seen)
    return (*add_agent(weighed, agent if parents else 0.0, instruction), *advice)


def choose_in_turn(strategies: Sequence[ContestStrategy], trial: int) -> ContestStrategy | None:
    """Return the strategy whose turn it is: all are, before one is again."""
    return strategies[trial % len(strategies)] if strategies else None


def build_advice(
    problem_analysis: ProblemAnalysis,
    strategies: Iterable[ContestStrategy],
    prompts: PromptTemplates,
    seen: Observations | None = None,
) -> tuple[Advice, ...]:
    """Return what is worth knowing in every trial.

    That is what programs have to keep to, strategies, and what was learned earlier.
    """
    told = [strategy.advice(prompts) for strategy in strategies]
    if seen is not None:
        interactive = Advice(id="ahc.craft", text=prompts["craft_interactive"])
        craft_advice = (interactive,) if problem_analysis.interactive else ()
        return (*seen.advice(), *craft_advice, *told, *problem_analysis.lessons)
    limit, memory = (
        f"{problem_analysis.statement.time_limit_ms / 1000:g}",
        str(problem_analysis.statement.memory_limit_mb),
    )
    craft = [prompts.fill("craft", time=limit, memory=memory)]
    if problem_analysis.interactive:
        craft.append(prompts["craft_interactive"])
    return (Advice(id="ahc.craft", text="\n".join(craft)), *told, *problem_analysis.lessons)


def get_profile(selection: Selection, setup: ReasoningSetup) -> Profile:
    """Return the weights of all groups.

    Prompts of a user are the only ones that change or join programs, and weigh as much as all that they replace: the
    plugin `operators`' own included, which `sessions.translation` switches off.
    """
    if not selection.parents:
        return {"start_over": 1.0}
    profile = dict(PROFILES.get(selection.strategy, OTHER))
    changing, joining = OF_OPERATORS.get(selection.strategy, OF_OPERATORS_ELSE)
    if setup.mutations:
        profile["mutation"] = changing + sum(profile.pop(group, 0.0) for group in CHANGES)
    if setup.crossovers:
        profile["crossover"] = joining + profile.get("crossover", 0.0)
    return profile


def _weighed(proposals: Sequence[UnweightedProposal], profile: Profile, temperature: float) -> Iterator[Proposal]:
    """Yield the proposals that have a weight; the plugin `operators` looks for the temperature in their data."""
    data = FrozenDict({"temperature": round(min(max(temperature, 0.0), 100.0), 3)})
    for each in proposals:
        weight = profile.get(each.group, 0.0) * each.share
        if weight:
            yield Proposal(
                id=f"ahc.{each.group}{each.name}",
                operator=f"operators.{each.operator}",
                instruction=each.instruction,
                weight=weight,
                data=data,
            )


# -- with observations ------------------------------------------------------------------------------------------------


def _observed(
    seen: Observations, parents: Sequence[Trial], strategy: ContestStrategy | None, setup: ReasoningSetup
) -> Iterator[UnweightedProposal]:
    """Yield what can be done, none of which shows a program again; each says what was tried in the same way."""
    ways = [
        *_observed_changes(seen, setup),
        *_observed_joins(seen, parents, setup),
        *_ways_of(strategy, parents, setup),
    ]
    for each in ways or [UnweightedProposal("start_over", "fresh", "")]:
        yield replace(each, instruction=seen.extend(each.instruction, each.group))


def _observed_changes(seen: Observations, setup: ReasoningSetup) -> Iterator[UnweightedProposal]:
    if seen.parent is None or seen.parent.candidate is None:
        return
    source, evaluation = seen.parent.candidate.source, seen.parent.evaluation
    idle = evaluation.descriptors.get(TIME_USED) == 0 and not reads_clock(source)
    if setup.mutations:
        yield from _mutations(seen.ctx, source, setup)
    elif not idle:  # no part of a program that takes next to no time costs too much of it
        for number, text in enumerate(point_at_parts(seen.ctx.rng, source, setup.prompts), start=1):
            yield UnweightedProposal("mutation", "diff", text, share=0.5, name=f"_{number}")
    yield replace(_about_time(source, evaluation, setup), share=IDLE if idle else 1.0)
    if not idle and not has_marks(source):
        yield UnweightedProposal("marks", "diff", setup.prompts["marks"])
    if seen.report is not None and seen.report.losses:
        yield UnweightedProposal("weakness", "diff", setup.prompts["weakness"])


def _observed_joins(
    seen: Observations, parents: Sequence[Trial], setup: ReasoningSetup
) -> Iterator[UnweightedProposal]:
    if setup.crossovers or len(parents) < PARENTS:
        yield from _joins(parents, setup)
        return
    if not can_take_over(parents[0], parents[1], seen.sign, seen.ctx.history.trial):
        return
    text = point_at_differences(parents[0], parents[1], seen.sign, setup.prompts)
    yield UnweightedProposal("crossover", "crossover", text, name="_1")


# -- changing a program -----------------------------------------------------------------------------------------------


def _changes(
    ctx: Context, parents: Sequence[Trial], problem_analysis: ProblemAnalysis, setup: ReasoningSetup
) -> Iterator[UnweightedProposal]:
    if not parents or parents[0].candidate is None:
        return
    source, evaluation = parents[0].candidate.source, parents[0].evaluation
    yield from _mutations(ctx, source, setup)
    yield _about_time(source, evaluation, setup)
    if evaluation.feedback:
        yield UnweightedProposal("weakness", "diff", setup.prompts["weakness"] + _inputs(problem_analysis, setup))


def _mutations(ctx: Context, source: str, setup: ReasoningSetup) -> Iterator[UnweightedProposal]:
    """Yield each prompt with a part of the program, drawn again in every trial."""
    excerpts = find_excerpts(source)
    templates = setup.mutations or (setup.prompts["mutation_part"], setup.prompts["mutation_function"])
    for number, template in enumerate(templates, start=1):
        of_function = "function_code" in find_placeholders(template)
        part = excerpts.draw_function(ctx.rng) if of_function else excerpts.draw_part(ctx.rng)
        if part:
            text = fill_placeholders(template, {"code_snippet": part.text, "function_code": part.text})
            yield UnweightedProposal("mutation", "diff", text, share=1 / len(templates), name=f"_{number}")


def _inputs(problem_analysis: ProblemAnalysis, setup: ReasoningSetup) -> str:
    """Return what tells one case from another, for all cases.

    What weak ones have in common, strong ones must not have.
    """
    if not problem_analysis.inputs:
        return ""
    lines = [f"{case}: {head}" for case, head in sorted(problem_analysis.inputs.items())]
    return "\n\n" + setup.prompts.fill("inputs", inputs=quote("\n".join(lines)[:MOST_INPUTS]))


def _about_time(source: str, evaluation: Evaluation, setup: ReasoningSetup) -> UnweightedProposal:
    """Return what is left to do about time: to use it, or to do more in it."""
    group: Group = "speed_up" if reads_clock(source) or _time_used(evaluation) >= MUCH else "use_time"
    return UnweightedProposal(group, "diff", setup.prompts[group])


def _time_used(evaluation: Evaluation) -> float:
    return evaluation.descriptors.get(TIME_USED, 0.0)


# -- joining two ------------------------------------------------------------------------------------------------------


def _joins(parents: Sequence[Trial], setup: ReasoningSetup) -> Iterator[UnweightedProposal]:
    """Yield each prompt with what one program has and the other has not.

    Both stand in the operator's prompt as a whole.
    """
    sources = [parent.candidate.source for parent in parents[:PARENTS] if parent.candidate]
    if len(sources) < PARENTS:
        return
    one, other = sources
    codes = {"code_A": extract_difference(one, other), "code_B": extract_difference(other, one)}
    templates = setup.crossovers or (setup.prompts["crossover"],)
    for number, template in enumerate(templates, start=1):
        yield UnweightedProposal(
            "crossover", "crossover", fill_placeholders(template, codes), share=1 / len(templates), name=f"_{number}"
        )


# -- following a strategy ---------------------------------------------------------------------------------------------


def _ways_of(
    strategy: ContestStrategy | None, parents: Sequence[Trial], setup: ReasoningSetup
) -> Iterator[UnweightedProposal]:
    if strategy is None:
        return
    name = f"_{strategy.key}"
    blocks = _blocks(strategy, setup)
    if parents:
        yield UnweightedProposal(
            "follow", "rewrite", setup.prompts.fill("follow", title=strategy.title) + blocks, name=name
        )
    yield UnweightedProposal(
        "start_over", "fresh", setup.prompts.fill("start_over", title=strategy.title) + blocks, name=name
    )


def _blocks(strategy: ContestStrategy, setup: ReasoningSetup) -> str:
    codes = setup.knowledge.code_of(strategy.sources)
    if not codes:
        return ""
    shown = "\n\n".join(quote(code, "cpp") for code in codes.values())
    return "\n\n" + setup.prompts.fill("blocks", blocks=shown)
