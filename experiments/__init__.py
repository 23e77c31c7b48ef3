"""Experiments: reproducible measurements of Kodiak against baselines."""
