"""Nodes, beliefs, relations, identity, conflict and views."""
