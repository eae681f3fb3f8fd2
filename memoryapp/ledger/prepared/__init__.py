"""Queries that are built once in a process: Django makes the SQL the first time, afterwards only the values are put in.

A query is a plain function of named values that gives a queryset. `rows(build, ..., **given)` finds exactly what
`list(build(..., **given))` finds, without building it anew each time: for the first call of its form the function is
given stand-ins, and where these end up among the parameters is where the values go from then on. One definition
serves both ways.

What the function may do with a named value is compare it with a column, or hand it to another query that does. It must
not look at it: what the form of a query depends on is handed over in front, without a name, or is None.
"""

from memoryapp.ledger.prepared.asking import MOST_VALUES, change, first, rows
from memoryapp.ledger.prepared.storing import MOST_AT_ONCE, fill, insert, store

__all__ = ["MOST_AT_ONCE", "MOST_VALUES", "change", "fill", "first", "insert", "rows", "store"]
