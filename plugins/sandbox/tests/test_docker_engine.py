"""Containers whose processes have ended, without an engine."""

import subprocess
from dataclasses import replace

from docker.errors import NotFound

from evograft_sandbox.commands.docker import OWNER_LABEL
from evograft_sandbox.docker_engine import remove_orphans
from evograft_sandbox.process_owner import ProcessOwner


class Container:
    def __init__(self, name, owner, *, is_gone=False):
        self.name = name
        self.labels = {OWNER_LABEL: owner}
        self.removed = None
        self._is_gone = is_gone

    def remove(self, **options):
        if self._is_gone:
            raise NotFound("no such container")
        self.removed = options


class Client:
    """An engine with containers, which gives those that have a label."""

    def __init__(self, *made):
        self.made = made
        self.asked = {}

    @property
    def containers(self):
        return self

    def list(self, **asked):
        self.asked = asked
        return self.made


def test_containers_of_dead_processes_alone_are_removed_and_named():
    gone = subprocess.Popen(["true"])
    gone.wait()
    dead = replace(ProcessOwner.current(), pid=gone.pid, started=1)
    client = Client(
        Container("dead", dead.to_label()),
        Container("alive", ProcessOwner.current().to_label()),
        Container("elsewhere", replace(dead, host="another-machine").to_label()),
        Container("not ours", "somebody's"),
        Container("removed meanwhile", dead.to_label(), is_gone=True),
    )
    assert remove_orphans(client, OWNER_LABEL, volumes=True) == ["dead"]
    assert client.asked["filters"] == {"label": OWNER_LABEL}
    assert [each.removed for each in client.made] == [{"force": True, "v": True}, None, None, None, None]


def test_the_label_is_the_one_that_earlier_versions_wrote():
    assert OWNER_LABEL == "evograft.owner"
