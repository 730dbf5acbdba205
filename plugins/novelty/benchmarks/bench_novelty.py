"""What it costs to recognise a near duplicate: python core/benchmarks/bench_novelty.py.

CPU is that of this process; of many rounds the median, and the fastest, which a busy machine disturbs least.
"""

from __future__ import annotations

import argparse
import inspect
import statistics
import time
from collections.abc import Callable

from evograft_novelty import fingerprint, measure_cycling, shingles, similarity, split_tokens

SIZES = (512, 8 * 1024, 64 * 1024)
OTHERS = 100
ANCESTORS = 40
LINES = 300
SECONDS = 2.0

PYTHON = '''
def improve_{n}(tour, distance, rng):
    """Exchanges two edges where that makes the tour shorter."""
    best, length = tour[:], sum(distance[a][b] for a, b in zip(tour, tour[1:]))
    for _ in range(len(tour) * {n}):
        i, j = sorted(rng.sample(range(1, len(tour) - 1), 2))
        before = distance[best[i - 1]][best[i]] + distance[best[j]][best[j + 1]]
        after = distance[best[i - 1]][best[j]] + distance[best[i]][best[j + 1]]
        if after < before - 1e-{n}:  # rounding
            best[i : j + 1] = reversed(best[i : j + 1])
            length += after - before
    return best, length
'''

CPP = """
// Exchanges two edges where that makes the tour shorter.
pair<vector<int>, double> improve_{n}(const vector<int>& tour, const vector<vector<double>>& distance) {{
    vector<int> best(tour);
    double length = 0;
    for (int i = 0; i + 1 < (int)tour.size(); i++) length += distance[tour[i]][tour[i + 1]];
    for (int round = 0; round < {n} * (int)tour.size(); ++round) {{
        int i = 1 + xorshift() % (tour.size() - 2), j = 1 + xorshift() % (tour.size() - 2);
        if (i > j) swap(i, j);
        const double before = distance[best[i - 1]][best[i]] + distance[best[j]][best[j + 1]];
        const double after = distance[best[i - 1]][best[j]] + distance[best[i]][best[j + 1]];
        if (after < before - 1e-{n}) {{  // rounding
            reverse(best.begin() + i, best.begin() + j + 1);
            length += after - before;
        }}
    }}
    return {{best, length}};
}}
"""

TEMPLATES = {"python": PYTHON, "cpp": CPP}


def main() -> None:
    for language in TEMPLATES:
        for size in SIZES:
            report_fingerprint(language, size)
    report_comparison()
    report_cycling()


def report_fingerprint(language: str, size: int) -> None:
    files = {"main": source(language, size)}
    median, fastest = cost(lambda: fingerprint(files, "program", language))
    per_2_kb = fastest / len(files["main"]) * 2048
    tokens = len(split_tokens(files, language))
    print(
        f"fingerprint, {language}, {len(files['main']) / 1024:.1f} kB, {tokens} tokens: "
        f"{median:.2f} ms, fastest {fastest:.2f} ms, {per_2_kb:.2f} ms a 2 kB"
    )


def report_comparison() -> None:
    """Compare parts of a module of the standard library that overlap more and less.

    They have about as many tokens as 300 lines.
    """
    text = inspect.getsource(argparse)
    tokens = split_tokens({"main": text}, "python")
    size = len(tokens) * LINES // len(text.splitlines())
    own = tokens[:size]
    others = [shingles(tokens[start : start + size]) for start in range(0, 20 * OTHERS, 20)]
    shingled, fastest_shingled = cost(lambda: shingles(own))
    known = shingles(own)
    compared, fastest_compared = cost(lambda: [similarity(known, other) for other in others])
    print(
        f"{size} tokens: {len(known)} different shingles in {shingled:.2f} ms, fastest {fastest_shingled:.2f} ms; "
        f"compared with {OTHERS} other programs in {compared:.2f} ms, fastest {fastest_compared:.2f} ms"
    )


def report_cycling() -> None:
    programs = [{"main": lines("python", first)} for first in range(1, ANCESTORS + 2)]
    told, fastest = cost(lambda: measure_cycling(programs[0], programs[1:2], programs[1:]))
    print(f"line cycling, {LINES} lines against {ANCESTORS} ancestors: {told:.2f} ms, fastest {fastest:.2f} ms")


def source(language: str, size: int) -> str:
    """A program of whole functions, of about this many characters."""
    function = TEMPLATES[language]
    return "".join(function.format(n=n) for n in range(1, 1 + max(1, round(size / len(function)))))


def lines(language: str, first: int) -> str:
    functions = "".join(TEMPLATES[language].format(n=n) for n in range(first, first + LINES))
    return "\n".join(functions.splitlines()[:LINES])


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds: the median and the fastest of as many rounds as fit into some seconds."""
    work()
    rounds, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        started = time.process_time()
        work()
        rounds.append(1000 * (time.process_time() - started))
    return statistics.median(rounds), min(rounds)


if __name__ == "__main__":
    main()
