"""Sentences and what the rules make of them. All were said by Ines on Wednesday 10 June 2026 at noon, UTC."""

from tests.extraction.rules.statements.lives import LIVES
from tests.extraction.rules.statements.resolves import RESOLVES
from tests.extraction.rules.statements.silent import SILENT
from tests.extraction.rules.statements.tastes import TASTES

FOUND = (*TASTES, *RESOLVES, *LIVES)

__all__ = ["FOUND", "SILENT"]
