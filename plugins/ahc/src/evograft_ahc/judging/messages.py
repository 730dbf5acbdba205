"""How a case ended, in the user's language. Records are in English, whoever reads them and whatever is set later."""

from __future__ import annotations

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.text.messages import Language, retold

OURS = {
    r"used more than ([^ ]+) s of processor time": "CPU 時間が {} 秒を超えました",
    r"did nothing for longer than ([^ ]+) s": "{} 秒を超えて何もしませんでした",
    r"did not end, though it did not use ([^ ]+) s of processor time": "CPU 時間 {} 秒を使わないまま、終了しませんでした",
    r"used more memory than is allowed": "メモリの制限を超えました",
    r"started more processes than are allowed": "プロセス数の制限を超えました",
    r"wrote more than is allowed": "出力の制限を超えました",
    r"took ([^ ]+) s of ([^ ]+) s, much of it idle": "{1} 秒の制限に対して {0} 秒かかりました (多くは待ち時間)",
    r"wrote more than the contest's scorer could take": "採点プログラムが受け取れないほど出力しました",
    r"did not start the program and ": "プログラムを起動せず、",
    r"passed its (\w+) limit": "制限 ({}) を超えました",
    r"ended with exit status (\d+)": "終了コード {} で終了しました",
    r"was ended by (signal \d+|\w+)": "{} で終了しました",
    r"printed no score on (\w+)": "{} に得点を出力しませんでした",
}
"""What `verdict` says, as the beginning of a message; behind it may stand what a program said."""
SCORERS = "the contest's own scorer "


def get_message_text(outcome: CaseOutcome, language: Language) -> str:
    """The message of an outcome. What the contest's tester says of an answer is told as it said it."""
    message = outcome.message
    if language == "en" or outcome.kind == "wrong_answer":
        return message
    if message.startswith(SCORERS):
        return f"採点プログラムが{retold(message.removeprefix(SCORERS), OURS)}"
    return retold(message, OURS)
