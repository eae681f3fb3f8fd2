"""T10, T38: what a source of each kind must and must not have, through the service and against direct SQL."""

import datetime as dt
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from memoryapp.doors.errors import Invalid
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import services
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)


def tell(by: Principal, speaker: str = "assistant", content: str = "Hi.") -> services.Told:
    turn = TurnInput(speaker=speaker, content=content, said_at=NOW)
    desk = ParticipantInput(key="desk", role="assistant")
    return record(by, "tell", lambda write: services.tell(write, ThreadInput(external_id="t"), [desk], [turn]))


def insert(like: Source, **changes: Any) -> None:
    """Insert a copy of a stored source by SQL, with changes, past every service."""
    fields = {field.name: field for field in Source._meta.concrete_fields}
    fresh = Source(**{name: getattr(like, name) for name in fields if name != "id"})
    fresh.digest, fresh.position = "another", 7
    values = {
        field.column: field.get_db_prep_save(getattr(fresh, field.attname), connection) for field in fields.values()
    }
    values |= {fields[name].column: value for name, value in changes.items()}
    columns = ", ".join(f'"{column}"' for column in values)
    places = ", ".join(["%s"] * len(values))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO sources_source ({columns}) VALUES ({places})", list(values.values()))


@pytest.mark.sql
@pytest.mark.parametrize("speaker", ["", "robot"])
def test_a_chat_turn_without_a_known_speaker_is_refused(curator_agent: Principal, speaker: str) -> None:
    """T10 (DB)."""
    with pytest.raises(Invalid) as refused:
        tell(curator_agent, speaker=speaker)
    assert refused.value.violations[0].path == "/turns/0/speaker"
    assert refused.value.violations[0].accepted == "user, assistant, system, tool"
    stored = tell(curator_agent).turns_new[0]
    insert(stored)
    with pytest.raises(DatabaseError, match="source_turn_has_speaker"):
        insert(stored, position=8, speaker=speaker)


@pytest.mark.sql
def test_a_web_source_without_url_is_refused(curator_agent: Principal) -> None:
    """T10 (DB)."""
    page = SourceInput(kind="web", content="page", said_at=NOW, url="https://pier.example/a")
    for url in ("", " ", "javascript:alert(1)"):
        with pytest.raises(Invalid, match="web"):
            record(curator_agent, "read", lambda write, url=url: services.read(write, replaced(page, url=url)))  # type: ignore[misc]
    stored = record(curator_agent, "read", lambda write: services.read(write, page)).source
    with pytest.raises(DatabaseError, match="source_web_has_url"):
        insert(stored, position=None, url="")


@pytest.mark.sql
def test_a_document_with_a_speaker_is_refused(curator_agent: Principal) -> None:
    """T10 (DB): an attribute that this kind does not own."""
    document = SourceInput(kind="document", content="text", said_at=NOW, path="a.md")
    with pytest.raises(Invalid) as refused:
        record(curator_agent, "read", lambda write: services.read(write, replaced(document, speaker="user")))
    assert (refused.value.code, refused.value.violations[0].path) == ("not_of_this_kind", "/speaker")
    stored = record(curator_agent, "read", lambda write: services.read(write, document)).source
    with pytest.raises(DatabaseError, match="source_turn_has_speaker"):
        insert(stored, position=None, speaker="user")
    with pytest.raises(DatabaseError, match="source_document_has_path"):
        insert(stored, position=None, path="")


@pytest.mark.sql
def test_a_source_of_no_concrete_kind_or_without_a_time_is_refused(curator_agent: Principal) -> None:
    """T1, T38 (DB)."""
    note = SourceInput(kind="system", content="note", said_at=NOW)
    for wrong, path in ((replaced(note, kind="source_record"), "/kind"), (replaced(note, said_at=None), "/said_at")):
        with pytest.raises(Invalid) as refused:
            record(curator_agent, "read", lambda write, wrong=wrong: services.read(write, wrong))  # type: ignore[misc]
        assert refused.value.violations[0].path == path
    stored = record(curator_agent, "read", lambda write: services.read(write, note)).source
    with pytest.raises(DatabaseError, match="source_kind_concrete"):
        insert(stored, position=None, kind="source_record")
    with pytest.raises(DatabaseError):
        insert(stored, position=None, said_at=None)


@pytest.mark.sql
def test_a_statement_without_member_is_refused(reviewer: Principal) -> None:
    stated = record(reviewer, "state", lambda write: services.state(write, "We invoice monthly."))
    with pytest.raises(DatabaseError, match="source_statement_has_member"):
        insert(stated, position=None, member=None)


@pytest.mark.sql
def test_a_source_is_never_changed_deleted_or_moved_next_door(
    curator_agent: Principal, other_workspace: Workspace
) -> None:
    """C11 and the append-only rule (DB)."""
    stored = tell(curator_agent).turns_new[0]
    for statement in (
        "UPDATE sources_source SET content = 'other'",
        "UPDATE sources_source SET said_at = recorded_at",
        "DELETE FROM sources_source",
    ):
        with pytest.raises(DatabaseError, match=r"append-only|open erasure"), transaction.atomic():
            connection.cursor().execute(statement)
    with pytest.raises(DatabaseError, match="refers outside its workspace"):
        insert(stored, workspace=Source._meta.pk.get_db_prep_save(other_workspace.pk, connection))
    stored.refresh_from_db()
    assert stored.content == "Hi."


@pytest.mark.sql
def test_a_source_without_provenance_is_not_stored(curator_agent: Principal) -> None:
    """C11 (DB): without the write that made it, it does not exist."""
    stored = tell(curator_agent).turns_new[0]
    with pytest.raises(DatabaseError):
        insert(stored, write=None)


def replaced(source: SourceInput, **changes: Any) -> SourceInput:
    return SourceInput(**{**vars(source), **changes})
