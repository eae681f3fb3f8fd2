"""Changes of the declared types as data: read, applied to a document, put into words, and what stored rows follow.

Everything here is a pure function of documents. What a change would do to stored rows is asked in
`memoryapp.ontology.rows`.
"""

from memoryapp.ontology.changeset.applying import Changed, apply
from memoryapp.ontology.changeset.changes import CHANGES, Change, as_data, read_changes
from memoryapp.ontology.changeset.comparing import Difference, differences
from memoryapp.ontology.changeset.kinds import KINDS, kind_of, title_of
from memoryapp.ontology.changeset.moves import Follow, Move

__all__ = [
    "CHANGES",
    "KINDS",
    "Change",
    "Changed",
    "Difference",
    "Follow",
    "Move",
    "apply",
    "as_data",
    "differences",
    "kind_of",
    "read_changes",
    "title_of",
]
