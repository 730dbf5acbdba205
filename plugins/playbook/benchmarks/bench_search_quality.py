"""How well searches find what answers the labelled questions: MRR@10 and recall@10 by kind of question.

python plugins/playbook/benchmarks/bench_search_quality.py [--half tuning|away|both] [--japanese sudachi]
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from evograft.config.pipeline import DriverSection
from evograft.plugin.loading import load_driver
from evograft_playbook.search.dense import DenseIndex
from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.types import Playbook, SearchQuery

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "search"))

from labelled_set import KINDS, LabelledQuery, labelled_playbook, labelled_queries

TOP = 10
Answer = Callable[[str], list[str]]


def ours(playbook: Playbook, dense: DenseIndex | None, **options: object) -> Answer:
    search = HybridSearch(SearchOptions.model_validate(options), dense=dense)
    return lambda text: [each.bullet.id for each in search.search(SearchQuery(query_text=text, top_k=TOP), playbook)]


def fts5(playbook: Playbook, tokenizer: str) -> Answer:
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE bullets USING fts5(id UNINDEXED, content, tokenize='{tokenizer}')")
    db.executemany("INSERT INTO bullets VALUES (?, ?)", [(each.id, each.content) for each in playbook.bullets])

    def answer(text: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        found = db.execute("SELECT id FROM bullets WHERE bullets MATCH ? ORDER BY rank, id LIMIT ?", (words, TOP))
        return [id_ for (id_,) in found]

    return answer


def measured(answer: Answer, queries: Iterable[LabelledQuery]) -> tuple[float, float]:
    reciprocal, recall = [], []
    for query in queries:
        found = answer(query.text)
        reciprocal.append(next((1 / place for place, id_ in enumerate(found, 1) if id_ in query.answers), 0.0))
        recall.append(len(query.answers.intersection(found)) / len(query.answers))
    return sum(reciprocal) / len(reciprocal), sum(recall) / len(recall)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=["tuning", "away", "both"], default="both")
    parser.add_argument("--japanese", choices=["characters", "sudachi"], default="characters")
    given = parser.parse_args()
    playbook = labelled_playbook()
    queries = [each for each in labelled_queries() if given.half == "both" or each.put_away == (given.half == "away")]
    dense = DenseIndex(load_driver("embedding", DriverSection(driver="use")), None, print)
    japanese = given.japanese
    searches = {
        "SQLite FTS5, unicode61": fts5(playbook, "unicode61"),
        "SQLite FTS5, trigram": fts5(playbook, "trigram"),
        "lexical alone": ours(playbook, None, japanese=japanese),
        "dense alone": ours(playbook, dense, lexical_weight=0.0),
        "hybrid, k=60, equal weights, no floor": ours(
            playbook, dense, japanese=japanese, dense_weight=0.5, lexical_weight=0.5, k=60.0, lexical_floor=0.0
        ),
        "hybrid, k=10, .7/.3, no floor": ours(playbook, dense, japanese=japanese, lexical_floor=0.0),
        "hybrid": ours(playbook, dense, japanese=japanese),
    }
    kinds = {**{kind: [each for each in queries if each.kind == kind] for kind in KINDS}, "all": queries}
    print(f"{len(playbook.bullets)} bullets, {len(queries)} questions ({given.half}); MRR@{TOP} / recall@{TOP}")
    print(f"{'':38}" + "".join(f"{kind} ({len(asked)})".rjust(13) for kind, asked in kinds.items()))
    for name, answer in searches.items():
        cells = ("{:.3f} / {:.2f}".format(*measured(answer, asked)).rjust(13) for asked in kinds.values())
        print(f"{name:38}" + "".join(cells))


if __name__ == "__main__":
    main()
