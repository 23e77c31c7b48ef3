"""What is raised for plans that cannot be compiled."""

from __future__ import annotations


class UnsupportedPlan(ValueError):
    """A plan that code generation cannot take."""
