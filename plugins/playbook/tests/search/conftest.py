import math

import pytest

from evograft_playbook.search.dense import DenseIndex
from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.types import Bullet, Playbook

TOPICS = (("cat", "kitten", "猫"), ("car", "engine", "車"), ("tree", "leaf", "木"))


class TopicDriver:
    """Texts lie near one another when they are about the same animal, machine or plant, in any language."""

    def __init__(self):
        self.asked = []
        self.failure = None

    def embed(self, texts):
        if self.failure is not None:
            raise self.failure
        self.asked += texts
        return tuple(self._vector(text) for text in texts)

    def _vector(self, text):
        counts = [sum(text.count(word) for word in topic) for topic in TOPICS]
        length = math.hypot(*counts, 1)
        return tuple(count / length for count in (*counts, 1))

    def close(self):
        pass


@pytest.fixture
def driver():
    return TopicDriver()


@pytest.fixture
def said():
    return []


@pytest.fixture
def hybrid(driver, said):
    return HybridSearch(dense=DenseIndex(driver, None, said.append), say=said.append)


@pytest.fixture
def words_alone(said):
    return HybridSearch(say=said.append)


@pytest.fixture
def playbook_of():
    """A playbook of contents, numbered from 1."""

    def make(*contents, retired=()):
        numbered = enumerate(contents, 1)
        return Playbook(
            bullets=tuple(
                Bullet(id=f"shr-{at:05}", section="shr", content=content, retired=at in retired)
                for at, content in numbered
            )
        )

    return make
