"""What the rows of a run's log say in `session.log`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal

from evograft.api import CompletedCall, FailedCharge, FinalEvaluation, Finished
from evograft_ahc.records.candidate import compute_average_score, get_creation_method
from evograft_ahc.records.entry import Level, SessionLogEntry
from evograft_ahc.records.ids import CandidateNaming
from evograft_hookspecs import Control, LlmAnswer, LlmRequest, Problem

Prompts = Literal["full", "hash"]


def build_problem_entry(problem: Problem, at: float) -> SessionLogEntry:
    fields = {"name": problem.name, "seeds": len(problem.seeds), "objective": problem.objective}
    return SessionLogEntry(at, "INFO", "problem analysed", fields)


def build_trial_entry(finished: Finished, naming: CandidateNaming, *, is_best: bool) -> SessionLogEntry:
    """Build the entry of what came of a candidate, and how long it took."""
    trial, evaluation = finished.trial, finished.trial.evaluation
    candidate = trial.candidate
    fields = {
        "individual": naming.place(trial.number).individual,
        "trial": trial.number,
        "method": get_creation_method(trial),
        "parents": [naming.place(parent).individual for parent in (candidate.parents if candidate else ())],
        "status": evaluation.status,
        "average": compute_average_score(evaluation),
        "score": evaluation.score,
        "cpu_seconds": round(finished.seconds, 3),
        **get_duration_fields(finished.durations),
        "elapsed": finished.elapsed,
        "repairs": len(trial.attempts),
        "reason": evaluation.reason or None,
    }
    levels: dict[str, Level] = {"rejected": "WARNING", "failed": "ERROR"}
    return SessionLogEntry(
        finished.at,
        levels.get(evaluation.status, "INFO"),
        "new best" if is_best else "candidate",
        fields,
        {"feedback": evaluation.feedback} if evaluation.feedback else {},
    )


def build_call_entry(
    call: CompletedCall, request: LlmRequest, answer: LlmAnswer | None, *, prompts: Prompts
) -> SessionLogEntry:
    """Build the entry of a call of a model: prompt and answer, tokens, and how long it took."""
    usage, is_cut = call.usage, answer is not None and answer.finish == "length"
    fields = {
        "model": call.model,
        "trial": call.trial,
        "hook": call.hook,
        "plugin": call.plugin,
        "seconds": round(call.seconds, 3),
        "requests": call.requests,
        "prompt_chars": sum(len(message.content) for message in request.messages),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "dollars": usage.dollars,
        "refused": call.refused or None,
        "cut_at": request.max_tokens if is_cut else None,
    }
    prompt = "\n\n".join(f"[{message.role}]\n{message.content}" for message in request.messages)
    texts = {"prompt": prompt, "answer": answer.text if answer else ""}
    level: Level = "WARNING" if call.refused or is_cut else "DEBUG"
    if prompts == "hash":
        return SessionLogEntry(
            call.at, level, "model asked", {**fields, **{name: compute_digest(text) for name, text in texts.items()}}
        )
    return SessionLogEntry(call.at, level, "model asked", fields, texts)


def build_charge_entry(charge: FailedCharge) -> SessionLogEntry:
    usage = charge.usage
    fields = {
        "model": charge.model,
        "trial": charge.trial,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "reason": charge.reason,
    }
    return SessionLogEntry(charge.at, "WARNING", "request without an answer", fields)


def build_control_entry(control: Control, at: float) -> SessionLogEntry:
    """Build the entry of an instruction, a stop, or settings that changed."""
    return SessionLogEntry(at, "INFO", control.kind, {"first_trial": control.first_trial}, {"text": control.text})


def build_final_entry(judged: FinalEvaluation, naming: CandidateNaming, at: float) -> SessionLogEntry:
    """Build the entry of the final evaluation: the best candidate on cases that no choice depended on."""
    evaluation = judged.evaluation
    fields = {
        "individual": naming.place(judged.trial).individual,
        "status": evaluation.status,
        "score": evaluation.score,
        "average": compute_average_score(evaluation),
        **get_duration_fields(judged.durations),
    }
    return SessionLogEntry(
        at, "INFO", "final judgement", fields, {"feedback": evaluation.feedback} if evaluation.feedback else {}
    )


def build_failure_entry(reason: str, at: float) -> SessionLogEntry:
    """Build the entry of what ended a session before it was through."""
    return SessionLogEntry(at, "CRITICAL", "session failed", {"reason": reason})


def get_duration_fields(durations: Mapping[str, float]) -> dict[str, float]:
    """Return what the parts of an evaluation took by the clock; of a cached program, what the look-up took."""
    return {f"{part}_seconds": seconds for part, seconds in durations.items()}


def compute_digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
