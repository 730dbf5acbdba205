"""What prompts tell case by case, and of what was tried."""

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_ahc.contests.statement.for_models import shorten_statement
from evograft_ahc.judging.stderr_values import MOST, read_values
from evograft_ahc.reasoning.prompts.attempts import describe_attempts
from evograft_ahc.reasoning.prompts.case_report import CaseReport, list_better_cases
from evograft_ahc.scoring.best_scores import collect_best_scores
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Candidate, Evaluation, FrozenDict, Proposal, Trial

SCORES = st.dictionaries(st.sampled_from(["0000", "0001", "0002"]), st.floats(1, 1e9))


class Files:
    def input_of(self, case):
        return f"3 {case}\n".encode() * 100

    def output_of(self, _source, case):
        return None if case == "0001" else b"an answer\n\x1b[31m```\n"


class Interactive(Files):
    def input_of(self, _case):
        return None


def trial_of(number, cases, *, idea="", group="speed_up", status="ok", parents=(), score=None, values=None):
    candidate = Candidate.of("int main() {}", kind="cpp", operator="operators.diff", trial=number, parents=parents)
    evaluation = Evaluation(
        status=status,
        score=None if status == "rejected" else score or sum(cases.values()),
        reason="" if status == "ok" else "it crashed",
        cases=cases,
        details=FrozenDict({"case_values": values or {}, "case_seconds": (1.5, 1.9)}),
    )
    return Trial(
        number=number,
        view=0,
        proposal=Proposal(id=f"ahc.{group}", operator="operators.diff"),
        candidate=candidate.model_copy(update={"idea": idea}),
        evaluation=evaluation,
    )


def report_of(trial, *others, sign=1, files=None):
    best = collect_best_scores((trial, *others), References(), sign)
    return CaseReport(trial, best, sign, 2.0, files or Files(), {"0000": "60 huts"}, "en")


def test_weak_cases_come_with_their_loss_who_was_better_and_what_they_printed():
    weak = trial_of(4, {"0000": 50.0, "0001": 100.0}, values={"0000": {"iterations": 12.0}})
    text = report_of(weak, trial_of(7, {"0000": 100.0, "0001": 90.0})).text()
    assert "0000  50  100 (#7)  -50.00 %  60 huts  iterations=12" in text
    assert "0001: 100" in text
    assert "would have a mean of 100 over these 2 cases; this one has 75" in text
    assert "Seconds: 1.5 of an average case and 1.9 of the longest one, of 2." in text
    assert "3 0000" in text
    assert "(88 more lines)" in text
    assert "````\nan answer" in text, "the fence is longer than any that a program prints"


def test_where_the_score_is_a_sum_sums_are_told_as_in_the_score():
    weak, strong = trial_of(4, {"0000": 50.0, "0001": 100.0}), trial_of(7, {"0000": 100.0, "0001": 90.0})
    told = replace(report_of(weak, strong), counts="sum").text()
    assert "would have a sum of 200 over these 2 cases; this one has 150" in told
    assert "mean" not in told


def test_how_inputs_begin_is_left_out_where_all_begin_alike():
    weak, strong = trial_of(4, {"0000": 50.0, "0001": 60.0}), trial_of(7, {"0000": 100.0, "0001": 90.0})
    report = replace(report_of(weak, strong), heads={"0000": "20 40", "0001": "20 40"})
    assert "20 40" not in report.text()
    assert "how the input begins" not in report.text()


def test_where_less_is_better_a_higher_score_is_a_loss():
    report = report_of(trial_of(4, {"0000": 50.0}), trial_of(7, {"0000": 40.0}), sign=-1)
    assert [(row.case, row.gain) for row in report.losses] == [("0000", -0.25)]


def test_nothing_is_shown_of_what_programs_are_not_to_know():
    text = report_of(trial_of(4, {"0000": 50.0}), trial_of(7, {"0000": 90.0}), files=Interactive()).text()
    assert "The input of case" not in text
    assert "printed there" not in text


@given(SCORES, SCORES, st.sampled_from([1, -1]))
def test_each_case_is_better_for_at_most_one_of_two_programs(ours, theirs, sign):
    one, other = trial_of(1, ours, score=1.0), trial_of(2, theirs, score=1.0)
    better, worse = ({entry[:4] for entry in list_better_cases(*pair, sign)} for pair in ((one, other), (other, one)))
    assert not better & worse
    assert better | worse <= ours.keys() & theirs.keys()
    lost = {row.case for row in report_of(one, other, sign=sign).losses}
    assert lost == worse


def test_only_attempts_of_the_same_kind_are_told_with_what_became_of_them():
    known = [
        trial_of(1, {"0000": 100.0}, idea=""),
        trial_of(2, {"0000": 90.0}, idea="Sort by weight.", parents=(1,)),
        trial_of(3, {}, idea="Use bitsets.", status="rejected", parents=(1,)),
        trial_of(4, {"0000": 200.0}, idea="Another kind.", group="weakness", parents=(1,)),
    ]
    text = describe_attempts(known, "speed_up", "en")
    assert "#2 Sort by weight. – -10.00 % against its parent" in text
    assert "#3 Use bitsets. – rejected: it crashed" in text
    assert "Another kind" not in text
    assert describe_attempts(known, "follow", "en") == ""


def test_values_are_read_from_what_a_program_prints_about_itself():
    assert read_values(b"loops=12 acc = .5\nloops=13\nscore: 7, a==1, x=1.2.3, t=1e3\n") == {
        "loops": 13.0,
        "acc": 0.5,
        "t": 1000.0,
    }
    assert len(read_values(b"".join(b"k%d=1\n" % number for number in range(100)))) == MOST


@pytest.mark.parametrize("text", ["3,000", "1/2", "12:30", "1'000", "30,5", "2*3", "1-2"])
def test_what_is_more_than_a_number_is_no_value(text):
    assert read_values(f"last={text} sure=4".encode()) == {"sure": 4.0}


@pytest.mark.parametrize("text", ["7", "7,", "7, 8", "7,b=1", "7;", "7/s", "7:", "7 -2", "+7", "7%", "7)"])
def test_a_number_may_stand_before_anything_that_does_not_go_on_with_it(text):
    assert read_values(f"last={text}".encode())["last"] == 7.0


@given(st.binary(max_size=300))
def test_no_output_breaks_the_reading_of_values(stderr):
    assert len(read_values(stderr)) <= MOST


def test_models_get_a_statement_without_html_addresses_and_tools():
    text = (
        "# T\n\n<a href='https://a.b/x.html'>Show example</a>\n\n[Show it](https://a.b/y)\n\n"
        "<span class='x'>A</span> [link](https://a.b/c) ![p](https://a.b/p.png) $a < b$ and $c > d$\n\n"
        "```\n<span>kept</span>\n## Tools\n```\n\n## Tools\n\nseeds\n\n### More\n\nx\n\n## Input\n\nN\n"
    )
    assert shorten_statement(text) == (
        "# T\n\nA link  $a < b$ and $c > d$\n\n```\n<span>kept</span>\n## Tools\n```\n\n## Input\n\nN\n"
    )


@given(st.text(string.ascii_letters + " \n$#.", max_size=200))
def test_a_statement_without_markup_keeps_its_words(text):
    if "ools" not in text.lower():
        assert shorten_statement(text).split() == text.split()
