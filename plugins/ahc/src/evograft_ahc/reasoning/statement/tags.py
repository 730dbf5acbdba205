"""What kind of problem a statement describes, by its words: the tags are of the vocabulary of past contests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

WORDS: Mapping[str, str] = {
    "grid": r"grids?|cells?|tiles?|squares? of|マス目?|グリッド|タイル|盤面",
    "graph": r"graphs?|vertex|vertices|edges?|グラフ|頂点|辺",
    "tree": r"trees?|spanning|subtrees?|木構造|全域木|部分木|根付き木",
    "tsp": r"tours?|visit\w*|salesman|trips?|rounds?|巡回|訪問|訪れ|順路|行程",
    "route": r"routes?|paths?|walks?|経路|道順|パス",
    "pickup_delivery": r"deliver\w*|pick ?ups?|carry|carries|carried|capacity|load|配達|集荷|積載|荷物|運ぶ|運び|容量",
    "geometry": r"polygons?|distances?|coordinates?|plane|euclidean|convex|circles?|多角形|座標|平面|距離|凸",
    "packing": r"pack\w*|containers?|box(?:es)?|bins?|overlap\w*|敷き詰め|詰め|箱|コンテナ|重な[らりる]",
    "rectangles": r"rectangles?|長方形|矩形",
    "clustering": r"clusters?|groups?|クラスタ|グループ|組分け",
    "assignment": r"assign\w*|match\w*|allocat\w*|pairs?|割り当て|割当|マッチング|対応付け",
    "scheduling": r"schedul\w*|deadlines?|tasks?|jobs?|workers?|スケジュール|締切|作業|タスク|工程",
    "sorting": r"sort\w*|swaps?|permutations?|並べ替え|並び替え|ソート|順列|交換",
    "ordering": r"orders?|sequences?|順序|順番|並び",
    "interactive": r"interactive|quer(?:y|ies)|flush|responses?|tester|judge program|インタラクティブ|クエリ|質問|応答",
    "estimation": r"hidden|unknown|noise|noisy|measure\w*|estimat\w*|errors?|隠され|未知|ノイズ|測定|計測|推定|誤差",
    "bayesian_inference": r"normal distribution|gaussian|probabilit\w+|正規分布|確率|事前分布",
    "markov_chain": r"markov|transition\w*|stationary|マルコフ|遷移",
    "simulation": r"simulat\w*|turns?|days?|シミュレーション|ターン|日目|日間",
    "planning": r"robots?|cranes?|agents?|operations?|moves?|ロボット|クレーン|操作|移動",
    "strings": r"strings?|characters?|alphabets?|文字列|文字",
    "set_cover": r"cover\w*|served|satisf\w+|被覆|カバー|満た",
    "flow": r"flows?|pipes?|supply|demands?|流量|水路|供給|需要",
    "connectivity": r"connect\w*|adjacen\w*|連結|隣接",
    "game": r"opponents?|players?|対戦|プレイヤー|相手",
    "partition": r"partition\w*|divid\w+|split\w*|分割|区切",
    "pricing": r"prices?|profits?|costs?|revenue|sold|価格|利益|費用|売[らりるれ]",
    "three_dimensional": r"three[- ]dimensional|3d|cubes?|cuboids?|立方体|直方体|3次元|三次元",
}
"""The words that speak for a tag, in English (whole words) and Japanese."""

RARE = 2
"""A word that comes up less often may stand in a side remark."""
MOST = 8


def find_tags(statement: str, *, interactive: bool) -> tuple[str, ...]:
    """Return the kinds of problem that the words speak for, the likeliest first.

    Args:
        statement: the story of the problem.
        interactive: known from elsewhere: words alone mislead.
    """
    counts = {tag: len(pattern.findall(statement)) for tag, pattern in _patterns().items() if tag != "interactive"}
    found = sorted((tag for tag, count in counts.items() if count >= RARE), key=lambda tag: -counts[tag])
    return (*(["interactive"] if interactive else []), *found[:MOST])


def find_keywords(statement: str) -> tuple[str, ...]:
    """Return the words themselves, the most frequent first."""
    words = Counter(match.casefold() for pattern in _patterns().values() for match in pattern.findall(statement))
    return tuple(word for word, count in words.most_common(2 * MOST) if count >= RARE)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {tag: _pattern(words) for tag, words in WORDS.items()}


def _pattern(words: str) -> re.Pattern[str]:
    english = "|".join(word for word in words.split("|") if word.isascii())
    japanese = "|".join(word for word in words.split("|") if not word.isascii())
    return re.compile(rf"\b(?:{english})\b|{japanese}", re.IGNORECASE)
