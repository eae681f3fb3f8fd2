"""Every write of the context."""

from memoryapp.context.services.setting import Done, set_entries, set_section, unset, unset_section, update
from memoryapp.context.services.undoing import arrange, arrange_sections, restore, undo

__all__ = [
    "Done",
    "arrange",
    "arrange_sections",
    "restore",
    "set_entries",
    "set_section",
    "undo",
    "unset",
    "unset_section",
    "update",
]
