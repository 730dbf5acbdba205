"""What the curator makes of deltas, be they sound or not."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_playbook.learning.curator import Bounds, Curator
from evograft_playbook.learning.deltas import LONGEST, AddBullet, CountUses, EditBullet, RetireBullet, read_deltas
from evograft_playbook.learning.same_texts import TextWording, is_same
from evograft_playbook.store import PlaybookStore


@pytest.fixture
def curator(store):
    return Curator(store)


def reasons(outcome):
    return [each.reason for each in outcome.dropped]


def test_deltas_of_all_kinds_are_one_change_that_is_undone_as_one(store, curator):
    curator.apply(
        [AddBullet(section="shr", content="Sort first."), AddBullet(section="shr", content="Cache it.")], source="test"
    )
    outcome = curator.apply(
        [
            CountUses(bullet_id="shr-00001", helpful=2),
            EditBullet(bullet_id="shr-00001", content="Sort the input first."),
            RetireBullet(bullet_id="shr-00002", reason="it was wrong"),
        ],
        source="a lesson",
    )
    assert (outcome.counted, outcome.edited, outcome.retired) == (("shr-00001",), ("shr-00001",), ("shr-00002",))
    assert store.history("shr-00002")[0].source == "a lesson: it was wrong"
    with store.changing("test") as draft:
        assert len(draft.undo(1)) == 3
    assert [(each.content, each.helpful) for each in store.load().active] == [("Sort first.", 0), ("Cache it.", 0)]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"kind": "add", "section": "shr", "content": ""}, "content: is blank"),
        ({"kind": "add", "section": "shr", "content": " \n"}, "content: is blank"),
        ({"kind": "add", "section": "shr", "content": "x" * (LONGEST + 1)}, "content: it has 1,001 characters"),
        ({"kind": "add", "section": "shr", "content": "a\x1b[2J"}, "content: it holds control"),
        ({"kind": "add", "section": "shr", "content": "a\u202eb"}, "content: it holds control"),
        ({"kind": "add", "section": "shr", "content": "use sk-abcdefgh123"}, "content: it holds what looks like a key"),
        ({"kind": "add", "section": "S1", "content": "a"}, "section: String should match"),
        ({"kind": "add", "section": "shr", "content": "a", "helpful": 9}, "helpful: Extra inputs"),
        ({"kind": "count", "bullet_id": "shr-00001", "helpful": -1}, "helpful: Input should be greater"),
        ({"kind": "count", "bullet_id": "shr-00001"}, "counts go up by 1"),
        ({"kind": "count", "bullet_id": "shr-00001", "helpful": 10**9}, "counts go up by 1"),
        ({"kind": "count", "bullet_id": "../x", "helpful": 1}, "bullet_id: String should match"),
        ({"kind": "retire", "bullet_id": "shr-00001", "reason": ""}, "reason: String should match"),
        ({"kind": "rewrite", "content": "all of it"}, "Input tag 'rewrite'"),
        ("delete everything", "Input should be a valid dictionary"),
        (None, "Input should be a valid dictionary"),
    ],
)
def test_a_delta_that_is_none_is_dropped_with_a_reason_and_the_next_one_is_read(raw, reason):
    deltas, dropped = read_deltas([raw, {"kind": "add", "section": "shr", "content": "fine"}])
    assert deltas == [AddBullet(section="shr", content="fine")]
    assert reason in dropped[0].reason


def test_what_is_said_of_a_delta_that_was_dropped_shows_no_controls_and_stays_short():
    _, dropped = read_deltas([{"kind": "\x1b[31m", "content": "y" * 10_000}])
    assert "\x1b" not in dropped[0].delta + dropped[0].reason
    assert len(dropped[0].delta) <= 101


@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        (CountUses(bullet_id="shr-00009", helpful=1), "there is no bullet shr-00009"),
        (EditBullet(bullet_id="shr-00002", content="again"), "shr-00002 is retired"),
        (RetireBullet(bullet_id="shr-00002", reason="again"), "shr-00002 is retired"),
        (EditBullet(bullet_id="shr-00001", content="Sort first."), "shr-00001 says so already"),
        (AddBullet(section="zzz", content="new"), "there is no section 'zzz': known: cod, exa, mis, shr"),
        (AddBullet(section="shr", content="sort FIRST"), "shr-00001 says the same"),
        (AddBullet(section="mis", content="Old news!"), "shr-00002 says the same and is retired"),
    ],
)
def test_a_delta_that_does_not_fit_the_playbook_is_dropped_and_the_next_one_is_carried_out(
    store, curator, delta, reason
):
    with store.changing("test") as draft:
        draft.add("shr", "Sort first.")
        draft.add("shr", "Old news")
        draft.retire("shr-00002")
    outcome = curator.apply([delta, CountUses(bullet_id="shr-00001", harmful=1)], source="test")
    assert reasons(outcome) == [reason]
    assert store.get("shr-00001").harmful == 1


def test_counts_of_bullets_that_say_the_same_add_up_and_the_older_id_stays(store, curator):
    with store.changing("test") as draft:
        draft.add("shr", "Always sort the input first.")
        draft.count("shr-00001", helpful=3)
    with store.changing("test") as draft:
        draft.add("mis", "Sort input, first!")
        draft.count("mis-00001", helpful=1, harmful=2)
    deltas = [CountUses(bullet_id="mis-00001", helpful=1), AddBullet(section="shr", content="Something new.")]
    outcome = curator.apply(deltas, source="test")
    assert outcome.merged == (("mis-00001", "shr-00001"),)
    assert (store.get("shr-00001").helpful, store.get("shr-00001").harmful) == (5, 2)
    assert store.get("mis-00001").retired
    assert store.history("mis-00001")[0].source == "test: shr-00001 says the same and has its counts"


def test_a_bullet_that_is_edited_to_say_what_another_says_is_merged_with_it(store, curator):
    with store.changing("test") as draft:
        for text in ("Sort first.", "Cache it.", "Print it."):
            draft.add("shr", text)
    outcome = curator.apply([EditBullet(bullet_id="shr-00001", content="print it")], source="test")
    assert outcome.merged == (("shr-00003", "shr-00001"),)


def test_what_is_like_a_bullet_that_was_merged_stays_if_it_is_not_like_the_one_that_stayed(store, curator):
    chain = ("k l m n o p q r s t", "m n k l o p q r s t", "m n k l o p s t q r")
    one, two, three = map(TextWording.of, chain)
    assert (is_same(one, two), is_same(two, three), is_same(one, three)) == (True, True, False)
    for text in chain:
        with store.changing("test") as draft:
            draft.add("shr", text)
    outcome = curator.apply([AddBullet(section="shr", content="New.")], source="test")
    assert outcome.merged == (("shr-00002", "shr-00001"),)


def test_counts_that_would_be_too_high_keep_two_bullets_apart_and_all_else_is_done(store, curator):
    with store.changing("test") as draft:
        for text in ("Sort first.", "sort FIRST"):
            bullet = draft.add("shr", text)
            draft.put(bullet.model_copy(update={"helpful": 6 * 10**11}))
    outcome = curator.apply([AddBullet(section="shr", content="New.")], source="test")
    assert (outcome.added, outcome.merged) == (("shr-00003",), ())
    assert outcome.dropped[0].delta == "merge shr-00002 shr-00001"


def test_no_two_bullets_in_use_say_the_same_after_a_lesson(store, curator):
    with store.changing("test") as draft:
        for text in ("Sort first.", "sort FIRST", "Sort, first!", "Cache it.", "cache it"):
            draft.add("shr", text)
        draft.retire("shr-00001")
    curator.apply([AddBullet(section="shr", content="New.")], source="test")
    assert [each.content for each in store.load().active] == ["sort FIRST", "Cache it.", "New."]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sort the values in ascending order.", "Sort the values in descending order."),
        ("Use 4 threads for this loop.", "Use 8 threads for this loop."),
        ("Never cache this value.", "Cache this value."),
        ("dog bites man", "man bites dog"),
        ("Keep it while a < b.", "Keep it while a > b."),
        ("Return -x.", "Return x."),
        ("値を昇順に並べる。", "値を降順に並べる。"),
        ("<=", ">="),
    ],
)
def test_opposites_are_not_merged(one, other):
    assert not is_same(TextWording.of(one), TextWording.of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sort the input first.", "sort input first"),
        ("入力を先に並べる。", "入力を先に並べる"),
        ("Retry API calls on a failure; wait in between.", "Retry the API calls on failure, wait in between!"),
        ("ＡＰＩを呼ぶ", "APIを呼ぶ"),
    ],
)
def test_what_differs_in_form_alone_is_the_same(one, other):
    assert is_same(TextWording.of(one), TextWording.of(other))


def test_a_full_section_retires_its_least_useful_bullet_and_says_why(store):
    with store.changing("test") as draft:
        for text in ("good", "bad", "untried", "tried in vain"):
            draft.add("shr", text)
        draft.count("shr-00001", helpful=2)
        draft.count("shr-00002", harmful=1)
        draft.count("shr-00004", helpful=1, harmful=1)
    curator = Curator(store, Bounds(a_section=4))
    made_room = [
        curator.apply([AddBullet(section="shr", content=f"lesson {n}")], source="t").made_room for n in range(3)
    ]
    assert made_room == [("shr-00002",), ("shr-00004",), ("shr-00003",)]
    assert store.history("shr-00002")[0].source == "t: the least useful of 4 in section shr"


def test_what_one_change_adds_beyond_the_bound_is_dropped(store):
    curator = Curator(store, Bounds(in_all=2))
    outcome = curator.apply([AddBullet(section="shr", content=f"lesson {n}") for n in range(3)], source="test")
    assert (len(outcome.added), reasons(outcome)) == (2, ["there is no room: 2 in all were just added"])


def test_a_playbook_that_was_imported_with_more_than_the_bound_is_not_cut_down_to_it(store):
    with store.changing("import") as draft:
        for number in range(30):
            draft.add("shr", f"lesson {number}")
    Curator(store, Bounds(in_all=10)).apply([AddBullet(section="mis", content="new")], source="test")
    assert len(store.load().active) == 30


WORDS = st.lists(st.sampled_from(["sort", "the", "input", "never", "first", "並べる"]), min_size=1, max_size=4)
IDS = st.builds("{}-{:05}".format, st.sampled_from(["shr", "mis", "zzz"]), st.integers(0, 9))
TEXTS = WORDS.map(" ".join) | st.text(max_size=5)
RAW = st.fixed_dictionaries(
    {"kind": st.sampled_from(["add", "count", "edit", "retire", "burn"])},
    optional={
        "section": st.sampled_from(["shr", "mis", "zzz", "9"]),
        "bullet_id": IDS,
        "content": TEXTS,
        "reason": TEXTS,
        "helpful": st.integers(-1, 3),
        "harmful": st.integers(-1, 3),
    },
)
SENSIBLE = (
    st.builds(AddBullet, section=st.sampled_from(["shr", "mis"]), content=WORDS.map(" ".join))
    | st.builds(CountUses, bullet_id=IDS, helpful=st.integers(1, 3), harmful=st.integers(0, 3))
    | st.builds(EditBullet, bullet_id=IDS, content=WORDS.map(" ".join))
    | st.builds(RetireBullet, bullet_id=IDS, reason=st.just("why not"))
).map(lambda delta: delta.model_dump())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(RAW | SENSIBLE, max_size=8), max_size=4))
def test_whatever_deltas_come_the_playbook_stays_valid_and_bounded_ids_are_new_and_counts_never_fall(turns):
    with TemporaryDirectory() as folder, PlaybookStore(Path(folder) / "playbook.sqlite") as store:
        curator, seen = Curator(store, Bounds(in_all=4, a_section=3)), {}
        for proposed in turns:
            deltas, dropped = read_deltas(proposed)
            assert len(deltas) + len(dropped) == len(proposed)
            outcome = curator.apply(deltas, source="test")
            done = (outcome.added, outcome.counted, outcome.edited, outcome.retired, outcome.dropped)
            assert sum(map(len, done)) == len(deltas)
            playbook = store.load()  # reads through the models: what is not valid raises
            assert len(playbook.active) <= 4
            assert all(sum(each.section == name for each in playbook.active) <= 3 for name in ("shr", "mis"))
            assert not {*outcome.added} & seen.keys()
            after = {bullet.id: (bullet.helpful, bullet.harmful) for bullet in playbook.bullets}
            for bullet_id, (helpful, harmful) in seen.items():
                assert (after[bullet_id][0] >= helpful, after[bullet_id][1] >= harmful) == (True, True)
            seen = after
