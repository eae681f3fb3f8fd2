"""Operators look at the tables of this room here; see `memoryapp.ledger.admin`."""

from memoryapp.ledger.admin import register_room

register_room("files")
