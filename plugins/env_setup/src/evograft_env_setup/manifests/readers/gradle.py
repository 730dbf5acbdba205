"""build.gradle and build.gradle.kts: programs in Groovy and Kotlin, of which the usual lines are recognised.

Nothing short of Gradle knows what they ask for, so this is the one place where patterns stand in for a parser.
"""

from __future__ import annotations

import re

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose

LONGEST_LINE = 1000
CONFIGURATION = (
    r"\s*(?P<configuration>\w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[cC]ompileOnly|[rR]untimeOnly"
    r"|[aA]nnotationProcessor)|developmentOnly|checkstyle)\s*[( ]\s*(?:(?:enforcedP|p)latform\s*\(\s*)?"
)
DEPENDENCY = re.compile(CONFIGURATION + r"[\"'](?P<group>[\w.-]+):(?P<artifact>[\w.-]+)(?::(?P<version>[^\"':@]+))?")
FROM_CATALOGUE = re.compile(CONFIGURATION + r"(?P<name>libs(?:\.\w+)+)")
"""A package by its name in a version catalogue."""
FOR_WORK = re.compile("test|development|checkstyle", re.IGNORECASE)
JAVA = re.compile(
    r"(?:JavaLanguageVersion\.of\(|(?:source|target)Compatibility\s*=\s*"
    r"(?:JavaVersion\.VERSION_)?[\"']?(?:1[._])?)(\d+)"
)


def read(text: str, path: str) -> ProjectManifest:
    del path
    # Blanks are squeezed, so that none of the patterns can try many ways to divide them.
    lines = [" ".join(line.split()) for line in text.splitlines() if len(line) <= LONGEST_LINE]
    found = [_dependency(match) for line in lines if (match := DEPENDENCY.match(line))]
    found += [_named(match) for line in lines if (match := FROM_CATALOGUE.match(line))]
    java = next((match[1] for line in lines if (match := JAVA.search(line))), "")
    return ProjectManifest(dependencies=tuple(found), versions={"java": java} if java else {})


def _dependency(match: re.Match[str]) -> Dependency:
    return Dependency(
        name=f"{match['group']}:{match['artifact']}",
        ecosystem="java",
        asked=match["version"] or "",
        purpose=_purpose(match["configuration"]),
    )


def _named(match: re.Match[str]) -> Dependency:
    return Dependency(
        name=match["name"].removesuffix(".get"), ecosystem="java", purpose=_purpose(match["configuration"])
    )


def _purpose(configuration: str) -> Purpose:
    return "test" if FOR_WORK.search(configuration) else "run"
