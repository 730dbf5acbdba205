"""A real kernel that is interrupted and killed in the middle of a run: nothing that was finished is lost."""

import os
import signal

import pytest
from jupyter_client import KernelManager

import evograft

SETUP = """
import evograft

def evaluate(program_path):
    import time
    time.sleep({seconds} if "3.5" not in open(program_path).read() else 0)
    return {{"combined_score": 0.0}}

def work():
    return evograft.evolve(
        {program!r}, evaluate, trials=10**6, folder="endless", plugins=["halving"],
        settings={{"owners.evaluate": "program"}},
    )
"""
PATIENCE = 120


class Kernel:
    """A kernel with its client."""

    def __init__(self, folder):
        self.manager = KernelManager()
        self.manager.start_kernel(cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def execute(self, source):
        """Execute a cell to its end; return what its last line shows."""
        return self.finish(self.client.execute(source))

    def finish(self, cell):
        """Wait until a cell has ended; return the text that it shows last, or the name of its error."""
        shown = ""
        while (message := self._next(cell))["content"].get("execution_state") != "idle":
            content = message["content"]
            shown = content.get("ename") or content.get("data", {}).get("text/plain", shown)
        return shown

    def await_text(self, cell, text):
        """Wait until a cell shows a text."""
        while text not in str(self._next(cell)["content"]):
            pass

    def _next(self, cell):
        while (message := self.client.get_iopub_msg(timeout=PATIENCE))["parent_header"].get("msg_id") != cell:
            pass
        return message

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()


@pytest.fixture
def kernel(halved, tmp_path):
    kernel = Kernel(tmp_path)
    yield kernel
    kernel.close()


@pytest.fixture
def working(kernel, program):
    """Begins a run in a cell; the answer is the cell, of which some trials are done."""

    def begin(seconds):
        kernel.execute(SETUP.format(program=program, seconds=seconds))
        cell = kernel.client.execute("work()")
        kernel.await_text(cell, "trial ")
        return cell

    return begin


def test_an_interrupt_stops_the_run_and_the_cell_returns_it(kernel, working):
    cell = working(seconds=0)
    kernel.manager.interrupt_kernel()
    assert kernel.finish(cell).startswith("<run endless: stopped by SIGINT, ")
    assert kernel.execute("import signal; signal.getsignal(signal.SIGINT) is signal.default_int_handler") == "True"
    assert kernel.execute("run = evograft.open('endless'); len(run.trials) == run.status.trials > 0") == "True"


def test_a_second_interrupt_ends_the_cell_at_once_and_the_run_goes_on_later(kernel, working):
    cell = working(seconds=600)
    kernel.manager.interrupt_kernel()
    kernel.await_text(cell, "once more to end at once")
    kernel.manager.interrupt_kernel()
    assert kernel.finish(cell) == "KeyboardInterrupt"
    assert kernel.execute("evograft.open('endless').status.writer is None") == "True"
    cell = kernel.client.execute("evograft.resume('endless')")
    kernel.await_text(cell, "resumed at trial")
    kernel.manager.interrupt_kernel()
    kernel.finish(cell)


@pytest.mark.long
def test_a_killed_kernel_has_lost_nothing_that_was_finished(kernel, working, tmp_path):
    working(seconds=0)
    os.kill(kernel.manager.provisioner.pid, signal.SIGKILL)
    kernel.manager.provisioner.process.wait()
    finished = evograft.open(tmp_path / "endless").trials
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=PATIENCE)
    kernel.execute("import evograft")
    trials = len(finished) + 5
    again = kernel.execute(f"evograft.resume('endless', settings={{'budget.trials': {trials}}})")
    assert again.startswith(f"<run endless: complete, {trials} trials")
    numbers = evograft.open(tmp_path / "endless").trials["number"]
    assert numbers.is_unique
    assert set(finished["number"]) <= set(numbers)
