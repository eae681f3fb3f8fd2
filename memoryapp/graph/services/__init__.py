"""The graph's writes."""
