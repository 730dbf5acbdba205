import pytest

from evograft_env_setup.reporting.phases import PHASE_DISPLAY_NAMES, PHASE_ORDER
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.reporting.reporter import ReportingFailed


def test_the_phases_are_the_specified_ones_in_their_order():
    assert PHASE_ORDER == [
        "pre_planning",
        "planning",
        "environment_setup",
        "execution",
        "reflection",
        "verification",
        "complete",
    ]
    assert [PHASE_DISPLAY_NAMES[phase] for phase in PHASE_ORDER] == [
        "Pre Planning",
        "Planning",
        "Environment Setup",
        "Execution",
        "Reflection",
        "Verification",
        "Complete",
    ]


def test_one_phase_is_active_at_a_time(kit):
    for phase in PHASE_ORDER[:3]:
        kit.progress.set_active_phase(phase)
        kit.progress.mark_phase_completed(phase)
    kit.progress.set_active_phase("execution")
    states = list(kit.listener.status.phases.values())
    assert states == ["completed"] * 3 + ["active"] + ["pending"] * 3


def test_a_phase_that_is_left_without_being_completed_is_pending_again(kit):
    kit.progress.set_active_phase("environment_setup")
    kit.progress.set_active_phase("execution")
    assert kit.listener.status.phases["environment_setup"] == "pending"


def test_a_phase_that_does_not_exist_is_refused_by_name(kit):
    with pytest.raises(ValueError, match="did you mean 'environment_setup'"):
        kit.progress.set_active_phase("enviroment_setup")


class Flaky:
    def __init__(self, failures):
        self.left = failures
        self.heard = []

    def report(self, status, news):
        if self.left:
            self.left -= 1
            raise ReportingFailed("github: 503")
        self.heard.append((status, news))


def test_a_reporter_that_fails_is_told_of_once_and_stops_nobody(kit):
    progress = SetupProgress([Flaky(100), kit.listener])
    progress.set_active_phase("planning")
    progress.mark_phase_completed("planning")
    assert kit.listener.status.phases["planning"] == "completed"
    assert kit.listener.status.warnings == ("github: 503",)


def test_a_reporter_that_is_back_hears_the_last_word():
    flaky = Flaky(2)
    progress = SetupProgress([flaky])
    progress.set_active_phase("planning")
    progress.post("what failed")
    assert flaky.heard[-1][0].comment == "what failed"


def test_what_is_said_holds_no_control_sequences_and_no_keys(kit):
    kit.progress.say("\x1b[2Jgone\nsk-abcdefghijklmnop")
    assert "\x1b" not in kit.listener.news[-1]
    assert "sk-abc" not in kit.listener.news[-1]
    assert "\n" not in kit.listener.news[-1]
