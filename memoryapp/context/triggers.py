"""What the database refuses in the context beyond each table's own guard."""

from collections.abc import Iterator

from memoryapp.ledger.triggers import PREFIX, Rule


def rules() -> Iterator[Rule]:
    """No head without its revision; no link added to a revision later."""
    yield Rule(
        f"{PREFIX}context_entry_revised",
        "context_entry",
        'UPDATE OF "state", "audience", "lock"',
        "NOT EXISTS (SELECT 1 FROM context_entryrevision r WHERE r.entry_id = NEW.id AND r.sequence = NEW.lock "
        "AND r.state = NEW.state AND r.audience = NEW.audience)",
        "an entry changes only together with a revision that says so",
    )
    yield Rule(
        f"{PREFIX}context_entrylink_late",
        "context_entrylink",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM context_entryrevision r WHERE r.id = NEW.revision_id "
        "AND r.entry_id = NEW.entry_id AND r.link_count > "
        "(SELECT count(*) FROM context_entrylink p WHERE p.revision_id = NEW.revision_id))",
        "nothing is added to a revision of an entry later",
    )
