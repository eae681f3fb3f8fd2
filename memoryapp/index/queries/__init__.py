"""Every read of the index: search in a scope, near words, and what is not indexed yet."""

from memoryapp.index.queries.asking import NearWord, near_words
from memoryapp.index.queries.keeping import Standing, not_fresh, standing, unindexed
from memoryapp.index.queries.scope import Rows, Scope, Targets, eligible
from memoryapp.index.queries.searching import FLOOR, Found, Hit, search

__all__ = [
    "FLOOR",
    "Found",
    "Hit",
    "NearWord",
    "Rows",
    "Scope",
    "Standing",
    "Targets",
    "eligible",
    "near_words",
    "not_fresh",
    "search",
    "standing",
    "unindexed",
]
