"""What holds for every test: how hypothesis searches."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The same examples at every run: a red run is about the change at hand. `HYPOTHESIS_PROFILE=deep` searches at random and longer.
settings.register_profile(
    "ci", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile(
    "deep", max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
