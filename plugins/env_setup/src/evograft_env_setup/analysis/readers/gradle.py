"""build.gradle and build.gradle.kts: programs in Groovy and Kotlin, of which the usual lines are recognised.

Nothing short of Gradle knows what they ask for, so this is the one place where patterns stand in for a parser.
"""

from __future__ import annotations

import re

from evograft_env_setup.analysis.manifest import Dependency, Manifest

LONGEST_LINE = 1000
DEPENDENCY = re.compile(
    r"\s*(?P<configuration>\w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[cC]ompileOnly|[rR]untimeOnly|[aA]nnotationProcessor))"
    r"\s*\(?\s*(?:platform\s*\(\s*)?[\"'](?P<group>[\w.-]+):(?P<artifact>[\w.-]+)(?::(?P<version>[^\"':@]+))?"
)
JAVA = re.compile(
    r"(?:JavaLanguageVersion\.of\(|(?:source|target)Compatibility\s*=\s*(?:JavaVersion\.VERSION_)?[\"']?(?:1[._])?)(\d+)"
)


def read(text: str, path: str) -> Manifest:
    del path
    # Blanks are squeezed, so that none of the patterns can try many ways to divide them.
    lines = [" ".join(line.split()) for line in text.splitlines() if len(line) <= LONGEST_LINE]
    found = [_dependency(match) for line in lines if (match := DEPENDENCY.match(line))]
    java = next((match[1] for line in lines if (match := JAVA.search(line))), "")
    return Manifest(dependencies=tuple(found), versions={"java": java} if java else {})


def _dependency(match: re.Match[str]) -> Dependency:
    return Dependency(
        name=f"{match['group']}:{match['artifact']}",
        ecosystem="java",
        asked=match["version"] or "",
        purpose="test" if "test" in match["configuration"].lower() else "run",
    )
