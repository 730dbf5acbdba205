"""What `evo evolve` says before its run begins."""

from __future__ import annotations

import click

from evograft.text.escapes import escape_controls
from evograft_program.requests.plan import EvolutionPlan


def report_plan(plan: EvolutionPlan) -> None:
    """Say what the evaluator was recognised as, and why; then what the user should know."""
    click.echo(escape_controls(f"evaluator: {plan.recognition}"), err=True)
    for warning in plan.warnings:
        click.echo(escape_controls(f"note: {warning}"), err=True)
