"""Every read of the context."""

from memoryapp.context.queries.acts import Act, acts, with_revisions
from memoryapp.context.queries.entries import Asked, Shown, entry, history, now, revisions, shown, with_links
from memoryapp.context.queries.rendering import Block, no_longer_held, render
from memoryapp.context.queries.sections import Section, grouped, section_lock, section_locks, sections
from memoryapp.context.queries.told import told, told_link, told_revision

__all__ = [
    "Act",
    "Asked",
    "Block",
    "Section",
    "Shown",
    "acts",
    "entry",
    "grouped",
    "history",
    "no_longer_held",
    "now",
    "render",
    "revisions",
    "section_lock",
    "section_locks",
    "sections",
    "shown",
    "told",
    "told_link",
    "told_revision",
    "with_links",
    "with_revisions",
]
