"""A sandbox for candidates that are Python functions: score one on a whole data set, behind several layers."""

from evograft_sandbox.functions.errors import SandboxFailed
from evograft_sandbox.functions.limits import FunctionLimits
from evograft_sandbox.functions.preload import Preload
from evograft_sandbox.functions.result import FunctionResult
from evograft_sandbox.functions.static_check import check_source
from evograft_sandbox.functions.worker_pool import PythonSandbox

__all__ = ["FunctionLimits", "FunctionResult", "Preload", "PythonSandbox", "SandboxFailed", "check_source"]
