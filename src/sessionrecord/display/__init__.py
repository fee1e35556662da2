"""How sessions are looked at: as HTML, which needs nothing; other ways name the extra they need."""
