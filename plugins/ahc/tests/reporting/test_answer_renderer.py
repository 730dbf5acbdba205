"""Drawings of the best program: which cases, where they are kept, and what a report shows of them."""

import pytest

from evograft_ahc.reporting.answer_renderer import AnswerRenderer, find_drawings
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Candidate, Evaluation, Problem, ProblemAnalyzed, RunEnded, RunStarted, Trial


class Kept:
    def __init__(self, outputs):
        self.outputs = outputs

    def output_of(self, source, case):
        return self.outputs.get((source, case))


def best(number=7, scores=(10.0, 30.0, 20.0)):
    cases = {f"{case:04}": score for case, score in enumerate(scores)}
    candidate = Candidate.of("// best", kind="cpp", operator="ahc.nudge", trial=number)
    return Trial(number=number, view=0, candidate=candidate, evaluation=Evaluation(status="ok", score=1.0, cases=cases))


def events(folder, trial, references=(20.0, 20.0, 20.0), direction="max"):
    program = {f"{case:04}": score for case, score in enumerate(references)}
    reference_frame = ReferenceFrame(references=References(programs=(program,)), direction=direction, case_order=0)
    problem = Problem(
        name="ahc",
        statement="s",
        kind="cpp",
        objective="score",
        analysis=reference_frame.entry(),
        seeds=({"main": ""},),
    )
    yield RunStarted(run="r", folder=str(folder), pipeline={})
    yield ProblemAnalyzed(seq=0, problem=problem)
    yield RunEnded(outcome="complete", reason="", commits=1, best=trial)


def painted(folder, trial, outputs=None, draw=lambda case, output: b"<svg>" + output + b"</svg>", **told):
    kept = {("// best", f"{case:04}"): f"{case}".encode() for case in range(3)} if outputs is None else outputs
    renderer = AnswerRenderer(Kept(kept), draw)
    for event in events(folder, trial, **told):
        renderer.observe(event)


@pytest.mark.parametrize("direction", ["max", "min"])
def test_the_weakest_and_the_strongest_case_are_drawn(tmp_path, direction):
    painted(tmp_path, best(), direction=direction)
    assert {(each.case, each.svg) for each in find_drawings(tmp_path, 7)} == {
        ("0000", b"<svg>0</svg>"),
        ("0001", b"<svg>1</svg>"),
    }
    assert find_drawings(tmp_path, 6) == ()


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"trial": None}, id="no best"),
        pytest.param({"trial": best(), "outputs": {}}, id="no outputs kept"),
        pytest.param({"trial": best(), "draw": lambda case, output: None}, id="no visualiser"),
        pytest.param({"trial": best(scores=())}, id="nothing solved"),
    ],
)
def test_without_something_to_draw_no_folder_is_made(tmp_path, told):
    painted(tmp_path, **told)
    assert list(tmp_path.iterdir()) == []


def test_what_is_drawn_already_is_left_alone(tmp_path):
    painted(tmp_path, best())
    painted(tmp_path, best(), draw=lambda case, output: b"<svg>anew</svg>")
    assert {each.svg for each in find_drawings(tmp_path, 7)} == {b"<svg>0</svg>", b"<svg>1</svg>"}


def test_other_files_are_no_drawings(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "trial7.svg").write_text("<svg></svg>")
    assert find_drawings(tmp_path, 7) == ()
