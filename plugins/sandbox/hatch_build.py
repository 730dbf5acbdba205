"""Build hook: wheels get the sandbox's runner and its clock, compiled, and are then for one kind of machine.

Without a compiler they are for all machines, without either.

An editable installation has none: they are compiled when they are first needed, and again when their source changes.
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
PACKAGED = "evograft_sandbox/commands"


class RunnerBuildHook(BuildHookInterface[Any]):
    """Found by hatchling through this module's name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or sys.platform != "linux":
            return
        sandbox = Path(self.root) / SANDBOX
        native = _load(sandbox / "native_build.py")
        codes = (native.RUNNER, native.CPU_CLOCK)
        try:
            made = [(code, native.compile_native(code)) for code in codes]
        except native.NativeBuildError as err:
            self.app.display_warning(f"a wheel without the sandbox's runner, for all machines: {err}")
            return
        self._made = tempfile.TemporaryDirectory()
        for code, content in made:
            file = Path(self._made.name) / code.file_name
            file.write_bytes(content)
            file.chmod(0o755)
            build_data["force_include"][str(file)] = f"{PACKAGED}/{code.folder}/{file.name}"
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
