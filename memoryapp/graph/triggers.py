"""What the database refuses in the graph beyond each table's own guard."""

from collections.abc import Iterator

from memoryapp.ledger.triggers import PREFIX, Rule

ROLES = (
    "SELECT r.minimum, r.maximum, count(p.id) AS players FROM ontology_declaredrole r "
    "LEFT JOIN graph_relationplayer p ON p.relation_id = NEW.id AND p.role = r.role "
    "WHERE r.workspace_id = NEW.workspace_id AND r.relation_kind = NEW.kind GROUP BY r.id, r.minimum, r.maximum"
)
"""How many play in each declared role of the relation, and how many may."""


def rules() -> Iterator[Rule]:
    """Declared types only, whole relations only, one supersession for a belief, no status without a state."""
    yield from _declared()
    yield from _keyed()
    yield from _whole()
    yield from _believed()


def _declared() -> Iterator[Rule]:
    """What is stored is of a declared type that is used and stands for things."""
    for table, column, family in (
        ("graph_belief", "kind", "belief_kind"),
        ("graph_node", "node_class", "node_class"),
        ("graph_relation", "kind", "relation_kind"),
    ):
        yield Rule(
            f"{PREFIX}{table}_declared",
            table,
            "INSERT",
            "NOT EXISTS (SELECT 1 FROM ontology_declaredtype d WHERE d.workspace_id = NEW.workspace_id "
            f"AND d.family = '{family}' AND d.name = NEW.\"{column}\" AND NOT d.abstract AND NOT d.retired)",
            f"{table}.{column} is not declared, or abstract",
        )


def _keyed() -> Iterator[Rule]:
    """A key belongs to the class that declares it, or to one below."""
    for timing in ("INSERT", 'UPDATE OF "node_id", "active"'):
        yield Rule(
            f"{PREFIX}graph_identitykey_root_{'in' if timing == 'INSERT' else 'up'}",
            "graph_identitykey",
            timing,
            "NEW.active AND (NOT EXISTS (SELECT 1 FROM ontology_declaredkey k WHERE k.workspace_id = NEW.workspace_id "
            "AND k.owner_class = NEW.owner_class AND k.key_set = NEW.key_set) "
            "OR NOT EXISTS (SELECT 1 FROM graph_node n JOIN ontology_declaredtype d ON d.workspace_id = n.workspace_id "
            "AND d.family = 'node_class' AND d.name = n.node_class WHERE n.id = NEW.node_id "
            "AND replace(d.lineage, '/' || NEW.owner_class || '/', '') <> d.lineage))",
            "an identity key belongs to the class that declares it, or to one below",
        )


def _whole() -> Iterator[Rule]:
    """A relation is assembled once, and whole when it is in force."""
    yield Rule(
        f"{PREFIX}graph_relation_whole",
        "graph_relation",
        'UPDATE OF "state"',
        "EXISTS (SELECT 1 FROM (SELECT sum(c.players) AS players, "
        "sum(CASE WHEN c.players < c.minimum OR c.players > c.maximum THEN 1 ELSE 0 END) AS wrong "
        f"FROM ({ROLES}) c) t WHERE t.wrong > 0 OR t.players IS NULL "
        "OR t.players <> (SELECT count(*) FROM graph_relationplayer q WHERE q.relation_id = NEW.id))",
        "a relation needs the declared number of players in each role",
        only="NEW.state = 'activated'",
    )
    yield Rule(
        f"{PREFIX}graph_relation_assembled_once",
        "graph_relation",
        'UPDATE OF "state"',
        "NEW.state = 'assembling' AND OLD.state <> 'assembling'",
        "a relation is assembled once",
    )
    yield Rule(
        f"{PREFIX}graph_relationplayer_late",
        "graph_relationplayer",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM graph_relation s WHERE s.id = NEW.relation_id AND s.state = 'assembling' "
        "AND s.kind = NEW.kind)",
        "players are added while a relation of that kind is assembled, not later",
    )


def _believed() -> Iterator[Rule]:
    """A belief has one successor, and no change without a state."""
    yield Rule(
        f"{PREFIX}graph_relation_one_successor",
        "graph_relation",
        'UPDATE OF "state"',
        "EXISTS (SELECT 1 FROM graph_relationplayer mine "
        "JOIN graph_relationplayer theirs ON theirs.belief_id = mine.belief_id AND theirs.kind = 'supersession' "
        "AND theirs.role = 'superseded' AND theirs.relation_id <> mine.relation_id "
        "JOIN graph_relation other ON other.id = theirs.relation_id AND other.state = 'activated' "
        "WHERE mine.relation_id = NEW.id AND mine.role = 'superseded')",
        "a belief has at most one successor",
        only="NEW.state = 'activated' AND NEW.kind = 'supersession'",
    )
    yield Rule(
        f"{PREFIX}graph_belief_status_kept",
        "graph_belief",
        'UPDATE OF "status", "standing", "valid_from", "valid_to", "audience", "lock"',
        "NOT EXISTS (SELECT 1 FROM graph_beliefstate s WHERE s.belief_id = NEW.id AND s.sequence = NEW.lock "
        "AND s.status = NEW.status AND s.standing = NEW.standing AND s.audience = NEW.audience)",
        "a belief changes only together with a state that says why",
    )
