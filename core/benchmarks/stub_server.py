"""An OpenAI-compatible server in a process of its own that answers at once, or after a while.

    python stub_server.py --latency 1.0 --sigma 0.5

prints its address; ends when its standard input does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
from itertools import count

SIZES = (500, 1000, 2000, 4000, 8000)
"""Bytes of a program, in turn."""

LINE = "    total += (value * {n}) % 7919  # one more step of the search\n"


def program(number: int) -> str:
    """A Python program of a size in turn, different for every number."""
    lines = ["def solve(values):\n", f"    total = {number}\n", "    for value in values:\n"]
    size, step = sum(map(len, lines)), 0
    while size < SIZES[number % len(SIZES)]:
        lines.append("    " + LINE.format(n=number * 31 + step))
        size += len(lines[-1])
        step += 1
    return "".join([*lines, "    return total\n"])


def body(number: int, prompt_bytes: int) -> bytes:
    text = f"Here is a better one.\n\n```python\n{program(number)}```\n"
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": prompt_bytes // 4, "completion_tokens": len(text) // 4}
    data = {
        "id": f"c{number}",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(data).encode()


async def serve(latency: float, sigma: float) -> None:
    numbers, rng = count(), random.Random(0)
    # The mean of the lognormal is the latency, whatever its spread.
    mu = math.log(latency) - sigma * sigma / 2 if latency else 0.0

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
                length = int(fields.get(b"content-length", 0))
                await reader.readexactly(length)
                if latency:
                    await asyncio.sleep(rng.lognormvariate(mu, sigma) if sigma else latency)
                answer = body(next(numbers), length)
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(answer)
                )
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--sigma", type=float, default=0.0)
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.latency, arguments.sigma))
