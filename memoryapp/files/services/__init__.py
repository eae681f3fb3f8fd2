"""Every write of the files room."""

from memoryapp.files.services.attaching import attach
from memoryapp.files.services.describing import set_metadata
from memoryapp.files.services.moving import Moved, move
from memoryapp.files.services.removing import Removed, remove, restore, restore_version
from memoryapp.files.services.telling import tell_file
from memoryapp.files.services.writing import Written, edit, mkdir, write_file, write_files

__all__ = [
    "Moved",
    "Removed",
    "Written",
    "attach",
    "edit",
    "mkdir",
    "move",
    "remove",
    "restore",
    "restore_version",
    "set_metadata",
    "tell_file",
    "write_file",
    "write_files",
]
