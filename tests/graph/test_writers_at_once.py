"""Many writers at once."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from memoryapp.access.services import operator
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger.services import create_workspace, record
from tests.graph.telling import Memory


@pytest.mark.django_db(transaction=True)
def test_case_7_twenty_writers_of_one_preference_make_one_belief() -> None:
    by = operator(create_workspace("harbour", "Harbour"))
    memory = Memory(by)
    ivo = memory.node("Ivo Lasker")
    sources = [memory.source("2026-03-02") for _ in range(20)]
    outcomes: list[str] = []

    def tell(number: int) -> None:
        quoted = (Quoted(sources[number]),)
        statement = Statement(
            kind="preference", content="Ivo Lasker prefers window seats", owners=(ivo.pk,), evidence=quoted
        )
        try:
            outcomes.append(record(by, "remember", lambda write: graph.remember(write, statement)).outcome)
        finally:
            connection.close()

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["created"] + ["said_again"] * 19
    assert Belief.objects.get().status == "activated"
