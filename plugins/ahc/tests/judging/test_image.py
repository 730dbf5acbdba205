"""Which image and which walls programs get, as far as the sandbox has them."""

from __future__ import annotations

import pytest

from evograft.text.i18n import Catalog
from evograft_ahc.judging.image import JudgingImage, find_image
from evograft_ahc.judging.messages import describe_layers
from evograft_hookspecs import SandboxLayer, SandboxUnavailable

CONTAINERS = SandboxLayer(name="driver", active=True, detail="docker 28")
WITHOUT = (
    SandboxLayer(name="driver", active=True, detail="bwrap"),
    SandboxLayer(name="docker", active=False, detail="no Docker engine answers"),
)


class Session:
    """One that is opened to see whether that can be done."""

    def close(self): ...


class Sandbox:
    """One with some images; asked for another one, it refuses, or does without as `auto` does."""

    def __init__(self, *images, otherwise=None):
        self._images = images
        self._otherwise = otherwise

    def layers(self, *, image=""):
        if image in self._images:
            return (CONTAINERS,)
        if self._otherwise is None:
            raise SandboxUnavailable(f"no image {image!r}")
        return self._otherwise

    def open(self, *, image=""):
        self.layers(image=image)
        return Session()


@pytest.mark.parametrize("is_named", [True, False])
def test_an_image_that_is_there_is_taken(is_named):
    assert find_image(Sandbox("gcc:12"), "gcc:12", is_named=is_named) == JudgingImage("gcc:12", (CONTAINERS,))


def test_that_of_the_pipeline_takes_the_place_of_one_that_nobody_named():
    assert find_image(Sandbox(""), "gcc:12", is_named=False) == JudgingImage("", (CONTAINERS,))


def test_where_there_are_no_images_the_hosts_compiler_may_do():
    assert find_image(Sandbox(otherwise=WITHOUT), "gcc:12", is_named=False) == JudgingImage("gcc:12", WITHOUT)


def test_no_other_compiler_will_do_for_a_named_image():
    with pytest.raises(SandboxUnavailable, match="no image 'mine'"):
        find_image(Sandbox(""), "mine", is_named=True)
    with pytest.raises(SandboxUnavailable, match=r"judge\.image names 'mine'.*no Docker engine answers"):
        find_image(Sandbox(otherwise=WITHOUT), "mine", is_named=True)


def test_a_sandbox_that_stays_with_the_pipelines_image_opens_no_other():
    class Staying(Sandbox):
        def layers(self, *, image=""):
            return (CONTAINERS,)

        def open(self, *, image=""):
            if image:
                raise SandboxUnavailable(f"no image {image!r}")
            return Session()

    assert find_image(Staying(), "gcc:12", is_named=False) == JudgingImage("", (CONTAINERS,))
    with pytest.raises(SandboxUnavailable, match="no image 'mine'"):
        find_image(Staying(), "mine", is_named=True)


def test_of_two_refusals_the_first_one_is_told():
    with pytest.raises(SandboxUnavailable, match="no image 'gcc:12'"):
        find_image(Sandbox(), "gcc:12", is_named=False)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "sandbox process: namespaces, user; missing: docker (no engine), landlock (not available here)"),
        ("ja", "サンドボックス process: namespaces, user。なし: docker (no engine), landlock (not available here)"),
    ],
)
def test_what_isolates_programs_and_what_is_missing_is_said_in_one_line(language, line):
    found = (
        SandboxLayer(name="driver", active=True, detail="process"),
        SandboxLayer(name="namespaces", active=True, detail="own processes"),
        SandboxLayer(name="user", active=True, detail="of their own"),
        SandboxLayer(name="docker", active=False, detail="no engine"),
        SandboxLayer(name="landlock", active=False, detail="not available here"),
    )
    texts = Catalog(language, "evograft_ahc.judging")
    assert describe_layers(found, texts) == (line,)
    assert describe_layers(found[:3], texts) == (line[: line.index("user") + 4],)
