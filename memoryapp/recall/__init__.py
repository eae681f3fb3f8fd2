"""Ranking over all rooms, and the brief."""
