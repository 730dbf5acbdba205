"""Sessions are shared by many jobs, and end with the judge."""

import threading

import pytest

from evograft_hookspecs import SandboxLost, SandboxUnavailable
from evograft_sandbox.commands.session_pool import SessionPool


class Session:
    """One in which a job waits until somebody closes it."""

    def __init__(self):
        self.closed = threading.Event()
        self.busy = threading.Event()

    def wait(self):
        self.busy.set()
        self.closed.wait()
        raise SandboxLost("closed")

    def close(self):
        self.closed.set()


def test_a_job_that_is_at_work_ends_when_the_workers_are_closed():
    session = Session()
    workers, ends = SessionPool(lambda: session, 1), []

    def job():
        try:
            with workers.borrow() as worker:
                worker.session.wait()
        except SandboxLost as err:
            ends.append(err)

    thread = threading.Thread(target=job)
    thread.start()
    session.busy.wait()
    workers.close()
    thread.join()
    assert len(ends) == 1
    with pytest.raises(SandboxUnavailable), workers.borrow():
        pass


def test_a_lost_session_is_replaced_and_the_others_are_kept():
    made = []

    def make():
        made.append(Session())
        return made[-1]

    workers = SessionPool(make, 2)
    with pytest.raises(SandboxLost), workers.borrow():
        raise SandboxLost("gone")
    with workers.borrow() as one, workers.borrow() as other:
        assert {one.session, other.session} == {*made[1:]}
    workers.close()
    assert all(session.closed.is_set() for session in made)
