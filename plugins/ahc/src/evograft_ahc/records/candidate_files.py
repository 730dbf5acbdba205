"""The files of single candidates in a session's folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from evograft.api import Finished, write_atomically
from evograft_ahc.records.candidate import CandidateRecord, build_candidate_record, file_of, get_compile_log_path
from evograft_ahc.records.ids import CandidateNaming
from evograft_ahc.records.outputs import ProgramOutputs
from evograft_ahc.scoring.evaluation import find_failures
from evograft_hookspecs import Trial

FOLDERS = ("candidates", "solutions", "outputs", "scores")
COMPILE_LOGS = "compile_*.log"


class CandidateFiles:
    """Writes them, each candidate's once.

    Args:
        folder: of the session.
        outputs: where the programs' answers can be had.
    """

    def __init__(self, folder: Path, outputs: ProgramOutputs) -> None:
        self._folder = folder
        self._outputs = outputs

    def write(self, finished: Finished, naming: CandidateNaming, *, temperature: float | None) -> None:
        """Write those of a finished trial; its record comes last, so that what was cut short is done again.

        Args:
            finished: as the log has it.
            naming: of the session.
            temperature: at which a model was asked for it.
        """
        trial, place = finished.trial, naming.place(finished.trial.number)
        record = self._folder / "candidates" / f"{place.file}.json"
        if record.exists():
            return
        described = build_candidate_record(finished, naming, temperature=temperature)
        for path, content in self._files(trial, naming, described):
            self._put(path, content)
        missing = tuple(file_of(case) for case in self._put_outputs(trial, place.file))
        described = described.model_copy(update={"missing_outputs": missing})
        write_atomically(record, f"{described.model_dump_json(indent=1)}\n".encode())

    def remove(self) -> None:
        """Remove all of them."""
        for name in FOLDERS:
            shutil.rmtree(self._folder / name, ignore_errors=True)
        for log in (self._folder / "logs").glob(COMPILE_LOGS):
            log.unlink()

    def _files(self, trial: Trial, naming: CandidateNaming, described: CandidateRecord) -> Iterator[tuple[str, bytes]]:
        """Yield paths in the session's folder, and contents."""
        if trial.candidate is None or described.source_code_path is None:
            return
        name = naming.place(trial.number).file
        yield described.source_code_path, _text_of(trial).encode()
        yield get_compile_log_path(trial, naming), _compile_log(trial, described).encode()
        for case, score in trial.evaluation.cases.items():
            yield f"scores/{name}/{case}.score", f"{score:.15g}\n".encode()

    def _put_outputs(self, trial: Trial, name: str) -> Iterator[str]:
        """Write what it printed on the cases it was run on; return the names of those of which that is not kept."""
        for case in sorted({*trial.evaluation.cases, *find_failures(trial.evaluation)}):
            output = self._outputs.output_of(_text_of(trial), case)
            if output is None:
                yield case
            else:
                self._put(f"outputs/{name}/{case}.out", output)

    def _put(self, path: str, content: bytes) -> None:
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _text_of(trial: Trial) -> str:
    """One of several files, which is invalid here, is told as a whole."""
    return "\n".join(trial.candidate.files.values()) if trial.candidate else ""


def _compile_log(trial: Trial, described: CandidateRecord) -> str:
    """Return what the compiler said: of drafts that went back to be repaired, and of the program itself."""
    said = [f"draft {number}: {each.feedback or each.reason}" for number, each in enumerate(trial.attempts, start=1)]
    refused = described.compilation_status in ("failed", "timeout")
    own = [trial.evaluation.feedback or trial.evaluation.reason] if refused else []
    return "\n".join([*said, described.compilation_status, *own]) + "\n"
