"""A sandbox for candidates that are Python functions: score one on a whole data set, behind several walls."""

from evograft.sandbox.errors import SandboxFailed
from evograft.sandbox.limits import FunctionLimits
from evograft.sandbox.pool import PythonSandbox
from evograft.sandbox.preload import Preload
from evograft.sandbox.result import FunctionResult
from evograft.sandbox.static_check import check_source

__all__ = ["FunctionLimits", "FunctionResult", "Preload", "PythonSandbox", "SandboxFailed", "check_source"]
