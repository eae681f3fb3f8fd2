"""The recall lab: ask as an agent of the workspace would, and see each hit's score, its sources, and what was left out.

Looking here serves nobody, so nothing is written to the served log.
"""

from memoryapp.recall.pages.lab import lab

__all__ = ["lab"]
