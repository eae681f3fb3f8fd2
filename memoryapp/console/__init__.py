"""Assembles the browser door."""
