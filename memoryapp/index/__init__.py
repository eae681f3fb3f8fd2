"""One text index, its statistics and engines."""
