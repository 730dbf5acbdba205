"""A revision of a playbook: one transaction of the curator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod

from evograft.api import UserError
from evograft_hookspecs.values import Value
from evograft_playbook.learning.deltas import (
    AddBullet,
    CountUses,
    Delta,
    DroppedDelta,
    EditBullet,
    RetireBullet,
    summarize_delta,
)
from evograft_playbook.learning.same_texts import SameTexts
from evograft_playbook.store import PlaybookDraft
from evograft_playbook.types import Bullet, BulletId


class DeltaOutcome(Value):
    """The outcome of deltas."""

    added: tuple[BulletId, ...] = ()
    counted: tuple[BulletId, ...] = ()
    edited: tuple[BulletId, ...] = ()
    retired: tuple[BulletId, ...] = ()
    """As a delta wanted it."""
    merged: tuple[tuple[BulletId, BulletId], ...] = ()
    """Pairs: a bullet that went out of use, and the older one that says the same and has its counts now."""
    made_room: tuple[BulletId, ...] = ()
    """The least useful, which went out of use for new ones."""
    dropped: tuple[DroppedDelta, ...] = ()


class UnfitDelta(Exception):  # noqa: N818 - it names what is the matter with a delta
    """A delta does not fit the playbook as it is."""


class PlaybookRevision:
    """Deltas on their way into a playbook, and what became of them.

    Args:
        draft: the transaction.
        in_all: bullets in use at most.
        a_section: of one section.
        sections: what may be added to in addition to those that the playbook has.
    """

    def __init__(self, draft: PlaybookDraft, *, in_all: int, a_section: int, sections: Sequence[str]) -> None:
        self._draft = draft
        self._in_all = in_all
        self._a_section = a_section
        self._bullets = {bullet.id: bullet for bullet in draft.load().bullets}
        self._texts: SameTexts | None = None
        """Made when a text is first looked for: mere counts, of which there are many, need none."""
        self._sections = {*sections, *(bullet.section for bullet in self._bullets.values())}
        self._added: list[str] = []
        self._counted: list[str] = []
        self._edited: list[str] = []
        self._retired: list[str] = []
        self._merged: list[tuple[str, str]] = []
        self._made_room: list[str] = []
        self._dropped: list[DroppedDelta] = []

    @property
    def has_new_texts(self) -> bool:
        return bool(self._added or self._edited)

    @property
    def outcome(self) -> DeltaOutcome:
        return DeltaOutcome(
            added=tuple(self._added),
            counted=tuple(self._counted),
            edited=tuple(self._edited),
            retired=tuple(self._retired),
            merged=tuple(self._merged),
            made_room=tuple(self._made_room),
            dropped=tuple(self._dropped),
        )

    def carry_out(self, delta: Delta) -> None:
        """Change the playbook, or note why not."""
        try:
            self._carry_out(delta)
        except (UnfitDelta, UserError) as err:
            self._dropped.append(DroppedDelta(delta=summarize_delta(delta), reason=str(err)))

    @singledispatchmethod
    def _carry_out(self, delta: Delta) -> None:
        raise NotImplementedError(type(delta).__name__)

    @_carry_out.register
    def _(self, delta: AddBullet) -> None:
        if delta.section not in self._sections:
            raise UnfitDelta(f"there is no section {delta.section!r}: known: {', '.join(sorted(self._sections))}")
        same = self._says_the_same(delta.content)
        if same:
            raise UnfitDelta(f"{same[0]} says the same{' and is retired' if self._bullets[same[0]].retired else ''}")
        self._make_room(delta.section)
        self._added.append(self._take(self._draft.add(delta.section, delta.content)))

    @_carry_out.register
    def _(self, delta: CountUses) -> None:
        self._known(delta.bullet_id)
        self._take(self._draft.count(delta.bullet_id, helpful=delta.helpful, harmful=delta.harmful))
        self._counted.append(delta.bullet_id)

    @_carry_out.register
    def _(self, delta: EditBullet) -> None:
        if self._in_use(delta.bullet_id).content == delta.content:
            raise UnfitDelta(f"{delta.bullet_id} says so already")
        self._take(self._draft.edit(delta.bullet_id, delta.content))
        self._edited.append(delta.bullet_id)

    @_carry_out.register
    def _(self, delta: RetireBullet) -> None:
        self._in_use(delta.bullet_id)
        self._take(self._draft.retire(delta.bullet_id, reason=delta.reason))
        self._retired.append(delta.bullet_id)

    def merge(self) -> None:
        """Join bullets in use that say the same: of each group the oldest stays."""
        for bullet in sorted(self._active(), key=_age):
            if self._bullets[bullet.id].retired:
                continue  # a moment ago: what is like it need not be like the one that stayed
            same = map(self._bullets.__getitem__, self._says_the_same(bullet.content))
            oldest, *younger = sorted((each for each in same if not each.retired), key=_age)
            for each in younger:
                self._join(each, oldest)

    def _join(self, younger: Bullet, oldest: Bullet) -> None:
        try:
            self._hand_over(younger, oldest)
        except UserError as err:
            self._dropped.append(DroppedDelta(delta=f"merge {younger.id} {oldest.id}", reason=str(err)))

    def _hand_over(self, younger: Bullet, oldest: Bullet) -> None:
        if younger.helpful + younger.harmful:
            self._take(self._draft.count(oldest.id, helpful=younger.helpful, harmful=younger.harmful))
        self._take(self._draft.retire(younger.id, reason=f"{oldest.id} says the same and has its counts"))
        self._merged.append((younger.id, oldest.id))

    def _make_room(self, section: str) -> None:
        """Retire the least useful where one more would be too many."""
        in_use = self._active()
        of_section = [each for each in in_use if each.section == section]
        if len(of_section) >= self._a_section:
            self._retire_least(of_section, f"{len(of_section)} in section {section}")
        elif len(in_use) >= self._in_all:
            self._retire_least(in_use, f"{len(in_use)} in all")

    def _retire_least(self, bullets: Sequence[Bullet], many: str) -> None:
        old = [each for each in bullets if each.id not in self._added]
        if not old:
            raise UnfitDelta(f"there is no room: {many} were just added")
        least = min(old, key=_usefulness)
        self._take(self._draft.retire(least.id, reason=f"the least useful of {many}"))
        self._made_room.append(least.id)

    def _says_the_same(self, text: str) -> list[str]:
        """Find the bullets, retired ones included, that say the same as a text."""
        if self._texts is None:
            self._texts = SameTexts()
            for bullet in self._bullets.values():
                self._texts.put(bullet.id, bullet.content)
        return self._texts.find(text)

    def _active(self) -> list[Bullet]:
        return [bullet for bullet in self._bullets.values() if not bullet.retired]

    def _known(self, bullet_id: str) -> Bullet:
        if bullet_id not in self._bullets:
            raise UnfitDelta(f"there is no bullet {bullet_id}")
        return self._bullets[bullet_id]

    def _in_use(self, bullet_id: str) -> Bullet:
        bullet = self._known(bullet_id)
        if bullet.retired:
            raise UnfitDelta(f"{bullet_id} is retired")
        return bullet

    def _take(self, bullet: Bullet) -> str:
        """Follow what the draft did."""
        self._bullets[bullet.id] = bullet
        if self._texts is not None:
            self._texts.put(bullet.id, bullet.content)
        self._sections.add(bullet.section)
        return bullet.id


def _age(bullet: Bullet) -> tuple[str, str]:
    return bullet.created.isoformat(), bullet.id


def _usefulness(bullet: Bullet) -> tuple[int, int, str, str]:
    """Return a key that sorts the least useful first.

    It sorts by what is known of a bullet's use, then puts first what had more chances, then the oldest.
    """
    net, tried = bullet.helpful - bullet.harmful, bullet.helpful + bullet.harmful
    return net, -tried, bullet.created.isoformat(), bullet.id
