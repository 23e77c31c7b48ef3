"""Adaptive just-in-time compilation for Spark stream queries."""
