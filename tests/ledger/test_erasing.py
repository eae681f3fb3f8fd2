"""Erasing a person or a source: what goes, what stays of others, the receipt, and the proof."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import lzma
import uuid
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import docx
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models

from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries import views
from memoryapp.graph.queries.why import why
from memoryapp.index.models import IndexEntry, Term
from memoryapp.ledger import dump, erasing, integrity
from memoryapp.ledger.blotting import Blotter
from memoryapp.ledger.models import Erasure, IdempotencyKey
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.proving import prove
from memoryapp.ledger.services import record, serve
from memoryapp.ledger.triggers import guarded_models
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read, tell

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_files")]

QUILL = ParticipantInput("quill", "user", "Quill Marchetti", {"email": "quill@marchetti.example"})
BRAM = ParticipantInput("bram", "user", "Bram Oduya", {"email": "bram@oduya.example"})
SECRETS = ("quill marchetti", "quill@marchetti", "marlin", "prefers the window seat", "vertigo")


@pytest.fixture
def told(operator: Principal, curator_agent: Principal, reviewer: Principal, work: Callable[[], int]) -> Principal:
    """Quill and Bram talk; a case about Quill is decided; something was recalled, and an answer kept for a repeat."""
    turns = [
        turn("quill", "I prefer the window seat to the aisle. The code word is MARLIN.", 1),
        turn("bram", "I like tea. Quill Marchetti has vertigo, write to Quill@Marchetti.example.", 2),
        turn("quill", "I'd like weekly status emails.", 3),
        turn("quill", "A monthly summary is enough from now on.", 60),
    ]
    record(curator_agent, "tell", lambda write: tell(write, ThreadInput("t-1", "With Quill"), [QUILL, BRAM], turns))
    work()
    for case in Case.objects.filter(state="open", kind__in=["belief_conflict", "held_candidate"]):
        verdict = "newer_replaces" if case.kind == "belief_conflict" else "accept"
        record(
            reviewer,
            "decide",
            lambda write, c=case, v=verdict: review.decide(write, c.pk, lock=c.lock, verdict=v),
            rationale="Quill Marchetti said so.",
        )
    belief = Belief.objects.filter(shape="statement").first()
    assert belief is not None
    serve(
        operator, "recall", [("belief", belief.pk, 1.0)], question="Where does quill sit?", parameters={"q": "MARLIN"}
    )
    IdempotencyKey.objects.create(
        workspace=operator.workspace,
        actor=operator.actor,
        key="k-1",
        request_digest="0" * 64,
        status=201,
        body={"headers": {}, "json": json.dumps({"id": str(belief.pk), "content": "vertigo"})},
    )
    return operator


def turn(by: str, content: str, day: int) -> TurnInput:
    at = dt.datetime(2026, 3, 1, 9, tzinfo=dt.UTC) + dt.timedelta(days=day)
    return TurnInput("user", content, at, by=by)


def quill() -> Node:
    return Node.objects.get(label="Quill Marchetti")


def erase(by: Principal, sort: str, target: uuid.UUID, name: str, reason: str = "They asked for it.") -> Erasure:
    done: Erasure = record(by, "erase", lambda write: erasing.erase(write, sort, target, name=name), rationale=reason)
    return done


def everything_stored() -> str:
    """All text of all tables, the index's own included, and of the database's file, in small letters."""
    found: list[str] = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                found += [
                    value.decode("utf-8", "ignore") if isinstance(value, bytes) else str(value)
                    for value in row
                    if value
                ]
    if connection.vendor == "sqlite":
        for suffix in ("", "-wal"):
            path = Path(str(connection.settings_dict["NAME"]) + suffix)
            found.append(path.read_bytes().decode("utf-8", "ignore") if path.exists() else "")
    return "\n".join(found).lower()


def left(words: tuple[str, ...]) -> list[str]:
    stored = everything_stored()
    return [word for word in words if word in stored]


def test_of_an_erased_person_no_word_is_left_anywhere(told: Principal) -> None:
    """R16, cases 46, 47 and 71: said by them or of them, in no table, index, log of what was served, nor file."""
    assert left(SECRETS)
    before = erasing.preview(told, "node", quill().pk)
    assert before["name"] == "Quill Marchetti"
    assert before["rows"]["sources"] == 3
    assert before["examples"]
    erasure = erase(told, "node", quill().pk, "Quill Marchetti", "Quill Marchetti asked for it.")
    assert left(SECRETS) == ["vertigo"], "what Bram said stays, without the name"
    [bram] = Source.objects.filter(participant__key="bram")
    assert bram.content.startswith("I like tea. █████ █████████ has vertigo, write to ████████")
    assert {entry.text for entry in IndexEntry.objects.filter(target_id=bram.pk)} == {bram.content}
    assert not Term.objects.filter(text__icontains="marchetti").exists()
    assert erasure.receipt["emptied"]["graph.node"] == 1
    assert prove(erasure.receipt) == []
    assert [report.check.name for report in integrity.examine(told.workspace) if report.findings] == []


def test_what_is_said_of_others_stays_theirs(told: Principal) -> None:
    tea = Belief.objects.get(content__icontains="tea")
    erase(told, "node", quill().pk, "Quill Marchetti")
    tea.refresh_from_db()
    assert (tea.status, "tea" in tea.content) == ("activated", True)
    assert tea in views.current(told)
    assert Node.objects.filter(label="Bram Oduya").exists()


def test_the_tombstone_answers_with_time_actor_and_reason_and_no_words(told: Principal) -> None:
    """R16: no row goes; `why` still answers."""
    beliefs = list(Belief.objects.filter(subject=quill()).values_list("pk", flat=True))
    rows = Belief.objects.count()
    erase(told, "node", quill().pk, "Quill Marchetti")
    assert Belief.objects.count() == rows
    for pk in beliefs:
        because = why(told, pk)
        assert (because["belief"]["status"], because["belief"]["content"]) == ("deleted", "")
        assert because["history"][-1]["by"] == "Operator"
        assert because["history"][-1]["reason"] == "Erased."


def test_an_erased_source_takes_what_stood_on_it_alone(operator: Principal, work: Callable[[], int]) -> None:
    """Case 47: the only source of a code word."""
    at = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
    given = SourceInput("file", "Mira said: the code word is MARLIN, keep it.", at, path="notes/marlin.txt")
    source = record(operator, "read", lambda write: read(write, given)).source
    work()
    erasure = erase(operator, "source", source.pk, "notes/marlin.txt")
    assert left(("marlin",)) == []
    assert prove(erasure.receipt) == []
    assert [report.check.name for report in integrity.examine(operator.workspace) if report.findings] == []


def kept_by_a_machine(place: Path, said: str) -> set[str]:
    """Leave the words in files as logs and documents are kept: packed, escaped, in pieces. The names of the files."""
    first, second = said[: len(said) // 2], said[len(said) // 2 :]
    letter = docx.Document()
    letter.add_paragraph("From ").add_run(first)
    letter.paragraphs[0].add_run(second)
    letter.save(str(place / "letter.docx"))
    with zipfile.ZipFile(place / "logs.zip", "w", zipfile.ZIP_DEFLATED) as several:
        several.writestr("web.log", f"Asked by {said} of the window.")
    (place / "web.log").write_text(f"Asked by {said.upper()} of the window.")
    (place / "web.log.1.gz").write_bytes(gzip.compress(said.encode()))
    (place / "access.log").write_text(f"GET /w/harbour/search/?q=%22{said.replace(' ', '%20')}%22")
    (place / "lines.json").write_text(json.dumps({"said": f"é\n{said}\n".replace(" ", "\t")}))
    return {one.name for one in place.iterdir() if one.is_file()}


def test_the_proof_finds_what_was_left_or_came_back(told: Principal, tmp_path: Path) -> None:
    """R16: in rows, and in files however they are written. A file that nobody can read is named."""
    erasure = erase(told, "node", quill().pk, "Quill Marchetti")
    kept = kept_by_a_machine(tmp_path, "Quill Marchetti")
    torn = tmp_path / "torn.gz"
    torn.write_bytes(gzip.compress(b"x" * 5000)[:-20])
    packed, within = tmp_path / "old.xz", tmp_path / "within.zip"
    packed.write_bytes(lzma.compress(b"x"))
    with zipfile.ZipFile(within, "w") as several:
        several.writestr("logs.gz", gzip.compress(b"x"))
    (tmp_path / "var" / "product.log").write_text("Asked by Quill Marchetti.")
    traces = prove(erasure.receipt, [tmp_path])
    assert {Path(one.place).name for one in traces if not one.closed} == kept | {"product.log"}
    assert {one.place for one in traces if one.closed} == {str(torn), str(packed), str(within)}
    (tmp_path / "var" / "product.log").unlink()
    said = StringIO()
    with pytest.raises(CommandError, match="Nothing of it was found, but 1 file was not looked into"):
        call_command("prove_erased", str(erasure.pk), files=[torn], stdout=said)
    assert "Nothing of it is left" not in said.getvalue()
    assert f"Not looked into: {torn}" in said.getvalue()
    record(told, "note", lambda write: None, rationale="Is Quill   marchetti gone?")
    assert {trace.place for trace in prove(erasure.receipt)} >= {"ledger_write"}
    with pytest.raises(CommandError, match="still hold"):
        call_command("prove_erased", str(erasure.pk), stdout=StringIO())


def test_a_receipt_holds_nothing_of_what_was_erased_and_cannot_be_changed(told: Principal) -> None:
    erasure = erase(told, "node", quill().pk, "Quill Marchetti")
    text = json.dumps(erasure.receipt).lower()
    assert not [word for word in SECRETS if word in text]
    changed = erasure.receipt | {"fingerprints": {}}
    with pytest.raises(Conflict, match="not as it was written"):
        prove(changed)


def test_it_is_done_only_with_the_name_typed_a_reason_and_the_right(told: Principal, viewer: Principal) -> None:
    """Case 46: typed confirmation; nothing is half erased."""
    before = dump.digest(dump.snapshot(told.workspace))
    with pytest.raises(Invalid, match="not its name"):
        erase(told, "node", quill().pk, "Quill")
    with pytest.raises(Invalid, match="needs a reason"):
        erase(told, "node", quill().pk, "Quill Marchetti", " ")
    with pytest.raises(Denied):
        erase(viewer, "node", quill().pk, "Quill Marchetti")
    assert dump.digest(dump.snapshot(told.workspace)) == before


def test_a_dump_after_it_restores_and_is_as_empty(told: Principal) -> None:
    erase(told, "node", quill().pk, "Quill Marchetti")
    lines = dump.snapshot(told.workspace)
    assert not [word for word in SECRETS if word != "vertigo" and word in "\n".join(lines).lower()]


def test_the_command_shows_first_and_then_erases(told: Principal, tmp_path: Path) -> None:
    node = quill().pk
    said = StringIO()
    call_command("erase", "harbour", "node", str(node), stdout=said)
    assert "rows would lose their content" in said.getvalue()
    assert Node.objects.filter(label="Quill Marchetti").exists()
    receipt = tmp_path / "receipt.json"
    call_command(
        "erase",
        "harbour",
        "node",
        str(node),
        name="Quill Marchetti",
        reason="Asked.",
        receipt=str(receipt),
        stdout=said,
    )
    call_command("prove_erased", str(receipt), stdout=said)
    assert "Nothing of it is left" in said.getvalue()


def test_ink_covers_names_letter_for_letter_and_leaves_words_that_only_look_alike() -> None:
    blotter = Blotter(["Will", "Ana Petrov", "ana@petrov.example"])
    assert blotter.blot("Will said: I will ask ana  petrov (ANA@petrov.example), not Anapetrov.") == (
        "████ said: I will ask ███  ██████ (██████████████████), not Anapetrov."
    )
    apart = "Zoe\u0308 Ferro, Zoe\u0308, ZOE\u0308"
    assert Blotter(["Zo\u00eb Ferro", "Zo\u00eb"]).blot(apart) == "████ █████, ████, ZOE\u0308"


WORDLESS = {
    "access.AgentKey": {"prefix", "digest"},
    "access.Refusal": {"action", "code"},
    "context.EntryRevision": {"expires_zone"},
    "extraction.Candidate": {"kind", "rule"},
    "extraction.ExtractionRun": {"extractor", "version"},
    "forms.Form": {"name"},
    "forms.FormAttachment": {"stored", "media_type"},
    "forms.FormEdit": {"part", "words", "changes"},
    "forms.FormNotice": {"key", "hook", "calls"},
    "forms.FormOutcome": {"binding", "row", "path", "revision"},
    "forms.FormResponse": {"language", "zone"},
    "forms.FormVersion": {"title", "definition", "digest", "report"},
    "graph.Belief": {"kind", "predicate"},
    "graph.BeliefState": {"owners"},
    "graph.IdentityKey": {"owner_class", "key_set"},
    "graph.Mention": {"node_class"},
    "graph.Node": {"node_class"},
    "graph.NodeMove": {"pointer"},
    "graph.Relation": {"kind"},
    "graph.RelationPlayer": {"kind", "role"},
    "index.ModelCall": {"purpose", "model", "prompt_version", "code"},
    "files.Body": {"stored", "media_type"},
    "files.Version": {"action"},
    "ledger.Actor": {"key"},
    "ledger.Erasure": {"target_type", "reason"},
    "ledger.Job": {"kind", "arguments", "dedupe"},
    "ledger.JobAttempt": {"worker"},
    "ledger.Served": {"form", "channel"},
    "ledger.ServedItem": {"target_type"},
    "ledger.Write": {"action", "channel"},
    "ontology.DeclaredKey": {"owner_class", "key_set"},
    "ontology.DeclaredRole": {"relation_kind", "role"},
    "ontology.DeclaredType": {"name"},
    "ontology.Occurrence": {"action"},
    "ontology.OntologyVersion": {"document", "digest"},
    "review.Batch": {"kind", "verdict"},
    "review.Case": {"kind"},
    "review.CaseSubject": {"role", "subject_type"},
    "review.Decision": {"verdict", "policy"},
    "review.PolicyEdition": {"setting"},
    "sources.Participant": {"node_class"},
    "sources.Source": {"said_zone"},
    "sources.Thread": {"time_zone"},
    "timeline.Episode": {"kind"},
    "timeline.EpisodeParticipant": {"role"},
    "timeline.EpisodeRevision": {"zone"},
}
"""Columns of text that hold declared names, ids, digests or words of the product, and never what a person said."""


def test_every_text_column_is_erasable_or_cannot_hold_what_a_person_said() -> None:
    """R16. What may change is blotted like what is erasable; what may be deleted goes with its row."""
    kinds = (models.CharField, models.TextField, models.JSONField, models.BinaryField)
    fixed: dict[str, set[str]] = {}
    for model in guarded_models():
        guard = model.guard
        names = {
            column.name for column in model._meta.concrete_fields if isinstance(column, kinds) and not column.choices
        }
        if not guard.deletable and (rest := names - {*guard.erasable, *guard.mutable}):
            fixed[model._meta.label] = rest
    assert fixed == WORDLESS
