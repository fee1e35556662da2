"""Streams of records: reading, writing, authoring."""
