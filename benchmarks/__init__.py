"""Ratios against peers, both sides on the same bytes in one run: `python -m benchmarks`."""
