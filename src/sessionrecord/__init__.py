"""Typed records, streams and sessions for AI agents."""
