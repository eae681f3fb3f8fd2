"""What the database refuses of proposals beyond each table's own guard."""

from collections.abc import Iterator

from memoryapp.ledger.triggers import PREFIX, Rule


def rules() -> Iterator[Rule]:
    """No status without a step that says so; no agent and no policy approves or applies."""
    yield Rule(
        f"{PREFIX}ontology_proposal_moved",
        "ontology_proposal",
        'UPDATE OF "status"',
        'NEW."status" <> OLD."status" AND NOT EXISTS (SELECT 1 FROM ontology_proposalmove m WHERE '
        'm.proposal_id = NEW.id AND m.from_status = OLD."status" AND m.to_status = NEW."status" AND m.sequence = '
        "(SELECT max(n.sequence) FROM ontology_proposalmove n WHERE n.proposal_id = NEW.id))",
        "a proposal moves only with a row that says who, when and why",
    )
    yield Rule(
        f"{PREFIX}ontology_proposalmove_people",
        "ontology_proposalmove",
        "INSERT",
        "NEW.\"to_status\" IN ('approved', 'applied') AND EXISTS (SELECT 1 FROM ledger_write w "
        "JOIN ledger_actor a ON a.id = w.actor_id WHERE w.id = NEW.write_id AND a.kind IN ('agent', 'policy'))",
        "only people approve and apply changes of the declared types",
    )
