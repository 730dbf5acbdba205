"""Requests of a message, as its parser finds them: calls that fit a tool, and errors for those that do not."""

from __future__ import annotations

from collections.abc import Mapping

from evograft.errors import did_you_mean
from evograft_agent.calls.arguments import SHOWN, ArgumentsError, fit_arguments
from evograft_agent.calls.tool_calls import CallRequest, MalformedCall, ParsedCall
from evograft_agent.xml.json_calls import JsonCall
from evograft_agent.xml.tool_forms import ToolForm
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Json

LIMIT = 100
"""How many calls are read from a message, and how many texts are tried as calls that turn out to be none."""


class CallCollector:
    """The list of what is asked for, in the order of the text."""

    def __init__(self, forms: Mapping[str, ToolForm]) -> None:
        self.forms = forms
        self.found = 0
        """How many there were, those that were discarded included."""
        self._asked: list[CallRequest] = []

    @property
    def is_full(self) -> bool:
        """Whether there are more than are read."""
        return self.found > LIMIT

    def get_all(self) -> tuple[CallRequest, ...]:
        """Return everything, and an error if there was more than is read."""
        more = (
            (MalformedCall(f"more than {LIMIT} calls in one message: the others were not read"),)
            if self.is_full
            else ()
        )
        return (*self._asked[:LIMIT], *more)

    def discard(self, *, but: int = 0) -> None:
        """Discard all but the first `but` calls."""
        del self._asked[but:]

    def __len__(self) -> int:
        return len(self._asked)

    def add(self, call: JsonCall) -> None:
        """Add a call, or what is wrong with it."""
        form = self.forms.get(call.tool.lower())
        if form is None:
            name = call.tool[:SHOWN]
            self._add(
                MalformedCall(f"there is no tool {name!r}; {did_you_mean(name, self.forms)}", name, _get_given(call))
            )
        elif call.fault:
            self._refuse_form(form, call, call.fault)
        else:
            self._fit(form, call)

    def add_error(self, error: str) -> None:
        """Add an error that is not about a tool."""
        self._add(MalformedCall(error))

    def _fit(self, form: ToolForm, call: JsonCall) -> None:
        try:
            self._add(ParsedCall(form.tool.name, fit_arguments(form.tool, call.given)))
        except ArgumentsError as err:
            self._refuse_form(form, call, str(err))

    def _refuse_form(self, form: ToolForm, call: JsonCall, fault: str) -> None:
        name = form.tool.name
        end = "" if fault.endswith("?") else "."
        self._add(
            MalformedCall(
                f"{name}: {fault}{end} It is written like this:\n{form.render_example()}", name, _get_given(call)
            )
        )

    def _add(self, asked: CallRequest) -> None:
        self.found += 1
        self._asked.append(asked)


def _get_given(call: JsonCall) -> FrozenDict[str, Json]:
    """Return the arguments as written; of an argument that was written twice, the last."""
    return FrozenDict(dict(call.given))
