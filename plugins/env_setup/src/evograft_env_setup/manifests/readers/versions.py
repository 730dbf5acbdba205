""".python-version, .nvmrc and .tool-versions: versions and nothing else."""

from __future__ import annotations

from evograft_env_setup.manifests.manifest import ProjectManifest

TOOLS = {".python-version": "python", ".nvmrc": "node", ".node-version": "node"}
ASDF = {"nodejs": "node", "golang": "go"}
"""What .tool-versions calls otherwise than everybody else."""


def read(text: str, path: str) -> ProjectManifest:
    """Return the first version of a file that is of one tool."""
    lines = _lines(text)
    tool = TOOLS[path.rpartition("/")[2]]
    if not lines:
        return ProjectManifest(findings=("is empty",))
    return ProjectManifest(versions={tool: lines[0][0]})


def read_tool_versions(text: str, path: str) -> ProjectManifest:
    del path
    lines = _lines(text)
    wrong = tuple(f"names no version for {words[0][:80]!r}" for words in lines if len(words) == 1)
    found = {ASDF.get(words[0], words[0]): words[1] for words in lines if len(words) > 1}
    return ProjectManifest(versions=found, findings=wrong)


def _lines(text: str) -> list[list[str]]:
    """Yield the words of each line without its comment."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return [words for words in lines if words]
