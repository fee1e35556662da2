"""ASIF documents: typed, assembled, checked."""
