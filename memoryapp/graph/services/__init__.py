"""The graph's writes: its public verbs."""

from memoryapp.graph.services.beliefs import (
    change_audience,
    change_state,
    change_validity,
    reinstate,
    retire,
    retract,
    supersede,
)
from memoryapp.graph.services.nodes import resolve
from memoryapp.graph.services.remembering import Remembered, remember, remember_all

__all__ = [
    "Remembered",
    "change_audience",
    "change_state",
    "change_validity",
    "reinstate",
    "remember",
    "remember_all",
    "resolve",
    "retire",
    "retract",
    "supersede",
]
