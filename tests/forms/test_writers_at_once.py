"""Many writers of one response at once: real threads, on every engine; nothing that was said is lost."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from formsengine import queries, services
from formsengine.inputs import Answers
from formsengine.log.writing import values
from formsengine.models import FormCommit
from formsengine.queries import loading
from memoryapp.access.services import operator
from memoryapp.ledger.services import create_workspace, record
from memoryapp.ontology.services import start
from tests.forms.telling import Forms, patient

WRITERS = 20


@pytest.mark.django_db(transaction=True)
def test_twenty_writers_of_one_response_lose_nothing_and_replay_the_same() -> None:
    """Q4 and Q7 in storage: each own row is there, of twenty names one is in force and nineteen wait for a person."""
    by = operator(create_workspace("harbour", "Harbour"))
    record(by, "declare", start)
    forms = Forms(by)
    forms.published(patient())
    opened = forms.opened()
    taken: list[str] = []

    def fill(number: int) -> None:
        ops = [
            {"op": "row-add", "repeat": "medicines", "values": {"medicine": f"Medicine {number}"}},
            *values(name=f"Name {number}"),
        ]
        try:
            record(by, "w", lambda write: services.answer(write, opened.row.pk, Answers(ops, base=0, key=f"k{number}")))
            taken.append(f"k{number}")
        finally:
            connection.close()

    threads = [threading.Thread(target=fill, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == WRITERS
    row = queries.response(by, opened.row.pk)
    assert FormCommit.objects.filter(response=row).count() == row.lock == WRITERS
    loading._responses.clear()
    response = loading.loaded(row)
    said = {revision.kept for revision in response.revisions.values()}
    assert said == {f"{word} {number}" for word in ("Name", "Medicine") for number in range(WRITERS)}
    name = queries.viewed(by, row, scope="field", id="name")
    assert (name["state"], len(name["others"])) == ("conflict", WRITERS - 1)
