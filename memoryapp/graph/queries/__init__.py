"""The graph's reads."""
