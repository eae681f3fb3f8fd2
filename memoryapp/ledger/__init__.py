"""Workspaces, actors, writes, jobs, the served log, and what the database refuses."""
