"""Asking the graph: nodes of a class by what is believed of them, how they are related, and what leads on from them.

A question is plain data (docs/query.md). It is read whole against the declared types first, so that everything wrong
with it is named at once; then it is asked in a fixed number of queries, a few for each hop.
"""

from memoryapp.graph.queries.asking.answering import Answer, Expanded, Found, Reached, ask, matching, told
from memoryapp.graph.queries.asking.clauses import Question
from memoryapp.graph.queries.asking.reading import read

__all__ = ["Answer", "Expanded", "Found", "Question", "Reached", "ask", "matching", "read", "told"]
