"""How sessions are looked at: as HTML, which needs nothing, and as frames and plots, which name the extra they need."""
