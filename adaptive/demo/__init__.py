"""Data and programs for the demonstration."""
