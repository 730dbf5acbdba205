"""Build hook: wheels get the sandbox's runner, compiled, and are then for one kind of machine.

Without a compiler they are for all machines, without the runner.

An editable installation has none: its runner is compiled when it is first needed, and again when its source changes.
"""  # noqa: INP001 - hatchling loads it by its path

from __future__ import annotations

import importlib.util
import platform
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SANDBOX = Path("src", "evograft_sandbox", "commands")
PACKAGED = "evograft_sandbox/commands/runner"


class RunnerBuildHook(BuildHookInterface[Any]):
    """Found by hatchling through this module's name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or sys.platform != "linux":
            return
        sandbox = Path(self.root) / SANDBOX
        runner_build = _load(sandbox / "runner_build.py")
        try:
            program = runner_build.compile_runner(sandbox / "runner")
        except runner_build.RunnerBuildError as err:
            self.app.display_warning(f"a wheel without the sandbox's runner, for all machines: {err}")
            return
        self._made = tempfile.TemporaryDirectory()
        file = Path(self._made.name) / runner_build.get_runner_name(sandbox / "runner")
        file.write_bytes(program)
        file.chmod(0o755)
        build_data["force_include"][str(file)] = f"{PACKAGED}/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform_tag()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        if "_made" in vars(self):
            self._made.cleanup()


def _platform_tag() -> str:
    """Return the tag of this platform.

    A static program needs a kernel and no library, so that any system serves for which pip knows the tag.
    """
    machine = platform.machine()
    return f"manylinux_2_17_{machine}" if machine in ("x86_64", "aarch64") else f"linux_{machine}"


def _load(path: Path) -> ModuleType:
    """Load a module of the package that is being built, which cannot be imported yet."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
