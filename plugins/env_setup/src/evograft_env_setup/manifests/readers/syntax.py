"""Lock files, which only have to be readable: what they hold follows from the manifests."""

from __future__ import annotations

from evograft_env_setup.manifests.manifest import ProjectManifest
from evograft_env_setup.manifests.readers.bounded import load_json, load_toml, load_yaml


def read_json(text: str, path: str) -> ProjectManifest:
    del path
    load_json(text)
    return ProjectManifest()


def read_toml(text: str, path: str) -> ProjectManifest:
    del path
    load_toml(text)
    return ProjectManifest()


def read_yaml(text: str, path: str) -> ProjectManifest:
    del path
    load_yaml(text)
    return ProjectManifest()
