"""What the database refuses in the files room beyond each table's own guard."""

from collections.abc import Iterator

from memoryapp.ledger.triggers import PREFIX, Rule


def rules() -> Iterator[Rule]:
    """No head without the version that says so; no source added to a version later."""
    yield Rule(
        f"{PREFIX}files_entry_versioned",
        "files_entry",
        'UPDATE OF "path", "state", "lock"',
        "NOT EXISTS (SELECT 1 FROM files_version v WHERE v.entry_id = NEW.id AND v.sequence = NEW.lock "
        "AND v.state = NEW.state AND v.path = NEW.path) AND NOT EXISTS (SELECT 1 FROM ledger_erasure e "
        "WHERE e.workspace_id = NEW.workspace_id AND e.closed_at IS NULL)",
        "a file changes only together with a version that says so",
    )
    yield Rule(
        f"{PREFIX}files_versionsource_late",
        "files_versionsource",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM files_version r WHERE r.id = NEW.version_id AND r.source_count > "
        "(SELECT count(*) FROM files_versionsource p WHERE p.version_id = NEW.version_id))",
        "nothing is added to a version of a file later",
    )
