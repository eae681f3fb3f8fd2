"""What no stored row is of, and is relied on all the same: views, vocabularies, and the roots of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.models import Agent, SavedView
from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.graph.queries.views import named
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.mcp import server
from memoryapp.ontology import services
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import outlook
from tests.api.calling import Caller
from tests.files.telling import Tree
from tests.graph.nodes.telling import Graph
from tests.mcp.test_tools import headers
from tests.ontology.proposing import Office
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose", "find-notes"], "Quay"), administrator)


def said(office: Office, *changes: dict[str, Any]) -> list[str]:
    """What stands in the way of these changes, in words."""
    return [one.message for one in outlook(office.admin, list(changes)).examined.violations]


def root(change: str, path: str, **more: Any) -> dict[str, Any]:
    named_by = "name" if change == "add_type" else "type"
    return {"change": change, "family": "file_roots", named_by: path, **more}


def test_a_view_is_read_by_its_former_name_and_stays_while_a_saved_one_asks_for_it(
    office: Office, operator: Principal
) -> None:
    """A8, A9, T42: in Python, over REST and in the console; two views made one are read by both names."""
    graph = Graph(operator)
    likes = graph.say("Ines likes tea.", graph.person("Ines"), kind="preference")
    kept: dict[str, Any] = {"place": "beliefs", "name": "What they want", "query": "view=preferences", "shared": True}
    record(
        office.admin,
        "keep_view",
        lambda write: SavedView.objects.create(workspace=write.workspace, owner=write.by.actor, write=write, **kept),
    )
    retire = {"change": "retire", "family": "views", "type": "preferences"}
    assert said(office, retire) == ["The saved view “What they want” names preferences."]
    with pytest.raises(Conflict):
        office.approve(office.propose(retire))
    office.put_in_force({"change": "rename", "family": "views", "type": "preferences", "to": "wants"})
    clerk = Caller(operator.workspace, ["lookup"], "Clerk")
    for name in ("preferences", "wants"):
        assert list(named(operator, name)) == [likes]
        assert [one["id"] for one in clerk.get(f"views/{name}").json()["items"]] == [str(likes.pk)]
        assert "Ines likes tea." in client_of(office.admin).get(f"/w/harbour/beliefs/?view={name}").content.decode()
    with pytest.raises(Invalid, match="called before"):
        office.propose({"change": "add_type", "family": "views", "name": "preferences"})
    office.put_in_force({"change": "retire", "family": "views", "type": "decisions", "into": "wants"})
    assert list(named(operator, "decisions")) == [likes]


def test_terms_by_which_nodes_are_told_stay(office: Office, operator: Principal) -> None:
    """T34: a vocabulary, and one of its terms, with the number of nodes; terms that nobody used may go."""
    terms = [
        {"iri": "urn:mooring", "name": "Mooring", "aliases": ["berthing"]},
        {"iri": "urn:towing", "name": "Towing"},
    ]
    vocabulary = {"family": "vocabularies", "declaration": {"node_class": "topic", "terms": terms}}
    office.put_in_force({"change": "add_type", "name": "works", **vocabulary})
    graph = Graph(operator)
    assert graph.node("topic", name="berthing").properties["iri"] == "urn:mooring"
    less = {"change": "set", "family": "vocabularies", "type": "works", "field": "terms"}
    assert said(office, {"change": "retire", "family": "vocabularies", "type": "works"}) == ["1 stored row uses works."]
    assert said(office, less | {"value": terms[1:]}) == ["1 stored row uses terms of works that would go."]
    assert said(office, less | {"value": terms[:1]}) == []
    office.put_in_force({"change": "rename", "family": "vocabularies", "type": "works", "to": "trades"})
    assert graph.upsert("topic", name="Berthing").created is False


def test_what_a_kind_of_source_must_have_is_asked_of_what_is_told_from_then_on(office: Office) -> None:
    """T34, A6: a kind that sources are of stays, what they lack is listed and cannot be required; what nobody is told
    any more is refused and says what is."""
    clerk = Caller(office.admin.workspace, ["lookup", "curate"], "Clerk")
    page = {
        "kind": "web",
        "url": "https://ferro.example/",
        "content": "Ferro binds books.",
        "said_at": "2026-03-02T09:00Z",
    }
    titled = {"change": "set", "family": "source_kinds", "type": "web", "field": "requires", "value": ["url", "title"]}
    retire = {"change": "retire", "family": "source_kinds", "type": "web"}
    assert clerk.post("sources", page).status_code == 202
    assert said(office, retire) == ["1 stored row uses web."]
    found = outlook(office.admin, [titled]).examined
    assert [
        (one.message, [row.label for row in broken.rows])
        for one, broken in zip(found.violations, found.broken, strict=True)
    ] == [("1 stored row would not fit: title is required of web.", ["Ferro binds books."])]
    of_files = titled | {"type": "file", "value": ["path", "title"]}
    office.put_in_force(of_files, {"change": "retire", "family": "source_kinds", "type": "document"})
    file = {"kind": "file", "path": "/a.md", "content": "Ferro sells books.", "said_at": "2026-03-02T09:00Z"}
    for body, place in ((file, "/title"), (file | {"kind": "document", "title": "A"}, "/kind")):
        answer = clerk.post("sources", body)
        assert (answer.status_code, [one["path"] for one in answer.json()["errors"]]) == (422, [place])
    assert clerk.post("sources", file | {"title": "A"}).status_code == 202
    with pytest.raises(Invalid, match="its kinds are fixed"):
        office.propose({"change": "add_type", "family": "source_kinds", "name": "telegram"})


def test_a_root_is_proposed_and_is_in_force_at_once_for_agents_tools_and_search(office: Office) -> None:
    """A file that was refused is taken once people agreed; the tools say so, and it is searched. What a root in use
    holds is counted, and it stays."""
    tree, quay = Tree(office.admin), Caller(office.admin.workspace, ["curate", "find-notes"], "Clerk")
    file = {"items": [{"path": "/logs/monday.md", "content": "A marlin was seen."}]}
    refused = quay.post("files", file)
    assert (refused.status_code, refused.json()["code"]) == (403, "outside_roots")
    office.put_in_force(root("add_type", "/logs", declaration={"title": "Logs"}))
    assert quay.post("files", file).status_code == 201
    [written] = [one.description or "" for one in server.shown(headers(quay)) if one.name == "files_write"]
    assert "/logs, /notes" in written
    assert "/logs" in quay.get("ontology").json()["rendered"]["file_roots"]
    assert tree.search("marlin") == ["/logs/monday.md"]
    retire = root("retire", "/logs")
    assert said(office, retire) == ["1 stored row uses /logs."]
    going = office.propose(retire)
    with pytest.raises(Conflict):
        office.approve(going)
    office.put_in_force(root("set", "/logs", field="indexed", value=False))
    assert tree.search("marlin") == []
    tree.move("/logs", "/notes/logs")
    office.do(services.rebase, going)
    office.approve(going)
    office.apply(going)
    assert tree.search("marlin") == ["/notes/logs/monday.md"]
    assert "/logs" not in current_ontology(office.admin).document.file_roots
    assert unsound(office.admin.workspace) == []


def test_a_root_that_moves_takes_its_files_along_and_back(office: Office) -> None:
    """A7, A9: each keeps its history, links lead on, an agent writes below the new path alone; rolled back, all is as
    it was. Who is ruled by the old path is named first."""
    tree = Tree(office.admin)
    first = tree.write("/people/ines.md", "Ines keeps a marlin.")
    tree.write("/notes/who.md", "See [Ines](/people/ines.md).", form="markdown")
    move = root("rename", "/people", to="/persons")
    for ruled in ("/people/ines.md", "/people", "/peo*/**", "/people/*/secret", "/**/people/x"):
        Agent.objects.filter(name="Quay").update(path_rules=[[ruled, "none"]])
        assert said(office, move) == ["The rule of paths of the agent “Quay” names /people by its path."], ruled
    for alike in ("/**", "/**/secret", "/p*", "/notes/*", "/peopled/x"):
        Agent.objects.filter(name="Quay").update(path_rules=[[alike, "none"]])
        assert said(office, move) == [], alike
    Agent.objects.filter(name="Quay").update(path_rules=[])
    assert outlook(office.admin, [move]).examined.moving == {"files": 1}
    proposal = office.put_in_force(move)
    assert tree.entry("/persons/ines.md").pk == first.entry.pk
    assert "(/persons/ines.md)" in tree.text("/notes/who.md")
    assert tree.search("marlin") == ["/persons/ines.md"]
    with pytest.raises(Denied, match="no declared root"):
        tree.write("/people/tomas.md", by=office.filer)
    tree.write("/persons/tomas.md", by=office.filer)
    office.do(services.roll_back, proposal, "The old path was better.")
    assert "(/people/ines.md)" in tree.text("/notes/who.md")
    assert tree.entry("/people/tomas.md")
    assert "/people" in current_ontology(office.admin).document.file_roots
    assert unsound(office.admin.workspace) == []


def unsound(workspace: Workspace) -> list[str]:
    return [f"{report.check.name}: {one.what}" for report in integrity.examine(workspace) for one in report.findings]
