"""The result of an analysis: what is known about a repository."""

from __future__ import annotations

from typing import Any

from evograft_env_setup.environments.environment import VerificationCommand
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value


class AnalysisFinding(Value):
    """A file that is broken or strange, and what about it."""

    file: Text
    what: Text


class VersionAsked(Value):
    """A version that a file asks for."""

    file: Text
    tool: Name
    asked: Text


class RepositoryAnalysis(Value):
    """The answer of an `EnvironmentAnalyzer`."""

    detected_files: FrozenDict[str, Text]
    """By path from the root; very large ones end in a line that says how much is missing."""
    guides: FrozenDict[str, Text] = FrozenDict()
    """In which people say how it is built, such as its README, by path from the root; nothing follows from them by
    rules."""
    environment_type: Name
    reason: Text
    """Why this environment, in a sentence."""
    manifests: FrozenDict[str, ProjectManifest]
    """What each detected file says, with what it includes."""
    dependencies: tuple[Dependency, ...]
    """Each once. Lock files add none: what they hold follows from the manifests."""
    image: Name
    """Of the container."""
    unusual_image: Text = ""
    """The same where the environment usually has another one; else empty."""
    setup_commands: tuple[Text, ...]
    verification: tuple[VerificationCommand, ...]
    versions: tuple[VersionAsked, ...]
    findings: tuple[AnalysisFinding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the four entries of the planning prompt; dependencies by name."""
        return {
            "detected_files": dict(self.detected_files),
            "environment_type": self.environment_type,
            "dependencies": [each.name for each in self.dependencies],
            "setup_commands": list(self.setup_commands),
        }

    def to_json(self) -> dict[str, Any]:
        """Return those four, and what else is known, for programs."""
        more = self.model_dump(mode="json", include={"reason", "image", "verification", "versions", "findings"})
        asked = [each.model_dump(mode="json") for each in self.dependencies]
        return {**self.to_dict(), **more, "requirements": asked}
