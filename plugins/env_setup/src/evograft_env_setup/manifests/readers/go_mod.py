"""go.mod, a line at a time: https://go.dev/ref/mod has its grammar."""

from __future__ import annotations

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest


def read(text: str, path: str) -> ProjectManifest:
    del path
    found, versions, block = [], {}, ""
    for line in text.splitlines():
        code, _, comment = line.partition("//")
        words = code.split()
        if words[-1:] == ["("]:
            block = words[0]
            continue
        if words == [")"]:
            block = ""
            continue
        verb, *arguments = [block, *words] if block else (words or [""])
        # Those of dependencies stand next to the project's own, with a comment that go itself writes.
        if verb == "require" and len(arguments) > 1 and comment.strip() != "indirect":
            found.append(Dependency(name=arguments[0].strip('"'), ecosystem="go", asked=arguments[1]))
        elif verb == "go" and arguments:
            versions["go"] = arguments[0]
    wrong = () if "module" in text else ("names no module",)
    return ProjectManifest(dependencies=tuple(found), versions=versions, findings=wrong)
