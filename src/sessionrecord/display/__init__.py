"""Sessions for people to look at: frames, plots, and what a notebook shows."""
