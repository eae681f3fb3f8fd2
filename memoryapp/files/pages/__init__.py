"""The files room in the browser."""
