"""A plugin for tests that makes hostile programs, one a trial, and harmless ones between them."""

from __future__ import annotations

from evograft_hookspecs import CONTRACT, Candidate, Manifest, NoOptions, Operator, Proposal, Selection, hookimpl

HARMLESS = "def new_invariant(G):\n    return G.number_of_edges() / G.number_of_nodes() ** {power}\n"

ATTACKS = {
    "infinite loop": "def new_invariant(G):\n    while True:\n        pass\n",
    "one endless C call": "def new_invariant(G):\n    return sum(range(10 ** 18))\n",
    "8 GB": "def new_invariant(G):\n    return float(len(bytes_of(8)))\n\ndef bytes_of(n):\n    return [0] * (n * 2 ** 30 // 8)\n",
    "os._exit": "import os\ndef new_invariant(G):\n    os._exit(0)\n",
    "os through a module": "import numpy as np\ndef new_invariant(G):\n    np.os._exit(0)\n",
    "segfault": "import ctypes\ndef new_invariant(G):\n    return ctypes.string_at(0)\n",
    "kills itself": "import os, signal\ndef new_invariant(G):\n    os.kill(os.getpid(), signal.SIGKILL)\n",
    "kills its parent": "import os, signal\ndef new_invariant(G):\n    os.kill(os.getppid(), signal.SIGKILL)\n",
    "fork bomb": "import os\ndef new_invariant(G):\n    while True:\n        os.fork()\n",
    "detached children": "import subprocess\ndef new_invariant(G):\n    subprocess.Popen(['sleep', '99'], start_new_session=True)\n",
    "50 MB on stdout, then nothing": "def new_invariant(G):\n    print('x' * 50_000_000)\n    return None\n",
    "deep recursion": "def new_invariant(G):\n    return new_invariant(G)\n",
    "patches numpy": "import numpy as np\ndef new_invariant(G):\n    np.mean = lambda *a: 1.0\n    return 1.0\n",
    "patches networkx": "import networkx as nx\ndef new_invariant(G):\n    nx.density = lambda g: 1.0\n    return 1.0\n",
    "patches the scorer": "import evograft_graph_invariant.scoring.correlation as s\ndef new_invariant(G):\n    return 1.0\n",
    "mutates the graph": "def new_invariant(G):\n    G.remove_node(0)\n    return G.number_of_nodes()\n",
    "reads a file": "def new_invariant(G):\n    return float(len(open('/etc/passwd').read()))\n",
    "reads the environment": "import os\ndef new_invariant(G):\n    return float(len(os.environ))\n",
    "opens a socket": "import socket\ndef new_invariant(G):\n    return socket.socket().fileno()\n",
    "NaN": "def new_invariant(G):\n    return float('nan')\n",
    "inf": "def new_invariant(G):\n    return float('inf')\n",
    "huge ints": "def new_invariant(G):\n    return 10 ** 5000\n",
    "complex": "def new_invariant(G):\n    return complex(1, 2)\n",
    "bool": "def new_invariant(G):\n    return G.number_of_nodes() > 50\n",
    "text": "def new_invariant(G):\n    return 'large'\n",
    "answers on two graphs only": "def new_invariant(G):\n    return G.number_of_edges() if G.number_of_nodes() == 40 else None\n",
    "eval through a dunder": "def new_invariant(G):\n    return ().__class__.__base__.__subclasses__()[0]\n",
    "not Python": "def new_invariant(G):\n    return (((\n",
    "no such function": "def another(G):\n    return 1.0\n",
    "null byte": "def new_invariant(G):\n    return 1.0\x00\n",
    "ten thousand brackets": "def new_invariant(G):\n    return " + "(" * 10_000 + "1" + ")" * 10_000 + "\n",
}


class Attacker:
    manifest = Manifest(name="attacker", contract=CONTRACT, operators=(Operator(name="next"),), thread_safe=True)
    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    @hookimpl
    def select(self) -> Selection:
        return Selection()

    @hookimpl
    def propose(self) -> tuple[Proposal, ...]:
        return (Proposal(id="next", operator="attacker.next"),)

    @hookimpl
    def mutate(self, ctx, proposal) -> Candidate:
        step = ctx.trial - len(ctx.problem.seeds)
        attacks = list(ATTACKS.values())
        source = HARMLESS.format(power=1 + step / 100) if step % 2 else attacks[step // 2 % len(attacks)]
        return Candidate.of(source, kind=ctx.problem.kind, operator=proposal.operator, trial=ctx.trial)
