"""Paths of files and who may see them: the one normal form, globs, and the ordered rules of a path policy.

Nothing here opens anything: a path is a name in the tree of a workspace, and never one on the machine.
"""

from memoryapp.access.paths.globs import Glob
from memoryapp.access.paths.normal import ROOT, above, below, name_of, normal, parent, territory
from memoryapp.access.paths.policy import LEVELS, OPEN, PathPolicy, compiled, of, read_rules

__all__ = [
    "LEVELS",
    "OPEN",
    "ROOT",
    "Glob",
    "PathPolicy",
    "above",
    "below",
    "compiled",
    "name_of",
    "normal",
    "of",
    "parent",
    "read_rules",
    "territory",
]
