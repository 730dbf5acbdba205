"""The network is there for those who ask for it, and for nobody else."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from evograft_hookspecs import SandboxCommand

CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5).sendall(b'x')"


@pytest.fixture(params=("process", "bwrap"))
def local_driver(request):
    """Drivers whose network is this machine's; that of a container has no way to its loopback."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def connect(driver, server, *, network):
    with closing(driver.open(python=True, network=network)) as session:
        return session.run(SandboxCommand(arguments=(session.python, "-c", CONNECT, str(server.getsockname()[1]))))


def test_a_session_that_was_opened_for_the_network_reaches_it(local_driver, server):
    result = connect(local_driver, server, network=True)
    assert result.exit_code == 0, result.stderr
    with server.accept()[0] as connection:
        assert connection.recv(1) == b"x"


def test_no_other_session_does(local_driver, server):
    result = connect(local_driver, server, network=False)
    assert result.exit_code != 0
    server.setblocking(False)
    with pytest.raises(BlockingIOError):
        server.accept()
