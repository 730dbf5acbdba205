"""The plugin: hooks of a few lines, the work is in the modules they import."""

from __future__ import annotations

from typing import ClassVar

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Context,
    EnvironmentReport,
    Event,
    Manifest,
    Operator,
    ProblemAnalyzed,
    Proposal,
    Selection,
    Trial,
    hookimpl,
)
from evograft_novelty import are_ancestor_and_descendant
from evograft_operators.agent.agent import let_agent_work
from evograft_operators.formulas import edits
from evograft_operators.formulas.grammar import get_grammar
from evograft_operators.formulas.variation import count_readable, make_formula
from evograft_operators.models import operations
from evograft_operators.models.blocks import check_seeds
from evograft_operators.models.language import find_language
from evograft_operators.models.program_writer import write_program
from evograft_operators.models.prompt import describe_strategy
from evograft_operators.models.templates import OperatorTemplates, TemplateError, load_templates
from evograft_operators.offer import NAME, combine_weights, offer_agent, offer_formulas, offer_models
from evograft_operators.options import OperatorsOptions

SHOWN_TEMPLATES = 5
PAIR = 2
"""Programs that a crossover joins."""


class OperatorsPlugin:
    """Edits formulas where the problem has a grammar, asks a model where there is one and candidates are programs."""

    manifest: ClassVar = Manifest(
        name=NAME,
        description="Makes candidates: edits of formulas without a model, programs with one.",
        contract=CONTRACT,
        operators=(
            *(
                Operator(name=name, description=each.description, needs=("grammar",))
                for name, each in edits.OPERATIONS.items()
            ),
            *(
                Operator(name=name, description=each.description, needs=("model",))
                for name, each in operations.OFFERED.items()
            ),
            Operator(
                name=operations.AGENT,
                description=operations.OPERATIONS[operations.AGENT].description,
                needs=("model",),
            ),
            Operator(
                name=operations.REPAIR,
                description=operations.OPERATIONS[operations.REPAIR].description,
                repairs=True,
                needs=("model",),
            ),
        ),
        thread_safe=True,
    )
    Options: ClassVar = OperatorsOptions

    def __init__(self, options: OperatorsOptions) -> None:
        self.options = options
        self._templates: OperatorTemplates | None = None

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport | None:
        if ctx.role == "worker":
            return None
        try:
            templates = self._load()
        except TemplateError as err:
            return EnvironmentReport(status="failed", errors=err.errors)
        if not ctx.llm.available:
            return None
        own = f", {_name_templates(templates.overridden)} from {self.options.prompts}" if templates.overridden else ""
        return EnvironmentReport(done=(f"prompts {self.options.language}{own} ({templates.digest})",))

    @hookimpl
    def observe(self, ctx: Context, event: Event) -> None:
        if isinstance(event, ProblemAnalyzed) and not event.replayed and ctx.llm.available:
            check_seeds(event.problem.seeds)

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal, ...] | None:
        models = self._models(ctx, selection)
        if ctx.problem is None or ctx.problem.grammar is None:
            return models or None
        formulas = self._formulas(ctx, selection, sure=bool(models))
        return combine_weights(formulas, models, share=self.options.share) or None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        if proposal.operator.removeprefix(f"{NAME}.") in edits.OPERATIONS:
            return make_formula(ctx, proposal, parents)
        work = let_agent_work if proposal.operator == f"{NAME}.{operations.AGENT}" else write_program
        return work(ctx, proposal, parents, options=self.options, templates=self._load())

    def _formulas(self, ctx: Context, selection: Selection, *, sure: bool) -> tuple[Proposal, ...]:
        """Return the edits of formulas; if they have to be sure, only those that the parents allow.

        A model may have written the parents.
        """
        if ctx.problem is None or ctx.problem.grammar is None:
            return ()
        parents = len(selection.parents)
        if sure and parents:
            parents = count_readable(map(ctx.history.trial, selection.parents), get_grammar(ctx.problem.grammar))
            if not parents:
                return ()
        return offer_formulas(self.options.profiles, selection.strategy, selection.temperature, parents)

    def _models(self, ctx: Context, selection: Selection) -> tuple[Proposal, ...]:
        """Return what asks a model, if there is one and candidates are programs."""
        if not ctx.llm.available or ctx.problem is None or not self.options.offers:
            return ()
        if not find_language(ctx.problem) and ctx.problem.kind not in self.options.kinds:
            return ()
        is_phase = selection.strategy == operations.AGENT
        words = "" if is_phase else describe_strategy(self._load(), selection.strategy)
        ideas = self.options.programs == "ideas"
        wanted = (selection.strategy, selection.temperature, self._count_parents(ctx, selection))
        models = offer_models(self.options.profiles, *wanted, instruction=words, suitable=ideas)
        wanted_share = 1.0 if is_phase else self.options.agent.share
        share = wanted_share if selection.parents else 0.0
        return offer_agent(models, share=share, temperature=selection.temperature, instruction=words)

    def _count_parents(self, ctx: Context, selection: Selection) -> int:
        """Return how many programs a model may join: one where the second has become the first, or the reverse.

        With `programs: lines` those are joined too: runs that were recorded so are to be repeated as they were.
        """
        if len(selection.parents) != PAIR or self.options.programs != "ideas":
            return len(selection.parents)
        one, other = map(ctx.history.trial, selection.parents)
        return 1 if are_ancestor_and_descendant(one, other, ctx.history.trial) else PAIR

    def _load(self) -> OperatorTemplates:
        if self._templates is None:
            self._templates = load_templates(self.options.language, self.options.prompts)
        return self._templates


def _name_templates(templates: tuple[str, ...]) -> str:
    """Name a few templates, and count many."""
    return ", ".join(templates) if len(templates) <= SHOWN_TEMPLATES else f"{len(templates)} templates"
