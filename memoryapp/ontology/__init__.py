"""Declared types, their versions, and validation against them."""
