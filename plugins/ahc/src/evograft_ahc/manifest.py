"""What the plugin offers, as static data: what carries it out is imported when it is needed."""

from __future__ import annotations

from evograft_ahc.agent.tools import TOOLS
from evograft_ahc.search.tuning.options import OPERATORS
from evograft_hookspecs import CONTRACT, Manifest

MANIFEST = Manifest(
    name="ahc",
    description="AtCoder Heuristic Contests: C++ programs, judged case by case in a sandbox.",
    contract=CONTRACT,
    kinds=("cpp",),
    preset="presets/default.yaml",
    operators=OPERATORS,
    tools=TOOLS,
    thread_safe=True,
)
