"""Every read of the files room."""

from memoryapp.files.feeding import text_of
from memoryapp.files.queries.globbing import glob
from memoryapp.files.queries.grepping import Grepped, Sought, grep
from memoryapp.files.queries.leading import InSight, of_versions
from memoryapp.files.queries.linking import links_for, links_from, links_to_node, naming
from memoryapp.files.queries.reading import Extraction, Lines, between, diff, extraction, read_lines
from memoryapp.files.queries.searching import search
from memoryapp.files.queries.told import LISTED, told, told_version, told_whole
from memoryapp.files.queries.tree import (
    EVERYTHING,
    Branch,
    as_known,
    branches,
    directory,
    entry,
    entry_by_id,
    exists,
    file,
    latest,
    latest_of,
    ls,
    recallable,
    removed,
    version,
    versions,
)

__all__ = [
    "EVERYTHING",
    "LISTED",
    "Branch",
    "Extraction",
    "Grepped",
    "InSight",
    "Lines",
    "Sought",
    "as_known",
    "between",
    "branches",
    "diff",
    "directory",
    "entry",
    "entry_by_id",
    "exists",
    "extraction",
    "file",
    "glob",
    "grep",
    "latest",
    "latest_of",
    "links_for",
    "links_from",
    "links_to_node",
    "ls",
    "naming",
    "of_versions",
    "read_lines",
    "recallable",
    "removed",
    "search",
    "text_of",
    "told",
    "told_version",
    "told_whole",
    "version",
    "versions",
]
