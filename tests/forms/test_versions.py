"""Versions of a form with responses under way: stored, published, withdrawn, and what becomes of drafts."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine import queries, services
from formsengine.definition.builder import FormBuilder
from formsengine.definition.model import Form as Definition
from formsengine.models import VersionState
from formsengine.queries.defined import impact
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms

SHEET = b"""| survey |
| | type | name | label | relevant |
| | text | name | Name | |
| | integer | age | Age | pulldata('a', 'b', 'c', 'd') |
"""


def visit(*, need: bool = False, drop: bool = False, more: bool = False, wrong: bool = False) -> Definition:
    form = FormBuilder("visit", "A visit")
    with form.step("one", "One"):
        name = form.asked("name", "Name")
        if not drop:
            form.asked("place", "Place", required=need)
        if more:
            form.asked("note", "Note")
        if wrong:
            form.integer("count", "Count", relevant=f"{name} > ${{nothing}}")
    return form.compile()


@pytest.fixture
def visits(operator: Principal) -> Forms:
    forms = Forms(operator)
    forms.published(visit())
    return forms


def test_a_version_never_changes_and_the_same_again_is_the_same(visits: Forms) -> None:
    again = visits.stored(visit())
    assert (again.number, again.state) == (1, VersionState.LIVE)
    assert visits.stored(visit(more=True)).number == 2


def test_what_is_wrong_is_named_where_it_is_and_keeps_it_from_being_published(visits: Forms) -> None:
    version = visits.stored(visit(wrong=True))
    with pytest.raises(Invalid) as refused:
        visits.do(lambda write: services.publish(write, version))
    assert refused.value.code == "unpublishable"
    assert any("nothing" in each.message for each in refused.value.violations)
    with pytest.raises(Invalid) as unknown:
        visits.stored({"format": "form/1", "id": "x", "steps": [], "colour": "red"})
    assert unknown.value.violations[0].path == "/colour"


def test_a_harmless_version_moves_a_draft_with_its_next_write_and_reading_moves_nothing(visits: Forms) -> None:
    opened = visits.opened("visit")
    visits.answer(opened, name="Ana")
    visits.published(visit(more=True))
    visits.view(opened)
    assert visits.row(opened).version.number == 1
    visits.answer(opened, note="Came alone")
    row = visits.row(opened)
    assert (row.version.number, row.started_under.number, row.lock) == (2, 1, 3)


def test_what_may_change_a_draft_is_previewed_and_confirmed(visits: Forms) -> None:
    opened = visits.opened("visit")
    visits.answer(opened, name="Ana")
    tighter = visits.stored(visit(need=True))
    preview = impact(visits.by, tighter)
    assert (preview["class"], preview["drafts"]) == ("review", 1)
    visits.do(lambda write: services.publish(write, tighter))
    visits.answer(opened, name="Eva")
    assert visits.row(opened).version.number == 1
    with pytest.raises(Conflict) as refused:
        visits.do(lambda write: services.move(write, opened.row.pk, version=2))
    assert refused.value.code == "review"
    visits.do(lambda write: services.move(write, opened.row.pk, version=2, confirmed=True))
    assert visits.view(opened)["state"] == "blocked"


def test_a_field_that_is_gone_wants_a_map_and_its_answer_stays(visits: Forms) -> None:
    opened = visits.opened("visit")
    visits.answer(opened, name="Ana", place="Pier 4")
    visits.published(visit(drop=True))
    with pytest.raises(Conflict) as refused:
        visits.do(lambda write: services.move(write, opened.row.pk, version=2, confirmed=True))
    assert refused.value.code == "breaking"
    visits.do(lambda write: services.move(write, opened.row.pk, version=2, confirmed=True, moved={"place": "name"}))
    said = {each.kept for each in queries.loaded(visits.row(opened)).revisions.values()}
    assert "Pier 4" in said


def test_nothing_starts_under_a_withdrawn_version(visits: Forms) -> None:
    version = queries.version(visits.by, queries.form_called(visits.by, "visit").pk, 1)
    visits.do(lambda write: services.withdraw(write, version, reason="It asks too much."))
    with pytest.raises(Conflict) as refused:
        visits.opened("visit")
    assert refused.value.code == "not_live"
    visits.published(visit(more=True))
    assert visits.opened("visit").row.version.number == 2


def test_a_sheet_is_read_from_its_bytes_and_what_is_not_understood_blocks_it(visits: Forms) -> None:
    version: Any = visits.do(lambda write: services.import_sheet(write, services.read_sheet(SHEET, name="sheet")))
    assert version.report["not_understood"]
    with pytest.raises(Invalid) as refused:
        visits.do(lambda write: services.publish(write, version))
    assert "not_understood" in {each.code for each in refused.value.violations}
    with pytest.raises(Invalid):
        services.read_sheet(b"\x00\x01\x02")
    with pytest.raises(Invalid):
        services.bytes_of("not base64!")


def test_only_who_may_write_forms_does(visits: Forms, reviewer: Principal, agent: Any, workspace: Any) -> None:
    for by in (reviewer, agent(workspace, ["forms"])):
        with pytest.raises(Denied):
            visits.stored(visit(more=True), by=by)


def test_a_form_that_is_not_there_is_named_with_the_nearest(visits: Forms) -> None:
    with pytest.raises(NotFound, match="Did you mean “visit”"):
        visits.opened("vist")
