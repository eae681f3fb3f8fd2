"""What the database refuses in the timeline beyond each table's own guard."""

from collections.abc import Iterator

from memoryapp.ledger.triggers import PREFIX, Rule


def rules() -> Iterator[Rule]:
    """Declared kinds only; no head without its revision; nobody and nothing added to a revision later."""
    yield Rule(
        f"{PREFIX}timeline_episode_declared",
        "timeline_episode",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM ontology_declaredtype d WHERE d.workspace_id = NEW.workspace_id "
        "AND d.family = 'episode_kind' AND d.name = NEW.\"kind\" AND NOT d.abstract AND NOT d.retired)",
        "timeline_episode.kind is not declared, or abstract",
    )
    yield Rule(
        f"{PREFIX}timeline_episode_revised",
        "timeline_episode",
        'UPDATE OF "state", "audience", "span", "occurred_from", "occurred_to", "begins_at", "ends_at", "lock"',
        "NOT EXISTS (SELECT 1 FROM timeline_episoderevision r WHERE r.episode_id = NEW.id AND r.sequence = NEW.lock "
        "AND r.state = NEW.state AND r.audience = NEW.audience AND r.ordered_at = NEW.ordered_at)",
        "an episode changes only together with a revision that says so",
    )
    for table, counted in (
        ("timeline_episodeparticipant", "participant_count"),
        ("timeline_episodesource", "source_count"),
    ):
        yield Rule(
            f"{PREFIX}{table}_late",
            table,
            "INSERT",
            f"NOT EXISTS (SELECT 1 FROM timeline_episoderevision r WHERE r.id = NEW.revision_id "
            f"AND r.episode_id = NEW.episode_id AND r.{counted} > "
            f"(SELECT count(*) FROM {table} p WHERE p.revision_id = NEW.revision_id))",
            "nothing is added to a revision of an episode later",
        )
