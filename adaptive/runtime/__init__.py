"""The runtime: kernels, their state and the loop that feeds them."""

from adaptive.runtime.binding import BatchError, arrow_schema, arrow_type
from adaptive.runtime.projection import Projection
from adaptive.runtime.runner import PlanRunner, supported_program
from adaptive.runtime.unsupported import UnsupportedPlan

__all__ = [
    "BatchError",
    "PlanRunner",
    "Projection",
    "UnsupportedPlan",
    "arrow_schema",
    "arrow_type",
    "supported_program",
]
