"""What a run thinks with: prompts, library and past contests, as its options choose them."""

from __future__ import annotations

from pathlib import Path

from evograft_ahc.contests.past import load_packaged_contests, load_user_contests
from evograft_ahc.library.blocks import load_library
from evograft_ahc.options import AhcOptions
from evograft_ahc.reasoning.prompts.proposals import ReasoningSetup
from evograft_ahc.reasoning.prompts.templates import load_prompts
from evograft_ahc.reasoning.strategies.knowledge_sources import KnowledgeSources


def load_reasoning_setup(options: AhcOptions, contest_id: str) -> ReasoningSetup:
    """Read all files that the options name.

    Args:
        options: of the plugin.
        contest_id: of the contest that is worked on.

    Raises:
        UserError: one is not there, or not in order.
    """
    return ReasoningSetup(
        prompts=load_prompts(options.language, Path(options.prompts) if options.prompts else None),
        knowledge=_load_knowledge(options, contest_id),
        mutations=options.mutation_prompts,
        crossovers=options.crossover_prompts,
        language=options.language,
    )


def _load_knowledge(options: AhcOptions, contest_id: str) -> KnowledgeSources:
    """Load the library and contests; a user's contest goes before a packaged one of the same id."""
    contests = (*load_packaged_contests(), *load_user_contests(map(Path, options.contests)))
    known = {contest.contest_id: contest for contest in contests}
    if options.knowledge != "own":
        known.pop(contest_id, None)
    return KnowledgeSources(
        blocks=load_library(tuple(map(Path, options.library))),
        contests={} if options.knowledge == "none" else known,
    )
