"""The in-process engine: windows of Arrow batches on the threads of one process."""

from adaptive.engine.engine import Engine, EngineClosed
from adaptive.engine.flow import QueueFull

__all__ = ["Engine", "EngineClosed", "QueueFull"]
