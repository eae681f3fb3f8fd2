"""Assembles the REST door."""
