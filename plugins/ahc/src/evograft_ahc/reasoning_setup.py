"""What a run thinks with: prompts, library and past contests, as its options choose them."""

from __future__ import annotations

from pathlib import Path

from evograft_ahc.contests.past import packaged_contests, user_contests
from evograft_ahc.library.blocks import load_library
from evograft_ahc.options import AhcOptions
from evograft_ahc.reasoning.prompts.proposals import Thinking
from evograft_ahc.reasoning.prompts.templates import load_prompts
from evograft_ahc.reasoning.strategies.knowledge_sources import Consulted


def thinking_of(options: AhcOptions) -> Thinking:
    """Reads all files that the options name.

    Raises:
        UserError: one is not there, or not in order.
    """
    return Thinking(
        prompts=load_prompts(options.language, Path(options.prompts) if options.prompts else None),
        consulted=_consulted(options),
        mutations=options.mutation_prompts,
        crossovers=options.crossover_prompts,
    )


def _consulted(options: AhcOptions) -> Consulted:
    """A user's contest goes before a packaged one of the same id."""
    contests = (*packaged_contests(), *user_contests(map(Path, options.contests)))
    return Consulted(
        blocks=load_library(tuple(map(Path, options.library))),
        contests={contest.contest_id: contest for contest in contests},
    )
