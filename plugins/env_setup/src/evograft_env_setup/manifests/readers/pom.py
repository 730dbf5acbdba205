"""pom.xml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, UnreadableManifest
from evograft_env_setup.manifests.readers.bounded import load_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ANY = "{*}"
"""Any namespace, or none."""
JAVA = ("maven.compiler.release", "maven.compiler.source", "java.version")


def read(text: str, path: str) -> ProjectManifest:
    del path
    project = load_xml(text)
    if project.tag.rpartition("}")[2] != "project":
        raise UnreadableManifest("is no project of Maven's")
    found = [_dependency(each) for each in project.iterfind(f"{ANY}dependencies/{ANY}dependency")]
    wrong = ["has a dependency without an artifactId"] if None in found else []
    written = (_text(project, f"properties/{name}") for name in JAVA)
    # One that refers to another one is asked for there.
    asked = next((java for java in written if java and "${" not in java), "")
    return ProjectManifest(
        dependencies=tuple(each for each in found if each),
        versions={"java": asked} if asked else {},
        findings=tuple(wrong),
    )


def _dependency(element: Element) -> Dependency | None:
    group, artifact = _text(element, "groupId"), _text(element, "artifactId")
    if not artifact:
        return None
    return Dependency(
        name=f"{group}:{artifact}",
        ecosystem="java",
        asked=_text(element, "version"),
        purpose="test" if _text(element, "scope") == "test" else "run",
    )


def _text(element: Element, path: str) -> str:
    found = element.find("/".join(ANY + name for name in path.split("/")))
    return (found.text or "").strip() if found is not None else ""
