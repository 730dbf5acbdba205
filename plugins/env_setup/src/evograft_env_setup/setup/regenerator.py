"""The regenerator: asks a model for other commands if those that there are have failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from evograft_agent.calls.json_text import get_object
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.planning.prompts import regeneration_prompt
from evograft_hookspecs import LlmRefused, LlmRequest, Message
from evograft_hookspecs.services.llm import LlmService
from evograft_hookspecs.values import thaw

MOST = 3
"""Regenerations of a set-up, those for setup and for verification together."""
MAX_TOKENS = 8192
"""Of an answer; thinking counts for many models."""


PARTS = ("setup_commands", "verification")
"""Of an answer; one of them is enough."""


class NoCorrection(Exception):  # noqa: N818 - it names what there is
    """The model did not answer with commands; says why."""


class Regenerator:
    """A regenerator of commands, which asks a model.

    Args:
        llm: of the hook or desk at work.
    """

    def __init__(self, llm: LlmService) -> None:
        self._llm = llm

    def regenerate(
        self, original: SelectedEnvironment, error_info: str, regeneration_count: int
    ) -> SelectedEnvironment:
        """Return the same environment with other commands; a part that the answer leaves out stays as it was.

        Raises:
            NoCorrection: the model refuses, or its answer is of no use.
        """
        question = regeneration_prompt(original, error_info, regeneration_count)
        request = LlmRequest(messages=(Message(role="user", content=question),), max_tokens=MAX_TOKENS)
        try:
            answer = get_object(self._llm.complete(request).text, PARTS)
            return SelectedEnvironment.model_validate({**original.model_dump(), **_commands(answer)})
        except LlmRefused as err:
            raise NoCorrection(f"the model refuses: {err}") from err
        except ValidationError as err:
            first = err.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise NoCorrection(f"the model's {where}: {first['msg']}") from err
        except ValueError as err:
            raise NoCorrection(str(err)) from err


def _commands(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts that the answer has; without commands nothing would be set up, and anything verified."""
    if "setup_commands" in answer and not answer["setup_commands"]:
        raise ValueError("the model's setup_commands are empty")
    return {key: thaw(answer[key]) for key in PARTS if answer.get(key) is not None}
