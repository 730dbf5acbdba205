"""Dockerfile, docker-compose.yml and devcontainer.json: the images that they start from."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

from evograft_env_setup.manifests.manifest import ProjectManifest, UnreadableManifest
from evograft_env_setup.manifests.readers.bounded import load_json_with_comments, load_yaml, table, text

VERSION = re.compile(r"v?\d")
DEVCONTAINER = re.compile(r"^[\d.]+-(?=\d)")
"""The version of the recipe, which is before that of the language."""
LONGEST_NAME = 300
"""Characters of an image's name."""


def read_dockerfile(content: str, path: str) -> ProjectManifest:
    del path
    from dockerfile_parse import DockerfileParser

    parser = DockerfileParser(fileobj=io.BytesIO(content.encode()))
    try:
        starts = [str(step["value"]).split() for step in parser.structure if step["instruction"] == "FROM"]
        parents = parser.parent_images
    except (ValueError, IndexError) as err:  # an ARG or ENV that names nothing is an IndexError of the library's
        raise UnreadableManifest(f"is no Dockerfile: {err}") from err
    stages = {words[2] for words in starts if len(words) == 3}  # noqa: PLR2004 - image AS stage
    images = [image for image in parents if image and image not in stages]
    wrong = () if images else ("starts from no image",)
    return ProjectManifest(versions=versions(images), findings=wrong)


def read_compose(content: str, path: str) -> ProjectManifest:
    del path
    services = table(load_yaml(content).get("services"))
    return ProjectManifest(versions=versions(text(table(service).get("image")) for service in services.values()))


def read_devcontainer(content: str, path: str) -> ProjectManifest:
    del path
    return ProjectManifest(versions=versions([text(load_json_with_comments(content).get("image"))]))


def versions(images: Iterable[str]) -> dict[str, str]:
    """Return images by the last part of their names, and their tags, except tags without a version, as `latest`."""
    found = {}
    for image in images:
        name, _, tag = image[:LONGEST_NAME].partition("@")[0].rpartition("/")[2].partition(":")
        if name and "$" not in name and VERSION.match(tag):
            found[name] = DEVCONTAINER.sub("", tag, count=1) if "/devcontainers/" in image else tag
    return found
