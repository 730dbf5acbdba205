"""The plugin: hooks of a few lines, the work is in the modules they import."""

from __future__ import annotations

from typing import ClassVar

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Context,
    EnvironmentReport,
    Manifest,
    Operator,
    Proposal,
    Selection,
    Trial,
    hookimpl,
)
from evograft_operators.formulas import edits
from evograft_operators.formulas.vary import make_formula
from evograft_operators.models import operations
from evograft_operators.models.language import language_of
from evograft_operators.models.prompt import strategy_words
from evograft_operators.models.templates import TemplateError, Templates, load_templates
from evograft_operators.models.write import write_program
from evograft_operators.offer import NAME, offer_formulas, offer_models, share_out
from evograft_operators.options import OperatorsOptions


class OperatorsPlugin:
    """Edits formulas where the problem has a grammar, asks a model where there is one and candidates are programs."""

    manifest: ClassVar = Manifest(
        name=NAME,
        description="Makes candidates: edits of formulas without a model, programs with one.",
        contract=CONTRACT,
        operators=(
            *(Operator(name=name, description=each.description) for name, each in edits.OPERATIONS.items()),
            *(Operator(name=name, description=each.description) for name, each in operations.OFFERED.items()),
            Operator(name="repair", description=operations.OPERATIONS["repair"].description, mends=True),
        ),
        thread_safe=True,
    )
    Options: ClassVar = OperatorsOptions

    def __init__(self, options: OperatorsOptions) -> None:
        self.options = options
        self._templates: Templates | None = None

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
        own = f", {', '.join(templates.overridden)} from {self.options.prompts}" if templates.overridden else ""
        return EnvironmentReport(done=(f"prompts {self.options.language}{own} ({templates.digest})",))

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal, ...] | None:
        if ctx.problem is None:
            return None
        wanted = (self.options.profiles, selection.strategy, selection.temperature, len(selection.parents))
        formulas = offer_formulas(*wanted) if ctx.problem.grammar else ()
        models: tuple[Proposal, ...] = ()
        if ctx.llm.available and (language_of(ctx.problem) or ctx.problem.kind in self.options.kinds):
            models = offer_models(*wanted, instruction=strategy_words(self._load(), selection.strategy))
        return share_out(formulas, models, share=self.options.share) or None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        if proposal.operator.removeprefix(f"{NAME}.") in edits.OPERATIONS:
            return make_formula(ctx, proposal, parents)
        return write_program(ctx, proposal, parents, options=self.options, templates=self._load())

    def _load(self) -> Templates:
        if self._templates is None:
            self._templates = load_templates(self.options.language, self.options.prompts)
        return self._templates
