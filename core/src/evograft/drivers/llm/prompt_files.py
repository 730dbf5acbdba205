"""Prompts that wait for a person: Markdown files in a run's folder, with their answers next to them.

`prompts/NAME.md` is a prompt, `prompts/NAME.answer.md` its answer. A prompt has the same name whenever the run comes
to it again, so that an answer written while nobody worked on the run is found. Whatever else lies there is the
person's own.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import shlex
import uuid
from dataclasses import dataclass
from pathlib import Path

from evograft.errors import UserError, did_you_mean
from evograft_hookspecs import LlmCall, Message

FOLDER = "prompts"
ANSWER = ".answer.md"
_NAME = re.compile(r"(start|\d{5,})-[\w-]{0,40}-[0-9a-f]{8}\.md")
"""The name of a file with a prompt, see `name_of`."""
_ALIKE = 0.8
"""The least similarity to the name of an answer at which a file was likely meant as one."""
_END = "-->\n\n"
"""The end of the comment that says how to answer; the prompt follows it."""


@dataclass(frozen=True)
class PromptFile:
    """A prompt on disk."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".md")

    @property
    def answer_path(self) -> Path:
        return self.path.with_name(f"{self.name}{ANSWER}")

    @property
    def beginning(self) -> str:
        """The first words of the comment that says how to answer."""
        return f"<!--\n{self.name} waits for an answer"

    @property
    def is_ours(self) -> bool:
        """Whether there is such a prompt, and a run wrote it: a person keeps files of any name next to prompts."""
        # A pipe would be waited for.
        if not (_NAME.fullmatch(self.path.name) and self.path.is_file()):
            return False
        beginning = self.beginning.encode()
        with self.path.open("rb") as file:
            return file.read(len(beginning)) == beginning

    @property
    def text(self) -> str:
        """The text that is to be answered, without the comment above it."""
        return self.path.read_text(encoding="utf-8", errors="replace").partition(_END)[2]

    @property
    def first_line(self) -> str:
        return next((line.strip() for line in self.text.splitlines() if line.strip()), "")

    @property
    def trial(self) -> int | None:
        """The trial that asks; `None`: it is asked outside of trials."""
        number = self.name.partition("-")[0]
        return int(number) if number.isdecimal() else None

    @property
    def written_at(self) -> float:
        """Unix time at which it was put there."""
        return self.path.stat().st_mtime

    def answer(self) -> str | None:
        """Return what was answered; `None`: nothing yet.

        A blank file is not an answer yet, because editors make those, and neither is anything but a file.
        """
        if not self.answer_path.is_file():
            return None
        try:
            text = self.answer_path.read_text(encoding="utf-8-sig", errors="replace")
        except FileNotFoundError:
            return None
        return text if text.strip() else None


def find_waiting(folder: Path) -> tuple[PromptFile, ...]:
    """Return the prompts of a run that have no answer, in the order of their names."""
    return tuple(prompt for prompt in _prompts(folder) if prompt.answer() is None)


def _prompts(folder: Path) -> list[PromptFile]:
    return [prompt for path in sorted((folder / FOLDER).glob("*.md")) if (prompt := PromptFile(path)).is_ours]


def find_misnamed(folder: Path) -> dict[str, str]:
    """Return files next to the prompts that were likely meant as answers, each with the name that it should have."""
    prompts = _prompts(folder)
    known = {name for prompt in prompts for name in (prompt.path.name, prompt.answer_path.name)}
    names = sorted(path.name for path in (folder / FOLDER).glob("[!.]*") if path.name not in known)
    wanted = [prompt.answer_path.name for prompt in prompts if prompt.answer() is None]
    near = {name: difflib.get_close_matches(name, wanted, n=1, cutoff=_ALIKE) for name in names}
    return {name: found[0] for name, found in near.items() if found}


def find_prompt(folder: Path, name: str) -> PromptFile:
    """Return a prompt by its name, answered or not; an unknown one is a UserError."""
    prompts = {prompt.name: prompt for prompt in _prompts(folder)}
    if name not in prompts:
        raise UserError(f"no prompt {name!r} in {folder / FOLDER}; {did_you_mean(name, prompts)}")
    return prompts[name]


def write_answer(folder: Path, name: str, text: str) -> Path:
    """Answer a prompt, at once and whole; return the file.

    Raises:
        UserError: there is no such prompt, it has an answer already, or the text is blank.
    """
    prompt = find_prompt(folder, name)
    if not text.strip():
        raise UserError("the answer is empty")
    if not _create(prompt.answer_path, text):
        if prompt.answer() is not None:
            raise UserError(f"prompt {name!r} is answered already, in {prompt.answer_path}")
        if prompt.answer_path.exists() and not prompt.answer_path.is_file():
            raise UserError(f"{str(prompt.answer_path)!r} is no file: move it away, then answer again")
        _write(prompt.answer_path, text)
    return prompt.answer_path


def write_prompt(folder: Path, call: LlmCall) -> PromptFile:
    """Write the prompt of a call."""
    prompt = PromptFile(folder / FOLDER / f"{name_of(call)}.md")
    prompt.path.parent.mkdir(exist_ok=True)
    _write(prompt.path, _comment(prompt, call) + _pasted(call.request.messages))
    return prompt


def remove_unanswered(folder: Path) -> None:
    """Remove the prompts that nobody answered: those that the run still wants are written again."""
    for prompt in find_waiting(folder):
        prompt.path.unlink(missing_ok=True)


def name_of(call: LlmCall) -> str:
    """Return trial, hook and the first digits of the key's hash: short enough to type, and the same after a restart."""
    trial = "start" if call.trial is None else f"{call.trial:05}"
    path = call.key.partition(":")[0].split("/")
    # The path ends with hook, plugin and occurrence, see `evograft.plugin.context.CallSite`.
    hook = re.sub(r"\W+", "-", path[-3] if len(path) > 3 else path[-1])  # noqa: PLR2004
    return f"{trial}-{hook[:40]}-{hashlib.sha256(call.key.encode()).hexdigest()[:8]}"


def _comment(prompt: PromptFile, call: LlmCall) -> str:
    run = shlex.quote(str(prompt.path.parent.parent))
    return f"""{prompt.beginning} of at most {call.request.max_tokens} tokens.
Save it beside this file as {prompt.answer_path.name}, or give it with:

  evo answer {run} {prompt.name} --file FILE

For a web chat, copy all that stands below this comment, or what this prints:

  evo answer {run} --show {prompt.name}
{_END}"""


def _pasted(messages: tuple[Message, ...]) -> str:
    """Return the messages as one text; it says who said what only if there is more than a task and its rules."""
    if all(message.role != "assistant" for message in messages):
        return "\n\n".join(message.content.strip("\n") for message in messages) + "\n"
    turns = (f"## {message.role}\n\n{message.content.strip(chr(10))}" for message in messages)
    return "\n\n".join(turns) + "\n"


def _write(path: Path, text: str) -> None:
    _write_temporary(path, text).replace(path)


def _create(path: Path, text: str) -> bool:
    """Make a file and return whether it was made; false if it was there, even if only since this moment."""
    temporary = _write_temporary(path, text)
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:  # a file system without links: exFAT, some network shares
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _write_temporary(path: Path, text: str) -> Path:
    """Write the text to a temporary file, so that whoever looks sees no file or the whole one."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    temporary.write_text(text, encoding="utf-8", newline="")
    return temporary
