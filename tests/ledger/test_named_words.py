"""Further words that somebody names when a person is erased: shown where they stand, blotted, and proved."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Node
from memoryapp.ledger import erasing
from memoryapp.ledger.models import Erasure
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.proving import prove
from memoryapp.ledger.services import record
from memoryapp.sources.models import Source
from tests.graph.nodes.telling import Graph
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_files")]

SAID = "We met Quill and Marchie at the pier; quill pens were for sale."


@pytest.fixture
def quill(operator: Principal) -> Node:
    """Quill, and what others said with a first name and a nickname in it."""
    graph = Graph(operator)
    graph.say("Bram likes the pier", graph.person("Bram Oduya"), evidence=(_quoted(graph, SAID),))
    found: Node = graph.person("Quill Marchetti")
    return found


def _quoted(graph: Graph, words: str) -> Any:
    from memoryapp.graph.statements import Quoted

    return Quoted(graph.source(text=words))


def test_a_first_name_and_a_nickname_are_blotted_where_they_are_named_and_nowhere_else(
    quill: Node, operator: Principal
) -> None:
    """R16: the proof looks for them as for names."""
    shown = erasing.preview(operator, "node", quill.pk, words=["Quill", " Marchie ", "Quill"])["words"]
    assert [(one["word"], one["count"]) for one in shown] == [("Quill", 1), ("Marchie", 1)]
    assert shown[1]["examples"] == [SAID]
    names = ["Quill", "Marchie"]
    erase = lambda write: erasing.erase(write, "node", quill.pk, name="Quill Marchetti", words=names)  # noqa: E731
    erasure = record(operator, "erase", erase, "He asked for it.")
    told = Source.objects.get(content__contains="pens")
    assert told.content == SAID.replace("Quill", "█████").replace("Marchie", "███████")
    assert prove(erasure.receipt) == []
    assert "Marchie" not in str(erasure.receipt)


def test_without_words_nothing_of_others_is_touched(quill: Node, operator: Principal) -> None:
    erase = lambda write: erasing.erase(write, "node", quill.pk, name="Quill Marchetti")  # noqa: E731
    record(operator, "erase", erase, "He asked for it.")
    assert Source.objects.filter(content=SAID).exists()


@pytest.mark.parametrize("word", ["x", "12345", "a" * 101, "with\x00nul"])
def test_what_is_no_name_is_refused_with_its_place(quill: Node, operator: Principal, word: str) -> None:
    with pytest.raises(Invalid) as refused:
        erasing.preview(operator, "node", quill.pk, words=["Quill", word])
    assert refused.value.violations[0].path == "/words/1"


def test_the_command_shows_each_word_and_then_blots_it(quill: Node) -> None:
    said = StringIO()
    call_command("erase", "harbour", "node", str(quill.pk), "--word", "Marchie", stdout=said)
    assert "“Marchie” would be blotted 1 times" in said.getvalue()
    with pytest.raises(CommandError, match="no name"):
        call_command("erase", "harbour", "node", str(quill.pk), "--word", "1", stdout=said)
    given = ["--name", "Quill Marchetti", "--reason", "He asked for it.", "--word", "Marchie"]
    call_command("erase", "harbour", "node", str(quill.pk), *given, stdout=said)
    assert not Source.objects.filter(content__contains="Marchie").exists()


def test_on_the_page_words_are_looked_at_before_anything_goes(quill: Node, administrator: Principal) -> None:
    client, page = client_of(administrator), f"/w/harbour/nodes/{quill.pk}/erase/"
    typed = {"name": "Quill Marchetti", "rationale": "He asked for it.", "words": "Marchie"}
    shown = client.post(page, typed)
    assert "“Marchie” stands 1 time" in shown.content.decode()
    assert not Erasure.objects.exists(), "words that were not looked at yet blot nothing"
    refused = client.post(page, typed | {"words": "1"})
    assert "is no name" in refused.content.decode()
    assert client.post(page, typed | {"seen_words": "Marchie "}).status_code == 302
    assert not Source.objects.filter(content__contains="Marchie").exists()
