"""What a model is shown of a conversation."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from evograft.text.i18n import Catalog
from evograft_agent.conversations.conversation import Conversation, ConversationMessage, ToolUse
from evograft_agent.conversations.transcript import build_turns

NOW = datetime(2026, 1, 2, tzinfo=UTC)
WORDS = Catalog("en", "evograft_agent")
LEFT_OUT = WORDS("left_out")


def conversation(*results, question="how?"):
    """A question, and an answer for each result."""
    begun = Conversation(conversation_id="c").with_question(question, at=NOW)
    for number, result in enumerate(results):
        use = ToolUse(tool="read_file", parameters={"path": "a"}, result=result)
        begun = begun.with_message(
            ConversationMessage(role="assistant", content=f"call {number}", timestamp=NOW, tool_calls=(use,))
        )
    return begun


def test_results_follow_the_message_that_asked_for_them():
    turns = build_turns(conversation("one", "two"), WORDS, room=10_000)
    assert [turn.role for turn in turns] == ["user", "assistant", "user", "assistant", "user"]
    assert turns[1].content == "call 0"
    assert turns[2].content == '<result tool="read_file">\none\n</result>'


def test_a_further_question_stands_in_the_turn_of_the_last_results():
    turns = build_turns(conversation("one").with_question("and why?", at=NOW), WORDS, room=10_000)
    assert [turn.role for turn in turns] == ["user", "assistant", "user"]
    assert turns[-1].content.endswith("</result>\n\nand why?")


def test_what_is_wrong_is_told_apart_from_a_result():
    failed = ToolUse(tool="read_file", result="no such file", error=True)
    unread = ToolUse(tool="", result="the call is not closed", error=True)
    begun = conversation().with_message(
        ConversationMessage(role="assistant", content="x", timestamp=NOW, tool_calls=(failed, unread))
    )
    assert build_turns(begun, WORDS, room=10_000)[-1].content == (
        '<error tool="read_file">\nno such file\n</error>\n\n<error>\nthe call is not closed\n</error>'
    )


def test_the_oldest_results_are_left_out_first():
    long = "x" * 1000
    turns = build_turns(conversation(long, long, long), WORDS, room=2500)
    assert [LEFT_OUT in turn.content for turn in turns if turn.role == "user"] == [False, True, False, False]


def test_the_newest_result_is_cut_where_it_has_no_room_by_itself():
    (*_, newest) = build_turns(conversation("y" * 500, "x" * 5000), WORDS, room=1000)
    assert "more characters had no room" in newest.content
    assert 500 < newest.content.count("x") < 1000


def test_text_with_braces_is_shown_as_it_is():
    (*_, newest) = build_turns(conversation("{x} {0} {", question="{y}"), WORDS, room=1000)
    assert "{x} {0} {" in newest.content


@given(st.lists(st.text(max_size=300), min_size=1, max_size=8), st.integers(0, 3000))
def test_sides_alternate_and_what_was_said_stays_whatever_the_room(results, room):
    turns = build_turns(conversation(*results), WORDS, room=room)
    assert [turn.role for turn in turns] == ["user", "assistant"] * len(results) + ["user"]
    assert [turn.content for turn in turns if turn.role == "assistant"] == [f"call {n}" for n in range(len(results))]


@given(st.lists(st.text(max_size=300), min_size=1, max_size=8), st.integers(1000, 3000))
def test_a_conversation_fits_where_what_was_said_does(results, room):
    turns = build_turns(conversation(*results), WORDS, room=room)
    assert sum(len(turn.content) for turn in turns) <= room + len(WORDS("cut", text="", n=10_000))
