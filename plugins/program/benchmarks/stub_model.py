"""A model that answers at once, for comparing engines: each answer changes one number of the program in the prompt.

It speaks OpenAI's chat completions on loopback. The name of the model that is asked for is a kind of fault, which every
second answer then has.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NUMBER = re.compile(r"^VALUE = (-?[0-9.]+)$", re.MULTILINE)
CURRENT = re.compile(r"# (?:current program|the program so far)", re.IGNORECASE)
"""What stands above the program that is to be changed; others are shown as well."""
FAULTS = {
    "plain": "",
    "hang": "while True: pass",
    "exit": "import os; os._exit(0)",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "memory": "HOARD = [bytearray(1 << 20) for _ in range(8192)]",
    "leave": "import subprocess; subprocess.Popen(['sleep', '98765'], start_new_session=True)",
    "lie": (
        "import sys; EVALUATOR = sys.modules.get('evaluation_module'); "
        "EVALUATOR and setattr(EVALUATOR, 'evaluate', lambda path: {'combined_score': 1e9})"
    ),
}
COUNTER = itertools.count(1)


def answer(prompt: str, fault: str) -> str:
    """Return the change of a number, as lines to search and replace or as a whole program, as the prompt asks."""
    count = next(COUNTER)
    found = NUMBER.findall(CURRENT.split(prompt)[-1])
    head = f"<NAME>\nstep_{count}\n</NAME>\n<DESCRIPTION>\na smaller number\n</DESCRIPTION>\n"
    before = f"VALUE = {found[0] if found else '3.0'}"
    after = f"VALUE = {3 - count / 1000:.4f}"
    if FAULTS[fault] and count % 2 == 0:
        after += f"\n{FAULTS[fault]}"
    if "<<<<<<< SEARCH" in prompt:
        changed = f"<<<<<<< SEARCH\n{before}\n=======\n{after}\n>>>>>>> REPLACE"
        return f"{head}<DIFF>\n{changed}\n</DIFF>"
    program = PROGRAM.replace("VALUE = 3.0", after)
    fenced = f"```python\n{program}```"
    return f"{head}<CODE>\n{fenced}\n</CODE>"


PROGRAM = """# EVOLVE-BLOCK-START
import numpy as np

VALUE = 3.0


def run(seed=0):
    return float(np.sum(np.full(4, VALUE)))
# EVOLVE-BLOCK-END
"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(str(message["content"]) for message in asked["messages"])
        text = answer(prompt, asked["model"])
        body = json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve() -> Iterator[str]:
    """Serve on a free port of loopback; give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
