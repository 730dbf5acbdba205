"""How far an evaluation came: the values of `Evaluation.stage`."""

from __future__ import annotations

COMPILING = "compiling"
"""The compiler refused the program."""
COMPILING_TIMEOUT = "compiling, out of time"
"""The compiler took too long over it, or too much memory."""
JUDGING = "judging"
"""It compiled, and cases were run."""
